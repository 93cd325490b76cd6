"""What a comparison says about the boxes and edges of a container. Used by `inside`."""

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
"""Statuses by number, as a comparison's columns have them."""
_COUNTED = STATUSES[1:]
_ADDED, _REMOVED = STATUSES.index("added"), STATUSES.index("removed")


@dataclass(frozen=True, slots=True)
class Statuses:
    """The numbers of statuses in a comparison.

    Attributes:
        nodes: by node.
        edges: by edge; never that of `changed`.
    """

    nodes: npt.NDArray[np.uint8]
    edges: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class BoxStatus:
    """What became of a box.

    Attributes:
        status: that of all its nodes, or `changed` where they differ.
        changes: how many of its nodes have each status but `same`.
    """

    status: str
    changes: dict[str, int]


@dataclass(frozen=True, slots=True)
class EdgeStatus:
    """Changes of the edges that one line shows: how many were added, and how many removed."""

    added: int
    removed: int

    def status(self, count: int) -> str:
        """Returns that of all edges, or `changed` where they differ.

        Args:
            count: how many edges there are.
        """
        if self.added >= count or self.removed >= count:
            return "added" if self.added >= count else "removed"
        return "changed" if self.added or self.removed else "same"


def box_statuses(scene: Scene, view: View, statuses: Statuses) -> list[BoxStatus]:
    """Returns what became of each box of a container."""
    nodes, index = held_nodes(scene, view)
    return _told(statuses, nodes, index, len(scene.boxes_of(view.container)))


def occurrence_statuses(rows: Sequence[npt.NDArray[Any]], statuses: Statuses) -> list[BoxStatus]:
    """Returns what became of each occurrence of a stack, by its nodes."""
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
    """Returns what became of a container's edges where they differ: by ends, as the scene has them, and kind."""
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
    """Which edges lead into what only keeps side effects in order."""
    ops = np.asarray(graph.op)[graph.in_dst[edges]]
    used = [number for number in np.unique(ops).tolist() if graph.strings[number] == ORDERING]
    return np.isin(ops, used)


def held_nodes(scene: Scene, view: View) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns all nodes in the boxes of a container, and the index of each one's box."""
    boxes = scene.boxes_of(view.container)
    if not len(boxes):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    first = int(scene.frame_first[int(scene.container_frame[view.container])])
    span = slice(boxes[0], boxes[-1] + 1)
    low, high = np.asarray(scene.box_low[span]), np.asarray(scene.box_high[span])
    places = np.asarray(scene.ordered[first + int(low[0]) : first + int(high[-1])])  # Boxes are side by side there.
    index = np.repeat(np.arange(len(boxes)), high - low)
    return (places if view.nodes is None else np.asarray(view.nodes)[places]), index
