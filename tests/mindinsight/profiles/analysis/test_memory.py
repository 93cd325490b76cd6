"""What was alive at the peak adds up to the peak."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from mindinsight.profiles.analysis.memory import peaks
from mindinsight.profiles.columns.making import make_columns
from mindinsight.profiles.columns.stored import Stored
from tests.mindinsight.profiles.analysis.making import Event, slice_, stored
from tests.mindinsight.profiles.cases import recorded, text_of


def memory(at: float, address: int, size: int, total: int) -> Event:
    args = {"Addr": address, "Bytes": size, "Total Allocated": total, "Device Type": 0, "Device Id": -1}
    return {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": at, "args": args}


def test_the_peak_of_a_small_recording(tmp_path: Path) -> None:
    events = [
        slice_("aten::conv2d", 0, 10),
        slice_("aten::empty", 1, 3),
        memory(2, 1, 100, 1100),  # A thousand bytes were there before.
        slice_("aten::relu", 20, 10),
        memory(21, 2, 50, 1150),
        memory(22, 99, -300, 850),  # Of what was there before.
        memory(25, 3, 400, 1250),
        memory(40, 3, -400, 850),
        memory(41, 1, -100, 750),
    ]
    (peak,) = peaks(profile := stored(tmp_path, events))
    assert (peak["at"], peak["bytes"], peak["before"], peak["alive_bytes"]) == (25_000, 1250, 700, 550)
    names = [profile.head["names"][int(profile.kind_name[profile.kind[one["row"]]])][0] for one in peak["alive"]]
    assert [(one["bytes"], one["born"], one["died"]) for one in peak["alive"]] == [
        (400, 25_000, 40_000),
        (100, 2_000, 41_000),
        (50, 21_000, None),
    ]
    assert names == ["aten::relu", "aten::conv2d", "aten::relu"]


def test_an_address_that_is_used_again(tmp_path: Path) -> None:
    choice = random.Random(3)
    events: list[Event] = [slice_("a", 0, 1000)]
    alive: dict[int, int] = {}
    most: tuple[int, dict[int, int]] = (0, {})
    for at in range(1, 500):
        if alive and choice.random() < 0.45:
            address = choice.choice(sorted(alive))
            size = -alive.pop(address)
        else:
            address = choice.choice([one for one in range(40) if one not in alive] or [40 + at])
            size = alive[address] = choice.randint(1, 1000)
        total = sum(alive.values())
        events.append(memory(at, address, size, total))
        if total > most[0]:
            most = total, dict(alive)
    (peak,) = peaks(stored(tmp_path, events))
    assert sorted(one["bytes"] for one in peak["alive"]) == sorted(most[1].values())
    assert (peak["bytes"], peak["before"]) == (most[0], 0)


def test_a_trace_without_allocations_has_no_peak(tmp_path: Path) -> None:
    assert peaks(stored(tmp_path, [slice_("a", 0, 1)])) == []


@pytest.mark.parametrize("path", recorded())
def test_recorded_allocations_add_up_to_the_recorded_peak(path: Path, tmp_path: Path) -> None:
    whole: Any = json.loads(text_of(path))
    events = whole["traceEvents"] if isinstance(whole, dict) else whole
    totals = [event["args"]["Total Allocated"] for event in events if event.get("name") == "[memory]"]
    with path.open("rb") as file:
        make_columns(file, tmp_path)
    found = peaks(Stored(tmp_path))
    assert [peak["bytes"] for peak in found] == ([max(totals)] if totals else [])
    for peak in found:
        assert peak["alive_bytes"] + peak["before"] == pytest.approx(peak["bytes"], rel=0.01)
        assert sum(one["bytes"] for one in peak["alive"]) == peak["alive_bytes"]
