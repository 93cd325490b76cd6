"""The edges of every container of a frame, from those of the graph. Used when a scene is built."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import EdgeKind
from mindinsight.graphs.scene.building.distinct import counted, distinct, sorted_columns
from mindinsight.graphs.scene.building.scopes import Ints
from mindinsight.graphs.scene.scene import INPUT, OUTPUT
from mindinsight.graphs.substructures.equivalence import PHASES
from mindinsight.graphs.substructures.work import dense

HUB = 8
"""The largest number of edges out of a box. A box with more readers is listed at its readers instead."""
JOIN = 16
"""The largest number of edges into a box. A box that reads from more boxes has no edges."""
_KINDS, _PHASES = len(EdgeKind), len(PHASES)
_Tally = tuple[npt.NDArray[np.int32], Ints, npt.NDArray[np.int32]]
"""Rows of numbers, the number of edges of each column, and the first of them."""


@dataclass(eq=False)
class Tree:
    """The containers of a frame.

    Attributes:
        parent, place, depth: for each container, its parent, the place of its box there, and its depth.
    """

    parent: Ints
    place: Ints
    depth: Ints


@dataclass(eq=False)
class ContainerEdges:
    """The edges of containers, in order of the containers.

    Attributes:
        container, source, target, kind: the container, ends (places of boxes, or INPUT, OUTPUT) and kind of each edge.
        count: the number of edges of the graph.
        types: the number of different types.
        type: the number of the first type's text.
        size: the bytes of the largest value; -1 if unknown.
        phase: the phase of the outer end if an end is INPUT or OUTPUT, else 0.
    """

    container: Ints
    source: Ints
    target: Ints
    kind: Ints
    count: Ints
    types: Ints
    type: Ints
    size: Ints
    phase: Ints


def no_edges() -> ContainerEdges:
    """Returns an empty set of edges."""
    return ContainerEdges(*np.empty((9, 0), np.int64))


def lifted(
    tree: Tree, ends: npt.NDArray[np.int64], kind: Ints, phases: tuple[Ints, Ints], type_number: Ints, sizes: Ints
) -> ContainerEdges:
    """Returns the edges of all containers.

    Args:
        tree: the containers.
        ends: container and place of each edge's source and of its target; the container is -1 outside.
        kind, type_number: kind and type of each edge.
        phases: the phases of each edge's source and target.
        sizes: the bytes of each type.
    """
    types, type_place = dense(type_number)
    carried = kind + _KINDS * (phases[0] + _PHASES * phases[1].astype(np.int64))
    state = np.concatenate([ends, np.stack([carried, type_place])]).astype(np.int32)
    first = np.arange(len(kind), dtype=np.int32)
    count = np.ones(len(kind), np.int64)
    made: list[_Tally] = []
    # The last entries are for ends outside.
    depth, place, parent = (np.append(row, -1).astype(np.int32) for row in (tree.depth, tree.place, tree.parent))
    while state.shape[1]:
        state, count, first = _tallied(state, count, first)
        source, source_place, target, target_place = state[:4]
        same = source == target
        inner = same & (source_place != target_place)
        made.append(_tallied(state[[0, 1, 3, 4, 5]][:, inner], count[inner], first[inner]))
        up_source = ~same & (depth[source] >= depth[target])
        up_target = ~same & (depth[target] >= depth[source])
        for up, rows, row, port in ((up_source, [0, 1, 1, 4, 5], 2, OUTPUT), (up_target, [2, 3, 3, 4, 5], 1, INPUT)):
            chosen = state[rows][:, up]
            chosen[row] = port
            made.append(_tallied(chosen, count[up], first[up]))
        moved = state
        for up, at in ((up_source, 0), (up_target, 2)):
            container = state[at, up]
            moved[at + 1, up], moved[at, up] = place[container], parent[container]
        done = same | ((moved[0] < 0) & (moved[2] < 0))
        state, count, first = moved[:, ~done], count[~done], first[~done]
    return _gathered(made, types, sizes)


def _tallied(rows: npt.NDArray[np.int32], count: Ints, first: npt.NDArray[np.int32]) -> _Tally:
    """Merges equal columns of numbers, in order: the sum of their counts, and the first edge of each."""
    if not rows.shape[1]:
        return rows, count, first
    order, begins = sorted_columns(rows)
    return rows[:, order[begins]], np.add.reduceat(count[order], begins), np.minimum.reduceat(first[order], begins)


def _gathered(made: list[_Tally], types: Ints, sizes: Ints) -> ContainerEdges:
    """Returns one edge for each container, pair of ends, kind, and outer phase."""
    if not made:
        return no_edges()
    container, source, target, carried, type_place = np.concatenate([rows for rows, _, _ in made], axis=1)
    kind, phases = carried % _KINDS, carried // _KINDS
    outside = np.where(source == INPUT, phases % _PHASES, np.where(target == OUTPUT, phases // _PHASES, 0))
    rows = np.stack([container, source, target, kind, outside.astype(np.int32), type_place])
    del container, source, target, carried, type_place, kind, phases, outside
    rows, count, first = _tallied(
        rows, np.concatenate([count for _, count, _ in made]), np.concatenate([first for _, _, first in made])
    )
    made.clear()
    if not rows.shape[1]:
        return no_edges()
    begins = np.flatnonzero(np.append(True, (rows[:5, 1:] != rows[:5, :-1]).any(axis=0)))
    spans = np.diff(np.append(begins, rows.shape[1]))
    earliest = np.flatnonzero(first == np.repeat(np.minimum.reduceat(first, begins), spans))
    type_of = types[rows[5]]
    container, source, target, kind, outside = rows[:5, begins].astype(np.int64)
    return ContainerEdges(
        container=container,
        source=source,
        target=target,
        kind=kind,
        count=np.add.reduceat(count, begins),
        types=spans,
        type=type_of[earliest],
        size=np.maximum.reduceat(sizes[type_of], begins),
        phase=outside,
    )


def without_hubs(edges: ContainerEdges) -> tuple[ContainerEdges, npt.NDArray[np.int64]]:
    """Returns the edges that are drawn, and the proxies: container, consumer, hub."""
    inner = (edges.source >= 0) & (edges.target >= 0)
    pairs = distinct(np.stack([edges.container, edges.source, edges.target])[:, inner])
    hub = _crowded(pairs[:2], HUB, edges.container, edges.source)
    join = _crowded(pairs[[0, 2]], JOIN, edges.container, edges.target)
    hidden = inner & (hub | join)
    proxies = distinct(np.stack([edges.container, edges.target, edges.source])[:, hidden])
    kept = ~hidden
    names = ("container", "source", "target", "kind", "count", "types", "type", "size", "phase")
    return ContainerEdges(**{name: getattr(edges, name)[kept] for name in names}), proxies


def _crowded(pairs: npt.NDArray[np.int64], limit: int, container: Ints, place: Ints) -> npt.NDArray[np.bool]:
    """Returns which pairs of container and place occur more often than the limit."""
    span = int(max(place.max(initial=0), 0)) + 3
    found, counts = counted(pairs[0] * span + pairs[1])
    return np.isin(container * span + place, found[counts > limit])
