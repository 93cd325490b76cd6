"""A ring of slices in plain memory, which machine code writes to without Python. The recorder reads it.

Word 0 counts all slices. Each row has four words: the number of the site, the clock at the begin and at the end, and
the thread. The end is written last, and is 0 in a free row.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["ROW_WORDS", "Ring", "Rows"]

ROW_WORDS: Final = 4
"""The words of a row."""
Rows: TypeAlias = npt.NDArray[np.int64]
"""Slices as rows of four numbers: site, begin, end, thread."""

_END: Final = 2


class Ring:
    """The ring.

    Args:
        capacity: the number of rows, a power of two. Rows that are not taken in time are lost, and counted.

    Attributes:
        lost: the number of rows that were overwritten before they were taken.
    """

    def __init__(self, capacity: int = 1 << 18) -> None:
        if capacity & (capacity - 1):
            raise ValueError(f"a ring needs a power of two as its capacity, not {capacity}")
        self.capacity = capacity
        self.lost = 0
        self._words = np.zeros(1 + ROW_WORDS * capacity, np.int64)
        self._rows = self._words[1:].reshape(capacity, ROW_WORDS)
        self._taken = 0

    @property
    def address(self) -> int:
        """The address of word 0."""
        return int(self._words.ctypes.data)

    def add(self, site: int, begin: int, end: int, thread: int) -> None:
        """Write a row, as machine code does."""
        slot = int(self._words[0])
        self._words[0] += 1
        self._rows[slot & (self.capacity - 1)] = site, begin, end, thread

    def take(self) -> Rows:
        """The rows that were finished since the last time, in the order in which they were begun to be written."""
        count = int(self._words[0])
        if count - self._taken > self.capacity:
            self.lost += count - self._taken - self.capacity
            self._taken = count - self.capacity
        places = np.arange(self._taken, count) & (self.capacity - 1)
        rows: Rows = self._rows[places]
        # A thread that is about to write a row has taken its place already.
        unfinished = np.flatnonzero(rows[:, _END] == 0)
        if unfinished.size:
            rows = rows[: unfinished[0]]
        self._rows[places[: len(rows)], _END] = 0
        self._taken += len(rows)
        return rows

    def clear(self) -> None:
        """Forget everything."""
        self._words[:] = 0
        self._taken = self.lost = 0
