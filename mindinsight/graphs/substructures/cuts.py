"""Moves the cuts between equal consecutive blocks: of all cuts that save the same, chooses the one that a person would
make.

A chain of equal blocks can be cut anywhere. The nodes before the first and after the last block determine the number of
complete blocks, and often leave a choice. Scopes decide if there are any; otherwise blocks begin where paths fork.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mindinsight.graphs.substructures.work import LEAF, Integers, Rows, WorkGraph

PAIRS = 5
"""Maximum number of pairs of neighbouring blocks that are examined. The majority decides."""
MOST_STEPS = 4_000
"""Maximum number of nodes examined for each pair."""
GAP = 4
"""Maximum number of edges between a block and the next. Growth may have left out nodes between the two."""
Score = tuple[float, float, float]
Block = frozenset[int]


@dataclass(frozen=True, slots=True)
class Cut:
    """A block with another cut.

    Attributes:
        row: its nodes.
        score: higher is better.
        better: whether its score is higher than that of the present one. If not, it has more nodes.
        truer: whether it agrees with scopes much better than the present one.
    """

    row: Integers
    score: Score
    better: bool
    truer: bool


class Cuts:
    """Looks for better cuts in one graph.

    Args:
        work: the graph.
        scope: returns a node's scope, with a leading dot if it comes from a parameter's name; empty if unknown.
    """

    def __init__(self, work: WorkGraph, scope: Callable[[int], str]) -> None:
        self._work = work
        self._scope = scope
        self._known_sources: dict[int, list[int]] = {}
        self._known_targets: dict[int, list[int]] = {}
        self._known_scopes: dict[int, str] = {}
        self._known_prefixes: dict[str, list[str]] = {}

    def better(self, rows: Rows, left: int) -> list[Cut]:
        """Returns the cuts that are better than the present one or have more nodes, the best first.

        Args:
            rows: occurrences, of which some feed others.
            left: number of nodes outside of them that others may take. Cuts with more nodes need some.
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
            if score > present or 0 < len(block) - rows.shape[1] <= left // len(rows):
                row = np.asarray(sorted(block), np.int32)
                found[block] = Cut(row, score, score > present, score[0] > present[0] + 0.05)
        return sorted(found.values(), key=lambda cut: (cut.score, -int(cut.row[0])), reverse=True)

    def _pairs(self, rows: Rows) -> list[tuple[int, int]]:
        """Pairs of occurrences of which the first feeds the second, spread over all."""
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
        """For each place where only one value passes: the block between a node and its counterpart in the next
        occurrence.
        """
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
        """The nodes from one node up to another, with all nodes that feed nothing else; None if a path leads around."""
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
        """The nodes reached from one node up to another; None if there are too many or the other is not reached."""
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
        """The block whose labels most pairs share."""
        kinds = [tuple(sorted(self._work.label[list(block)].tolist())) for block in blocks]
        most = Counter(kinds)
        best = max(
            range(len(blocks)), key=lambda number: (most[kinds[number]], -abs(2 * number - len(blocks)), -number)
        )
        return blocks[best]

    def _score(self, block: Block, around: set[int]) -> Score:
        """Scores a block: its agreement with a scope; how few outside nodes feed it; how often these are read."""
        entering = [
            source
            for node in block
            for source in self._sources(node)
            if source not in block and not self._work.flags[source] & LEAF
        ]
        return (round(self._agreement(block, around), 6), -len(set(entering)), len(entering))

    def _agreement(self, block: Block, around: set[int]) -> float:
        """The best Jaccard index of a block with a scope."""
        within = Counter(map(self._path, block))
        # Names of parameters are more reliable than scopes. If there are any, only they count.
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
