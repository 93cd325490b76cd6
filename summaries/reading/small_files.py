"""Reads many small event files of plain numbers in one call, each as a whole and without an object of its own.

The dashboard's ingest asks for this first where a directory holds very many short runs. What it does not take,
`EventFileReader` reads.
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
"""Longer files are left alone."""

# What one file may have, and all files of a call together.
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
        path: the file. device, inode, size: as it was read.
        flavour: whose kind of events it holds.
        records, points, series: how many.
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
    """What one call of `SmallFileReader.read` found.

    Attributes:
        looked: how many paths were looked at, from the first one on; those that are not in `files` are to be read by
            an `EventFileReader`.
        files: the files that were taken.
        tags: the tag of each series, file after file, in order of appearance.
        series: for each series `count`, first and last step, wall time and value, how many values are `not_finite`,
            and of the others `low`, `high` and `total`; `low` is above `high` where there is none. Steps never fall.
        points: rows of POINT, those of each series together. Valid until the next call.
    """

    looked: int
    files: list[SmallFile]
    tags: list[str]
    series: NDArray[np.void]
    points: NDArray[np.void]


class SmallFileReader:
    """Reads whole files with plain numbers in rising steps, and nothing else.

    Args:
        files: the most that one call reads.
        most: files with a tag of more points are left alone.

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
        """Reads files; those that cannot be read are left out like all that are not taken.

        Args:
            paths: the files, as many as were asked for at most.

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
