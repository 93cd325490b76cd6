"""Makes the catalogue of repeated sub-structures in a graph. Called by the command, by tasks and as a library."""

from __future__ import annotations

import time

import numpy as np

from mindinsight.graphs.model import Graph
from mindinsight.graphs.substructures.catalogue import Catalogue, SubStructure, Variant
from mindinsight.graphs.substructures.equivalence import BACKWARD, FORWARD, Equivalence, make_work
from mindinsight.graphs.substructures.fences import Fences
from mindinsight.graphs.substructures.naming import Namer
from mindinsight.graphs.substructures.search import Progress, Search
from mindinsight.graphs.substructures.series import fold
from mindinsight.graphs.substructures.work import Pattern

MIN_SIZE = 4
NAMED = 2000
"""Maximum number of sub-structures with names from scopes. Those that save less are named by their operators."""


def recognise(
    graph: Graph,
    equivalence: Equivalence = Equivalence.OP,
    *,
    min_size: int = MIN_SIZE,
    phases: bool = True,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> Catalogue:
    """Finds the repeated sub-structures of a graph.

    Every occurrence is checked against the first one: equal nodes at every place, and equal ordered wiring among them.
    Occurrences of the same sub-structure are disjoint. Occurrences of different ones are disjoint or nested.

    Args:
        graph: the graph.
        equivalence: the rule by which nodes are equal.
        min_size: minimum number of nodes of a sub-structure.
        phases: whether forward, backward and optimizer are kept apart, if scopes show them.
        seconds: time after which no new round begins. The catalogue is then marked as incomplete.
        progress: called with the finished share, from 0 to 1.

    Raises:
        ValueError: `min_size` is below 2.
    """
    if min_size < 2:
        raise ValueError(f"min_size is {min_size}; a sub-structure has at least 2 nodes.")
    begun = time.monotonic()
    deadline = None if seconds is None else begun + seconds
    search = Search(min_size, Fences(graph), phases=phases, deadline=deadline, progress=progress)
    work = make_work(graph, equivalence)
    left = search.run(work)
    structures = _structures(graph, search.patterns)
    if progress is not None:
        progress(1.0)
    boxes = fold(left).boxes
    return Catalogue(graph, equivalence, structures, boxes, search.complete, time.monotonic() - begun)


def _structures(graph: Graph, patterns: list[Pattern]) -> list[SubStructure]:
    """Sub-structures sorted by saved nodes, with names and numbers of parents and children."""
    order = sorted(
        range(len(patterns)),
        key=lambda number: (-(len(patterns[number].nodes) - 1) * (patterns[number].nodes.shape[1] - 1), number),
    )
    place = {number: position for position, number in enumerate(order)}
    children: dict[int, set[int]] = {number: set(patterns[number].inside) for number in order}
    for number in order:
        if patterns[number].parent >= 0:
            children[patterns[number].parent].add(number)
    namer = Namer(graph)
    structures = []
    for position, number in enumerate(order):
        pattern = patterns[number]
        structures.append(
            SubStructure(
                graph=graph,
                number=position,
                name=namer.name(pattern.nodes, pattern.phase) if position < NAMED else "",
                nodes=pattern.nodes,
                parent=place.get(pattern.parent, -1),
                children=sorted(place[child] for child in children[number]),
                phase=pattern.phase,
                boxes=pattern.parts,
                variants=[Variant(near.nodes, near.places) for near in pattern.near],
            )
        )
    _name_after_forward(graph, structures)
    return structures


def _name_after_forward(graph: Graph, structures: list[SubStructure]) -> None:
    """Names backward and optimizer sub-structures after the forward one that feeds them and occurs as often."""
    forward = {s.count: s for s in reversed(structures) if s.phase == FORWARD and s.parent < 0 and s.count > 2}
    for structure in structures:
        twin = forward.get(structure.count)
        if twin is None or structure.phase == FORWARD or structure.parent >= 0:
            continue
        middle = structure.nodes[structure.count // 2]
        sources = np.concatenate([graph.in_src[graph.in_ptr[node] : graph.in_ptr[node + 1]] for node in middle])
        fed = np.isin(np.setdiff1d(sources, middle), twin.nodes).sum()
        if fed < 2:
            continue
        if structure.phase == BACKWARD:
            structure.name = f"{twin.name} gradient"
        else:
            structure.name = f"{structure.name} of {twin.name}"
