"""A flame graph adds up equal stacks, as a plain walk over nested slices does."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from mindinsight.profiles.analysis import flame as module
from mindinsight.profiles.analysis.flame import Node, TooManySlicesError, flame
from tests.mindinsight.profiles.analysis.making import slice_, stored

#: A stack with its begin and its length in microseconds.
CALLS = [("a", 0, 100), ("a b", 10, 20), ("a b c", 12, 5), ("a b", 40, 30), ("a b c", 45, 10), ("a d", 80, 10)]
CALLS += [("b", 200, 50), ("b c", 210, 20)]


def stack_of(nodes: list[Node], at: int, names: list[tuple[str, str]]) -> str:
    node = nodes[at]
    above = stack_of(nodes, node["above"], names) + " " if node["above"] >= 0 else ""
    return above + names[node["name"]][0]


@pytest.mark.parametrize("window", [(0, 300), (14, 50), (205, 206)])
def test_equal_stacks_are_one(tmp_path: Path, window: tuple[int, int]) -> None:
    profile = stored(tmp_path, [slice_(stack.split()[-1], at, length) for stack, at, length in CALLS])
    begin, end = window
    total: dict[str, int] = defaultdict(int)
    count: dict[str, int] = defaultdict(int)
    for stack, at, length in CALLS:
        inside = min(at + length, end) - max(at, begin)
        if inside > 0:
            total[stack] += 1000 * inside
            count[stack] += 1
    nodes = flame(profile, 1000 * begin, 1000 * end)
    stacks = [stack_of(nodes, at, profile.head["names"]) for at in range(len(nodes))]
    assert {stack: node["total"] for stack, node in zip(stacks, nodes, strict=True)} == dict(total)
    assert {stack: node["count"] for stack, node in zip(stacks, nodes, strict=True)} == dict(count)


def test_steps_are_one(tmp_path: Path) -> None:
    events = [slice_(f"ProfilerStep#{n}", 100 * n, 100, "user_annotation") for n in range(3)]
    events += [slice_("train", 100 * n + 10, 50) for n in range(3)]
    events += [slice_("mm", 100 * n + 20, 10 + n) for n in range(3)]
    events.append(slice_("train", 400, 7))  # Outside of steps.
    profile = stored(tmp_path, events)
    nodes = flame(profile, 0, 1_000_000)
    found = [(stack_of(nodes, at, profile.head["names"]), one["count"], one["total"]) for at, one in enumerate(nodes)]
    assert found == [("train", 4, 157_000), ("train mm", 3, 33_000)]


def test_too_many_slices_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_SLICES", 3)
    with pytest.raises(TooManySlicesError):
        flame(stored(tmp_path, [slice_("a", at, 1) for at in range(4)]), 0, 10_000)
