"""Depths and parents of slices: within a track, a slice lies in the one that contains it whole. Called by `writing`
and `sums`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]
DEEPEST = 255


def depths(track: npt.NDArray[np.uint16], start: Whole, duration: Whole) -> npt.NDArray[np.uint8]:
    """Returns how many slices contain each slice.

    Args:
        track, start, duration: columns of equal length, sorted by track, start and descending duration.
    """
    found = np.zeros(len(start), np.uint8)
    bounds = [0, *(np.flatnonzero(np.diff(track)) + 1).tolist(), len(start)]
    for first, last in pairwise(bounds):
        ends: list[int] = []
        levels = bytearray(last - first)
        rows = zip(start[first:last].tolist(), duration[first:last].tolist(), strict=True)
        for row, (begin, length) in enumerate(rows):
            # A slice that outlasts another one is beside it, also if it began inside: torch's steps begin in a call.
            while ends and (ends[-1] <= begin or ends[-1] < begin + length):
                ends.pop()
            levels[row] = min(len(ends), DEEPEST)
            ends.append(begin + length)
        found[first:last] = np.frombuffer(levels, np.uint8)
    return found


def parents(depth: npt.NDArray[np.uint8]) -> Whole:
    """Returns the row of the slice around each slice, -1 for the outermost ones.

    Args:
        depth: the depths of one track's rows, in their order, from an outermost slice on.
    """
    rows = np.arange(len(depth))
    found = np.full(len(depth), -1)
    for level in range(1, int(depth.max(initial=0)) + 1):
        above = np.maximum.accumulate(np.where(depth == level - 1, rows, -1))
        here = depth == level
        found[here] = above[here]
    return found
