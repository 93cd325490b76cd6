"""Files that stay mapped into memory for a short time after they were read.

Mapping a long series again costs more than most requests about it, because the kernel has to map every page again. Used
by `columns` for readers.
"""

from __future__ import annotations

import mmap
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.store.files import MAPPED_BYTES, read_rows
from mindinsight.store.tables import Rows

# A mapping keeps a file descriptor, and the disk space of a file that has been removed.
MOST_FILES = 256
MOST_BYTES = 4 << 30
IDLE_S = 10.0


Judge = Callable[[Rows], npt.NDArray[np.bool_]]
"""Returns which of some rows are valid."""


@dataclass
class _Mapping:
    """A mapped file. Its first `good` rows are known to be valid."""

    inode: int
    rows: Rows
    used: float = 0.0
    good: int = 0


class Mappings:
    """Reads rows of files. Mappings of larger files are kept until they have not been used for a while.

    May be used from several threads.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Mapping] = OrderedDict()
        self._lock = threading.Lock()
        self._watched = False

    def read_rows(self, path: str, dtype: np.dtype[np.void], first: int = 0, end: int | None = None) -> Rows:
        """Returns the same as `files.read_rows`."""
        try:
            status = os.stat(path)  # noqa: PTH116
        except FileNotFoundError:
            return np.empty(0, dtype)
        there = status.st_size // dtype.itemsize
        end = there if end is None else min(end, there)
        if (end - first) * dtype.itemsize <= MAPPED_BYTES:
            return read_rows(path, dtype, first, end)
        try:
            return self._mapped(path, dtype, status.st_ino, end).rows[first:end]
        except FileNotFoundError:
            return np.empty(0, dtype)

    def read_good_rows(self, path: str, dtype: np.dtype[np.void], end: int, judge: Judge) -> Rows:
        """Returns the leading valid rows of a file, at most `end`.

        Valid rows stay valid, so each row is checked only once while the file stays mapped.

                Args:
                    path: the file.
                    dtype: type of its rows.
                    end: index after the last row.
                    judge: returns which rows are valid.
        """
        try:
            status = os.stat(path)  # noqa: PTH116
            end = min(end, status.st_size // dtype.itemsize)
            if end * dtype.itemsize <= MAPPED_BYTES:
                rows = read_rows(path, dtype, 0, end)
                return rows[: _first_bad(judge(rows))]
            kept = self._mapped(path, dtype, status.st_ino, end)
        except FileNotFoundError:
            return np.empty(0, dtype)
        known = kept.good
        if known < end:
            known += _first_bad(judge(kept.rows[known:end]))
            kept.good = known
        return kept.rows[: min(known, end)]

    def _mapped(self, path: str, dtype: np.dtype[np.void], inode: int, end: int) -> _Mapping:
        with self._lock:
            kept = self._kept.get(path)
            if kept is None or kept.inode != inode or len(kept.rows) < end:
                before, kept = kept, _map(path, dtype)
                if before is not None and before.inode == kept.inode:
                    kept.good = before.good
                self._kept[path] = kept
                self._drop_excess()
                self._watch()
            self._kept.move_to_end(path)
            kept.used = time.monotonic()
            return kept

    def _drop_excess(self) -> None:
        size = sum(kept.rows.nbytes for kept in self._kept.values())
        while len(self._kept) > MOST_FILES or (size > MOST_BYTES and len(self._kept) > 1):
            size -= self._kept.popitem(last=False)[1].rows.nbytes

    def _watch(self) -> None:
        if self._kept and not self._watched:
            self._watched = True
            timer = threading.Timer(IDLE_S / 2, self._drop_idle)
            timer.daemon = True
            timer.start()

    def _drop_idle(self) -> None:
        with self._lock:
            oldest = time.monotonic() - IDLE_S
            self._kept = OrderedDict((path, kept) for path, kept in self._kept.items() if kept.used > oldest)
            self._watched = False
            self._watch()


def _map(path: str, dtype: np.dtype[np.void]) -> _Mapping:
    """Maps the complete rows that a file has now."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        rows = status.st_size // dtype.itemsize
        mapped = mmap.mmap(descriptor, rows * dtype.itemsize, access=mmap.ACCESS_READ)
    finally:
        os.close(descriptor)
    return _Mapping(status.st_ino, np.frombuffer(mapped, dtype, rows))


def _first_bad(good: npt.NDArray[np.bool_]) -> int:
    return len(good) if good.all() else int(np.argmin(good))
