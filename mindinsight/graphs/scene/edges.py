"""The edges of every container of a frame, from those of the graph. Used when a scene is built."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import EdgeKind
from mindinsight.graphs.scene.scene import INPUT, OUTPUT
from mindinsight.graphs.scene.scopes import Ints
from mindinsight.graphs.substructures.equivalence import PHASES

HUB = 8
"""A box that feeds more boxes is named at its consumers instead of being drawn to them."""
JOIN = 16
"""Into a box that reads from more boxes nothing is drawn."""
_KINDS, _PHASES = len(EdgeKind), len(PHASES)


@dataclass(eq=False)
class Tree:
    """Containers of a frame.

    Attributes:
        parent, place, depth: by container, the one around it, its box's place there, how deep it is.
    """

    parent: Ints
    place: Ints
    depth: Ints


@dataclass(eq=False)
class ContainerEdges:
    """Edges by container, in order of it.

    Attributes:
        container, source, target, kind: which; ends as places of boxes, or INPUT, OUTPUT.
        count: edges of the graph.
        types: how many different types.
        type: number of the first one's text.
        size: bytes of the largest, -1 where none is known.
        phase: of what lies outside where an end is INPUT or OUTPUT, 0 elsewhere.
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
    """Returns none."""
    return ContainerEdges(*np.empty((9, 0), np.int64))


def lifted(
    tree: Tree, ends: npt.NDArray[np.int64], kind: Ints, phases: tuple[Ints, Ints], type_number: Ints, sizes: Ints
) -> ContainerEdges:
    """Returns the edges of all containers.

    Args:
        tree: the containers.
        ends: by edge, container and place of its source, container and place of its target; container -1 outside.
        kind, type_number: by edge.
        phases: by edge, of its source and of its target.
        sizes: bytes by number of type.
    """
    types, type_place = np.unique(type_number, return_inverse=True)
    carried = kind + _KINDS * (phases[0] + _PHASES * phases[1].astype(np.int64))
    tail = np.stack([carried, type_place.ravel()]).astype(np.int64)
    first = np.arange(len(kind), dtype=np.int64)
    state = np.concatenate([ends, tail])
    count = np.ones(len(kind), np.int64)
    made: list[npt.NDArray[np.int64]] = []
    depth = np.r_[tree.depth, -1]  # The last entry is for what lies outside.
    while state.shape[1]:
        state, count, first = _merged(state, count, first)
        source, source_place, target, target_place = state[:4]
        same = source == target
        inner = same & (source_place != target_place)
        made.append(np.stack([source, source_place, target_place, *state[4:], count, first])[:, inner])
        up_source = ~same & (depth[source] >= depth[target])
        up_target = ~same & (depth[target] >= depth[source])
        for up, at, is_source in ((up_source, 0, True), (up_target, 2, False)):
            chosen = state[:, up]
            port = np.full(chosen.shape[1], OUTPUT if is_source else INPUT, np.int64)
            pair = (chosen[1], port) if is_source else (port, chosen[3])
            made.append(np.stack([chosen[at], *pair, *chosen[4:], count[up], first[up]]))
        moved = state.copy()
        for up, at in ((up_source, 0), (up_target, 2)):
            moved[at + 1, up] = np.r_[tree.place, -1][state[at, up]]
            moved[at, up] = np.r_[tree.parent, -1][state[at, up]]
        done = same | ((moved[0] < 0) & (moved[2] < 0))
        state, count, first = moved[:, ~done], count[~done], first[~done]
    return _gathered(np.concatenate(made, axis=1) if made else np.empty((7, 0), np.int64), types, sizes)


def _merged(state: npt.NDArray[np.int64], count: Ints, first: Ints) -> tuple[npt.NDArray[np.int64], Ints, Ints]:
    """Puts equal edges together."""
    spans = state.max(axis=1, initial=0) + 2
    if float(np.prod(spans.astype(np.float64))) < 2.0**62:
        key = np.zeros(state.shape[1], np.int64)
        for row, span in zip(state, spans.tolist(), strict=True):
            key = key * span + (row + 1)
        _, lead, which = np.unique(key, return_index=True, return_inverse=True)
    else:
        _, lead, which = np.unique(state, axis=1, return_index=True, return_inverse=True)
    which = which.ravel()
    earliest = np.full(len(lead), np.iinfo(np.int64).max, np.int64)
    np.minimum.at(earliest, which, first)
    return state[:, lead], np.bincount(which, count, len(lead)).astype(np.int64), earliest


def _gathered(made: npt.NDArray[np.int64], types: Ints, sizes: Ints) -> ContainerEdges:
    """One edge for each container, pair of ends, kind, and phase outside."""
    container, source, target, carried, _, _, first = made
    kind, phases = carried % _KINDS, carried // _KINDS
    outside = np.where(source == INPUT, phases % _PHASES, np.where(target == OUTPUT, phases // _PHASES, 0))
    order = np.lexsort((first, outside, kind, target, source, container))
    made = made[:, order]
    key = np.stack([container, source, target, kind, outside])[:, order]
    begins = np.flatnonzero(np.r_[True, (np.diff(key, axis=1) != 0).any(axis=0)]) if made.shape[1] else np.empty(0, int)
    which = np.zeros(made.shape[1], np.int64)
    which[begins[1:]] = 1
    which = np.cumsum(which)
    per_type = distinct(np.stack([which, made[4]]))
    of_type = sizes[types[made[4]]] if made.shape[1] else np.empty(0, np.int64)
    container, source, target, kind, outside = key[:, begins]
    return ContainerEdges(
        container=container,
        source=source,
        target=target,
        kind=kind,
        count=np.bincount(which, made[5], len(begins)).astype(np.int64) if len(begins) else np.empty(0, np.int64),
        types=np.bincount(per_type[0], minlength=len(begins)),
        type=types[made[4][begins]] if len(begins) else np.empty(0, np.int64),
        size=np.maximum.reduceat(of_type, begins) if len(begins) else np.empty(0, np.int64),
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
    """Whether (container, place) stands in more pairs than the limit."""
    span = int(max(place.max(initial=0), 0)) + 3
    found, counts = np.unique(pairs[0] * span + pairs[1], return_counts=True)
    return np.isin(container * span + place, found[counts > limit])


def distinct(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Returns the different columns of some rows of numbers that are not negative, in order."""
    spans = rows.max(axis=1, initial=0) + 1
    if float(np.prod(spans.astype(np.float64))) >= 2.0**62:
        return np.unique(rows, axis=1)
    keys = np.zeros(rows.shape[1], np.int64)
    for row, span in zip(rows, spans.tolist(), strict=True):
        keys = keys * span + row
    keys = np.unique(keys)
    found = np.empty((len(rows), len(keys)), np.int64)
    for place in range(len(rows) - 1, -1, -1):
        found[place], keys = keys % spans[place], keys // spans[place]
    return found
