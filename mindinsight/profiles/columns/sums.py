"""Sums of a window of time: by name, or by name and shape; the busy time of tracks; one slice with those around it.

Called by the API. The time of a slice counts as far as it lies in the window. Its own time is what its children leave.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from mindinsight.profiles.columns.nesting import parents
from mindinsight.profiles.columns.stored import Stored


class Sum(TypedDict):
    """The slices of a name. Times are in nanoseconds; `longest` is the row of the longest one."""

    name: int
    shape: int
    count: int
    total: int
    own: int
    longest: int
    longest_ns: int


def sums(profile: Stored, begin: int, end: int, track: int | None = None, by_shape: bool = False) -> list[Sum]:
    """Returns the sums of a window, the largest own time first.

    Args:
        profile: the columns.
        begin, end: the window in nanoseconds.
        track: only of this track.
        by_shape: whether slices of one name with other shapes are added up apart.
    """
    rows = profile.rows(begin, end, track)
    if not len(rows):
        return []
    inside, own = _times(profile, rows, begin, end)
    key = profile.name[rows].astype(np.int64)
    if by_shape:
        key = key * len(profile.head["shapes"]) + profile.shape[rows]
    size = int(key.max()) + 1
    if size > 4 * len(rows):
        kinds, key = np.unique(key, return_inverse=True)
        size = len(kinds)
    else:
        kinds = np.arange(size)
    count = np.bincount(key, minlength=size)
    # Sums of doubles are exact up to 2^53 ns, which is 104 days.
    total = np.bincount(key, inside, size).astype(np.int64)
    self_time = np.bincount(key, own, size).astype(np.int64)
    longest = np.zeros(size, np.int64)
    np.maximum.at(longest, key, inside)
    where = np.zeros(size, np.int64)
    is_longest = np.flatnonzero(inside == longest[key])[::-1]
    where[key[is_longest]] = rows[is_longest]
    shapes = len(profile.head["shapes"])
    order = [at for at in np.argsort(-self_time, kind="stable").tolist() if count[at]]
    return [
        Sum(
            name=int(kinds[at]) // shapes if by_shape else int(kinds[at]),
            shape=int(kinds[at]) % shapes if by_shape else 0,
            count=int(count[at]),
            total=int(total[at]),
            own=int(self_time[at]),
            longest=int(where[at]),
            longest_ns=int(longest[at]),
        )
        for at in order
    ]


def busy(profile: Stored, begin: int, end: int) -> list[int]:
    """Returns for each track the nanoseconds of a window in which it has a slice."""
    rows = profile.rows(begin, end)
    rows = rows[profile.depth[rows] == 0]
    start = np.maximum(profile.start[rows], begin)
    length = np.minimum(profile.start[rows] + profile.duration[rows], end) - start
    tracks = len(profile.head["tracks"])
    found: list[int] = np.bincount(profile.track_of(rows), np.maximum(length, 0), tracks).astype(np.int64).tolist()
    return found


def around(profile: Stored, row: int) -> list[int]:
    """Returns the rows of the slices around a slice, the outermost first, and the slice itself."""
    found, depth = [row], int(profile.depth[row])
    first = int(profile.tracks[int(profile.track_of(np.array([row]))[0])])
    at = row
    while depth > 0 and at > first:
        low = max(first, at - 4096)
        above = np.flatnonzero(profile.depth[low:at] < depth)
        if len(above):
            at = low + int(above[-1])
            depth = int(profile.depth[at])
            found.append(at)
        else:
            at = low
    return found[::-1]


def own_time(profile: Stored, row: int) -> int:
    """Returns the nanoseconds of a slice that its children leave."""
    begin = int(profile.start[row])
    end = begin + int(profile.duration[row])
    track = int(profile.track_of(np.array([row]))[0])
    rows = profile.rows(begin, end, track)
    children = rows[(rows > row) & (profile.depth[rows] == profile.depth[row] + 1)]
    return max(0, end - begin - int(profile.duration[children].sum()))


def _times(
    profile: Stored, rows: npt.NDArray[np.int64], begin: int, end: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The nanoseconds of each slice inside the window, and those that its children leave."""
    start = profile.start[rows]
    inside = np.minimum(start + profile.duration[rows], end) - np.maximum(start, begin)
    own = inside.copy()
    depth, tracks = profile.depth[rows], profile.track_of(rows)
    bounds = [0, *(np.flatnonzero(np.diff(tracks)) + 1).tolist(), len(rows)]
    for first, last in pairwise(bounds):
        above = parents(depth[first:last])
        children = np.flatnonzero(above >= 0)
        taken = np.bincount(above[children], inside[first:last][children], last - first)
        own[first:last] -= taken.astype(np.int64)
    return np.maximum(inside, 0), np.maximum(own, 0)
