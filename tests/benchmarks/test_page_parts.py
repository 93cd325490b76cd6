"""Parts of measurements with a limit: what they found counts, whatever becomes of them, and nothing of them remains."""

from __future__ import annotations

import subprocess
import sys
import time

import psutil
import pytest

from benchmarks.measuring.page_parts import Found, Outcome, within


def goes_through(times: int) -> Found:
    for turn in range(times):
        yield "turns", float(turn)


def comes_too_late() -> Found:
    yield "first", 1.5
    raise TimeoutError("nothing changed within 60 s")


def breaks() -> Found:
    yield "first", 2.5
    raise ValueError("no such page")


def never_ends() -> Found:
    time.sleep(3600)
    yield "never", 0.0


def leaves_a_program() -> Found:
    yield "process", float(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"]).pid)


def dies() -> Found:
    yield "first", 3.5
    psutil.Process().kill()


def test_a_part_that_goes_through_tells_all_its_numbers() -> None:
    outcome = within(120, goes_through, 3)
    assert (outcome.numbers, outcome.missing) == ({"turns": [0.0, 1.0, 2.0]}, "")
    assert (outcome.of("turns"), outcome.of("other")) == (1.0, None)


@pytest.mark.parametrize(
    ("part", "found", "missing"),
    [
        (comes_too_late, 1.5, "nothing changed within 60 s"),
        (breaks, 2.5, "failed: no such page"),
        (dies, 3.5, "ended early"),
    ],
)
def test_what_was_found_before_counts(part: object, found: float, missing: str) -> None:
    assert callable(part)
    outcome = within(120, part)
    assert (outcome.of("first"), outcome.missing) == (found, missing)


def test_who_is_slow_is_left() -> None:
    outcome = within(0.5, never_ends)
    assert (outcome.numbers, outcome.missing) == ({}, "did not finish in 0.5 s")


def test_what_a_part_has_started_ends_with_it() -> None:
    process = within(120, leaves_a_program).of("process")
    assert process is not None
    assert not psutil.pid_exists(int(process))


def test_turns_add_up_and_one_that_failed_is_named() -> None:
    outcome = Outcome({"a": [1.0]})
    outcome.add(Outcome({"a": [3.0], "b": [2.0]}, "ended early"))
    outcome.add(Outcome({"a": [5.0]}))
    assert (outcome.numbers, outcome.missing) == ({"a": [1.0, 3.0, 5.0], "b": [2.0]}, "ended early")
