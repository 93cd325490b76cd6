"""A capture of the real program: starts the recorder, and writes what it records while the training runs.

A thread appends the new slices to a file of columns every second, so a killed training leaves what it had. A slice has
22 bytes. `record.py` reads the file.
"""

from __future__ import annotations

import os
import threading
from dataclasses import asdict
from pathlib import Path
from time import perf_counter_ns
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from framework.engine.codegen.alive import alive_at_peak
from framework.engine.codegen.program import Executable
from framework.profiler.sites import site_text
from framework.tracing import RECORDER, Rows
from framework.tracing.column_file import Block, ColumnFile

__all__ = ["ENDED", "MEMORY", "SITES", "SLICES", "STEPS", "THREADS", "Capture"]

SITES: Final = "sites"
SLICES: Final = "slices"
STEPS: Final = "steps"
THREADS: Final = "threads"
MEMORY: Final = "memory"
ENDED: Final = "ended"
"""The kinds of blocks."""
_EVERY_S: Final = 1.0


class Capture:
    """One capture, from `start` to `stop`.

    Args:
        path: the file that it writes.
        with_lines: whether operators of PyNative mode get the user's line, which costs some time.
        with_memory: whether the memory of the programs is described.

    Attributes:
        path: the file; a number is added to its name if it exists.
        began, ended: nanoseconds of `perf_counter_ns`; 0 before.
        lost: the number of slices that came too fast to be kept.
    """

    def __init__(self, path: Path, *, with_lines: bool = False, with_memory: bool = True) -> None:
        self.path = path
        self.began = self.ended = 0
        self.lost = 0
        self._with_lines, self._with_memory = with_lines, with_memory
        self._file: ColumnFile | None = None
        #: By the number that the recorder has for a site, the number in this file.
        self._sites: dict[int, int] = {}
        #: By the identifier of a thread, its number in this file.
        self._threads: dict[int, int] = {}
        self._names: dict[int, str] = {}
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._writer: threading.Thread | None = None

    def start(self) -> None:
        """Begin: programs that have run are compiled with clock reads first, which takes tenths of a second.

        Raises:
            RuntimeError: another capture is on.
            OSError: the file cannot be written.
        """
        RECORDER.begin(self._with_lines)
        try:
            self._file = ColumnFile(self.path, f"capture by process {os.getpid()}")
        except BaseException:
            RECORDER.end()
            raise
        self.path = self._file.path
        self._thread_number(threading.get_ident())
        self._writer = threading.Thread(target=self._watch, name="profile writer", daemon=True)
        self._writer.start()
        self.began = perf_counter_ns()

    def stop(self) -> None:
        """End, and write the rest.

        Raises:
            OSError: the file cannot be written.
        """
        if self._file is None:
            return
        self.ended = perf_counter_ns()
        RECORDER.end()
        self._stop.set()
        if self._writer is not None:
            self._writer.join()
        try:
            self.write()
            self.lost = RECORDER.ring.lost
            self._file.append(Block(ENDED, {"began": self.began, "ended": self.ended, "lost": self.lost}))
        finally:
            self._file.close()
            self._file = None

    def write(self) -> None:
        """Write what was recorded since the last time.

        Raises:
            OSError: the file cannot be written.
        """
        with self._lock:
            rows, file = RECORDER.take(), self._file
            if file is None:
                return
            if len(rows):
                self._write_sites(file, rows)
                self._write_slices(file, rows)
            steps = RECORDER.steps[:]
            del RECORDER.steps[: len(steps)]
            if steps:
                note = [{"noted_by": noted_by, **times._asdict()} for noted_by, times in steps]
                file.append(Block(STEPS, {"steps": note}))

    def _watch(self) -> None:
        """The life of the thread that writes."""
        while not self._stop.wait(_EVERY_S):
            self.write()

    def _write_sites(self, file: ColumnFile, rows: Rows) -> None:
        """Write the sites that are new, and the memory of new programs."""
        new = [number for number in np.unique(rows[:, 0]).tolist() if number not in self._sites]
        if not new:
            return
        sites = [RECORDER.sites[number] for number in new]
        file.append(Block(SITES, {"sites": [site_text(site).plain() for site in sites]}))
        for number, site in zip(new, sites, strict=True):
            self._sites[number] = len(self._sites)
            program = site.sources[0]() if site.kind == "program" and site.sources else None
            if self._with_memory and isinstance(program, Executable):
                alive = alive_at_peak(program.program, program.memory, program.segments)
                note = {"site": self._sites[number], "program": site.title, "alive": [asdict(one) for one in alive]}
                file.append(Block(MEMORY, note))

    def _write_slices(self, file: ColumnFile, rows: Rows) -> None:
        threads, places = np.unique(rows[:, 3], return_index=True)
        tracks = {}
        for thread, place in zip(threads.tolist(), places.tolist(), strict=True):
            if thread not in self._names:
                # A thread that has ended is known by what it did first.
                self._names[thread] = _name_of(thread) or RECORDER.sites[int(rows[place, 0])].title
            tracks[thread] = self._thread_number(thread)
        file.append(Block(THREADS, {"threads": [self._names.get(thread, "main") for thread in self._threads]}))
        columns: dict[str, npt.NDArray[np.integer[Any]]] = {
            "site": np.array([self._sites[site] for site in rows[:, 0].tolist()], np.uint32),
            "track": np.array([tracks[thread] for thread in rows[:, 3].tolist()], np.uint16),
            "start": rows[:, 1],
            "duration": rows[:, 2] - rows[:, 1],
        }
        file.append(Block(SLICES, {}, columns))

    def _thread_number(self, thread: int) -> int:
        return self._threads.setdefault(thread, len(self._threads))


def _name_of(thread: int) -> str:
    """The name of a thread that lives; else empty."""
    return next((one.name for one in threading.enumerate() if one.ident == thread), "")
