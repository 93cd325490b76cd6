"""The rank that works longest is the one that others wait for."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindinsight.profiles.analysis.ranks import rank_steps, stragglers
from tests.mindinsight.profiles.analysis.making import Event, slice_, stored


def rank(working: list[int], longest: list[int], first: int = 0) -> list[Event]:
    """A rank that works in each step, then waits in a collective for the slowest one."""
    events, at = [], 0
    for step, (own, slowest) in enumerate(zip(working, longest, strict=True), first):
        events.append(slice_("aten::mm", at, own))
        events.append(slice_("gloo:all_reduce", at + own, slowest + 10 - own))
        events.append(slice_(f"ProfilerStep#{step}", at, slowest + 10, "user_annotation"))
        at += slowest + 10
    return events


def test_the_slow_rank_is_named_for_each_step(tmp_path: Path) -> None:
    working = [[100, 180, 100], [101, 100, 100], [100, 100, 160]]
    longest = [max(each) for each in zip(*working, strict=True)]
    steps = [rank_steps(stored(tmp_path / str(n), rank(one, longest))) for n, one in enumerate(working)]
    assert [step["working"] for step in steps[1]] == [101_000, 100_000, 100_000]
    assert [step["communication"] for step in steps[1]] == [10_000, 90_000, 70_000]
    assert [(one["rank"], one["lead"]) for one in stragglers(steps)] == [(None, 1_000), (0, 80_000), (2, 60_000)]


@pytest.mark.parametrize("first", [0, 1])
def test_only_steps_that_all_have_are_compared(tmp_path: Path, first: int) -> None:
    one = rank_steps(stored(tmp_path / "a", rank([10, 10], [20, 20])))
    other = rank_steps(stored(tmp_path / "b", rank([20, 20], [20, 20], first)))
    assert [step["number"] for step in stragglers([one, other])] == list(range(first, 2))


def test_no_ranks_have_no_stragglers() -> None:
    assert stragglers([]) == []
