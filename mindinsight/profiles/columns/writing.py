"""Writes a trace as columns. Called by the task that reads a profile, in a directory that appears when complete."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.profiles.columns.nesting import depths
from mindinsight.profiles.columns.stored import BLOCK, HEAD, VERSION, Head
from mindinsight.profiles.reading.trace import Trace

_STEP = "ProfilerStep#"
_NEVER = (1 << 63) - 1


def write_columns(directory: Path, trace: Trace) -> Head:
    """Writes the columns of a trace.

    Args:
        directory: an existing directory.
        trace: the trace.

    Returns:
        What the head says.

    Raises:
        OSError: a file cannot be written.
    """
    track = np.frombuffer(trace.track, np.uint16)
    start = np.frombuffer(trace.start, np.int64)
    duration = np.frombuffer(trace.duration, np.int64)
    order = np.lexsort((-duration, start, track))
    track, start, duration = track[order], start[order], duration[order]
    zero = int(start.min(initial=_NEVER)) if len(start) else 0
    end = int((start + duration).max(initial=zero))
    depth = depths(track, start, duration)
    columns: dict[str, npt.NDArray[Any]] = {
        "start": start - zero,
        "duration": duration,
        "name": np.frombuffer(trace.name, np.uint32)[order],
        "shape": np.frombuffer(trace.shape, np.uint32)[order],
        "detail": order.astype(np.uint32),
        "depth": depth,
    }
    for name, column in columns.items():
        np.save(directory / f"{name}.npy", column)
    bounds = np.searchsorted(track, np.arange(len(trace.tracks) + 1)).astype(np.int64)
    np.save(directory / "tracks.npy", bounds)
    np.save(directory / "blocks.npy", _blocks(bounds, start - zero, duration))
    _write_counters(directory, trace, zero)
    base = trace.attributes.get("baseTimeNanoseconds", 0)
    head = Head(
        version=VERSION,
        slices=len(start),
        zero=zero,
        length=end - zero,
        base=base if isinstance(base, int) else 0,
        rank=_rank(trace),
        tracks=[
            {**asdict(one), "depth": int(depth[a:b].max(initial=0)) + 1, "slices": b - a}
            for one, a, b in zip(trace.tracks, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
        ],
        names=trace.names,
        shapes=trace.shapes,
        counters=[{"process": one.process, "name": one.name, "unit": one.unit} for one in trace.counters],
        steps=_steps(trace, zero),
        events=dict(trace.phases),
        damage=trace.damage,
    )
    (directory / HEAD).write_bytes(orjson.dumps(head))
    return head


def _blocks(
    bounds: npt.NDArray[np.int64], start: npt.NDArray[np.int64], duration: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """For each block of a track's rows: its first and last row, its first start and last end."""
    rows = []
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        for begin in range(first, last, BLOCK):
            end = min(last, begin + BLOCK)
            rows.append((begin, end, start[begin], (start[begin:end] + duration[begin:end]).max()))
    return np.array(rows, np.int64).reshape(-1, 4)


def _write_counters(directory: Path, trace: Trace, zero: int) -> None:
    for number, counter in enumerate(trace.counters):
        times = np.frombuffer(counter.times, np.int64) - zero
        order = np.argsort(times, kind="stable")
        values = np.frombuffer(counter.values, np.float64)
        np.save(directory / f"counter-{number}.npy", np.array([times[order], values[order]], np.float64))


def _steps(trace: Trace, zero: int) -> list[tuple[int, int, int]]:
    """Number, start and duration of the steps that the profiler marked."""
    numbers = {
        index: int(name[len(_STEP) :])
        for index, (name, _) in enumerate(trace.names)
        if name.startswith(_STEP) and name[len(_STEP) :].isdecimal()
    }
    if not numbers:
        return []
    name = np.frombuffer(trace.name, np.uint32)
    rows = np.flatnonzero(np.isin(name, list(numbers)))
    return sorted((numbers[int(name[row])], trace.start[row] - zero, trace.duration[row]) for row in rows)


def _rank(trace: Trace) -> int | None:
    about = trace.attributes.get("distributedInfo")
    rank = about.get("rank") if isinstance(about, dict) else None
    return rank if isinstance(rank, int) else None
