"""Sums of a window of time: by name, or by name and shape; the busy time of tracks; one slice with those around it.

Called by the API and by `analysis`. The time of a slice counts as far as it lies in the window. Its own time is what
its children leave. Blocks of rows that lie in the window whole are added up beforehand (`blocks`), so only its edges
are computed, exactly.
"""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import numpy.typing as npt

from mindinsight.profiles.columns.blocks import Work, entries_of, joined
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
    blocks, rows, _ = profile.parts(begin, end, track)
    parts = [profile.entries[a:b] for a, b in _runs(profile, blocks)]
    parts.append(entries_of(work_of(profile, rows, begin, end)))
    found = joined(parts)
    if not by_shape:
        found["kind"] = profile.kind_name[found["kind"]]
        found = joined([found])
    found = found[found["count"] > 0]
    found = found[np.argsort(-found["own"], kind="stable")]
    names = profile.kind_name[found["kind"]] if by_shape else found["kind"]
    shapes = profile.kind_shape[found["kind"]] if by_shape else np.zeros(len(found), np.uint32)
    columns = (found[column].tolist() for column in ("count", "total", "own", "longest", "longest_ns"))
    return [
        Sum(name=name, shape=shape, count=count, total=total, own=own, longest=longest, longest_ns=longest_ns)
        for name, shape, count, total, own, longest, longest_ns in zip(
            names.tolist(), shapes.tolist(), *columns, strict=True
        )
    ]


def busy(profile: Stored, begin: int, end: int) -> list[int]:
    """Returns for each track the nanoseconds of a window in which it has a slice."""
    blocks, rows, known = profile.parts(begin, end)
    rows = rows[profile.depth[rows] == 0]
    work = work_of(profile, rows, begin, end)
    tracks = len(profile.head["tracks"])
    of_blocks = np.bincount(profile.block_tracks(blocks), known, tracks).astype(np.int64)
    of_rows = np.bincount(profile.track_of(rows), work.covers, tracks).astype(np.int64)
    numbers: list[int] = (of_blocks + of_rows).tolist()
    return numbers


def work_of(profile: Stored, rows: npt.NDArray[np.int64], begin: int, end: int) -> Work:
    """Returns what slices do in a window of time.

    Args:
        profile: the columns.
        rows: the slices, all of which touch the window.
        begin, end: the window in nanoseconds.
    """
    start = profile.start[rows]
    last = np.minimum(start + profile.duration[rows], end)
    parent = profile.parent[rows]
    around = np.where(parent >= 0, profile.kind[np.maximum(parent, 0)].astype(np.int64), -1)
    inside = np.maximum(last - np.maximum(start, begin), 0)
    covers = np.maximum(last - np.maximum(start + profile.overlap_of(rows), begin), 0)
    return Work(rows, profile.kind[rows].astype(np.int64), around, inside, covers)


def around(profile: Stored, row: int) -> list[int]:
    """Returns the rows of the slices around a slice, the outermost first, and the slice itself."""
    found = [row]
    while (above := int(profile.parent[found[-1]])) >= 0:
        found.append(above)
    return found[::-1]


def own_time(profile: Stored, row: int) -> int:
    """Returns the nanoseconds of a slice that its children leave."""
    begin = int(profile.start[row])
    end = begin + int(profile.duration[row])
    track = int(profile.track_of(np.array([row]))[0])
    rows = profile.rows(begin, end, track)
    children = rows[profile.parent[rows] == row]
    return end - begin - int((profile.duration[children] - profile.overlap_of(children)).sum())


def _runs(profile: Stored, blocks: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Where the entries of blocks are; those of neighbours are one part."""
    if not len(blocks):
        return []
    breaks = np.flatnonzero(np.diff(blocks) != 1) + 1
    first, last = blocks[np.concatenate(([0], breaks))], blocks[np.concatenate((breaks - 1, [-1]))]
    return list(zip(profile.entry_bounds[first].tolist(), profile.entry_bounds[last + 1].tolist(), strict=True))
