"""Finds the units of a drawing: single nodes with their parameters, and sequences of occurrences as stacks.

Used when a scene is built. A *frame* is the whole graph, or the first occurrence of a sub-structure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import DATA, Graph, NodeKind
from mindinsight.graphs.scene.bookkeeping import FETCHING, ORDERING, PACKING
from mindinsight.graphs.scene.building.distinct import different_numbers
from mindinsight.graphs.scene.building.homes import Homes
from mindinsight.graphs.scene.building.scopes import Ints
from mindinsight.graphs.substructures.equivalence import FORWARD
from mindinsight.graphs.substructures.work import dense


@dataclass(eq=False)
class Occurrences:
    """The occurrences that are directly in a frame, not in a smaller occurrence.

    Attributes:
        pattern: the number of the sub-structure of each.
        row: the index among the occurrences of its sub-structure.
        place: the occurrence at each place of the frame; -1 if there is none.
    """

    pattern: Ints
    row: Ints
    place: Ints


@dataclass(eq=False)
class Units:
    """The units that a frame is drawn with.

    Attributes:
        of_place: the unit of each place.
        first: the first place of each unit.
        order, scope, phase: the order, scope and phase of each unit.
        pattern: the sub-structure of each unit; -1 for nodes.
        label: a number for each unit, equal for equal operators and for equal sub-structures.
        members: the occurrences of each stack, in order.
        sources, targets: pairs of units with edges between them.
    """

    of_place: Ints
    first: Ints
    order: Ints
    scope: Ints
    phase: Ints
    pattern: Ints
    label: Ints
    members: dict[int, list[int]]
    sources: Ints
    targets: Ints


@dataclass(eq=False)
class FrameEdges:
    """The edges of a frame. Constants have none.

    Attributes:
        source, target: the places of the ends; -1 outside of the frame.
        number: the number of the edge in the graph.
    """

    source: Ints
    target: Ints
    number: Ints


class UnitFinder:
    """Finds the units of one frame.

    Args:
        graph: the graph.
        homes: the homes of nodes and occurrences.
        leaf: which nodes are parameters and constants.
        nodes: the frame's nodes by place.
        edges: its edges, including those of constants.
        occurrences: the occurrences in it.
        op_numbers: the numbers of the texts of some operator types.
    """

    def __init__(
        self,
        graph: Graph,
        homes: Homes,
        leaf: npt.NDArray[np.bool],
        nodes: npt.NDArray[np.integer],
        edges: FrameEdges,
        occurrences: Occurrences,
        op_numbers: dict[str, int],
    ) -> None:
        self._op_numbers = op_numbers
        self._graph, self._homes, self._nodes, self._edges = graph, homes, nodes, edges
        self._occurrences = occurrences
        self._many = len(occurrences.pattern)
        self._kind = np.asarray(graph.kind)[nodes]
        self._free_leaf = leaf[nodes] & (occurrences.place < 0)
        self._order = np.where(leaf[nodes], np.iinfo(np.int64).max // 2, homes.order[nodes])
        # Occurrences first, then places: the pieces before anything is combined.
        places = np.arange(len(nodes), dtype=np.int64)
        self._piece = np.where(occurrences.place >= 0, occurrences.place, self._many + places)

    def find(self) -> Units:
        """Returns the units."""
        inner = (self._edges.source >= 0) & (self._edges.target >= 0)
        source, target = self._edges.source[inner], self._edges.target[inner]
        constant = self._kind[source] == NodeKind.CONSTANT
        self._attach(source, target)
        self._attach_loads(source, target)
        scope, phase, order = self._standing()
        drawn = ~(constant & self._free_leaf[source])
        valued = drawn & (np.asarray(self._graph.in_kind)[self._edges.number[inner]] == DATA)
        valued &= np.asarray(self._graph.op)[self._nodes[target]] != self._number(ORDERING)
        pieces = self._pairs(self._piece[source[valued]], self._piece[target[valued]])
        owner = self._stacked(pieces, scope, phase)
        self._attach_shared(source, target, owner)
        return self._numbered(owner, source[drawn], target[drawn], (scope, phase, order))

    def _attach(self, source: Ints, target: Ints) -> None:
        """Attaches leaves to their only reader, and constants to the first reader."""
        reading = np.flatnonzero(self._free_leaf[source])
        reading = reading[np.argsort(self._order[target[reading]], kind="stable")]
        leaf, reader = source[reading], self._piece[target[reading]]
        first = np.full(len(self._nodes), -1, np.int64)
        first[leaf[::-1]] = reader[::-1]
        same_phase = self._homes.phase[self._nodes[leaf]] == self._homes.phase[self._nodes[target[reading]]]
        shared = np.zeros(len(self._nodes), np.bool)
        shared[leaf[same_phase & (first[leaf] != reader) & (self._kind[leaf] == NodeKind.PARAMETER)]] = True
        given = self._free_leaf & (first >= 0) & ~shared
        self._piece[given] = first[given]
        self._shared = self._free_leaf & shared

    def _attach_loads(self, source: Ints, target: Ints) -> None:
        """Attaches operators that only fetch a parameter, with the parameter, to their only reader."""
        op = np.asarray(self._graph.op)[self._nodes]
        load = (op == self._number(FETCHING)) & (self._occurrences.place < 0)
        if not load.any():
            return
        phase = self._homes.phase[self._nodes]
        reading = np.flatnonzero(load[source] & ~self._ordering(op, source, target)[target])
        reading = reading[(phase[source] == phase[target])[reading] & ~load[target[reading]]]
        least = np.full(len(self._nodes), np.iinfo(np.int64).max, np.int64)
        most = np.full(len(self._nodes), -1, np.int64)
        np.minimum.at(least, source[reading], self._piece[target[reading]])
        np.maximum.at(most, source[reading], self._piece[target[reading]])
        given = np.flatnonzero(load & (least == most))
        moved = np.arange(self._many + len(self._nodes), dtype=np.int64)
        moved[self._many + given] = least[given]
        self._piece = moved[self._piece]

    def _ordering(self, op: npt.NDArray[np.integer], source: Ints, target: Ints) -> npt.NDArray[np.bool]:
        """Returns which places only keep side effects in order, or pack values for such operators."""
        ordering: npt.NDArray[np.bool] = op == self._number(ORDERING)
        packing = op == self._number(PACKING)
        packing[source[~ordering[target]]] = False
        packed = np.zeros(len(op), np.bool)
        packed[source] = True
        ordering |= packing & packed
        return ordering

    def _number(self, op: str) -> int:
        """Returns the number of an operator's type; -1 if there is none."""
        return self._op_numbers.get(op, -1)

    def _attach_shared(self, source: Ints, target: Ints, owner: Ints) -> None:
        """Attaches leaves to the only stack that reads them in their phase."""
        phase = self._homes.phase[self._nodes]
        reading = np.flatnonzero(self._shared[source] & (phase[source] == phase[target]))
        if not len(reading):
            return
        leaf, reader = source[reading], owner[self._piece[target[reading]]]
        least = np.full(len(self._nodes), np.iinfo(np.int64).max, np.int64)
        most = np.full(len(self._nodes), -1, np.int64)
        np.minimum.at(least, leaf, reader)
        np.maximum.at(most, leaf, reader)
        given = self._shared & (least == most)
        self._piece[given] = least[given]

    def _standing(self) -> tuple[Ints, Ints, Ints]:
        """Returns the scope, phase and order of each piece."""
        count = self._many + len(self._nodes)
        scope, phase = np.zeros(count, np.int64), np.zeros(count, np.int64)
        order = np.full(count, np.iinfo(np.int64).max, np.int64)
        scope[self._many :] = self._homes.scope[self._nodes]
        phase[self._many :] = self._homes.phase[self._nodes]
        # A separate leaf comes before its first reader.
        np.minimum.at(order, self._piece, self._order)
        lonely = self._shared.copy()
        if lonely.any():
            inner = (self._edges.source >= 0) & (self._edges.target >= 0)
            source, target = self._edges.source[inner], self._edges.target[inner]
            reads = lonely[source]
            np.minimum.at(order, self._piece[source[reads]], self._order[target[reads]])
        parents = np.asarray(self._homes.scopes.parent)
        for pattern in np.unique(self._occurrences.pattern).tolist():
            chosen = np.flatnonzero(self._occurrences.pattern == pattern)
            home = self._homes.rows[pattern][self._occurrences.row[chosen]]
            scope[chosen] = parents[home] if self._homes.unit[pattern] else home
        inside = np.flatnonzero(self._occurrences.place >= 0)
        phase[self._occurrences.place[inside]] = self._homes.phase[self._nodes[inside]]
        return scope, phase, order

    def _pairs(self, source: Ints, target: Ints) -> npt.NDArray[np.int64]:
        different = source != target
        span = self._many + len(self._nodes)
        keys = different_numbers(source[different] * span + target[different])
        return np.stack([keys // span, keys % span])

    def _stacked(self, pairs: npt.NDArray[np.int64], scope: Ints, phase: Ints) -> Ints:
        """Returns for each piece the first piece that it is combined with."""
        owner = np.arange(self._many + len(self._nodes), dtype=np.int64)
        if self._many < 2:
            return owner
        key = np.stack([self._occurrences.pattern, scope[: self._many], phase[: self._many]])
        _, group = np.unique(key, axis=1, return_inverse=True)
        group = group.ravel()
        within = (pairs < self._many).all(axis=0)
        left, right = pairs[:, within]
        linked = group[left] == group[right]
        links = [np.stack([left[linked], right[linked]])]
        links.append(self._with_same_neighbours(pairs, group))
        updating = np.flatnonzero(phase[: self._many] != FORWARD)
        links.append(_chained(updating, group[updating]))
        owner[: self._many] = _joined(self._many, np.concatenate(links, axis=1))
        return owner

    def _with_same_neighbours(self, pairs: npt.NDArray[np.int64], group: Ints) -> npt.NDArray[np.int64]:
        before, after = np.zeros(self._many, np.uint64), np.zeros(self._many, np.uint64)
        for mine, other, total in ((1, 0, before), (0, 1, after)):
            chosen = pairs[mine] < self._many
            np.add.at(total, pairs[mine][chosen], mixed(pairs[other][chosen]))
        _, same = np.unique(np.stack([group.astype(np.uint64), before, after]), axis=1, return_inverse=True)
        alone = (before == 0) & (after == 0)
        everyone = np.flatnonzero(~alone)
        return _chained(everyone, same.ravel()[everyone])

    def _numbered(self, owner: Ints, source: Ints, target: Ints, standing: tuple[Ints, Ints, Ints]) -> Units:
        scope, phase, order = standing
        pieces, of_place = dense(owner[self._piece])
        members: dict[int, list[int]] = {}
        where = np.full(len(owner), -1, np.int64)
        where[pieces] = np.arange(len(pieces))
        by_order = np.argsort(order[: self._many], kind="stable")
        for occurrence, unit in zip(by_order.tolist(), where[owner[by_order]].tolist(), strict=True):
            members.setdefault(unit, []).append(occurrence)
        unit_order = np.full(len(pieces), np.iinfo(np.int64).max, np.int64)
        np.minimum.at(unit_order, where[owner], np.where(where[owner] >= 0, order, np.iinfo(np.int64).max))
        first = np.where(pieces >= self._many, pieces - self._many, -1)
        pattern = np.full(len(pieces), -1, np.int64)
        inner = pieces < self._many
        pattern[inner] = self._occurrences.pattern[pieces[inner]]
        lead = np.full(self._many, -1, np.int64)
        inside = np.flatnonzero(self._occurrences.place >= 0)[::-1]
        lead[self._occurrences.place[inside]] = inside
        first[inner] = lead[pieces[inner]]
        label = np.where(pattern >= 0, -1 - pattern, np.asarray(self._graph.op)[self._nodes[first]])
        span = max(len(pieces), 1)
        left, right = of_place[source], of_place[target]
        keys = different_numbers(left[left != right] * span + right[left != right])
        return Units(
            of_place=of_place,
            first=first,
            order=unit_order,
            scope=scope[pieces],
            phase=phase[pieces],
            pattern=pattern,
            label=label,
            members=members,
            sources=keys // span,
            targets=keys % span,
        )


def mixed(numbers: npt.NDArray[np.integer]) -> npt.NDArray[np.uint64]:
    """Returns hashes of numbers that are the same on every machine (the finalizer of splitmix64)."""
    value = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


def _chained(members: Ints, group: Ints) -> npt.NDArray[np.int64]:
    """Returns pairs that link all members of each group."""
    order = np.argsort(group, kind="stable")
    members, group = members[order], group[order]
    same = group[1:] == group[:-1]
    return np.stack([members[:-1][same], members[1:][same]])


def _joined(count: int, links: npt.NDArray[np.int64]) -> Ints:
    """Returns for each number the smallest one that it is linked with."""
    parent = list(range(count))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    for left, right in zip(*links.tolist(), strict=True):
        left, right = root(left), root(right)
        parent[max(left, right)] = min(left, right)
    return np.asarray([root(number) for number in range(count)], np.int64)
