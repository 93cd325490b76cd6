"""Where a row of equal blocks is cut: as scopes say, else where the way forks, and at no price in blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mindinsight.graphs.substructures.cuts import Cut, Cuts
from mindinsight.graphs.substructures.work import Rows, WorkGraph
from tests.mindinsight.graphs.substructures.small_works import work_of

SIZE, COUNT = 6, 8


def chain(shift: int) -> tuple[WorkGraph, Rows]:
    """Eight blocks of six operators in a row, and rows that are cut some nodes behind the true beginning."""
    work = work_of([(node % SIZE, [node - 1] if node else []) for node in range(SIZE * COUNT)])
    rows = np.arange((COUNT - 1) * SIZE, dtype=np.int32).reshape(COUNT - 1, SIZE) + shift
    return work, rows


def forked() -> WorkGraph:
    """Blocks a → (b, c → d) → e: the way forks behind a, and b and d meet in e."""
    nodes: list[tuple[int, list[int]]] = []
    for first in range(0, 5 * COUNT, 5):
        a, b, c, d = first, first + 1, first + 2, first + 3
        nodes += [(0, [first - 1] if first else []), (1, [a]), (2, [a]), (3, [c]), (4, [b, d])]
    return work_of(nodes)


def cuts_of(work: WorkGraph, rows: Rows, scopes: Sequence[str] = ()) -> list[Cut]:
    found = Cuts(work, lambda node: scopes[node] if scopes else "").better(rows, len(work))
    assert set(work.owner.tolist()) == {-1}
    assert [cut.score for cut in found] == sorted((cut.score for cut in found), reverse=True)
    return found


@pytest.mark.parametrize("shift", [1, 2, 3, 5])
@pytest.mark.parametrize("inner", ["", "/part"])
def test_scopes_say_where_to_cut(shift: int, inner: str) -> None:
    work, rows = chain(shift)
    scopes = [f"Default/net/{node // SIZE}-Block{inner if node % 2 else ''}" for node in range(len(work))]
    best, *others = cuts_of(work, rows, scopes)
    first = int(best.row[0])
    assert first % SIZE == 0
    assert best.row.tolist() == list(range(first, first + SIZE))
    assert (best.score, best.truer) == ((1.0, -1, 1), True)
    assert best.row.dtype == np.int32
    # With each step away from the true cut, fewer of the nodes agree with a scope.
    assert all(cut.score[0] < 1 for cut in others)


def test_a_cut_that_agrees_with_scopes_stays() -> None:
    work, rows = chain(0)
    assert cuts_of(work, rows, [f"{node // SIZE}-Block" for node in range(len(work))]) == []


def test_without_scopes_and_forks_every_cut_is_as_good() -> None:
    for shift in range(SIZE):
        work, rows = chain(shift)
        assert cuts_of(work, rows) == []


@pytest.mark.parametrize(
    ("shift", "expected"),
    [
        # Blocks that begin behind the fork are fed by one node, which is read twice: no cut is better.
        (1, []),
        (0, [(16, 2)]),
        (2, [(21, 2), (20, 1)]),
        (3, [(21, 2), (20, 1)]),
        (4, [(21, 2), (20, 1)]),
    ],
)
def test_without_scopes_blocks_begin_where_the_way_forks(shift: int, expected: list[tuple[int, int]]) -> None:
    rows = np.arange(5 * (COUNT - 1), dtype=np.int32).reshape(-1, 5) + shift
    found = [(cut.row.tolist(), cut.score, cut.truer) for cut in cuts_of(forked(), rows) if cut.better]
    assert found == [(list(range(first, first + 5)), (0.0, -1, reads), False) for first, reads in expected]


@pytest.mark.parametrize(("between", "found"), [(0, True), (1, True), (3, True), (4, False)])
def test_blocks_may_lie_three_nodes_apart(between: int, found: bool) -> None:
    """Growth may have left out what lies between. The rows begin with the last node of a scope."""
    period = 3 + between
    work = work_of([(node % period, [node - 1] if node else []) for node in range(period * COUNT)])
    rows = np.asarray([range(first, first + 3) for first in range(period - 1, len(work) - 2, period)], np.int32)
    cuts = cuts_of(work, rows, [f"{node // period}-Block" for node in range(len(work))])
    assert [(cut.score, len(cut.row)) for cut in cuts[:1]] == [((1.0, -1, 1), period)] * found


@pytest.mark.parametrize(("pairs", "singles", "found"), [(25, 0, True), (25, 1, True), (25, 2, False), (26, 0, False)])
def test_a_block_has_at_most_forty_nodes_more_than_two_rows(pairs: int, singles: int, found: bool) -> None:
    """Twelve nodes in a row, then many ways of two nodes and of one, which meet again. Scopes begin at the seventh."""
    nodes: list[tuple[int, list[int]]] = []
    starts = []
    for number in range(4):
        starts.append(len(nodes))
        nodes += [(place, [len(nodes) + place - 1] if place or number else []) for place in range(12)]
        fork, ends = len(nodes) - 1, []
        for _ in range(pairs):
            nodes += [(12, [fork]), (13, [len(nodes)])]
            ends.append(len(nodes) - 1)
        for _ in range(singles):
            nodes.append((14, [fork]))
            ends.append(len(nodes) - 1)
        nodes.append((15, ends))
    bounds = np.searchsorted(np.asarray(starts) + 6, np.arange(len(nodes)), side="right")
    rows = np.asarray([range(first, first + 12) for first in starts], np.int32)
    cuts = cuts_of(work_of(nodes), rows, [f"{number}-Block" for number in bounds.tolist()])
    assert [len(cut.row) for cut in cuts[:1]] == [13 + 2 * pairs + singles] * found


def test_rows_that_do_not_feed_each_other_have_no_other_cut() -> None:
    work = work_of([(node % 3, [node - 1] if node % 3 else []) for node in range(30)])
    rows = np.arange(30, dtype=np.int32).reshape(10, 3)
    assert cuts_of(work, rows, [f"{(node + 1) // 3}" for node in range(30)]) == []
