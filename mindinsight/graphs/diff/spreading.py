"""Continues from matched nodes along their ports: nodes that are alike at the same port belong together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.diff.pair import GraphPair, Labels
from mindinsight.graphs.model import NodeKind
from mindinsight.graphs.substructures.work import Colours, Integers

_NAMES = ("full_name", "name")
_REACH = 3
"""Maximum number of consecutive inserted, removed or replaced nodes that the matching skips."""
_WIDEST = 24
"""Maximum number of readers and neighbours of a node. The matching does not look past wider nodes."""

Key = tuple[int, int, int]
Groups = dict[Key, list[int]]
Choices = Iterator[tuple[int, int]]


class Spreader:
    """Matches neighbours of matched nodes, and then their neighbours.

    Args:
        pair: the graphs.
        partner: the matched node of each node, or -1. Filled in.
    """

    def __init__(self, pair: GraphPair, partner: Integers) -> None:
        self._pair = pair
        self._partners = partner
        # Reading single numbers of an array is several times faster this way.
        self._partner = partner.data
        self._in_ptr, self._in_src, self._in_dst = pair.in_ptr.data, pair.in_src.data, pair.in_dst.data
        self._in_class, self._in_slot = pair.in_class.data, pair.in_slot.data
        self._out_ptr, self._out_edge = pair.out_ptr.data, pair.out_edge.data
        wide = np.diff(pair.out_ptr) > _WIDEST
        self._mute = np.asarray(wide | (pair.kind == NodeKind.CONSTANT)).data
        self._kind, self._value = pair.kind.data, pair.labels[0].data
        self._front: deque[int] = deque()
        self._joined: list[int] = []
        self._like = pair.labels[0].data
        self._ties: list[Choices] | None = None

    def spread(self, like: Labels | Colours, *, ties: bool = False) -> None:
        """Continues from all matched nodes.

        Args:
            like: labels; nodes with equal labels are alike.
            ties: whether names, and then the order, decide between several alike nodes at a port.
        """
        self._like = like.data
        self._ties = [] if ties else None
        self._front.extend(self._border().tolist())
        self._run()

    def seed(self, left: list[int], right: list[int]) -> None:
        """Matches alike nodes one by one. All matches that follow from one come before the next.

        Args:
            left: nodes of the left graph.
            right: nodes of the right one.
        """
        for one, other in self._choices(left, right):
            self._join(one, other)
            self._run()

    def bridge(self, like: Labels) -> None:
        """Skips inserted, removed or replaced nodes, matches nodes beyond them, and continues from there.

        Args:
            like: labels; nodes with equal labels are alike.
        """
        self._like, self._ties = like.data, None
        waiting = self._border().tolist()
        while waiting:
            self._joined = []
            for node in waiting:
                self._bridge_from(node, out=False)
                if not self._mute[node]:
                    self._bridge_from(node, out=True)
                self._run()
            waiting = self._joined

    def _border(self) -> npt.NDArray[np.int64]:
        """Matched nodes of the left graph with unmatched neighbours."""
        pair, free = self._pair, self._partners < 0
        near = np.zeros(len(pair), np.bool)
        near[pair.in_dst[free[pair.in_src]]] = True
        near[pair.in_src[free[pair.in_dst]]] = True
        return np.flatnonzero(near[: pair.split] & ~free[: pair.split])

    def _run(self) -> None:
        while True:
            while self._front:
                self._around(self._front.popleft())
            if not self._ties:
                return
            chosen = next(self._ties[-1], None)
            if chosen is None:
                self._ties.pop()
            else:
                self._join(*chosen)

    def _join(self, left: int, right: int) -> None:
        self._partner[left], self._partner[right] = right, left
        self._front.append(left)
        self._joined.append(left)

    def _around(self, left: int) -> None:
        right = self._partner[left]
        self._match(self._sources(left), right)
        if self._fan(left) != self._fan(right):
            self._match(self._sources(left, ports=False), right, ports=False)
        if not self._mute[left]:
            mine = self._consumers(left)
            if mine:
                self._match_groups(mine, self._consumers(right))

    def _match(self, mine: Groups, right: int, *, ports: bool = True) -> None:
        if mine:
            self._match_groups(mine, self._sources(right, ports=ports))

    def _match_groups(self, mine: Groups, others: Groups) -> None:
        for key, members in mine.items():
            found = others.get(key)
            if found is None:
                continue
            if len(members) == len(found) == 1:
                if self._partner[members[0]] < 0 and self._partner[found[0]] < 0:
                    self._join(members[0], found[0])
            elif self._ties is not None:
                self._ties.append(self._choices(members, found))

    def _fan(self, node: int) -> int:
        return int(self._in_ptr[node + 1] - self._in_ptr[node])

    def _sources(self, node: int, *, ports: bool = True) -> Groups:
        """Unmatched inputs of a node, by port and by label."""
        groups: Groups = {}
        for edge in range(self._in_ptr[node], self._in_ptr[node + 1]):
            source = self._in_src[edge]
            if self._partner[source] < 0:
                key = (self._in_class[edge] if ports else 0, self._in_slot[edge], self._like[source])
                _note(groups, key, source)
        return groups

    def _consumers(self, node: int) -> Groups:
        """Unmatched readers of a node, by port and by label."""
        groups: Groups = {}
        for position in range(self._out_ptr[node], self._out_ptr[node + 1]):
            edge = self._out_edge[position]
            consumer = self._in_dst[edge]
            if self._partner[consumer] < 0:
                _note(groups, (self._in_class[edge], self._in_slot[edge], self._like[consumer]), consumer)
        return groups

    def _choices(self, left: list[int], right: list[int]) -> Choices:
        """Pairs of nodes that are still unmatched: equal names first, then in order."""
        for column in _NAMES:
            named: dict[str, int] = {}
            for node in right:
                if self._partner[node] < 0:
                    named.setdefault(self._pair.text(column, node), node)
            for node in left:
                name = self._pair.text(column, node) if self._partner[node] < 0 else ""
                other = named.get(name) if name else None
                if other is not None and self._partner[other] < 0:
                    yield node, other
        rest = iter(right)
        for node in left:
            if self._partner[node] < 0:
                other = next((found for found in rest if self._partner[found] < 0), None)
                if other is None:
                    return
                yield node, other

    def _bridge_from(self, left: int, *, out: bool) -> None:
        """Compares the nodes beyond some nodes in one graph with those beyond fewer or as many in the other."""
        ways = [self._ahead(left, out), self._ahead(self._partner[left], out)]
        if not ways[0] or not ways[1]:
            return
        for reach in range(1, _REACH + 1):
            for near in range(reach + 1):
                for mine, others in ((near, reach), (reach, near)):
                    fits = mine < len(ways[0]) and others < len(ways[1])
                    if fits and self._pair_up(ways[0][mine], ways[1][others]):
                        return  # Matches that follow from this one are surer than more distant ones.

    def _pair_up(self, mine: list[int], others: list[int]) -> bool:
        """Matches labels that occur once on each side. Returns whether there were any."""
        found: list[dict[int, list[int]]] = []
        for nodes in (mine, others):
            by_look: dict[int, list[int]] = {}
            for node in nodes:
                if self._partner[node] < 0:
                    by_look.setdefault(self._look(node), []).append(node)
            found.append(by_look)
        joined = False
        for look, nodes in found[0].items():
            alike = found[1].get(look, ())
            if len(nodes) == len(alike) == 1:
                self._join(nodes[0], alike[0])
                joined = True
        return joined

    def _look(self, node: int) -> int:
        """The label of a node. Beyond skipped nodes, only the value identifies a constant."""
        constant = self._kind[node] == NodeKind.CONSTANT
        return ~int(self._value[node]) if constant else int(self._like[node])

    def _ahead(self, node: int, out: bool) -> list[list[int]]:
        """Unmatched nodes, by the number of nodes in between."""
        ways, seen, front = [], {node}, [node]
        for _ in range(_REACH + 1):
            front = [other for begin in front for other in self._free(begin, out) if other not in seen]
            front = list(dict.fromkeys(front))
            if not front or len(front) > _WIDEST:
                break
            seen.update(front)
            ways.append(front)
        return ways

    def _free(self, node: int, out: bool) -> list[int]:
        first, last = (self._out_ptr if out else self._in_ptr)[node : node + 2]
        if last - first > _WIDEST or (out and self._mute[node]):
            return []
        near = (self._in_dst[self._out_edge[at]] if out else self._in_src[at] for at in range(first, last))
        return [other for other in near if self._partner[other] < 0]


def _note(groups: Groups, key: Key, node: int) -> None:
    members = groups.setdefault(key, [])
    if not members or members[-1] != node:
        members.append(node)
