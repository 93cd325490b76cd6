"""Assigns numbers to new series, in blocks, so that several processes never use a number twice.

Used by the reader and by back-log tasks. A number that was assigned but never committed stays unused.
"""

from __future__ import annotations

import threading

from django.db import transaction

from mindinsight.runs.models import StoreMark

# The sizes of the first and of the largest block. Each block is twice the previous one. Reserving a block takes as long
# as creating a hundred series.
_FIRST_BLOCK, _LONGEST_BLOCK = 1024, 16_384


class SeriesNumbers:
    """Unique numbers in rising order."""

    def __init__(self) -> None:
        self._next = 0
        self._end = 0
        self._block = _FIRST_BLOCK
        self._lock = threading.Lock()

    def take(self) -> int:
        """Returns the next number. Asks the database once per block.

        Raises:
            django.db.Error: the database cannot be asked.
        """
        return self.take_many(1)[0]

    def take_many(self, count: int) -> list[int]:
        """Returns the next `count` numbers.

        Raises:
            django.db.Error: the database cannot be asked.
        """
        with self._lock:
            taken: list[int] = []
            while len(taken) < count:
                if self._next == self._end:
                    self._next = self._reserve(self._block)
                    self._end = self._next + self._block
                    self._block = min(2 * self._block, _LONGEST_BLOCK)
                end = min(self._end, self._next + count - len(taken))
                taken += range(self._next, end)
                self._next = end
            return taken

    def _reserve(self, block: int) -> int:
        with transaction.atomic():
            mark = StoreMark.objects.select_for_update().get()
            first = mark.next_series
            mark.next_series = first + block
            mark.save(update_fields=["next_series"])
        return int(first)
