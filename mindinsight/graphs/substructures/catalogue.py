"""The results of the library: sub-structures with all occurrences, and the differences of the occurrences."""

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
    """Occurrences that nearly match a sub-structure: only the nodes at some places differ.

    Attributes:
        nodes: one occurrence per row.
        places: the places that differ.
    """

    nodes: Rows
    places: list[int]


@dataclass(eq=False)
class SubStructure:
    """A sub-structure with all its occurrences.

    Attributes:
        number: its index in the catalogue. The one that saves most nodes comes first.
        name: a readable name, from scopes and operators.
        nodes: one occurrence per row, as numbers of nodes. Nodes in the same column correspond.
        parent: number of the sub-structure that contains all its occurrences; -1 if there is none.
        children: numbers of the sub-structures inside its occurrences.
        phase: forward, backward or optimizer.
        boxes: number of boxes that show its inside with repeats folded.
        variants: occurrences that are nearly the same.
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
        """The number of occurrences."""
        return len(self.nodes)

    @property
    def size(self) -> int:
        """The number of nodes in an occurrence."""
        return int(self.nodes.shape[1])

    @property
    def share(self) -> float:
        """The share of the graph's nodes that are in occurrences."""
        return self.nodes.size / max(len(self.graph), 1)

    @property
    def saved(self) -> int:
        """The number of nodes saved by showing it once."""
        return (self.count - 1) * (self.size - 1) - 1

    @property
    def phase_name(self) -> str:
        """The name of the phase."""
        return PHASES[self.phase]

    @cached_property
    def edges(self) -> list[tuple[int, int, int, int]]:
        """The edges inside the first occurrence: source place, output slot, target place, input port."""
        place_of = {int(node): place for place, node in enumerate(self.nodes[0].tolist())}
        found = []
        for place, node in enumerate(self.nodes[0].tolist()):
            for port, (source, slot, _) in enumerate(self.graph.inputs(node)):
                if source in place_of:
                    found.append((place_of[source], slot, place, port))
        return found

    @cached_property
    def differences(self) -> dict[str, list[int]]:
        """The places where occurrences differ in type or attributes although they are equal."""
        found = {column: np.flatnonzero((said != said[0]).any(axis=0)).tolist() for column, said in self._said.items()}
        return {column: places for column, places in found.items() if places}

    @cached_property
    def kinds(self) -> list[list[int]]:
        """Groups of occurrences with equal types and attributes, the largest group first."""
        said = np.concatenate(list(self._said.values()), axis=1)
        _, group = np.unique(said, axis=0, return_inverse=True)
        groups = [np.flatnonzero(group == number).tolist() for number in range(int(group.max(initial=0)) + 1)]
        return sorted(groups, key=lambda members: (-len(members), members))

    @cached_property
    def series(self) -> list[list[int]]:
        """Chains of occurrences that feed each other, in order. Single occurrences are left out."""
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
        equivalence: the rule by which nodes are equal.
        structures: the sub-structures by number.
        boxes: number of boxes that show the whole graph with everything folded.
        complete: false if the search ran out of time. The results are right, but there may be more.
        seconds: duration of the search.
    """

    graph: Graph = field(repr=False)
    equivalence: Equivalence
    structures: list[SubStructure]
    boxes: int
    complete: bool
    seconds: float

    @property
    def dictionary(self) -> int:
        """The number of boxes that show every sub-structure once."""
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
