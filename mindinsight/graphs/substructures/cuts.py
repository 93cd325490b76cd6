"""Moves the cut between equal blocks in a row: of all cuts that save the same, the one that people would make.

A row of equal blocks can be cut anywhere; what lies before the first and behind the last block decides how many whole
ones there are, and often leaves a choice. Scopes decide where there are any; else blocks begin where the way forks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mindinsight.graphs.substructures.work import LEAF, Integers, Rows, WorkGraph

PAIRS = 5
"""Pairs of neighbouring blocks that are looked at; the majority decides."""
MOST_STEPS = 4_000
"""Nodes that are looked at for each pair, at most."""
GAP = 4
"""Edges over which a block feeds the next at most: growth may have left out nodes between the two."""
Score = tuple[float, float, float]
Block = frozenset[int]


@dataclass(frozen=True, slots=True)
class Cut:
    """A block as it would be with another cut.

    Attributes:
        row: its nodes.
        score: the higher the better.
        truer: whether it agrees with scopes much better than the present one.
    """

    row: Integers
    score: Score
    truer: bool


class Cuts:
    """Looks for better cuts in one graph.

    Args:
        work: the graph.
        scope: tells a node's scope, with a dot in front where a parameter's name tells it; empty where nothing does.
    """

    def __init__(self, work: WorkGraph, scope: Callable[[int], str]) -> None:
        self._work = work
        self._scope = scope
        self._known_sources: dict[int, list[int]] = {}
        self._known_targets: dict[int, list[int]] = {}
        self._known_scopes: dict[int, str] = {}
        self._known_prefixes: dict[str, list[str]] = {}

    def better(self, rows: Rows) -> list[Cut]:
        """Returns the cuts that are better than the present one, the best first.

        Args:
            rows: occurrences; some feed others.
        """
        pairs = self._pairs(rows)
        if not pairs:
            return []
        blocks: dict[int, list[Block]] = {}
        for left, right in pairs:
            for place, block in self._blocks(rows[left].tolist(), rows[right].tolist()).items():
                blocks.setdefault(place, []).append(block)
        first, second = pairs[len(pairs) // 2]
        around = {*rows[first].tolist(), *rows[second].tolist()}
        present = self._score(frozenset(rows[second].tolist()), around)
        found: dict[Block, Cut] = {}
        for seen in blocks.values():
            block = self._commonest(seen)
            score = self._score(block, around | block)
            if score > present:
                found[block] = Cut(np.asarray(sorted(block), np.int32), score, score[0] > present[0] + 0.05)
        return sorted(found.values(), key=lambda cut: (cut.score, -int(cut.row[0])), reverse=True)

    def _pairs(self, rows: Rows) -> list[tuple[int, int]]:
        """Pairs of occurrences where the first feeds the second, spread over all."""
        work = self._work
        work.owner[rows] = np.arange(len(rows), dtype=np.int32)[:, None]
        found = []
        for number in np.unique(np.linspace(0, len(rows) - 1, PAIRS + 2).round().astype(int)).tolist():
            targets: Counter[int] = Counter()
            front = set(rows[number].tolist())
            for _ in range(GAP):
                reached = {target for node in front for target in self._targets(node)}
                targets.update(int(work.owner[target]) for target in reached)
                for own in (-1, number):
                    targets.pop(own, None)
                front = {target for target in reached if work.owner[target] < 0}
                if targets or len(front) > 4 * rows.shape[1]:
                    break
            if targets:
                found.append((number, min(targets, key=lambda other: (-targets[other], other))))
        work.owner[rows] = -1
        return found

    def _blocks(self, first: list[int], second: list[int]) -> dict[int, Block]:
        """The block between a node and its twin in the next one, for each place where one value is all that passes."""
        work, size = self._work, len(first)
        places = [place for place in range(size) if not work.flags[first[place]] & LEAF]
        places.sort(key=lambda place: -len(self._targets(first[place])))
        limit = 2 * size + 40
        found = {}
        for place in places[: max(8, MOST_STEPS // limit)]:
            block = self._between(first[place], second[place], limit)
            if block is not None:
                found[place] = block
        return found

    def _between(self, start: int, end: int, limit: int) -> Block | None:
        """What lies behind one node up to another, with all that feeds nothing else; None if there is a way around."""
        block = self._reached(start, end, limit)
        if block is None:
            return None
        region, inside = self._work.region, int(self._work.region[start])
        waiting = [source for node in block for source in self._sources(node)]
        while waiting:
            node = waiting.pop()
            if node in block or node == start or region[node] != inside:
                continue
            if self._belongs(node, block):
                block.add(node)
                waiting += self._sources(node)
        return frozenset(block)

    def _reached(self, start: int, end: int, limit: int) -> set[int] | None:
        """What is reached from one node up to another; None if that is too much, or the other is not met."""
        region, inside = self._work.region, int(self._work.region[start])
        block: set[int] = {end}
        waiting = [start]
        met = False
        while waiting:
            for target in self._targets(waiting.pop()):
                met = met or target == end
                if target not in block and region[target] == inside:
                    if target == start or len(block) == limit:
                        return None
                    block.add(target)
                    waiting.append(target)
        return block if met else None

    def _belongs(self, node: int, block: set[int]) -> bool:
        if self._work.flags[node] & LEAF:
            return int(self._work.home[node]) in block
        region, inside = self._work.region, int(self._work.region[node])
        targets = [target for target in self._targets(node) if region[target] == inside]
        return len(targets) <= 64 and all(target in block for target in targets)

    def _commonest(self, blocks: list[Block]) -> Block:
        """The block that most pairs agree on in their labels."""
        kinds = [tuple(sorted(self._work.label[list(block)].tolist())) for block in blocks]
        most = Counter(kinds)
        best = max(
            range(len(blocks)), key=lambda number: (most[kinds[number]], -abs(2 * number - len(blocks)), -number)
        )
        return blocks[best]

    def _score(self, block: Block, around: set[int]) -> Score:
        """How well a block agrees with a scope; how few nodes outside feed it; how often these are read."""
        entering = [
            source
            for node in block
            for source in self._sources(node)
            if source not in block and not self._work.flags[source] & LEAF
        ]
        return (round(self._agreement(block, around), 6), -len(set(entering)), len(entering))

    def _agreement(self, block: Block, around: set[int]) -> float:
        """The best Jaccard index that a block has with a scope."""
        within = Counter(map(self._path, block))
        # Names of parameters are truer than scopes, so where there are any they alone count.
        named = any(path.startswith(".") for path in within)
        scoped = sum(count for path, count in within.items() if path and path.startswith(".") == named)
        inside: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for path, count in Counter(map(self._path, around)).items():
            if path and path.startswith(".") == named:
                for prefix in self._prefixes(path):
                    total[prefix] += count
                    inside[prefix] += within[path]
        return max((count / (scoped + total[prefix] - count) for prefix, count in inside.items()), default=0.0)

    def _path(self, node: int) -> str:
        found = self._known_scopes.get(node)
        if found is None:
            found = self._known_scopes[node] = self._scope(node)
        return found

    def _prefixes(self, path: str) -> list[str]:
        """A scope and all scopes around it."""
        found = self._known_prefixes.get(path)
        if found is None:
            parts = path.split("/")
            found = ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
            self._known_prefixes[path] = found
        return found

    def _sources(self, node: int) -> list[int]:
        found = self._known_sources.get(node)
        if found is None:
            work = self._work
            found = work.in_src[work.in_ptr[node] : work.in_ptr[node + 1]].tolist()
            self._known_sources[node] = found
        return found

    def _targets(self, node: int) -> list[int]:
        found = self._known_targets.get(node)
        if found is None:
            work = self._work
            found = work.in_dst[work.out_edge[work.out_ptr[node] : work.out_ptr[node + 1]]].tolist()
            self._known_targets[node] = found
        return found
