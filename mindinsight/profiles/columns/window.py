"""What a timeline draws of a window of time: slices that are wide enough, and blocks of those that share a pixel.

Called by the API. The answer has at most one block for each pixel, track and depth, however many slices there are.
"""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

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
    rows = profile.rows(begin, end, track)
    start, duration, depth = profile.start[rows], profile.duration[rows], profile.depth[rows]
    tracks = profile.track_of(rows)
    pixel = max(1.0, (end - begin) / pixels)
    wide = duration >= pixel
    narrow = np.flatnonzero(~wide)
    wide_rows = np.flatnonzero(wide)
    blocks, first, last, count = _merge(
        tracks[narrow], depth[narrow], start[narrow], duration[narrow], (begin, pixel, pixels)
    )
    chosen = np.concatenate((wide_rows, narrow[blocks]))
    starts = np.concatenate((start[wide_rows], first))
    lengths = np.concatenate((duration[wide_rows], last - first))
    counts = np.concatenate((np.ones(len(wide_rows), np.int64), count))
    order = np.lexsort((starts, depth[chosen], tracks[chosen]))
    chosen = chosen[order]
    columns = (
        starts[order].astype("<f8"),
        lengths[order].astype("<f8"),
        rows[chosen].astype("<u4"),
        profile.name[rows[chosen]].astype("<u4"),
        counts[order].astype("<u4"),
        tracks[chosen].astype("<u2"),
        depth[chosen].astype("u1"),
    )
    return HEADER.pack(FRAME_VERSION, len(chosen), 0, 0) + b"".join(column.tobytes() for column in columns)


def _merge(
    track: npt.NDArray[np.int64],
    depth: npt.NDArray[np.uint8],
    start: npt.NDArray[np.int64],
    duration: npt.NDArray[np.int64],
    scale: tuple[int, float, int],
) -> tuple[npt.NDArray[np.int64], ...]:
    """For each pixel with slices: the longest one, the first start, the last end and the count."""
    begin, pixel, pixels = scale
    place = np.clip(((start - begin) / pixel).astype(np.int64), 0, pixels)
    lane, number = np.unique(track * 256 + depth, return_inverse=True)
    key = number * (pixels + 1) + place
    size = len(lane) * (pixels + 1)
    count = np.bincount(key, minlength=size)
    taken = np.flatnonzero(count)
    first = np.full(size, np.iinfo(np.int64).max)
    last = np.full(size, np.iinfo(np.int64).min)
    longest = np.full(size, -1)
    np.minimum.at(first, key, start)
    np.maximum.at(last, key, start + duration)
    np.maximum.at(longest, key, duration)
    chosen = np.zeros(size, np.int64)
    is_longest = np.flatnonzero(duration == longest[key])[::-1]
    chosen[key[is_longest]] = is_longest
    return chosen[taken], first[taken], last[taken], count[taken]


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
