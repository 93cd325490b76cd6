"""How large a graph must be for a repeat to say something: in a larger one, chance makes the like less often."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mindinsight.graphs.substructures.significance import Significance
from tests.mindinsight.graphs.substructures.small_works import work_of


def says_something(
    nodes: int, count: int, size: int, *, leaf: bool = False, closing: bool = False, kinds: tuple[int, ...] = ()
) -> bool:
    """Whether a chain that repeats counts as a repeat in a graph whose other nodes are all alike.

    Args:
        nodes: The number of nodes of the graph.
        count: The number of occurrences.
        size: The nodes of each.
        leaf: Whether the first node of a chain is a parameter, which its second and third node read.
        closing: Whether the first node is also read by the third one, so that a circle is closed.
        kinds: The kinds of the nodes of a chain, by occurrence and place; none means no kinds.
    """
    blocks = [
        (place, [first + place - 1, first] if closing and place == 2 else [first + place - 1] if place else [])
        for first in range(0, count * size, size)
        for place in range(size)
    ]
    rest = nodes - len(blocks)
    work = work_of([*blocks, *[(size, [])] * rest], range(0, len(blocks), size) if leaf else ())
    told = np.full(nodes, -1, np.int32)
    told[: len(kinds)] = kinds
    return Significance(work, told).of(np.arange(len(blocks), dtype=np.int32).reshape(count, size))


def log_odds(nodes: int, count: int, size: int, *, leaf: bool, closing: bool) -> float:
    """The expected number of such repeats by chance, in bits, as the formula in the documentation tells it."""
    steps = size - 1 - leaf
    bits = size * math.log2(nodes / count)
    more = closing * (math.log2(nodes) - 2)
    choices = math.log2(nodes) + 2 * steps - sum(math.log2(number) for number in range(1, count + 1))
    return choices + (count - 1) * (math.log2(nodes) - bits + 0.5 * steps - more)


@pytest.mark.parametrize(("count", "size"), [(2, 4), (2, 5), (2, 6), (3, 4), (3, 5), (4, 3), (8, 3)])
@pytest.mark.parametrize("leaf", [False, True])
@pytest.mark.parametrize("closing", [False, True])
def test_the_smallest_graph_in_which_a_repeat_counts(count: int, size: int, leaf: bool, closing: bool) -> None:
    # The odds must be below 2^-13. Equal odds do not count.
    start = count * size + 1
    least = next(
        nodes for nodes in range(start, 5000) if log_odds(nodes, count, size, leaf=leaf, closing=closing) < -13 - 1e-9
    )
    assert says_something(least, count, size, leaf=leaf, closing=closing)
    assert least == start or not says_something(least - 1, count, size, leaf=leaf, closing=closing)


def test_odds_at_the_limit_do_not_count() -> None:
    """Two chains of five among 512 nodes are exactly at 2^-13."""
    assert log_odds(512, 2, 5, leaf=False, closing=False) == -13
    assert not says_something(512, 2, 5)
    assert says_something(513, 2, 5)


@pytest.mark.parametrize(("count", "size"), [(1, 40), (20, 1)])
def test_one_occurrence_or_one_node_is_no_repeat(count: int, size: int) -> None:
    assert not says_something(4000, count, size)


def test_two_occurrences_of_two_nodes_can_count() -> None:
    assert says_something(1 << 15, 12, 2)
    assert says_something(198, 2, 6)


def test_kinds_count_where_all_occurrences_agree_in_them() -> None:
    """Labels of which every fourth node has one tell little; a scope of which twelve nodes are tells much."""
    blocks = [(place % 4, [place - 1] if place % 6 else []) for place in range(12)]
    work = work_of([*blocks, *[(place % 4, []) for place in range(500)]])
    rows = np.asarray([range(6), range(6, 12)], np.int32)
    work.label[rows[1]] = work.label[rows[0]]

    def judged(first: list[int], second: list[int]) -> bool:
        kinds = np.full(len(work), -1, np.int32)
        kinds[rows[0]], kinds[rows[1]] = first, second
        return Significance(work, kinds).of(rows)

    none, different = [-1] * 6, [0, 1, 2, 3, 4, 5]
    assert not judged(none, none)
    assert judged(different, different)
    assert judged([0] * 6, [0] * 6)
    assert not judged(different, different[::-1])
    assert not judged(different, none)
    # One node without a kind is too many here.
    assert not judged([0] * 5 + [-1], [0] * 5 + [-1])
