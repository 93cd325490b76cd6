"""Opens the columns of a profile. Called by the API; `writing` made the files."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt
import orjson

VERSION = 1
"""Of the files. Others are made anew."""
BLOCK = 4096
"""Rows of a block, whose first start and last end are stored."""
HEAD = "head.json"


class Head(TypedDict):
    """What is known of a profile as a whole. Times are in nanoseconds from the first slice on, `zero` from the trace's.

    `base` is what has to be added to the trace's times for seconds since 1970; 0 if the trace does not say so.
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
        name, shape: indices into `head`.
        detail: each slice's number in the order of the trace.
        depth: number of slices around each slice.
        tracks: the first row of each track, and the number of rows.

    Raises:
        OSError, ValueError: a file is missing or damaged.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.head: Head = orjson.loads((directory / HEAD).read_bytes())
        self.start: npt.NDArray[np.int64] = self._column("start")
        self.duration: npt.NDArray[np.int64] = self._column("duration")
        self.name: npt.NDArray[np.uint32] = self._column("name")
        self.shape: npt.NDArray[np.uint32] = self._column("shape")
        self.detail: npt.NDArray[np.uint32] = self._column("detail")
        self.depth: npt.NDArray[np.uint8] = self._column("depth")
        self.tracks: npt.NDArray[np.int64] = self._column("tracks")
        self._blocks: npt.NDArray[np.int64] = self._column("blocks")

    def counter(self, number: int) -> npt.NDArray[np.float64]:
        """Returns the times and the values of a counter, in two rows."""
        values: npt.NDArray[np.float64] = self._column(f"counter-{number}")
        return values

    def rows(self, begin: int, end: int, track: int | None = None) -> npt.NDArray[np.int64]:
        """Returns the rows of slices that touch a window of time, in the order of tracks.

        Args:
            begin, end: the window in nanoseconds.
            track: only of this track.
        """
        first, last, starts, ends = self._blocks.T
        touched = (starts < end) & (ends > begin)
        if track is not None:
            touched &= (first >= self.tracks[track]) & (last <= self.tracks[track + 1])
        whole = touched & (starts >= begin) & (ends <= end)
        parts = []
        for a, b, complete in zip(first[touched], last[touched], whole[touched], strict=True):
            rows = np.arange(a, b)
            if not complete:
                start = self.start[a:b]
                rows = rows[(start < end) & (start + np.maximum(self.duration[a:b], 1) > begin)]
            parts.append(rows)
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

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
