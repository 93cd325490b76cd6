"""Writes a window of a profile as Chrome trace, which Perfetto opens, or as CSV. Called by the API for downloads."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.profiles.columns.details import details_of
from mindinsight.profiles.columns.stored import Stored

_ROWS = 2048


def chrome_trace(
    profile: Stored, begin: int, end: int, track: int | None = None, source: IO[bytes] | None = None
) -> Iterator[bytes]:
    """Yields a trace in Chrome's format, with microseconds of three decimals.

    Args:
        profile: the columns.
        begin, end: the window in nanoseconds. Slices that touch it are written whole.
        track: only of this track.
        source: the trace, where arguments may be; without it they are left out.
    """
    head = profile.head
    yield b'{"displayTimeUnit":"ms","baseTimeNanoseconds":%d,"traceEvents":[' % head["base"]
    yield b",\n".join(orjson.dumps(one) for one in _labels(profile))
    for rows, tracks in _in_parts(profile, begin, end, track):
        lines = []
        for row, number in zip(rows.tolist(), tracks.tolist(), strict=True):
            name, category = head["names"][int(profile.kind_name[profile.kind[row]])]
            where = head["tracks"][number]
            event: dict[str, Any] = {"ph": "X", "name": name, "pid": where["process"], "tid": where["thread"]}
            if category:
                event["cat"] = category
            times = b',"ts":%b,"dur":%b' % (
                _microseconds(int(profile.start[row]) + head["zero"]),
                _microseconds(int(profile.duration[row])),
            )
            details = details_of(profile.directory, int(profile.detail[row]), source) if source else b""
            rest = b',"args":' + details if details else b""
            lines.append(orjson.dumps(event)[:-1] + times + rest + b"}")
        yield b",\n" + b",\n".join(lines)
    yield b"\n]}\n"


def table(
    profile: Stored, begin: int, end: int, track: int | None = None, source: IO[bytes] | None = None
) -> Iterator[bytes]:
    """Yields the slices of a window as CSV, with times in nanoseconds. The arguments are those of `chrome_trace`."""
    head = profile.head
    yield b"process,thread,name,category,shapes,depth,start_ns,duration_ns\r\n"
    for rows, tracks in _in_parts(profile, begin, end, track):
        text = io.StringIO()
        writer = csv.writer(text)
        for row, number in zip(rows.tolist(), tracks.tolist(), strict=True):
            where = head["tracks"][number]
            name, category = head["names"][int(profile.kind_name[profile.kind[row]])]
            shape = head["shapes"][int(profile.kind_shape[profile.kind[row]])]
            times = int(profile.depth[row]), int(profile.start[row]), int(profile.duration[row])
            writer.writerow((where["process"], where["thread"], name, category, shape, *times))
        yield text.getvalue().encode()


def _in_parts(
    profile: Stored, begin: int, end: int, track: int | None
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    rows = profile.rows(begin, end, track)
    for first in range(0, len(rows), _ROWS):
        part = rows[first : first + _ROWS]
        yield part, profile.track_of(part)


def _labels(profile: Stored) -> Iterator[dict[str, Any]]:
    for track in profile.head["tracks"]:
        where = {"ph": "M", "pid": track["process"], "tid": track["thread"]}
        for kind in ("process_name", "thread_name"):
            yield {**where, "name": kind, "args": {"name": track[kind] or track[kind.partition("_")[0]]}}


def _microseconds(nanoseconds: int) -> bytes:
    return b"%d.%03d" % divmod(nanoseconds, 1000)
