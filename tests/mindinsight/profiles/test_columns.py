"""Columns answer as plain loops over the slices do."""

from __future__ import annotations

import io
import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindinsight.profiles.columns import levels, writing
from mindinsight.profiles.columns.details import DetailsWriter, details_of
from mindinsight.profiles.columns.nesting import nested as nesting_of
from mindinsight.profiles.columns.nesting import nested_plainly
from mindinsight.profiles.columns.stored import Stored
from mindinsight.profiles.columns.sums import around, busy, own_time, sums
from mindinsight.profiles.columns.window import HEADER, drawn
from mindinsight.profiles.columns.writing import write_columns
from mindinsight.profiles.reading.trace import read_trace
from tests.counts import LONG
from tests.mindinsight.profiles.cases import read_bytes

Slices = list[dict[str, Any]]


def nested(seed: int) -> Slices:
    """Slices on three threads, each inside another one or after it."""
    choice = random.Random(seed)
    made: Slices = []

    def grow(thread: int, begin: int, end: int, depth: int) -> None:
        at = begin
        while at + 2 < end and len(made) < 3000:
            stop = choice.randint(at + 1, end)
            made.append(
                {
                    "ph": "X",
                    "name": f"op{choice.randint(0, 5)}",
                    "pid": 1,
                    "tid": thread,
                    "ts": at,
                    "dur": stop - at,
                    "args": {"depth": depth, "Input Dims": [[choice.randint(1, 2)]]},
                }
            )
            if depth < 4:
                grow(thread, at, stop, depth + 1)
            at = stop + choice.randint(0, 3)

    for thread in range(3):
        grow(thread, 0, 1500, 0)
    # Another order in the file, in which equal slices stay as they were: the outer one first.
    made.sort(key=lambda one: one["ts"] % 7)
    return made


@pytest.fixture(params=[1, 2])
def made(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Slices, Stored]:
    monkeypatch.setattr(writing, "BLOCK", 64)
    monkeypatch.setattr(levels, "COARSEST", 8)
    slices = nested(request.param)
    file = tmp_path / "trace.json"
    file.write_text(json.dumps(slices))
    out = tmp_path / "columns"
    out.mkdir()
    writer = DetailsWriter(out)
    with file.open("rb") as opened:
        trace = read_trace(opened, writer.add)
    writer.close()
    write_columns(out, trace)
    return slices, Stored(out)


def test_depths_and_arguments_belong_to_their_slices(made: tuple[Slices, Stored]) -> None:
    slices, profile = made
    assert len(profile.start) == len(slices)
    source = io.BytesIO(json.dumps(slices).encode())
    for row in range(0, len(slices), 37):
        arguments = json.loads(details_of(profile.directory, int(profile.detail[row]), source))
        assert arguments["depth"] == profile.depth[row]
        rows = around(profile, row)
        assert [int(profile.depth[one]) for one in rows] == list(range(len(rows)))
        assert rows[-1] == row
        assert all(profile.start[one] <= profile.start[row] for one in rows)


@pytest.mark.parametrize("window", [(0, 1_500_000), (300_000, 701_000), (1_490_000, 1_600_000), (5, 6)])
def test_sums_of_a_window(made: tuple[Slices, Stored], window: tuple[int, int]) -> None:
    slices, profile = made
    begin, end = window
    count: dict[str, int] = defaultdict(int)
    total: dict[str, int] = defaultdict(int)
    own: dict[str, int] = defaultdict(int)
    outer = 0
    by_thread = defaultdict(list)
    for one in slices:
        by_thread[one["tid"]].append(one)
    for one in slices:
        inside = min((one["ts"] + one["dur"]) * 1000, end) - max(one["ts"] * 1000, begin)
        if inside <= 0:
            continue
        count[one["name"]] += 1
        total[one["name"]] += inside
        outer += inside if one["args"]["depth"] == 0 else 0
        children = [
            max(0, min((child["ts"] + child["dur"]) * 1000, end) - max(child["ts"] * 1000, begin))
            for child in by_thread[one["tid"]]
            if child["args"]["depth"] == one["args"]["depth"] + 1
            and one["ts"] <= child["ts"]
            and child["ts"] + child["dur"] <= one["ts"] + one["dur"]
        ]
        own[one["name"]] += inside - sum(children)
    found = sums(profile, begin, end)
    names = profile.head["names"]
    assert {names[row["name"]][0]: row["count"] for row in found} == dict(count)
    assert {names[row["name"]][0]: row["total"] for row in found} == dict(total)
    assert {names[row["name"]][0]: row["own"] for row in found} == dict(own)
    assert sum(busy(profile, begin, end)) == outer
    shaped = sums(profile, begin, end, by_shape=True)
    assert sum(row["total"] for row in shaped) == sum(total.values())
    assert {profile.head["shapes"][row["shape"]] for row in shaped} <= {"[[1]]", "[[2]]"}
    assert sum(row["count"] for each in range(3) for row in sums(profile, begin, end, each)) == sum(count.values())


def test_own_time_of_one_slice(made: tuple[Slices, Stored]) -> None:
    _, profile = made
    row = int(np.flatnonzero(profile.depth == 0)[0])
    inside = [at for at in range(len(profile.start)) if around(profile, at)[:-1] == [row]]
    assert own_time(profile, row) == profile.duration[row] - sum(int(profile.duration[at]) for at in inside)


@pytest.mark.parametrize("pixels", [10, 300, 100_000])
def test_a_window_has_each_slice_once(made: tuple[Slices, Stored], pixels: int) -> None:
    slices, profile = made
    frame = drawn(profile, 0, 1_500_000, pixels)
    version, count, _, _ = HEADER.unpack_from(frame)
    assert (version, len(frame)) == (1, HEADER.size + 31 * count)
    counts = np.frombuffer(frame, "<u4", count, HEADER.size + 24 * count)
    start = np.frombuffer(frame, "<f8", count, HEADER.size)
    depth = np.frombuffer(frame, "u1", count, HEADER.size + 30 * count)
    track = np.frombuffer(frame, "<u2", count, HEADER.size + 28 * count)
    assert counts.sum() == len(slices)
    lanes = {(t, d) for t, d in zip(track.tolist(), depth.tolist(), strict=True)}
    assert count <= 2 * (pixels + 1) * len(lanes)
    if pixels == 100_000:
        assert sorted(start.tolist()) == sorted(1000.0 * one["ts"] for one in slices)


def test_a_slice_that_outlasts_another_is_beside_it() -> None:
    # A step begins in the last moment of the call that opens it; an operator runs in the step.
    start, duration = np.array([0, 10, 15, 30]), np.array([100, 10, 70, 5])
    found = nesting_of(np.zeros(4, np.uint16), start, duration)
    assert found.depth.tolist() == [0, 1, 1, 2]
    assert found.parent.tolist() == [-1, 0, 0, 2]
    assert found.overlap.tolist() == [0, 0, 5, 0]


@pytest.mark.parametrize("seed", range(200 if LONG else 20))
def test_the_compiled_loop_nests_as_python_does(seed: int) -> None:
    choice = np.random.default_rng(seed)
    count = int(choice.integers(0, 400))
    track = np.sort(choice.integers(0, 3, count).astype(np.uint16))
    start, duration = choice.integers(0, 100, count), choice.integers(0, 40, count)
    order = np.lexsort((-duration, start, track))
    columns = track[order], start[order], duration[order]
    compiled, plain = nesting_of(*columns), nested_plainly(*columns)
    assert compiled.parent.tolist() == plain.parent.tolist()
    assert compiled.depth.tolist() == plain.depth.tolist()
    assert compiled.overlap.tolist() == plain.overlap.tolist()


@pytest.mark.parametrize("window", [(0, 70), (13, 41), (20, 21)])
def test_own_time_of_overlapping_slices_is_what_no_child_covers(tmp_path: Path, window: tuple[int, int]) -> None:
    # In the outer slice, b begins in a and outlasts it.
    slices = [("outer", 0, 70), ("a", 10, 20), ("b", 20, 30), ("inner", 22, 4)]
    events = [{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": dur} for name, at, dur in slices]
    write_columns(tmp_path, read_bytes(json.dumps(events).encode()))
    profile = Stored(tmp_path)
    begin, end = window
    moments = range(begin, end)
    covered = [moment for moment in moments if 10 <= moment < 50]
    found = {profile.head["names"][row["name"]][0]: row for row in sums(profile, 1000 * begin, 1000 * end)}
    assert found["outer"]["own"] == 1000 * (len(moments) - len(covered))
    assert busy(profile, 1000 * begin, 1000 * end) == [1000 * len(moments)]
    assert own_time(profile, 0) == 30_000
