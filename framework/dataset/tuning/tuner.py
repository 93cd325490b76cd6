"""Gives workers to the operator that others wait for, and takes them where nobody does. An iterator calls it.

An operator is short of workers if its reader found nothing for more than a tenth of the time, and no operator below
it is short: that one would be the reason. An operator has too many if its workers waited for a free slot for more than
half of their time. What was short once keeps the workers that it got, so the numbers settle.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Final

from framework.dataset.runtime.section import Section

__all__ = ["Tuner", "cores"]

_SHORT: Final = 0.1
_IDLE: Final = 0.5


def cores() -> int:
    """The number of processors that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Tuner:
    """Changes the workers of the sections of a tree between rows.

    Args:
        sections: the sections, those nearest to the sources first.
        limit: number of workers of all together.
        interval: number of rows between two looks; 0 for one at the end of each epoch.
        done: called with the numbers of workers by the number of the operator after each epoch, and at the end.
        clock: the time in seconds.
    """

    def __init__(
        self,
        sections: Sequence[Section],
        limit: int,
        interval: int,
        done: Callable[[dict[int, int]], None],
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._sections = [section for section in sections if section.allow(limit)]
        self._limit, self._interval, self._done, self._clock = limit, interval, done, clock
        self._rows = 0
        self._floors = {section.name: 1 for section in self._sections}
        self._since = clock()
        self._seen = self._waits()

    @property
    def workers(self) -> dict[int, int]:
        """The numbers of workers by the number of the operator."""
        return {section.number: section.workers for section in self._sections}

    def row(self) -> None:
        """A row was read."""
        self._rows += 1
        if self._interval and self._rows % self._interval == 0:
            self.look()

    def epoch(self) -> None:
        """An epoch was read."""
        if not self._interval:
            self.look()
        self._done(self.workers)

    def close(self) -> None:
        """No more rows will be read."""
        self._done(self.workers)

    def look(self) -> None:
        """Compare the waiting since the last look, and change at most one worker up and one down."""
        now, waits = self._clock(), self._waits()
        seconds, since = now - self._since, self._seen
        self._since, self._seen = now, waits
        if seconds <= 0:
            return
        shares = {
            name: [(new - old) / seconds for new, old in zip(waits[name], since[name], strict=True)] for name in waits
        }
        short = next((section for section in self._sections if shares[section.name][0] > _SHORT), None)
        for section in self._sections:
            idle = shares[section.name][1] / section.workers > _IDLE
            if section is not short and idle and section.workers > self._floors[section.name]:
                section.workers -= 1
                break
        if short is not None and sum(section.workers for section in self._sections) < self._limit:
            short.workers += 1
            self._floors[short.name] = short.workers

    def _waits(self) -> dict[str, tuple[float, float]]:
        """For each section the seconds that its reader has waited, and its workers."""
        return {section.name: (section.counters.take_wait, section.counters.put_wait) for section in self._sections}
