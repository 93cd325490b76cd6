"""Recorded traces, and an independent reader of them. CASES_PROFILES names their folder."""

from __future__ import annotations

import functools
import gzip
import io
import json
import os
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from mindinsight.profiles.reading.trace import Trace, read_trace

_CHECKOUT = Path(__file__).resolve().parents[3]
DATA = (_CHECKOUT / os.environ.get("MINDINSIGHT_TEST_DATA", "../shared/data")).resolve()
CASES = Path(os.environ.get("CASES_PROFILES", DATA / "profiler"))
REASON = f"no recorded traces in {CASES}; CASES_PROFILES names the directory that has them"
PATTERNS = ("*.trace.json.gz", "*.trace.json", "trace_view.json", "*timeline_display*.json")


def recorded() -> list[Any]:
    """Every trace of the folder as a parameter, or one that skips."""
    found = sorted({path for pattern in PATTERNS for path in CASES.rglob(pattern)})
    if not found:
        return [pytest.param(None, marks=pytest.mark.skip(reason=REASON))]
    return [pytest.param(path, id=path.relative_to(CASES).as_posix()) for path in found]


def read(path: Path, piece: int = 1 << 16) -> tuple[Trace, list[dict[str, Any]]]:
    """A trace, and the arguments of its slices."""
    kept: list[bytes] = []
    with path.open("rb") as file:
        trace = read_trace(file, kept.append, piece=piece)
    text = text_of(path).decode()
    decoder = json.JSONDecoder()
    return trace, [
        decoder.raw_decode(text, place)[0].get("args", {}) if place >= 0 else json.loads(kept[-1 - place] or b"{}")
        for place in trace.detail
    ]


def read_bytes(text: bytes, piece: int = 1 << 20) -> Trace:
    return read_trace(io.BytesIO(text), lambda details: None, piece=piece)


@functools.cache
def text_of(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def plainly(path: Path) -> list[dict[str, Any]]:
    """The complete events as the standard library reads them, with exact numbers."""
    whole = json.loads(text_of(path), parse_float=Decimal)
    events = whole["traceEvents"] if isinstance(whole, dict) else whole
    return [event for event in events if event.get("ph") == "X"]


def exact(value: Any) -> int:
    return int((Decimal(str(value)) * 1000).to_integral_value())


def counted(trace: Trace) -> Counter[tuple[str, str, str, str, int, int]]:
    """The slices with all that identifies them, as a multiset."""
    return Counter(
        (trace.tracks[track].process, trace.tracks[track].thread, *trace.names[name], start, duration)
        for track, name, start, duration in zip(trace.track, trace.name, trace.start, trace.duration, strict=True)
    )


@functools.cache
def counted_plainly(path: Path) -> Counter[tuple[str, str, str, str, int, int]]:
    return Counter(
        (
            str(event.get("pid", "")),
            str(event.get("tid", "")),
            event["name"],
            event.get("cat", ""),
            exact(event["ts"]),
            exact(event.get("dur", 0)),
        )
        for event in plainly(path)
    )
