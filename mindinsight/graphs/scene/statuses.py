"""The statuses of boxes and edges in a comparison of two graphs. Used by `inside`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import MONAD, Graph
from mindinsight.graphs.scene.bookkeeping import ORDERING
from mindinsight.graphs.scene.paths import View
from mindinsight.graphs.scene.scene import INPUT, OUTPUT, Scene

STATUSES = ("same", "changed", "added", "removed")
"""The statuses by their numbers in the columns of a comparison."""
_COUNTED = STATUSES[1:]
_ADDED, _REMOVED = STATUSES.index("added"), STATUSES.index("removed")


@dataclass(frozen=True, slots=True)
class Statuses:
    """The numbers of statuses in a comparison.

    Attributes:
        nodes: the status of each node.
        edges: the status of each edge, which is never `changed`.
    """

    nodes: npt.NDArray[np.uint8]
    edges: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class BoxStatus:
    """The status of a box.

    Attributes:
        status: the status of all its nodes, or `changed` if they differ.
        changes: the number of its nodes with each status except `same`.
    """

    status: str
    changes: dict[str, int]


@dataclass(frozen=True, slots=True)
class EdgeStatus:
    """The changes of the edges behind one line: how many were added, and how many removed."""

    added: int
    removed: int

    def status(self, count: int) -> str:
        """Returns the status of all edges, or `changed` if they differ.

        Args:
            count: the number of edges.
        """
        if self.added >= count or self.removed >= count:
            return "added" if self.added >= count else "removed"
        return "changed" if self.added or self.removed else "same"


def box_statuses(scene: Scene, view: View, statuses: Statuses) -> list[BoxStatus]:
    """Returns the status of each box of a container."""
    nodes, index = held_nodes(scene, view)
    return _told(statuses, nodes, index, len(scene.boxes_of(view.container)))


def occurrence_statuses(rows: Sequence[npt.NDArray[Any]], statuses: Statuses) -> list[BoxStatus]:
    """Returns the status of each occurrence of a stack."""
    index = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    return _told(statuses, np.concatenate(rows), index, len(rows))


def _told(
    statuses: Statuses, nodes: npt.NDArray[np.int64], owner: npt.NDArray[np.int64], count: int
) -> list[BoxStatus]:
    """The statuses of boxes; each box owns some of the nodes."""
    kinds = len(STATUSES)
    table = np.bincount(owner * kinds + statuses.nodes[nodes], minlength=count * kinds).reshape(count, kinds)
    found = []
    for row in table.tolist():
        used = [number for number, held in enumerate(row) if held]
        status = STATUSES[used[0]] if len(used) == 1 else "changed" if used else "same"
        found.append(BoxStatus(status, dict(zip(_COUNTED, row[1:], strict=True))))
    return found


def edge_statuses(graph: Graph, scene: Scene, view: View, statuses: Statuses) -> dict[tuple[int, int, int], EdgeStatus]:
    """Returns the changes of a container's edges, by the ends and the kind of the edge."""
    nodes, index = held_nodes(scene, view)
    changed = np.flatnonzero(statuses.edges)
    if not len(changed) or not len(nodes):
        return {}
    place = np.full(len(graph), -1, np.int64)
    place[nodes] = index
    source, target = place[np.asarray(graph.in_src)[changed]], place[graph.in_dst[changed]]
    here = ((source >= 0) | (target >= 0)) & (source != target)
    changed, source, target = changed[here], source[here], target[here]
    kind = np.asarray(graph.in_kind)[changed].astype(np.int64)
    kind[_orders(graph, changed)] = MONAD
    source, target = np.where(source < 0, INPUT, source), np.where(target < 0, OUTPUT, target)
    rows, which = np.unique(np.stack([source, target, kind]), axis=1, return_inverse=True)
    found = statuses.edges[changed]
    added = np.bincount(which.ravel(), found == _ADDED, rows.shape[1]).astype(int).tolist()
    removed = np.bincount(which.ravel(), found == _REMOVED, rows.shape[1]).astype(int).tolist()
    keys = zip(*rows.tolist(), strict=True)
    return {(a, b, c): EdgeStatus(*counts) for (a, b, c), *counts in zip(keys, added, removed, strict=True)}


def _orders(graph: Graph, edges: npt.NDArray[np.int64]) -> npt.NDArray[np.bool]:
    """Returns which edges only keep side effects in order."""
    ops = np.asarray(graph.op)[graph.in_dst[edges]]
    used = [number for number in np.unique(ops).tolist() if graph.strings[number] == ORDERING]
    return np.isin(ops, used)


def held_nodes(scene: Scene, view: View) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns all nodes in the boxes of a container, and the index of the box of each."""
    boxes = scene.boxes_of(view.container)
    if not len(boxes):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    first = int(scene.frame_first[int(scene.container_frame[view.container])])
    span = slice(boxes[0], boxes[-1] + 1)
    low, high = np.asarray(scene.box_low[span]), np.asarray(scene.box_high[span])
    places = np.asarray(scene.ordered[first + int(low[0]) : first + int(high[-1])])  # Boxes are side by side there.
    index = np.repeat(np.arange(len(boxes)), high - low)
    return (places if view.nodes is None else np.asarray(view.nodes)[places]), index
