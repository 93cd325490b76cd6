"""Which slice lies in which: within a track, a slice lies in the one that contains it whole. Called by `writing`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mindinsight.profiles.kernel import library

Whole = npt.NDArray[np.int64]
DEEPEST = 255


class Nesting(NamedTuple):
    """Columns, one row a slice.

    Attributes:
        parent: the row of the slice around it; -1 for the outermost ones.
        depth: how many slices are around it, at most 255.
        overlap: nanoseconds at its start that slices beside it cover already.
    """

    parent: npt.NDArray[np.int32]
    depth: npt.NDArray[np.uint8]
    overlap: Whole


def nested(track: npt.NDArray[np.uint16], start: Whole, duration: Whole) -> Nesting:
    """Returns how slices nest.

    A slice that outlasts another one is beside it, also if it began inside: torch's steps begin in a call.

    Args:
        track, start, duration: columns of equal length, sorted by track, start and descending duration.
    """
    kernel = library.KERNEL
    return Nesting(*kernel.nest(track, start, duration)) if kernel else nested_plainly(track, start, duration)


def nested_plainly(track: npt.NDArray[np.uint16], start: Whole, duration: Whole) -> Nesting:
    """Does the same as `nested`, in Python."""
    found = Nesting(np.full(len(track), -1, np.int32), np.zeros(len(track), np.uint8), np.zeros(len(track), np.int64))
    around: list[tuple[int, int]] = []
    beside: list[int | None] = [None]
    before = None
    rows = zip(track.tolist(), start.tolist(), duration.tolist(), strict=True)
    for row, (where, begin, length) in enumerate(rows):
        end = begin + length
        if where != before:
            before, around, beside = where, [], [None]
        while around and (around[-1][1] <= begin or around[-1][1] < end):
            around.pop()
            beside.pop()
        found.parent[row] = around[-1][0] if around else -1
        found.depth[row] = min(len(around), DEEPEST)
        covered = beside[-1]
        if covered is not None and covered > begin:
            found.overlap[row] = covered - begin
        beside[-1] = end if covered is None else max(covered, end)
        around.append((row, end))
        beside.append(None)
    return found
