"""Flat files of rows: written at an offset, read by index. A row counts when all of it is there.

Used by `columns` and `level_files`. Paths are text put together by hand: this is the hot path, and pathlib would be
most of its cost.
"""

from __future__ import annotations

import mmap
import os

import numpy as np

from mindinsight.store.tables import Rows

# Below this a copy is cheaper than a mapping.
MAPPED_BYTES = 16 * 1024


def write_rows(path: str, at: int, rows: Rows) -> None:
    """Writes rows from index `at` on; the folder exists.

    Raises:
        OSError: the disk is full or the folder is gone; some of the rows may have been written.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        write_all(descriptor, rows, at * rows.itemsize)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, rows: Rows, offset: int) -> None:
    """Writes rows into an open file, `offset` bytes behind its beginning.

    Raises:
        OSError: the disk is full; some of the rows may have been written.
    """
    rows = np.ascontiguousarray(rows)
    written = os.pwrite(descriptor, rows.data, offset)
    while written < rows.nbytes:  # Nearly never, and a view as bytes takes as long as the system's call.
        written += os.pwrite(descriptor, rows.view(np.uint8)[written:].data, offset + written)


def read_rows(path: str, dtype: np.dtype[np.void], first: int = 0, end: int | None = None) -> Rows:
    """Returns the whole rows that there are from index `first` up to `end`, read-only; none where there is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return np.empty(0, dtype)
    try:
        there = os.fstat(descriptor).st_size // dtype.itemsize
        end = there if end is None else min(end, there)
        return _read(descriptor, dtype, first, end) if end > first else np.empty(0, dtype)
    finally:
        os.close(descriptor)


def count_rows(path: str, dtype: np.dtype[np.void]) -> int:
    """Returns how many whole rows there are."""
    return state_of_rows(path, dtype)[0]


def state_of_rows(path: str, dtype: np.dtype[np.void]) -> tuple[int, int]:
    """Returns how many whole rows there are, and when they were last written, in nanoseconds since 1970."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return 0, 0
    return status.st_size // dtype.itemsize, status.st_mtime_ns


def _read(descriptor: int, dtype: np.dtype[np.void], first: int, end: int) -> Rows:
    size, offset = (end - first) * dtype.itemsize, first * dtype.itemsize
    if size <= MAPPED_BYTES:
        data = os.pread(descriptor, size, offset)
        return np.frombuffer(data, dtype, len(data) // dtype.itemsize)
    mapped = mmap.mmap(descriptor, offset + size, access=mmap.ACCESS_READ)
    return np.frombuffer(mapped, dtype, end - first, offset)
