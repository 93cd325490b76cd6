"""Each loop in Python gives the same results as the compiled one: colours, keys, growth, matches and checks of small
graphs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mindinsight.graphs.substructures.kernel.engine import Engine
from mindinsight.graphs.substructures.kernel.library import Kernel
from mindinsight.graphs.substructures.loops import PythonLoops, mix, mix3
from mindinsight.graphs.substructures.seeds import colour
from mindinsight.graphs.substructures.work import Rows, WorkGraph, plan_pattern
from tests.mindinsight.graphs.substructures.small_works import drawn_blocks, work_of

SEEDS = range(3, 15)


@pytest.fixture
def engines(compiled: Path) -> tuple[Engine, Engine]:
    """Those to compare."""
    return Kernel(compiled), PythonLoops()


def both(engines: tuple[Engine, Engine], seed: int) -> Iterator[tuple[Engine, WorkGraph, Rows]]:
    """Each engine with a graph of its own, whose edges have keys."""
    for engine in engines:
        work, rows = drawn_blocks(seed)
        colour(work, engine)
        yield engine, work, rows


@pytest.mark.parametrize("seed", SEEDS)
def test_colours_are_the_same_whatever_counts_as_wide(engines: tuple[Engine, Engine], seed: int) -> None:
    work, _ = drawn_blocks(seed)
    colours = work.label.astype(np.uint64)
    for widest_in, widest_out in ((1, 1), (2, 1), (1, 3), (2, 2), (64, 24), (63, 64), (64, 65), (65, 63)):
        ours, theirs = (engine.colour_round(work, colours, widest_in, widest_out) for engine in engines)
        assert ours.tolist() == theirs.tolist()
        colours = ours


def test_a_node_is_wide_from_one_edge_more_than_the_limit(engines: tuple[Engine, Engine]) -> None:
    """A wide node is not told by its neighbours, and they are not told by it."""
    work = work_of([(0, []), (0, []), (1, [0, 1]), (2, [2]), (3, [2])])
    before = np.arange(5, dtype=np.uint64) + np.uint64(10)
    other = before.copy()
    other[0] = 99
    for engine in engines:
        changed = engine.colour_round(work, before, 2, 2) != engine.colour_round(work, other, 2, 2)
        assert changed.tolist() == [True, False, True, False, False]
        changed = engine.colour_round(work, before, 1, 2) != engine.colour_round(work, other, 1, 2)
        assert changed.tolist() == [True, False, False, False, False]
        other_middle = before.copy()
        other_middle[2] = 99
        for widest_out, told in ((2, True), (1, False)):
            changed = engine.colour_round(work, before, 2, widest_out) != engine.colour_round(
                work, other_middle, 2, widest_out
            )
            assert changed.tolist() == [True, True, True, told, told]


@pytest.mark.parametrize("seed", SEEDS)
def test_keys_are_the_same(engines: tuple[Engine, Engine], seed: int) -> None:
    (_, ours, _), (_, theirs, _) = both(engines, seed)
    for column in ("in_key", "in_tie", "out_edge", "out_key", "out_tie"):
        assert getattr(ours, column).tolist() == getattr(theirs, column).tolist(), column


@pytest.mark.parametrize("seed", SEEDS)
def test_growth_is_the_same_at_every_limit(engines: tuple[Engine, Engine], seed: int) -> None:
    limits = [(64, 100_000), (0, 100_000), (1, 100_000), (2, 100_000), *((64, budget) for budget in range(0, 200, 9))]
    found = []
    for engine, work, rows in both(engines, seed):
        found.append(
            [
                engine.grow(work, np.ascontiguousarray(rows[:, place]), drops, budget).tolist()
                for place in range(rows.shape[1])
                if work.region[rows[:, place]].min() == work.region[rows[:, place]].max() == 0
                for drops, budget in limits
            ]
        )
        assert set(work.owner.tolist()) == {-1}
    assert found[0] == found[1]
    assert any(found[0])


@pytest.mark.parametrize("seed", SEEDS)
def test_matches_are_the_same_at_every_limit(engines: tuple[Engine, Engine], seed: int) -> None:
    found: list[list[object]] = []
    for engine, work, rows in both(engines, seed):
        found.append([])
        for anchor in (0, 3, 5):
            plan = plan_pattern(work, rows[2], anchor)
            starts = np.arange(len(work), dtype=np.int32)
            for tolerance in range(4):
                for steps in (0, 1, 2, 5, 8, 9, 12, 20, 500):
                    taken = engine.match(work, plan, starts, tolerance, steps)
                    assert taken.shape[1] == len(plan.nodes)
                    found[-1].append(taken.tolist())
        assert set(work.owner.tolist()) == {-1}
    assert found[0] == found[1]
    assert any(found[0])


@pytest.mark.parametrize("seed", SEEDS)
def test_checks_are_the_same(engines: tuple[Engine, Engine], seed: int) -> None:
    found = []
    for engine, work, rows in both(engines, seed):
        crossed = rows.copy()
        crossed[1, :2] = crossed[1, 1::-1]
        orders = [rows, rows[::-1], crossed, rows[:, ::-1], rows[:, 2:5]]
        found.append([engine.verify(work, each, labels).tolist() for each in orders for labels in (True, False)])
    assert found[0] == found[1]
    assert all(said[0] for said in found[0])


def test_numbers_are_spread_as_published() -> None:
    """`mix` is SplitMix64, whose first numbers from the seed 0 are known."""
    assert mix(0) == 0xE220A8397B1DCDAF
    assert mix(0x9E3779B97F4A7C15) == 0x6E789E6AA1B965F4
    assert mix3(1, 2, 3) == mix(1 ^ mix(2 ^ mix(3)))
