"""Moves the cut between equal blocks in a row: of all cuts that save the same, the one that people would make.

A row of equal blocks can be cut anywhere; what stands before the first and behind the last block decides how many whole
ones there are, and often leaves a choice. Scopes decide where there are any; else blocks begin where the way forks.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from mindinsight.graphs.substructures.work import LEAF, Integers, Rows, WorkGraph

MOST_PLACES = 300
"""In larger blocks only nodes with several consumers are looked at."""
Score = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Cut:
    """A block as it would be with another cut.

    Attributes:
        row: its nodes.
        score: the higher the better.
    """

    row: Integers
    score: Score


class Neighbours:
    """Two blocks of a row, one of which feeds the other.

    Args:
        work: the graph.
        first, second: their nodes.
        scopes: scope of each node as a path, empty where there is none.
    """

    def __init__(self, work: WorkGraph, first: Integers, second: Integers, scopes: dict[int, str]) -> None:
        self._work = work
        self._first, self._second = first.tolist(), second.tolist()
        self._scopes = scopes
        nodes = {*self._first, *self._second}
        self._sources = {node: self._among(work.in_src[work.in_ptr[node] : work.in_ptr[node + 1]], nodes) for node in nodes}
        self._targets: dict[int, list[int]] = {node: [] for node in nodes}
        for node in sorted(nodes):
            for source in self._sources[node]:
                self._targets[source].append(node)

    def better(self) -> list[Cut]:
        """Returns the cuts that are better than the present one, the best first."""
        present = self._score(set(self._second))
        found: dict[frozenset[int], Cut] = {}
        places = range(len(self._first))
        if len(self._first) > MOST_PLACES:
            places = [place for place in places if len(self._targets[self._first[place]]) > 1]  # type: ignore[assignment]
        for place in places:
            if self._work.flags[self._first[place]] & LEAF:
                continue
            block = self._between(self._first[place], self._second[place])
            if len(block) != len(self._first) or frozenset(block) in found:
                continue
            score = self._score(block)
            if score > present:
                found[frozenset(block)] = Cut(np.asarray(sorted(block), np.int32), score)
        return sorted(found.values(), key=lambda cut: cut.score, reverse=True)

    def _between(self, start: int, end: int) -> set[int]:
        """What lies behind one node up to its twin in the next block, with all that feeds nothing else."""
        block = self._behind(start) - self._behind(end)
        block.add(end)
        waiting = [source for node in block for source in self._sources[node]]
        while waiting:
            node = waiting.pop()
            if node in block or node == start:
                continue
            if self._work.flags[node] & LEAF:
                belongs = int(self._work.home[node]) in block
            else:
                belongs = all(target in block for target in self._targets[node])
            if belongs:
                block.add(node)
                waiting += self._sources[node]
        return block

    def _behind(self, start: int) -> set[int]:
        reached: set[int] = set()
        waiting = [start]
        while waiting:
            for target in self._targets[waiting.pop()]:
                if target not in reached:
                    reached.add(target)
                    waiting.append(target)
        return reached

    def _score(self, block: set[int]) -> Score:
        """How well a block agrees with a scope; how few nodes outside feed it; how often these are read."""
        entering = [
            source for node in block for source in self._sources[node] if source not in block and not self._is_leaf(source)
        ]
        return (round(self._agreement(block), 6), -len(set(entering)), len(entering))

    def _agreement(self, block: set[int]) -> float:
        inside: Counter[str] = Counter()
        around: Counter[str] = Counter()
        scoped = 0
        for node in self._targets:
            path = self._scopes.get(node, "")
            if not path:
                continue
            scoped += node in block
            parts = path.split("/")
            for depth in range(1, len(parts) + 1):
                prefix = "/".join(parts[:depth])
                around[prefix] += 1
                inside[prefix] += node in block
        return max((count / (scoped + around[prefix] - count) for prefix, count in inside.items()), default=0.0)

    def _is_leaf(self, node: int) -> bool:
        return bool(self._work.flags[node] & LEAF)

    @staticmethod
    def _among(found: Integers, nodes: set[int]) -> list[int]:
        return [node for node in found.tolist() if node in nodes]


def next_to(work: WorkGraph, rows: Rows) -> tuple[int, int] | None:
    """Returns two occurrences in the middle of a row of which the first feeds the second, or None."""
    work.owner[rows] = np.arange(len(rows), dtype=np.int32)[:, None]
    found = None
    for middle in (len(rows) // 2, len(rows) // 3, len(rows) // 4, 0):
        targets: Counter[int] = Counter()
        for node in rows[middle].tolist():
            for edge in work.out_edge[work.out_ptr[node] : work.out_ptr[node + 1]].tolist():
                targets[int(work.owner[work.in_dst[edge]])] += 1
        for own in (-1, middle):
            targets.pop(own, None)
        if targets:
            found = middle, min(targets, key=lambda other: (-targets[other], other))
            break
    work.owner[rows] = -1
    return found
