"""What was found in a graph, as the library hands it out: sub-structures with all occurrences, and how they differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import Graph
from mindinsight.graphs.substructures.equivalence import PHASES, Equivalence, structural_attributes
from mindinsight.graphs.substructures.work import Rows

COMPARED = ("type", "attributes")
"""The columns that are compared between equal occurrences."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Occurrences that nearly are a sub-structure: equal but for what the nodes at some places are.

    Attributes:
        nodes: an occurrence in each row.
        places: where they differ.
    """

    nodes: Rows
    places: list[int]


@dataclass(eq=False)
class SubStructure:
    """A sub-structure and everything that is the same.

    Attributes:
        number: its place in the catalogue, the one that saves most first.
        name: for people, from scopes and operators.
        nodes: an occurrence in each row, by number of node; place by place the same.
        parent: number of the sub-structure that all its occurrences lie in, -1 where there is none.
        children: numbers of those that lie inside its occurrences.
        phase: forward, backward or optimizer.
        boxes: how many boxes show its inside when repeats in it are folded.
        variants: what is nearly the same.
    """

    graph: Graph = field(repr=False)
    number: int
    name: str
    nodes: Rows = field(repr=False)
    parent: int
    children: list[int]
    phase: int
    boxes: int
    variants: list[Variant]

    @property
    def count(self) -> int:
        """How often it occurs."""
        return len(self.nodes)

    @property
    def size(self) -> int:
        """How many nodes an occurrence has."""
        return int(self.nodes.shape[1])

    @property
    def share(self) -> float:
        """The part of the graph's nodes that lies in occurrences."""
        return self.nodes.size / max(len(self.graph), 1)

    @property
    def saved(self) -> int:
        """Nodes that need not be shown when it is shown once."""
        return (self.count - 1) * (self.size - 1) - 1

    @property
    def phase_name(self) -> str:
        """The phase's name."""
        return PHASES[self.phase]

    @cached_property
    def edges(self) -> list[tuple[int, int, int, int]]:
        """The edges inside the first occurrence: source place, output slot, place, input port."""
        place_of = {int(node): place for place, node in enumerate(self.nodes[0].tolist())}
        found = []
        for place, node in enumerate(self.nodes[0].tolist()):
            for port, (source, slot, _) in enumerate(self.graph.inputs(node)):
                if source in place_of:
                    found.append((place_of[source], slot, place, port))
        return found

    @cached_property
    def differences(self) -> dict[str, list[int]]:
        """At which places occurrences differ in type or attributes though they are the same."""
        found = {column: np.flatnonzero((said != said[0]).any(axis=0)).tolist() for column, said in self._said.items()}
        return {column: places for column, places in found.items() if places}

    @cached_property
    def kinds(self) -> list[list[int]]:
        """Occurrences in groups that agree in type and attributes everywhere, the largest first."""
        said = np.concatenate(list(self._said.values()), axis=1)
        _, group = np.unique(said, axis=0, return_inverse=True)
        groups = [np.flatnonzero(group == number).tolist() for number in range(int(group.max(initial=0)) + 1)]
        return sorted(groups, key=lambda members: (-len(members), members))

    @cached_property
    def series(self) -> list[list[int]]:
        """Occurrences that feed each other, as chains in order; single ones are left out."""
        owner = np.full(len(self.graph), -1, np.int64)
        owner[self.nodes] = np.arange(self.count)[:, None]
        source, target = owner[self.graph.in_src], owner[self.graph.in_dst]
        linked = (source >= 0) & (target >= 0) & (source != target)
        pairs = np.unique(np.stack([source[linked], target[linked]], axis=1), axis=0)
        root = list(range(self.count))
        for left, right in pairs.tolist():
            left, right = _root(root, left), _root(root, right)
            root[max(left, right)] = min(left, right)
        groups: dict[int, list[int]] = {}
        for number in range(self.count):
            groups.setdefault(_root(root, number), []).append(number)
        return [members for members in groups.values() if len(members) > 1]

    @cached_property
    def _said(self) -> dict[str, npt.NDArray[np.int64]]:
        return {
            "type": np.asarray(self.graph.type)[self.nodes].astype(np.int64),
            "attributes": _structural(self.graph)[self.nodes],
        }


@dataclass(eq=False)
class Catalogue:
    """All sub-structures of a graph.

    Attributes:
        graph: the graph.
        equivalence: what made nodes the same.
        structures: by number.
        boxes: how many boxes show the whole graph when everything is folded.
        complete: false where the search ran out of time; what was found is right, but there may be more.
        seconds: how long the search took.
    """

    graph: Graph = field(repr=False)
    equivalence: Equivalence
    structures: list[SubStructure]
    boxes: int
    complete: bool
    seconds: float

    @property
    def dictionary(self) -> int:
        """How many boxes it takes to show every sub-structure once."""
        return sum(structure.boxes for structure in self.structures)

    @property
    def folded(self) -> float:
        """The share of the graph's nodes that need not be shown."""
        return 1 - (self.boxes + self.dictionary) / max(len(self.graph), 1)


def _root(parents: list[int], number: int) -> int:
    while parents[number] != number:
        parents[number] = parents[parents[number]]
        number = parents[number]
    return number


def _structural(graph: Graph) -> npt.NDArray[np.int64]:
    used, inverse = np.unique(graph.attributes, return_inverse=True)
    numbers: dict[str, int] = {}
    texts = [structural_attributes(graph.strings[int(number)]) for number in used]
    return np.asarray([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)[inverse]
