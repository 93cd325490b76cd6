"""Reads many small event files of plain numbers in one call, without a Python object per file.

The dashboard's ingest tries this first in directories with very many short runs. `EventFileReader` reads the files
that this module leaves out.
"""

import os
from collections.abc import Iterator, Sequence
from ctypes import byref
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from summaries.kernel import library
from summaries.reading.classify import Flavour
from summaries.reading.walker import BARE, CONTENT_KINDS
from summaries.rows import POINT

LONGEST_BYTES = 256 << 10
"""Size of the largest file that is read, in bytes."""

# Limits of one file, and of all files of a call together.
_FILE_POINTS, _FILE_TAGS = 16_384, 1_024
_POINTS_ROOM, _SERIES_ROOM, _NAMES_ROOM = 4 * _FILE_POINTS, 4 * _FILE_TAGS, 4 * LONGEST_BYTES

# In the order of `enum flavour` in walk.c.
_FLAVOURS = (Flavour.UNKNOWN, Flavour.MINDSPORE, Flavour.TENSORBOARD)

# `struct small_file` and `struct small_series` of small.h.
_FILE = np.dtype(
    [
        *((name, "<i8") for name in ("device", "inode", "size", "flavour", "records", "points", "series")),
        *((name, "<i8") for name in ("lowest_step", "highest_step")),
        *((name, "<f8") for name in ("first_wall", "lowest_wall", "highest_wall")),
    ]
)
_SERIES = np.dtype(
    [
        *((name, "<i8") for name in ("count", "first_step", "last_step", "not_finite")),
        *((name, "<f8") for name in ("first_wall", "last_wall", "last_value", "low", "high", "total")),
        ("name_size", "<i8"),
    ]
)


@dataclass(frozen=True, slots=True)
class SmallFile:
    """One file that was read to its end.

    Attributes:
        path: the file.
        device, inode, size: the file's identity and size when it was read.
        flavour: the writer's format.
        records, points, series: their numbers.
        lowest_step, highest_step: of all points; 0 without any.
        first_wall: wall time of the first point in the file, seconds since 1970; 0 without any.
        lowest_wall, highest_wall: of all points.
    """

    path: str
    device: int
    inode: int
    size: int
    flavour: Flavour
    records: int
    points: int
    series: int
    lowest_step: int
    highest_step: int
    first_wall: float
    lowest_wall: float
    highest_wall: float


@dataclass(frozen=True, slots=True)
class SmallFiles:
    """The result of one call of `SmallFileReader.read`.

    Attributes:
        looked: number of paths that were tried, from the first one on. Those that are not in `files` must be read by an
            `EventFileReader`.
        files: the files that were read.
        tags: the tag of each series, file after file, in order of appearance.
        series: for each series `count`, first and last step, wall time and value, the number of `not_finite` values,
            and `low`, `high` and `total` of the others; `low` is above `high` if there are none. Steps never decrease.
        points: rows of POINT, grouped by series. Valid until the next call.
    """

    looked: int
    files: list[SmallFile]
    tags: list[str]
    series: NDArray[np.void]
    points: NDArray[np.void]


class SmallFileReader:
    """Reads whole files that hold nothing but plain numbers at ascending steps.

    Args:
        files: maximum number of files per call.
        most: maximum number of points per tag; files with more are left out.

    Raises:
        RuntimeError: there is no compiled library; see `available`.
    """

    def __init__(self, files: int, most: int) -> None:
        if library.LIBRARY is None:
            raise RuntimeError(f"Small files are read in C only: {library.MISSING}")
        self._read = library.LIBRARY.read_small_files
        self._files = np.empty(files, _FILE)
        self._series = np.empty(_SERIES_ROOM, _SERIES)
        self._points = np.empty(_POINTS_ROOM, POINT)
        self._names = np.empty(_NAMES_ROOM, np.uint8)
        columns = (self._files, self._series, self._points, self._names)
        self._small = library.Small(
            *(column.ctypes.data for column in columns),
            *(_SERIES_ROOM, _POINTS_ROOM, _NAMES_ROOM, 0, 0, 0, LONGEST_BYTES, most),
        )

    def read(self, paths: Sequence[str]) -> SmallFiles:
        """Read files. Files that cannot be read are left out, too.

        Args:
            paths: the files, at most as many as the constructor allows.

        Raises:
            ValueError: there are too many.
            MemoryError: there is no memory left.
        """
        if len(paths) > len(self._files):
            raise ValueError(f"{len(paths)} files at once; at most {len(self._files)}.")
        small = self._small
        ended = b"".join(os.fsencode(path) + b"\0" for path in paths)
        rooms = (_FILE_POINTS, _FILE_TAGS)
        looked = self._read(os.urandom(16), CONTENT_KINDS, BARE, ended, len(paths), *rooms, byref(small))
        if looked < 0:
            raise MemoryError("No memory to read event files.")
        series = self._series[: small.series_count]
        return SmallFiles(
            looked, self._taken(paths, looked), list(self._tags(series)), series, self._points[: small.points_count]
        )

    def _taken(self, paths: Sequence[str], looked: int) -> list[SmallFile]:
        rows = zip(paths, self._files[:looked].tolist(), strict=False)
        return [
            SmallFile(path, device, inode, size, _FLAVOURS[flavour], *rest)
            for path, (device, inode, size, flavour, *rest) in rows
            if flavour
        ]

    def _tags(self, series: NDArray[np.void]) -> Iterator[str]:
        names, at = self._names[: self._small.names_size].tobytes(), 0
        for size in series["name_size"].tolist():
            yield names[at : at + size].decode()
            at += size


def available() -> bool:
    """Whether there is a compiled library."""
    return library.LIBRARY is not None
