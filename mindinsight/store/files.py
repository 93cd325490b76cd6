"""Flat files of rows: written at an offset, read by index. Only complete rows count.

Used by `columns` and `level_files`. Paths are plain text, because in this hot path pathlib would be most of the cost.
"""

from __future__ import annotations

import mmap
import os

import numpy as np

from mindinsight.store.tables import Rows

# For fewer bytes a copy is cheaper than a mapping.
MAPPED_BYTES = 16 * 1024


def write_rows(path: str, at: int, rows: Rows) -> None:
    """Writes rows from index `at` on. The folder must exist.

    Raises:
        OSError: the disk is full or the folder is missing. Some of the rows may have been written.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        write_all(descriptor, rows, at * rows.itemsize)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, rows: Rows, offset: int) -> None:
    """Writes rows into an open file at a byte offset.

    Raises:
        OSError: the disk is full. Some of the rows may have been written.
    """
    rows = np.ascontiguousarray(rows)
    written = os.pwrite(descriptor, rows.data, offset)
    while written < rows.nbytes:  # Almost never needed, and a view as bytes takes as long as the system call.
        written += os.pwrite(descriptor, rows.view(np.uint8)[written:].data, offset + written)


def read_rows(path: str, dtype: np.dtype[np.void], first: int = 0, end: int | None = None) -> Rows:
    """Returns the complete rows from index `first` to `end`, read-only; none without a file."""
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
    """Returns the number of complete rows."""
    return state_of_rows(path, dtype)[0]


def state_of_rows(path: str, dtype: np.dtype[np.void]) -> tuple[int, int]:
    """Returns the number of complete rows, and the time of the last write in nanoseconds since 1970."""
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
