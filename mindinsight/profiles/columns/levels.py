"""Coarser copies of a profile for drawing: slices that share a bin of time are one item. Made by `writing`, read by
`window`.

A level has bins of one width; the next finer one has four times as many. A slice that is as wide as a bin is an item of
its own. Items are sorted by lane (track and depth) and start. Levels that would save less than half of the rows are not
made, so a small profile has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]
COARSEST = 2048
"""Bins of the coarsest level."""
FINER = 4
ITEM = np.dtype([("start", "<i8"), ("end", "<i8"), ("longest", "<i8"), ("row", "<u4"), ("count", "<u4")])
"""First start and last end in nanoseconds; the longest slice's nanoseconds and row; number of slices."""


class Level(NamedTuple):
    """One level.

    Attributes:
        lane: track * 256 + depth of each lane.
        first: the first item of each lane.
        items: rows of ITEM.
    """

    lane: Whole
    first: Whole
    items: npt.NDArray[np.void]


def width_of(length: int, number: int) -> int:
    """Returns the nanoseconds of a bin of a level."""
    return max(1, length // (COARSEST << 2 * number))


def levels(
    track: npt.NDArray[np.uint16], depth: npt.NDArray[np.uint8], start: Whole, duration: Whole, length: int
) -> Iterator[tuple[int, Level]]:
    """Yields the levels with their numbers, the finest first; level 0 is the coarsest.

    Args:
        track, depth, start, duration: columns, sorted by track and start.
        length: nanoseconds of the profile.
    """
    lane = track.astype(np.int32) << 8 | depth
    lanes = np.unique(lane)
    saves = len(start) / (4 * COARSEST * max(1, len(lanes)))
    if saves < 1 or length < COARSEST:
        return
    order = np.argsort(np.searchsorted(lanes, lane).astype(np.uint16), kind="stable")
    items = np.empty(len(order), ITEM)
    items["start"], items["longest"] = start[order], duration[order]
    items["end"] = items["start"] + items["longest"]
    items["row"], items["count"] = order, 1
    lane = lane[order]
    for number in range(int(np.log(saves) / np.log(FINER)), -1, -1):
        lane, items = merged(lane, items, 0, width_of(length, number))
        bounds = np.searchsorted(lane, lanes).astype(np.int64)
        yield number, Level(lanes.astype(np.int64), bounds, items)


def merged(
    lane: npt.NDArray[np.int32], items: npt.NDArray[np.void], begin: int, width: float
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.void]]:
    """Returns the lanes and items that are left when those that begin in one bin are one.

    Args:
        lane, items: sorted by lane and start.
        begin: where the first bin begins.
        width: nanoseconds of a bin.
    """
    if not len(items):
        return lane, items
    start = np.ascontiguousarray(items["start"])
    longest = np.ascontiguousarray(items["longest"])
    place = ((start - begin) / width).astype(np.int64)
    wide = longest >= width
    begins = np.ones(len(items), bool)
    begins[1:] = (lane[1:] != lane[:-1]) | (place[1:] != place[:-1]) | wide[1:] | wide[:-1]
    edges = np.flatnonzero(begins)
    found = np.empty(len(edges), ITEM)
    found["start"] = start[edges]
    found["end"] = np.maximum.reduceat(items["end"], edges)
    found["longest"] = most = np.maximum.reduceat(longest, edges)
    found["count"] = np.add.reduceat(items["count"], edges)
    group = np.cumsum(begins) - 1
    is_longest = np.flatnonzero(longest == most[group])[::-1]
    found["row"][group[is_longest]] = items["row"][is_longest]
    return lane[edges], found
