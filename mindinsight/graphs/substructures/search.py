"""The search: rounds of seeds, growth, choice and contraction, and the same inside the found patterns.

Called by `recognition` with a work graph. `docs/architecture/graphs.md` explains the method.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.substructures.contraction import contract, part_of, spans_of
from mindinsight.graphs.substructures.cuts import Cut, Cuts
from mindinsight.graphs.substructures.fences import Fences
from mindinsight.graphs.substructures.kernel.engine import Engine, engine
from mindinsight.graphs.substructures.reuse import TOP, Reuse
from mindinsight.graphs.substructures.seeds import Bucket, buckets, colour
from mindinsight.graphs.substructures.series import fold
from mindinsight.graphs.substructures.significance import Significance, label_bits
from mindinsight.graphs.substructures.work import LEAF, Integers, Near, Pattern, Rows, WorkGraph, plan_pattern

MOST_ROUNDS = 12
MOST_DROPS = 64
MOST_DEPTH = 3
FAILURES = 3
"""Number of consecutive classes without result after which a bucket is abandoned."""
STALE = 40
"""Number of consecutive growths with known results after which a round ends. In the next one these are contracted."""
NEAR_SHARE = 0.12
"""Maximum share of nodes whose labels may differ between nearly equal occurrences."""
MOST_RECUTS = 3
LEAST_SHARE = 0.002
"""Minimum share of the nodes that a round saves. A round that saves less is the last one."""
Progress = Callable[[float], None]


@dataclass(slots=True)
class _Chosen:
    """The choice of a round: equal occurrences, and nearly equal ones."""

    rows: Rows
    near: list[tuple[Rows, list[int]]] = field(default_factory=list)


@dataclass(slots=True)
class _Candidate:
    rows: Rows
    score: float


class Search:
    """Finds the patterns of one graph.

    Args:
        min_size: minimum number of nodes of a pattern.
        fences: hints from scopes, if there are any.
        phases: whether a pattern must be within one phase: forward, backward or optimizer.
        deadline: `time.monotonic()` after which no new round begins. Results up to then count.
        progress: called with the finished share.
    """

    def __init__(
        self, min_size: int, fences: Fences, *, phases: bool, deadline: float | None, progress: Progress | None
    ) -> None:
        self.patterns: list[Pattern] = []
        self.complete = True
        self._min_size = min_size
        self._fences = fences
        self._phases = phases
        self._deadline = deadline
        self._progress = progress or (lambda share: None)
        self._loops: Engine = engine()
        self._frames: dict[int, WorkGraph] = {}

    def run(self, work: WorkGraph) -> WorkGraph:
        """Finds the patterns of a graph, and returns what is left of it when they are contracted.

        Args:
            work: the graph.
        """
        every = np.arange(len(work), dtype=np.int32)[None, :]
        self._usual = label_bits(work)
        self._frames[TOP] = self._contracted(work, every)
        if self.patterns and self.complete:
            self._reuse(work, every)
        return self._frames[TOP]

    def _is_late(self) -> bool:
        """Whether the time is over, so that no new round begins."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            self.complete = False
        return not self.complete

    def _reuse(self, work: WorkGraph, every: Rows) -> None:
        """Looks for patterns in the insides of several ones, and for those that are known anywhere."""
        work.region = np.where(self._fences.missing(work, every), np.int32(-1), np.int32(0))
        apart = self._phases and bool(work.phase.any())
        reuse = Reuse(self.patterns, self._frames, work, apart=apart, loops=self._loops)
        reuse.merge()
        reuse.find()
        known = len(self.patterns)
        for turn in range(MOST_ROUNDS):
            if self._is_late() or not self._across(reuse, turn):
                break
        reuse.find(known)
        reuse.finish()

    def _across(self, reuse: Reuse, turn: int) -> bool:
        """Searches the insides of all patterns as one graph. Returns whether it found something."""
        together = reuse.together()
        work = together.work
        numbered = []
        for chosen in self._round(work, together.nodes, 1, 1)[0]:
            rows = chosen.rows
            rows = rows[reuse.exact(together.nodes[0][spans_of(work, rows)])]
            if len(np.unique(together.frame[rows[:, 0]])) == 1:
                continue  # Each was searched alone before.
            if (len(rows) - 1) * (rows.shape[1] - 1) > self._min_size:
                nodes = reuse.copies(rows, together)
                numbered.append((self._pattern(work, rows[0], nodes, TOP, turn, 1), rows))
        reuse.add(numbered, together)
        return bool(numbered)

    def _contracted(self, work: WorkGraph, copies: Rows, parent: int = TOP, depth: int = 0) -> WorkGraph:
        """Contracts the graph until nothing repeats any more, and returns the rest.

        Args:
            work: the graph.
            copies: nodes of the original graph by column, one row for each copy of this graph.
            parent: number of the pattern whose inside this graph is.
            depth: number of patterns around it.
        """
        apart = self._phases and bool(work.phase.any())
        for turn in range(MOST_ROUNDS):
            if self._is_late():
                break
            phases = work.phase.astype(np.int32) if apart else np.int32(0)
            work.region = np.where(work.joins, np.int32(-1), phases)
            work.region[self._fences.missing(work, copies)] = -1
            chosen, more = self._round(work, copies, turn, depth)
            if depth == 0:
                self._progress(1 - 0.5 ** (turn + 1))
            before = len(work)
            if chosen:
                work = self._contract(work, chosen, copies, parent, turn, depth)
            if before - len(work) < (1 if more else max(1, LEAST_SHARE * before)):
                break
        return work

    def _round(self, work: WorkGraph, copies: Rows, turn: int, depth: int) -> tuple[list[_Chosen], bool]:
        """Returns what to contract, and whether another round is worthwhile however little that is."""
        least = self._min_size if turn == 0 else 2
        # A block has few kinds of labels; whether its parts are alike by chance is told by the whole graph.
        judge = Significance(work, self._fences.kinds(work, copies), self._usual if depth else None)
        widths = self._widths(work)
        candidates, more = self._candidates(work, judge, widths, least)
        candidates.sort(key=lambda candidate: (-candidate.score, int(candidate.rows.min())))
        chosen: list[_Chosen] = []
        top = candidates[0].score if candidates else 0.0
        free = work.region >= 0
        for candidate in candidates:
            if candidate.score < 0.02 * top and len(candidates) > 50:
                break
            rows = candidate.rows
            if len({work.names.get(node, -1 - node) for node in rows[0].tolist()}) == 1:
                continue  # Several consecutive patterns of one kind are a series, not another pattern.
            still = free[rows].all(axis=1)
            if still.sum() < max(2, 0.5 * len(rows)):
                continue
            rows = self._complete(work, rows[still], free)
            rows = self._recut(work, rows, free, copies)
            if len(rows) >= 2 and judge.of(rows):
                free[rows] = False
                chosen.append(_Chosen(rows, self._near(work, rows, free)))
        return chosen, more

    def _widths(self, work: WorkGraph) -> Integers:
        widths = np.ones(len(work), np.int32)
        for node, span in work.spans.items():
            widths[node] = len(span)
        return widths

    def _candidates(
        self, work: WorkGraph, judge: Significance, widths: Integers, least: int
    ) -> tuple[list[_Candidate], bool]:
        """Returns the grown occurrences, and whether there are seeds left that may grow into more."""
        colours = colour(work, self._loops)
        budget = 60 * (len(work) + work.edge_count) + 2_000_000
        covered = np.zeros(len(work), np.int32)
        gained = np.zeros(len(work), np.int64)
        found: list[_Candidate] = []
        stale = 0
        for bucket in buckets(work, colours):
            failures = outdone = 0
            for nodes in bucket.classes:
                around = covered[nodes]
                if _has_grown(bucket, around, gained[nodes]):
                    continue
                lesser = bool((around > 1.5 * bucket.count).mean() > 0.9)
                if lesser and outdone >= FAILURES:
                    continue  # A few of many occurrences that have grown already, with accidental neighbours.
                rows = self._loops.grow(work, nodes, MOST_DROPS, 8 * (len(work) + work.edge_count) + 500_000)
                budget -= 20 * max(len(nodes), rows.size)
                if self._is_pattern(rows, widths, judge, least):
                    failures = 0
                    gain = (rows.shape[0] - 1) * (rows.shape[1] - 1) - 1
                    known = bool((gained[rows] >= gain).mean() > 0.9)
                    outdone = outdone + 1 if lesser and known else 0
                    stale = stale + 1 if known else 0
                    found.append(_Candidate(rows, gain))
                    covered[rows] = np.maximum(covered[rows], len(rows))
                    gained[rows] = np.maximum(gained[rows], gain)
                else:
                    failures += 1
                if failures == FAILURES or stale == STALE or budget < 0:
                    break
            if stale == STALE or budget < 0:
                break
        return found, stale == STALE

    def _is_pattern(self, rows: Rows, widths: Integers, judge: Significance, least: int) -> bool:
        """Whether the grown occurrences have enough nodes and repeat more often than by chance."""
        return bool(rows.shape[1] >= least and widths[rows[0]].sum() >= self._min_size and judge.of(rows))

    def _complete(self, work: WorkGraph, rows: Rows, free: npt.NDArray[np.bool]) -> Rows:
        """Adds the occurrences that growth has lost, and drops those that are not exactly equal."""
        free = free.copy()
        free[rows] = False
        more = self._find(work, rows[len(rows) // 2], free)
        if more is None:
            return rows[:0]
        rows = np.concatenate([rows, more])
        rows = rows[np.argsort(rows.min(axis=1), kind="stable")]
        return _largest_same(self._loops, work, rows)

    def _find(
        self, work: WorkGraph, row: Integers, free: npt.NDArray[np.bool], rank: int = 0, tolerance: int = 0
    ) -> Rows | None:
        """Finds further occurrences of a pattern among free nodes; None if the pattern is not connected.

        Args:
            work: the graph.
            row: an occurrence.
            free: the nodes that may be used.
            rank: the place to begin with: 0 for the one with the rarest label, 1 for the next, and so on.
            tolerance: maximum number of places with different labels.
        """
        leaf = work.flags[row] & LEAF != 0
        label = work.label[row]
        rarity = work.label_first[label + 1] - work.label_first[label]
        # Of equally rare ones the last: from there, most places are inputs of inputs.
        anchors = np.lexsort((-row, np.where(leaf, len(work) + 1, rarity)))
        plan = plan_pattern(work, row, int(anchors[min(rank, len(anchors) - 1)]))
        if len(plan.nodes) < len(row):
            return None
        region = work.region
        work.region = np.where(free, region, np.int32(-1))
        starts = work.with_label(int(work.label[plan.nodes[0]]))
        more = self._loops.match(work, plan, starts, tolerance, 200 + 20 * len(plan.nodes))
        work.region = region
        ordered = np.empty_like(more)
        ordered[:, plan.order] = more
        return ordered

    def _recut(self, work: WorkGraph, rows: Rows, free: npt.NDArray[np.bool], copies: Rows) -> Rows:
        """Moves the cuts between consecutive blocks to where a person would make them, if that loses almost nothing."""
        if len(rows) < 2 or rows.shape[1] < 2 * self._min_size:
            return rows
        cuts = Cuts(work, self._fences.scopes(work, copies))
        for _ in range(MOST_RECUTS):  # Among the nodes that a cut adds, there may be a still better one.
            size, rows = rows.shape[1], self._recut_once(work, rows, free, cuts)
            if rows.shape[1] <= size:
                break
        return rows

    def _recut_once(self, work: WorkGraph, rows: Rows, free: npt.NDArray[np.bool], cuts: Cuts) -> Rows:
        """Returns the occurrences at the best of the better cuts; the same ones if there is none."""
        better = cuts.better(rows, int(np.count_nonzero(free)) - rows.size)[:4]
        if not better:
            return rows
        worth = self._worth(work, rows, free)
        for cut in better:
            found = self._find(work, cut.row, free)
            if found is None or len(found) < 2:
                continue
            same = _largest_same(self._loops, work, found[np.argsort(found.min(axis=1), kind="stable")])
            if len(same) >= 2 and self._worth(work, same, free) >= _least_worth(cut, worth, same.shape[1]):
                return same
        return rows

    def _worth(self, work: WorkGraph, rows: Rows, free: npt.NDArray[np.bool]) -> int:
        """Number of nodes saved by occurrences and nearly equal ones together."""
        left = free.copy()
        left[rows] = False
        saved = (len(rows) - 1) * (rows.shape[1] - 1)
        near = self._near(work, rows, left)
        return saved + sum(len(found) * (rows.shape[1] - 1 - len(places)) for found, places in near)

    def _near(self, work: WorkGraph, rows: Rows, free: npt.NDArray[np.bool]) -> list[tuple[Rows, list[int]]]:
        """Finds free nodes that differ from a pattern in at most one of eight labels, and takes them as occurrences."""
        count, size = rows.shape
        if count < 3 or size < 8 or np.count_nonzero(free) < size:
            return []
        pattern = rows[count // 2]
        groups: dict[tuple[int, ...], list[Integers]] = {}
        own_class = work.in_class
        # An addition may have become an operator whose inputs differ.
        for in_class, rank in product((own_class, work.port_class), range(3)):
            work.in_class = in_class
            more = self._find(work, pattern, free, rank, int(NEAR_SHARE * size))
            if more is None or not len(more):
                continue
            same = self._loops.verify(work, np.concatenate([pattern[None], more]), labels=False)[1:]
            for row in more[same]:
                places = np.flatnonzero(work.label[row] != work.label[pattern])
                if len(places):
                    free[row] = False
                    groups.setdefault((*places.tolist(), -1, *work.label[row[places]].tolist()), []).append(row)
        work.in_class = own_class
        return [(np.stack(group), list(key[: key.index(-1)])) for key, group in groups.items()]

    def _contract(
        self, work: WorkGraph, chosen: list[_Chosen], copies: Rows, parent: int, turn: int, depth: int
    ) -> WorkGraph:
        numbered: list[tuple[int, Rows]] = []
        for found in chosen:
            rows = found.rows
            number = self._pattern(work, rows[0], _all_nodes(work, rows, copies), parent, turn, depth)
            pattern = self.patterns[number]
            numbered.append((number, rows))
            for near, places in found.near:
                columns = _columns_of_places(work, rows[0], places)
                pattern.near.append(Near(_all_nodes(work, near, copies), columns))
                pattern.parts += len(places)
                numbered.append((number, near))
        return contract(work, numbered)

    def _pattern(self, work: WorkGraph, row: Integers, nodes: Rows, parent: int, turn: int, depth: int) -> int:
        """Adds a pattern, searches its inside, and returns its number."""
        number = len(self.patterns)
        pattern = Pattern(nodes, parent, int(work.phase[row[0]]), turn)
        pattern.inside = sorted({work.names[node] for node in row.tolist() if node in work.names})
        self.patterns.append(pattern)
        inner = part_of(work, row)
        if depth < MOST_DEPTH and len(row) >= 3 * self._min_size:
            inner = self._contracted(inner, nodes, number, depth + 1)
        self._frames[number] = inner
        pattern.parts = fold(inner).boxes
        return number


def _least_worth(cut: Cut, worth: float, size: int) -> float:
    """Minimum number of nodes that occurrences must save at another cut, for it to replace one that saves `worth`."""
    if cut.truer:
        return 0.97 * worth - size
    return 0.99 * worth if cut.better else worth + 1


def _has_grown(bucket: Bucket, around: Integers, gained: Integers) -> bool:
    """Whether most nodes of a class are covered by about as many occurrences, or are part of a known growth.

    The inside of a growth is searched separately.

    Args:
        bucket: the bucket of the class.
        around: for each node, the number of occurrences of the largest growth that covers it.
        gained: for each node, the number of nodes that this growth saves.
    """
    if ((around >= 0.9 * bucket.count) & (around <= 1.5 * bucket.count)).mean() > 0.5:
        return True
    return bool(((gained >= bucket.potential) & (2 * around <= bucket.count)).mean() > 0.9)


def _all_nodes(work: WorkGraph, rows: Rows, copies: Rows) -> Rows:
    """Occurrences as nodes of the whole graph, in all copies of this graph."""
    spans = spans_of(work, rows)
    return np.ascontiguousarray(copies[:, spans].reshape(-1, spans.shape[1]))


def _columns_of_places(work: WorkGraph, row: Integers, places: list[int]) -> list[int]:
    """Places of a contracted occurrence as places among all its nodes."""
    starts = np.cumsum([0, *(len(work.columns_of(node)) for node in row.tolist())])
    return [column for place in places for column in range(int(starts[place]), int(starts[place + 1]))]


def _largest_same(loops: Engine, work: WorkGraph, rows: Rows) -> Rows:
    """The largest group of exactly equal occurrences, which nearly always is all of them."""
    best = rows[:0]
    left = rows
    while len(left) > len(best):
        same = loops.verify(work, left, labels=True)
        if same.sum() > len(best):
            best = left[same]
        left = left[~same]
    return best
