"""Writes a trace as columns. Called by `making`, in a directory that appears when complete."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.profiles.columns.blocks import ENTRY, Work, entries_of
from mindinsight.profiles.columns.levels import levels
from mindinsight.profiles.columns.nesting import Nesting, nested
from mindinsight.profiles.columns.stored import ALLOCATION, BLOCK, HEAD, VERSION, Head
from mindinsight.profiles.reading.trace import Trace

STEP = "ProfilerStep#"
_RANGE_CATEGORIES = frozenset(("user_annotation", "gpu_user_annotation", "Trace"))
"""Of torch.profiler: what programs mark, and the whole of the recording."""
_RANGE_PROCESS = "Scope Layer"
"""Of MindSpore 2.10: its threads repeat the operators' scopes."""
Whole = npt.NDArray[np.int64]


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
    order = _order(track, start, duration)
    zero = int(start.min()) if len(start) else 0
    track, start, duration = track[order], start[order] - zero, duration[order]
    length = int((start + duration).max(initial=0))
    nesting = nested(track, start, duration)
    kinds, kind = _kinds(trace, order)
    columns: dict[str, npt.NDArray[Any]] = {
        "start": start,
        "duration": duration,
        "kind": kind,
        "kinds": kinds,
        "detail": np.frombuffer(trace.detail, np.int64)[order],
        "parent": nesting.parent,
        "depth": nesting.depth,
    }
    bounds = np.searchsorted(track, np.arange(len(trace.tracks) + 1)).astype(np.int64)
    columns["tracks"] = bounds
    overlapping = np.flatnonzero(nesting.overlap)
    columns["overlaps"] = np.array([overlapping, nesting.overlap[overlapping]])
    columns |= _blocks(bounds, kind, start, duration, nesting)
    made = 0
    for number, level in levels(track, nesting.depth, start, duration, length):
        columns[f"level-{number}-lanes"] = np.array([level.lane, level.first])
        np.save(directory / f"level-{number}.npy", level.items)
        made += 1
    for name, column in columns.items():
        np.save(directory / f"{name}.npy", column)
    _write_counters(directory, trace, zero)
    head = _head(trace, columns)
    head["zero"], head["levels"] = zero, made
    (directory / HEAD).write_bytes(orjson.dumps(head))
    return head


def _head(trace: Trace, columns: dict[str, npt.NDArray[Any]]) -> Head:
    base = trace.attributes.get("baseTimeNanoseconds", 0)
    start, duration, depth, bounds = (columns[name] for name in ("start", "duration", "depth", "tracks"))
    name = columns["kinds"][0][columns["kind"]]
    return Head(
        version=VERSION,
        slices=len(start),
        zero=0,
        length=int((start + duration).max(initial=0)),
        base=base if isinstance(base, int) else 0,
        rank=_rank(trace),
        tracks=[
            {**asdict(one), "depth": int(depth[a:b].max(initial=0)) + 1, "slices": b - a}
            for one, a, b in zip(trace.tracks, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
        ],
        names=trace.names,
        shapes=trace.shapes,
        ranges=_ranges(trace, name, bounds),
        levels=0,
        counters=[{"process": one.process, "name": one.name, "unit": one.unit} for one in trace.counters],
        steps=_steps(trace, name, start, duration),
        events=dict(trace.phases),
        damage=trace.damage,
    )


def _order(track: npt.NDArray[np.uint16], start: Whole, duration: Whole) -> Whole:
    """Sorts by track, start and descending duration. Profilers write most threads in that order."""
    order = np.argsort(track, kind="stable")
    bounds = [0, *(np.flatnonzero(np.diff(track[order])) + 1).tolist(), len(order)]
    for first, last in pairwise(bounds):
        rows = order[first:last]
        begins, lengths = start[rows], duration[rows]
        later, equal = begins[1:] > begins[:-1], begins[1:] == begins[:-1]
        if not np.all(later | (equal & (lengths[1:] <= lengths[:-1]))):
            order[first:last] = rows[np.lexsort((-lengths, begins))]
    return order


def _kinds(trace: Trace, order: Whole) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """The pairs of name and shape in two rows, and the pair of each slice."""
    key = np.frombuffer(trace.name, np.uint32).astype(np.int64) * len(trace.shapes)
    key += np.frombuffer(trace.shape, np.uint32)
    most = len(trace.names) * len(trace.shapes)
    if most <= 4 * len(key):
        used = np.flatnonzero(np.bincount(key, minlength=most))
        number = np.zeros(most, np.uint32)
        number[used] = np.arange(len(used))
        kind = number[key[order]]
    else:
        used, place = np.unique(key[order], return_inverse=True)
        kind = place.astype(np.uint32)
    return np.array(np.divmod(used, len(trace.shapes)), np.uint32), kind


def _blocks(
    bounds: Whole, kind: npt.NDArray[np.uint32], start: Whole, duration: Whole, nesting: Nesting
) -> dict[str, npt.NDArray[Any]]:
    """For each block of a track's rows: first and last row, first start, last end, busy time; and its sums by kind."""
    blocks, entries, entry_bounds = [], [np.zeros(0, ENTRY)], [0]
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        for begin in range(first, last, BLOCK):
            end = min(last, begin + BLOCK)
            lengths, parent = duration[begin:end], nesting.parent[begin:end]
            around = np.where(parent >= 0, kind[np.maximum(parent, 0)].astype(np.int64), -1)
            covers = lengths - nesting.overlap[begin:end]
            latest = int((start[begin:end] + lengths).max())
            blocks.append((begin, end, int(start[begin]), latest, int(covers[parent < 0].sum())))
            rows = np.arange(begin, end)
            entries.append(entries_of(Work(rows, kind[begin:end].astype(np.int64), around, lengths, covers)))
            entry_bounds.append(entry_bounds[-1] + len(entries[-1]))
    return {
        "blocks": np.array(blocks, np.int64).reshape(-1, 5),
        "entries": np.concatenate(entries),
        "entry-bounds": np.array(entry_bounds, np.int64),
    }


def _write_counters(directory: Path, trace: Trace, zero: int) -> None:
    for number, counter in enumerate(trace.counters):
        times = np.frombuffer(counter.times, np.int64) - zero
        order = np.argsort(times, kind="stable")
        values = np.frombuffer(counter.values, np.float64)
        np.save(directory / f"counter-{number}.npy", np.array([times[order], values[order]], np.float64))
    allocations = np.array(trace.counters.allocations, ALLOCATION)
    allocations["time"] -= zero
    np.save(directory / "allocations.npy", allocations[np.argsort(allocations["time"], kind="stable")])


def _ranges(trace: Trace, name: npt.NDArray[np.uint32], bounds: Whole) -> list[int]:
    """The names of slices that mark others."""
    marks = np.array(
        [category in _RANGE_CATEGORIES or text.startswith(STEP) for text, category in trace.names], dtype=bool
    )
    working = np.zeros(len(trace.names), bool)
    for track, first, last in zip(trace.tracks, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        if track.process_name != _RANGE_PROCESS:
            working[np.unique(name[first:last])] = True
    found: list[int] = np.flatnonzero(marks | ~working).tolist()
    return found


def _steps(trace: Trace, name: npt.NDArray[np.uint32], start: Whole, duration: Whole) -> list[tuple[int, int, int]]:
    """Number, start and duration of the steps that the profiler marked."""
    numbers = {
        index: int(text[len(STEP) :])
        for index, (text, category) in enumerate(trace.names)
        if text.startswith(STEP) and text[len(STEP) :].isdecimal() and category != "gpu_user_annotation"
    }
    if not numbers:
        return []
    wanted = np.zeros(len(trace.names), bool)
    wanted[list(numbers)] = True
    return sorted(
        (numbers[int(name[row])], int(start[row]), int(duration[row])) for row in np.flatnonzero(wanted[name])
    )


def _rank(trace: Trace) -> int | None:
    about = trace.attributes.get("distributedInfo")
    rank = about.get("rank") if isinstance(about, dict) else None
    return rank if isinstance(rank, int) else None
