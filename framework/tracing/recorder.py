"""The recorder of a capture: sites, which are places of programs, and slices, which are their executions.

There is one recorder, because a process has one clock. Parts of the core register hooks that begin and end to record
in them (`when_captured`). Before a capture and after it, they run what they always run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from time import perf_counter_ns
from typing import Any, Final

import numpy as np

from framework.tracing.ring import ROW_WORDS, Ring, Rows

__all__ = ["KINDS", "NOTED_BY", "RECORDER", "Recorder", "Site", "is_capturing", "when_captured"]

KINDS: Final = ("program", "kernel", "loops", "python kernel", "operator", "backward", "step", "data", "compile")
"""What a slice is: the call of a compiled program; a kernel, or generated loops, in machine code; a kernel that the
program calls through Python; an operator of PyNative mode; its gradient; a step; the work of a data set; a compilation.
"""


NOTED_BY: Final = ("training", "profiler", "reader")
"""Who notes steps: a training by `Model`, `Profiler.step` in a loop of the user, the reader of a data set. The first
that noted any is believed.
"""


@dataclass(frozen=True, eq=False)
class Site:
    """A place that is executed.

    Attributes:
        kind: one of `KINDS`.
        title: the name for people.
        sources: what it executes, for who reads the record: a weak reference to a program, nodes of one, or a
            primitive; empty once that is gone.
        line: file and line of the user; empty if it was not asked for.
        leads: whether it stands for all that its sources do; a helper, such as a copy for a kernel, does not.
    """

    kind: str
    title: str
    sources: tuple[Any, ...] = ()
    line: str = ""
    leads: bool = True


@dataclass(frozen=True)
class Anchor:
    """The two clocks at one moment.

    Attributes:
        ticks: the clock that machine code reads.
        nanoseconds: `perf_counter_ns`.
    """

    ticks: int
    nanoseconds: int


class Recorder:
    """Sites and slices.

    Attributes:
        is_on: whether a capture is on.
        with_lines: whether operators of PyNative mode look for the user's line.
        sites: all sites.
        ring: slices of machine code, in its clock.
        slices: slices of Python, as tuples of site, begin, end (`perf_counter_ns`) and thread.
        steps: for each step who noted it, one of `NOTED_BY`, and its times (`framework.dataset.monitor.waits`).
        on_step: called after each step with who noted it; None for nobody.
        read_ticks: the clock that machine code reads; None until machine code records.
    """

    def __init__(self) -> None:
        self.is_on = False
        self.with_lines = False
        self.sites: list[Site] = []
        self.ring = Ring()
        self.slices: list[tuple[int, int, int, int]] = []
        self.steps: list[tuple[str, Any]] = []
        self.on_step: Callable[[str], None] | None = None
        self.read_ticks: Callable[[], int] | None = None
        self._places: dict[tuple[str, str, str], int] = {}
        self._anchor: Anchor | None = None
        self._lock = threading.Lock()

    def site(self, kind: str, title: str, sources: tuple[Any, ...] = (), line: str = "", *, leads: bool = True) -> int:
        """The number of a new site."""
        with self._lock:
            self.sites.append(Site(kind, title, sources, line, leads))
            return len(self.sites) - 1

    def forget(self, numbers: Iterable[int]) -> None:
        """Keep the names of sites alone, because what they execute is gone.

        Args:
            numbers: the numbers of the sites.
        """
        for number in numbers:
            self.sites[number] = replace(self.sites[number], sources=())

    def known_site(self, kind: str, title: str, sources: tuple[Any, ...] = (), line: str = "") -> int:
        """The number of the site with this kind, title and line."""
        key = kind, title, line
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = self.site(kind, title, sources, line)
        return found

    def note_step(self, noted_by: str, times: Any) -> None:
        """Take the times of a step.

        Args:
            noted_by: one of `NOTED_BY`.
            times: a `StepTimes` of `framework.dataset.monitor.waits`.
        """
        self.steps.append((noted_by, times))
        if self.on_step is not None:
            self.on_step(noted_by)

    def begin(self, with_lines: bool = False) -> None:
        """Begin a capture.

        Args:
            with_lines: whether operators of PyNative mode look for the user's line.

        Raises:
            RuntimeError: a capture is on.
        """
        if self.is_on:
            raise RuntimeError("a capture is on already: stop the other profiler first")
        self.is_on, self.with_lines = True, with_lines
        self.slices.clear()
        self.ring.clear()
        for begin, _ in _hooks:
            begin()
        self.ring.clear()
        self.slices.clear()
        self.steps.clear()
        self._anchor = self.anchor()

    def end(self) -> None:
        """End the capture. What was not taken yet can still be taken."""
        for _, end in reversed(_hooks):
            end()
        self.is_on = False

    def anchor(self) -> Anchor | None:
        """The two clocks now, read as closely together as chance allows; None while machine code does not record."""
        if self.read_ticks is None:
            return None
        reads = []
        for _ in range(9):
            before, ticks, after = perf_counter_ns(), self.read_ticks(), perf_counter_ns()
            reads.append((after - before, ticks, (before + after) // 2))
        _, ticks, moment = min(reads)
        return Anchor(ticks, moment)

    def take(self) -> Rows:
        """The slices since the last time, in nanoseconds of `perf_counter_ns`, in no special order."""
        of_machine_code = self._in_nanoseconds(self.ring.take())
        count = len(self.slices)
        taken = self.slices[:count]
        del self.slices[:count]
        of_python = np.array(taken, np.int64).reshape(-1, ROW_WORDS)
        return np.concatenate([of_python, of_machine_code])

    def _in_nanoseconds(self, rows: Rows) -> Rows:
        """Slices of machine code on Python's clock, by the ratio of the clocks since the capture began."""
        if not len(rows):
            return rows
        now = self.anchor()
        if now is None:
            return rows
        since = self._anchor = self._anchor or now
        ticks = max(now.ticks - since.ticks, 1)
        rate = (now.nanoseconds - since.nanoseconds) / ticks
        out = rows.copy()
        out[:, 1:3] = since.nanoseconds + np.round((rows[:, 1:3] - since.ticks) * rate).astype(np.int64)
        return out


RECORDER: Final = Recorder()
"""The recorder of this process."""
_hooks: list[tuple[Callable[[], None], Callable[[], None]]] = []


def when_captured(begin: Callable[[], None], end: Callable[[], None]) -> None:
    """Register what begins and ends to record when a capture begins and ends."""
    _hooks.append((begin, end))


def is_capturing() -> bool:
    """Whether a capture is on."""
    return RECORDER.is_on
