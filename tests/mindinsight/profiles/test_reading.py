"""Traces are read exactly, in pieces, and as far as they are whole."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from mindinsight.profiles.kernel import library
from mindinsight.profiles.reading.events import TraceError
from mindinsight.profiles.reading.times import nanoseconds
from tests.counts import LONG
from tests.mindinsight.profiles.cases import (
    CASES,
    REASON,
    counted,
    counted_plainly,
    plainly,
    read,
    read_bytes,
    recorded,
    text_of,
)


@pytest.fixture(params=["compiled", "plain"], autouse=True)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads with the compiled scanner, then without."""
    if request.param == "plain":
        monkeypatch.setattr(library, "KERNEL", None)
    elif library.KERNEL is None:
        pytest.skip("the compiled scanner was not built here")


@pytest.mark.parametrize("path", recorded())
def test_every_slice_of_a_recorded_trace_is_read_exactly(path: Path) -> None:
    trace, details = read(path)
    assert trace.damage == []
    assert counted(trace) == counted_plainly(path)
    assert details == [json.loads(json.dumps(event.get("args", {}), default=float)) for event in plainly(path)]


def test_the_facts_beside_the_traces_hold() -> None:
    if not (CASES / "facts.json").is_file():
        pytest.skip(REASON)
    for name, facts in json.loads((CASES / "facts.json").read_text()).items():
        trace, _ = read(CASES / name)
        assert dict(trace.phases) == {kind: n for kind, n in facts["by_ph"].items() if kind != "none"}, name
        assert len({word for word, _ in trace.names}) == facts["names"], name
        for word, (count, total) in facts["longest"].items():
            chosen = {index for index, (one, _) in enumerate(trace.names) if one == word}
            durations = [length for index, length in zip(trace.name, trace.duration, strict=True) if index in chosen]
            assert len(durations) == count
            # The facts cut the sum of picoseconds, where ours rounds each slice.
            assert sum(durations) == pytest.approx(total, abs=1 + count / 2)


def event(**values: Any) -> dict[str, Any]:
    return {"ph": "X", "name": "a", "pid": 1, "tid": 2, "ts": 1, "dur": 2, **values}


@pytest.mark.parametrize("piece", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize("form", ["list", "object", "open list"])
def test_the_size_of_pieces_changes_nothing(piece: int, form: str) -> None:
    events = [
        event(name='"}, {"', args={"nested": [{"a": 1}, {"ph": "X"}], "text": "}\\"}),
        event(ts="1795521970834261.859", name="损失"),
        event(ts=1.5e1),
        {},
        event(pid="Spans", tid="a b"),
    ]
    text = json.dumps(events if form != "object" else {"a": {"b": 1}, "traceEvents": events, "displayTimeUnit": "ms"})
    trace = read_bytes((text[:-1] if form == "open list" else text).encode(), piece)
    assert [trace.names[index][0] for index in trace.name] == ['"}, {"', "损失", "a", "a"]
    assert list(trace.start) == [1000, 1795521970834261859, 15000, 1000]
    assert bool(trace.damage) is (form == "open list")
    assert trace.attributes == ({"a": {"b": 1}, "displayTimeUnit": "ms"} if form == "object" else {})


def test_pairs_of_events_become_slices() -> None:
    events = [
        event(ph="B", ts=10, name="outer"),
        event(ph="B", ts=11, name="inner"),
        event(ph="E", ts=14),
        event(ph="E", ts=20),
        event(ph="b", ts=5, id="0x1", cat="net", name="request"),
        event(ph="e", ts=9, id="0x1", cat="net", name="request"),
        event(ph="E", ts=30, tid=9),
        event(ph="B", ts=18, name="never ends", tid=3),
    ]
    trace = read_bytes(json.dumps(events).encode())
    slices = [
        (trace.names[name][0], start, duration)
        for name, start, duration in zip(trace.name, trace.start, trace.duration, strict=True)
    ]
    assert slices == [
        ("inner", 11000, 3000),
        ("outer", 10000, 10000),
        ("request", 5000, 4000),
        ("never ends", 18000, 2000),
    ]
    assert len(trace.damage) == 2


def test_counters_and_names_of_tracks_are_read() -> None:
    events = [
        event(),
        event(ph="M", name="process_name", args={"name": "trainer"}),
        event(ph="M", name="thread_name", args={"name": "main"}),
        event(ph="C", name="queue", args={"fill": 3}),
        event(ph="C", name="queue", ts=5, args={"fill": 4}),
        event(ph="i", name="[memory]", args={"Total Allocated": 64, "Device Type": 0, "Device Id": -1}),
    ]
    trace = read_bytes(json.dumps(events).encode())
    assert [(track.process_name, track.thread_name) for track in trace.tracks] == [("trainer", "main")]
    assert [(one.name, list(one.times), list(one.values)) for one in trace.counters] == [
        ("queue", [1000, 5000], [3.0, 4.0]),
        ("Memory allocated on CPU", [1000], [64.0]),
    ]


@pytest.mark.parametrize("text", [b"", b"abc", b'{"a": 1}', b'"traceEvents"', b"\x1f\x8bnothing"])
def test_another_file_is_refused(text: bytes) -> None:
    with pytest.raises(TraceError):
        read_bytes(text)


@pytest.mark.parametrize("text", [b"", b"1.2.3", b"null", b"NaN", b"1e999", b'"x"'])
def test_times_that_are_none(text: bytes) -> None:
    with pytest.raises(ValueError):
        nanoseconds(text)


@pytest.mark.parametrize("path", recorded())
def test_a_cut_trace_is_read_to_the_cut(path: Path) -> None:
    whole, text = counted_plainly(path), text_of(path)
    trace = read_bytes(text[: len(text) * 2 // 3])
    assert trace.damage
    found = counted(trace)
    assert found <= whole
    # All events that are complete before the cut.
    assert found.total() >= text[: len(text) * 2 // 3].count(b'"X"') - 1
    packed = gzip.compress(text, 1)
    assert counted(read_bytes(packed[: len(packed) // 2])) <= whole


@pytest.mark.parametrize("seed", range(500 if LONG else 6))
def test_damaged_bytes_cost_only_the_events_that_have_them(seed: int) -> None:
    paths = [parameter.values[0] for parameter in recorded()]
    if paths == [None]:
        pytest.skip(REASON)
    choice = random.Random(seed)
    path = choice.choice(paths)
    text = bytearray(text_of(path))
    for _ in range(choice.randint(1, 4)):
        text[choice.randrange(200, len(text))] = choice.randrange(256)
    whole = counted_plainly(path).total()
    trace = read_bytes(bytes(text))
    assert len(trace.start) >= whole * 0.9 - 2 or trace.damage
    packed = bytearray(path.read_bytes())
    packed[choice.randrange(len(packed) // 2, len(packed))] ^= 0xFF
    if packed[:2] == b"\x1f\x8b":
        assert len(read_bytes(bytes(packed)).start) <= whole + 4


@pytest.mark.parametrize("text", ["a \\u00e9\\n", 'say \\"x\\"', "损失", "", "tab\\t"])
def test_names_are_those_of_the_standard_library(text: str) -> None:
    line = f'[{{"ph": "X", "name": "{text}", "cat": "{text}", "pid": "a", "tid": 1, "ts": 1, "dur": 2}}]'
    assert read_bytes(line.encode()).names == [(json.loads(f'"{text}"'),) * 2]


def test_many_names_threads_and_shapes() -> None:
    events = [event(name=f"n{n}", tid=n % 70, args={"Input Dims": [[n]]}) for n in range(3000)]
    trace = read_bytes(json.dumps(events).encode(), 997)
    assert [trace.names[name][0] for name in trace.name] == [f"n{n}" for n in range(3000)]
    assert [trace.tracks[track].thread for track in trace.track] == [str(n % 70) for n in range(3000)]
    assert [trace.shapes[shape] for shape in trace.shape] == [f"[[{n}]]" for n in range(3000)]
