"""What a timeline draws of a window of time: slices that are wide enough, and blocks of those that share a pixel.

Called by the API. The answer has at most one block for each pixel, track and depth, however many slices there are. It
is made from the coarsest level (`levels`) whose bins are no wider than a pixel.
"""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

from mindinsight.profiles.columns.levels import ITEM, merged, width_of
from mindinsight.profiles.columns.stored import Stored

FRAME_VERSION = 1
HEADER = struct.Struct("<IIII")


def drawn(profile: Stored, begin: int, end: int, pixels: int, track: int | None = None) -> bytes:
    """Returns the slices of a window, merged where several share a pixel.

    Args:
        profile: the columns.
        begin, end: the window in nanoseconds.
        pixels: its width.
        track: only of this track.

    Returns:
        A header (version, count, two zeros; uint32) and columns: start and duration in nanoseconds (float64), row of
        the slice or of the longest one of a block, its name, number of slices (uint32), track (uint16), depth (uint8).
    """
    pixel = max(1.0, (end - begin) / pixels)
    fitting = [number for number in range(profile.head["levels"]) if width_of(profile.head["length"], number) <= pixel]
    found = _of_level(profile, fitting[0], begin, end, track) if fitting else _of_rows(profile, begin, end, track)
    lane, items = merged(*found, begin, pixel)
    row = items["row"]
    columns = (
        items["start"].astype("<f8"),
        (items["end"] - items["start"]).astype("<f8"),
        row.astype("<u4"),
        profile.name_of(row.astype(np.int64)).astype("<u4"),
        items["count"].astype("<u4"),
        (lane >> 8).astype("<u2"),
        (lane & 255).astype("u1"),
    )
    return HEADER.pack(FRAME_VERSION, len(items), 0, 0) + b"".join(column.tobytes() for column in columns)


def _of_level(
    profile: Stored, number: int, begin: int, end: int, track: int | None
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.void]]:
    level = profile.level(number)
    bounds = [*level.first.tolist(), len(level.items)]
    lanes, parts = [np.zeros(0, np.int32)], [np.zeros(0, ITEM)]
    for at, lane in enumerate(level.lane.tolist()):
        if track is not None and lane >> 8 != track:
            continue
        items = level.items[bounds[at] : bounds[at + 1]]
        # The ends of a lane's items ascend, but for slices that overlap; the one before the window may reach into it.
        first = max(0, int(np.searchsorted(items["start"], begin, side="right")) - 1)
        part = items[first : int(np.searchsorted(items["start"], end))]
        part = part[part["end"] > begin] if len(part) and part["end"][0] <= begin else part
        lanes.append(np.full(len(part), lane, np.int32))
        parts.append(part)
    return np.concatenate(lanes), np.concatenate(parts)


def _of_rows(
    profile: Stored, begin: int, end: int, track: int | None
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.void]]:
    rows = profile.rows(begin, end, track)
    lane = profile.track_of(rows).astype(np.int32) << 8 | profile.depth[rows]
    order = np.argsort(lane, kind="stable")
    rows = rows[order]
    items = np.empty(len(rows), ITEM)
    items["start"], items["longest"] = profile.start[rows], profile.duration[rows]
    items["end"] = items["start"] + items["longest"]
    items["row"], items["count"] = rows, 1
    return lane[order], items


def counter_points(profile: Stored, number: int, begin: int, end: int, pixels: int) -> list[list[float]]:
    """Returns the course of a counter in a window: for each pixel the time, the lowest and the highest value.

    Args:
        profile: the columns.
        number: the counter.
        begin, end: the window in nanoseconds.
        pixels: its width.
    """
    times, values = profile.counter(number)
    first = max(0, int(np.searchsorted(times, begin, side="right")) - 1)
    last = int(np.searchsorted(times, end, side="right"))
    if last <= first:
        return []
    times, values = times[first:last], values[first:last]
    place = np.clip((times - begin) * pixels / max(1, end - begin), 0, pixels).astype(np.int64)
    edges = np.flatnonzero(np.diff(place, prepend=-1))
    low, high = np.minimum.reduceat(values, edges), np.maximum.reduceat(values, edges)
    points: list[list[float]] = np.array([times[edges], low, high]).T.tolist()
    return points
