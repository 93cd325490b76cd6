"""Meters of operators: rows, busy time and processor time, counted while a pipeline runs.

The operators (`framework.dataset.runtime`) hold and feed them; `Tree.state` reads them. They cost nearly nothing: a
block of rows that a worker computes is measured as a whole, and of rows that are computed one by one only one in
`SAMPLED` is, later in `SAMPLED_LATER`, which stands for those since the one before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter, perf_counter_ns, thread_time
from typing import Any, TypeVar

from framework.tracing import RECORDER

__all__ = ["FIRST_ROWS", "SAMPLED", "SAMPLED_LATER", "Costs", "Meter"]

#: Of so many rows, one is measured: among the first rows of a pass, and later.
SAMPLED = 16
SAMPLED_LATER = 128
FIRST_ROWS = 256

Item = TypeVar("Item")
Result = TypeVar("Result")


class Meter:
    """What the workers of one operator did so far, over all passes. In a capture, measured work becomes slices.

    Args:
        name: the name of the operator.

    Attributes:
        rows: rows that were worked on.
        busy: seconds of work, of all workers together; estimated from the measured rows.
        processor: processor time of that work in seconds; that of worker processes is not known.
        threads: workers that compute now; 0 while the operator is computed in the thread of whoever reads it.
        processes: whether these are processes.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows = 0
        self.busy = 0.0
        self.processor = 0.0
        self.threads = 0
        self.processes = False
        self._estimated = 0
        self._lock = threading.Lock()

    def sampling(self, work: Callable[[int, Item], Result]) -> Callable[[int, Item], Result]:
        """The same function of a row's number and content, which also counts rows and measures some of them.

        Args:
            work: the function; one thread calls it at a time.
        """

        def metered(number: int, item: Item) -> Result:
            self.rows += 1
            if number % SAMPLED or (number > FIRST_ROWS and number % SAMPLED_LATER):
                return work(number, item)
            start, used = perf_counter(), thread_time()
            result = work(number, item)
            stands_for = self.rows - self._estimated
            self._estimated = self.rows
            seconds = perf_counter() - start
            self.busy += seconds * stands_for
            if RECORDER.is_on:
                self._add_slice(seconds, f"one row of {stands_for}")
            self.processor += (thread_time() - used) * stands_for
            return result

        return metered

    def note(self, rows: int, seconds: float, processor: float) -> None:
        """Take rows into account that were measured together; any thread may call it.

        Args:
            rows: number of rows.
            seconds: time of the work.
            processor: processor time of the work.
        """
        with self._lock:
            self.rows += rows
            self._estimated += rows
            self.busy += seconds
            self.processor += processor
        if RECORDER.is_on:
            self._add_slice(seconds, f"{rows} rows" if rows > 1 else "one row")

    def _add_slice(self, seconds: float, rows: str) -> None:
        """Record work that has just ended."""
        ended = perf_counter_ns()
        site = RECORDER.known_site("data", f"{self.name} ({rows})")
        RECORDER.slices.append((site, ended - int(seconds * 1e9), ended, threading.get_ident()))

    @contextmanager
    def working(self, processes: bool) -> Iterator[None]:
        """Say that workers compute inside of the `with`; how many is said by `threads`."""
        self.processes = processes
        try:
            yield
        finally:
            self.threads = 0


class Costs:
    """What each operation of a Map costs, measured on a sample of rows. It is sent to processes without its sums.

    Args:
        names: name of each part of the Map; operations that are computed as one are one part.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._sums = [[0, 0.0, 0.0] for _ in names]
        self._lock = threading.Lock()

    def note(self, part: int, seconds: float, processor: float) -> None:
        """Add a measured row of a part; any thread may call it."""
        with self._lock:
            sums = self._sums[part]
            sums[0] += 1
            sums[1] += seconds
            sums[2] += processor

    def means(self) -> list[tuple[int, float, float]]:
        """For each part the number of measured rows, and seconds and processor time of a row."""
        with self._lock:
            return [(int(rows), wall / (rows or 1), used / (rows or 1)) for rows, wall, used in self._sums]

    def __getstate__(self) -> dict[str, Any]:
        return {"names": self.names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["names"])  # type: ignore[misc]
