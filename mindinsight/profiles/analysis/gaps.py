"""The times in which a thread has no slice. Called by `summary`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mindinsight.profiles.columns.stored import Stored


class Gap(NamedTuple):
    """A time between two outermost slices of a track. `before` and `after` are their rows; times are in nanoseconds."""

    track: int
    start: int
    duration: int
    before: int
    after: int


def longest_gaps(profile: Stored, track: int, most: int) -> list[Gap]:
    """Returns the longest gaps of a track, the longest first.

    Args:
        profile: the columns.
        track: its number.
        most: how many at most.
    """
    first, last = (int(row) for row in profile.tracks[track : track + 2])
    rows = first + np.flatnonzero(profile.depth[first:last] == 0)
    start = profile.start[rows]
    ends = np.maximum.accumulate(start + profile.duration[rows])
    idle = start[1:] - ends[:-1]
    order = np.argsort(-idle, kind="stable")[:most]
    return [
        Gap(track, int(ends[at]), int(idle[at]), int(rows[at]), int(rows[at + 1]))
        for at in order.tolist()
        if idle[at] > 0
    ]
