"""Opens the columns of a profile. Called by the API; `writing` made the files."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.profiles.columns.levels import Level

VERSION = 3
"""Of the files. Others are made anew."""
BLOCK = 4096
"""Rows of a block, whose first start and last end are stored."""
HEAD = "head.json"
ALLOCATION = np.dtype(
    [("time", "<i8"), ("device", "<i4"), ("track", "<i4"), ("address", "<i8"), ("bytes", "<i8"), ("total", "<i8")]
)
"""Nanoseconds; number of the device's counter; track, -1 if unknown; bytes, negative if freed; bytes from then on."""


class Head(TypedDict):
    """What is known of a profile as a whole. Times are in nanoseconds from the first slice on, `zero` from the trace's.

    `base` is what has to be added to the trace's times for seconds since 1970; 0 if the trace does not say so. `ranges`
    are the names of slices that mark others, such as steps and scopes, and are no work of their own.
    """

    version: int
    slices: int
    zero: int
    length: int
    base: int
    rank: int | None
    tracks: list[dict[str, object]]
    names: list[tuple[str, str]]
    shapes: list[str]
    ranges: list[int]
    levels: int
    counters: list[dict[str, str]]
    steps: list[tuple[int, int, int]]
    events: dict[str, int]
    damage: list[str]


class Stored:
    """A profile's columns, sorted by track and start, mapped into memory.

    Args:
        directory: the profile's directory.

    Attributes:
        head: the profile as a whole.
        start, duration: nanoseconds.
        kind: index into `kind_name` and `kind_shape`, which are indices into `head`.
        detail: where the arguments are (`details_of`).
        parent: the row of the slice around; -1 without one.
        depth: number of slices around each slice.
        tracks: the first row of each track, and the number of rows.
        entries: sums by kind of each block, and `entry_bounds` where those of a block begin.

    Raises:
        OSError, ValueError: a file is missing or damaged.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.head: Head = orjson.loads((directory / HEAD).read_bytes())
        self.start: npt.NDArray[np.int64] = self._column("start")
        self.duration: npt.NDArray[np.int64] = self._column("duration")
        self.kind: npt.NDArray[np.uint32] = self._column("kind")
        kinds: npt.NDArray[np.uint32] = self._column("kinds")
        self.kind_name, self.kind_shape = kinds
        self.detail: npt.NDArray[np.int64] = self._column("detail")
        self.parent: npt.NDArray[np.int32] = self._column("parent")
        self.depth: npt.NDArray[np.uint8] = self._column("depth")
        self.tracks: npt.NDArray[np.int64] = self._column("tracks")
        self.entries: npt.NDArray[np.void] = self._column("entries")
        self.entry_bounds: npt.NDArray[np.int64] = self._column("entry-bounds")
        self._blocks: npt.NDArray[np.int64] = self._column("blocks")
        self._overlaps: npt.NDArray[np.int64] = self._column("overlaps")

    def counter(self, number: int) -> npt.NDArray[np.float64]:
        """Returns the times and the values of a counter, in two rows."""
        values: npt.NDArray[np.float64] = self._column(f"counter-{number}")
        return values

    def allocations(self) -> npt.NDArray[np.void]:
        """Returns what was allocated and freed, by time, as rows of ALLOCATION."""
        return self._column("allocations")

    def name_of(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
        """Returns the name of each row, as an index into the head's names."""
        names: npt.NDArray[np.uint32] = self.kind_name[self.kind[rows]]
        return names

    def overlap_of(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Returns the nanoseconds at the start of each row that slices beside it cover already."""
        found = np.zeros(len(rows), np.int64)
        known, overlaps = self._overlaps
        if len(known):
            place = np.minimum(np.searchsorted(known, rows), len(known) - 1)
            found = np.where(known[place] == rows, overlaps[place], 0)
        return found

    def level(self, number: int) -> Level:
        """Returns a level for drawing; `Head.levels` says how many there are."""
        lane, first = self._column(f"level-{number}-lanes")
        return Level(lane, first, self._column(f"level-{number}"))

    def parts(
        self, begin: int, end: int, track: int | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Returns how a window consists of blocks.

        Args:
            begin, end: the window in nanoseconds.
            track: only of this track.

        Returns:
            The numbers of the blocks that lie in it whole; the rows of other blocks that touch it; and the busy
            nanoseconds of the whole blocks, one number a block.
        """
        first, last, starts, ends, busy = self._blocks.T
        touched = (starts < end) & (ends > begin)
        if track is not None:
            touched &= (first >= self.tracks[track]) & (last <= self.tracks[track + 1])
        whole = touched & (starts >= begin) & (ends <= end)
        rows = self._touching(begin, end, first[touched & ~whole], last[touched & ~whole])
        blocks = np.flatnonzero(whole)
        return blocks, rows, busy[blocks]

    def block_tracks(self, blocks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Returns the track of each block."""
        return self.track_of(self._blocks[blocks, 0])

    def rows(self, begin: int, end: int, track: int | None = None) -> npt.NDArray[np.int64]:
        """Returns the rows of slices that touch a window of time, in the order of tracks.

        Args:
            begin, end: the window in nanoseconds.
            track: only of this track.
        """
        first, last, starts, ends, _ = self._blocks.T
        touched = (starts < end) & (ends > begin)
        if track is not None:
            touched &= (first >= self.tracks[track]) & (last <= self.tracks[track + 1])
        return self._touching(begin, end, first[touched], last[touched])

    def _touching(
        self, begin: int, end: int, first: npt.NDArray[np.int64], last: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """The rows of blocks that touch a window."""
        parts = [np.empty(0, np.int64)]
        for a, b in zip(first.tolist(), last.tolist(), strict=True):
            start = self.start[a:b]
            parts.append(a + np.flatnonzero((start < end) & (start + np.maximum(self.duration[a:b], 1) > begin)))
        return np.concatenate(parts)

    def track_of(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Returns the track of each row."""
        return np.searchsorted(self.tracks, rows, side="right") - 1

    def _column(self, name: str) -> npt.NDArray[Any]:
        path = self.directory / f"{name}.npy"
        with path.open("rb") as file:
            version = np.lib.format.read_magic(file)
            shape, _, _ = np.lib.format.read_array_header_1_0(file) if version == (1, 0) else ((1,), False, None)
        # An empty file cannot be mapped.
        column: npt.NDArray[Any] = np.load(path, mmap_mode="r" if 0 not in shape else None)
        return column


@lru_cache(maxsize=4)
def opened(directory: Path, version: int) -> Stored:
    """Returns the columns of a profile. The last four are kept open.

    Args:
        directory: the profile's directory.
        version: changes with its content.
    """
    return Stored(directory)
