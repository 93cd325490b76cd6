"""Planted faults are named first, and nothing is said of healthy trainings."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindinsight.profiles.analysis.advice import advise
from mindinsight.profiles.analysis.steps import steps_of
from tests.counts import LONG
from tests.mindinsight.profiles.analysis.making import slice_, stored, training

FAULTS = ("data", "python", "saving", "slow_steps", "copies", "small")
SEEDS = range(20 if LONG else 3)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fault", FAULTS)
def test_the_first_sentence_names_the_fault(tmp_path: Path, fault: str, seed: int) -> None:
    events = training(fault, seed)
    profile = stored(tmp_path, events)
    first = advise(profile)[0]
    # What a checkpoint takes is Python time without operators, and named by either rule.
    assert first.rule in ((fault, "python") if fault == "saving" else (fault,))
    shown = {"python": "sleep", "slow_steps": "evaluate", "copies": "aten::copy_", "saving": "save"}
    assert shown.get(fault, "") in first.name
    steps = steps_of(profile)
    planted = {
        "data": sum(event["dur"] for event in events if event["name"].startswith("enumerate")),
        "python": 500 * len(steps.number),
        "saving": 200 * len(steps.number),
        "copies": 150 * len(steps.number),
        "slow_steps": 2000 * sum(event["name"] == "evaluate" for event in events),
        "small": sum(event["dur"] for event in events if event["name"] == "aten::add"),
    }[fault]
    assert first.gain == pytest.approx(1000 * planted / steps.duration.sum(), rel=0.15)


@pytest.mark.parametrize("seed", range(50 if LONG else 10))
def test_nothing_is_said_of_a_healthy_training(tmp_path: Path, seed: int) -> None:
    assert advise(stored(tmp_path, training("healthy", seed))) == []


def test_waiting_that_may_be_chance_is_no_advice(tmp_path: Path) -> None:
    events = training("healthy", 1)
    wait = next(event for event in events if event["name"].startswith("enumerate"))
    wait["dur"] += 8000  # One long wait in twelve steps: a tenth of the time, and no habit.
    for event in events:
        if event["name"].startswith("Profiler") and event["ts"] <= wait["ts"] < event["ts"] + event["dur"]:
            event["dur"] += 8000
    assert "data" not in {one.rule for one in advise(stored(tmp_path, events))}


def test_steps_are_waiting_running_and_the_rest(tmp_path: Path) -> None:
    events = [
        slice_("ProfilerStep#7", 0, 100, "user_annotation"),
        slice_("enumerate(DataLoader)#_Iter.__next__", 0, 30, "user_annotation"),
        slice_("aten::copy_", 10, 10),  # Inside of waiting: counts as that.
        slice_("aten::mm", 40, 30),
        slice_("aten::mm", 45, 35, thread=2),  # Both threads at once count once.
        slice_("train.py(3): step", 0, 100, "python_function"),
        slice_("aten::mm", 120, 5),  # After the step.
    ]
    steps = steps_of(stored(tmp_path, events))
    assert steps.number.tolist() == [7]
    assert [column.tolist() for column in (steps.duration, steps.waiting, steps.running, steps.rest)] == [
        [100_000],
        [30_000],
        [40_000],
        [30_000],
    ]


def test_a_slow_first_step_is_left_out(tmp_path: Path) -> None:
    lengths = [900, 300, 100, 102, 98, 101, 99]
    events, at = [], 0
    for number, length in enumerate(lengths):
        events.append(slice_(f"ProfilerStep#{number}", at, length, "user_annotation"))
        events.append(slice_("aten::mm", at, length))
        at += length
    profile = stored(tmp_path, events)
    assert steps_of(profile).usual.tolist() == [False, False, True, True, True, True, True]
    assert advise(profile) == []


def test_a_trace_without_steps_is_one(tmp_path: Path) -> None:
    steps = steps_of(stored(tmp_path, [slice_("a", 0, 10), slice_("b", 15, 5)]))
    assert (steps.number.tolist(), steps.running.tolist(), steps.rest.tolist()) == ([-1], [15_000], [5_000])
