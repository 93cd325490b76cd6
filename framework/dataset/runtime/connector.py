"""The queue between two parts of a pipeline that run in different threads: many write, one reads, in order.

The order of rows must not depend on which worker was faster. So a worker first draws a ticket, the next number, and
only then computes. The connector is a ring of `size` slots; what has number n goes into slot n modulo `size`. The
reader takes number 0, then 1, then 2, and waits at a slot that is empty, even if later ones are full:

    tickets drawn      0 1 2 3 4 5 | 6 must wait        size = 4, 0 and 1 are taken
    slots              [4: full] [5: computing] [2: computing] [3: full]
    reader             waits for 2

A ticket is given out only when its slot is free, that is when number < taken + size. Whoever has a ticket can therefore
always write without waiting, and memory is bounded by the ring: what was written plus what is being computed never
exceeds `size`. One worker that is slow holds up the reader and at most `size - 1` numbers behind it, and nothing is
ever overtaken.

The end is a number too: from `end(n)` on there is nothing, and the reader learns of it after it took n - 1. `close`
ends all waiting at once, on both sides, with `Closed`. Waiting is done by condition variables; nobody polls.

Rows of a few microseconds would pay more for the hand-over than for their work. What moves through a connector is
therefore chosen by its user: usually a block of rows that took about a millisecond.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Generic, TypeVar

__all__ = ["FILL_BINS", "Closed", "Connector", "Counters"]

Item = TypeVar("Item")

#: Bins of the histogram of fill: empty, then 16 equal parts of the size.
FILL_BINS = 17


class Closed(Exception):  # noqa: N818 - it is a message to threads, not a fault
    """The connector was closed while a thread waited for it, or before."""


@dataclass
class Counters:
    """What happened at a connector; they go on over the passes of its operator.

    Args:
        puts: items written.
        takes: items taken.
        put_wait: seconds that writers waited for a free slot.
        take_wait: seconds that the reader waited for an item.
        fill: how full the ring was at each put, before it: bin 0 is empty, the others are sixteenths of the size.
        held: items that are in the ring now.
        size: slots that are used now.
    """

    puts: int = 0
    takes: int = 0
    put_wait: float = 0.0
    take_wait: float = 0.0
    fill: list[int] = field(default_factory=lambda: [0] * FILL_BINS)
    held: int = 0
    size: int = 0


class Connector(Generic[Item]):
    """A bounded queue whose items are taken in the order of their tickets.

    Args:
        size: number of slots.
        counters: where to count; None for counters of its own.

    Raises:
        ValueError: there would be no slot.
    """

    def __init__(self, size: int, counters: Counters | None = None) -> None:
        if size < 1:
            raise ValueError(f"a connector needs a slot at least, not {size}")
        self.size = size
        self.counters = Counters() if counters is None else counters
        self._slots: list[list[Item]] = [[] for _ in range(size)]
        self._usable = self.counters.size = size
        self._drawn = 0
        self._written = 0
        self._taken = 0
        self._end: int | None = None
        self._closed = False
        lock = threading.Lock()
        self._room = threading.Condition(lock)
        self._filled = threading.Condition(lock)

    def ticket(self) -> int:
        """The next number, when its slot is free.

        Raises:
            Closed: the connector is closed.
        """
        with self._room:
            if not self._free() and not self._closed:
                self.counters.put_wait += self._waited(self._room, self._free)
            self._check()
            self._drawn += 1
            return self._drawn - 1

    def put(self, number: int, item: Item) -> None:
        """Write the item of a ticket.

        Raises:
            Closed: the connector is closed; the item is not kept.
            ValueError: the number was not drawn, or was written before.
        """
        with self._filled:
            self._check()
            slot = self._slots[number % self.size]
            if slot or not self._taken <= number < self._drawn:
                raise ValueError(f"number {number} was not drawn, or was written before")
            fill = self._written - self._taken
            self.counters.fill[-(-fill * (FILL_BINS - 1) // self.size)] += 1
            self.counters.puts += 1
            self._written += 1
            self.counters.held = self._written - self._taken
            slot.append(item)
            if number == self._taken:
                self._filled.notify()

    def end(self, number: int) -> None:
        """Say that there is nothing from a number on; the lowest such number counts."""
        with self._filled:
            self._end = number if self._end is None else min(self._end, number)
            self._filled.notify()

    def use(self, slots: int) -> None:
        """Use only some of the slots from now on, for items that are large."""
        with self._room:
            self._usable = self.counters.size = min(max(slots, 1), self.size)
            self._room.notify()

    def take(self) -> Item | None:
        """The next item in order; None at the end.

        Raises:
            Closed: the connector is closed.
        """
        with self._filled:
            if not self._ready() and not self._closed:
                self.counters.take_wait += self._waited(self._filled, self._ready)
            self._check()
            slot = self._slots[self._taken % self.size]
            if not slot:
                return None
            item = slot.pop()
            self._taken += 1
            self.counters.takes += 1
            self.counters.held = self._written - self._taken
            self._room.notify()
            return item

    def close(self) -> None:
        """End all waiting, now and later, and let go of the items."""
        with self._filled:
            self._closed = True
            self.counters.held = 0
            for slot in self._slots:
                slot.clear()
            self._room.notify_all()
            self._filled.notify_all()

    def _free(self) -> bool:
        return self._drawn < self._taken + self._usable

    def _ready(self) -> bool:
        return bool(self._slots[self._taken % self.size]) or (self._end is not None and self._taken >= self._end)

    def _check(self) -> None:
        if self._closed:
            raise Closed

    def _waited(self, condition: threading.Condition, reached: Callable[[], bool]) -> float:
        """Wait until something is reached or the connector is closed; the seconds that it took."""
        start = perf_counter()
        condition.wait_for(lambda: self._closed or reached())
        return perf_counter() - start
