"""Writes the times of every step of a training beside its event file: `steps_<rank>.columns` in the run's folder.

`SummaryCollector` and `ds.Monitor` feed it; `framework.profiler` reads it. A row has 40 bytes.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from framework.dataset.monitor.waits import StepTimes, Waits
from framework.tracing.column_file import Block, ColumnFile, read_column_file

__all__ = ["STEPS", "StepLog", "read_steps"]

STEPS: Final = "steps"
"""The kind of blocks."""
_EVERY_S: Final = 5.0
_MOST: Final = 4096
"""Steps are written after so many seconds, or so many of them."""
_NS: Final = 1e9


class StepLog:
    """The file of one run.

    Args:
        folder: the run's folder.
        waits: what notes the steps.
        rank: the number in the file's name.

    Attributes:
        path: the file; a training that goes on in the same folder gets another one.
        waits: what notes the steps.
    """

    def __init__(self, folder: Path, waits: Waits, rank: int = 0) -> None:
        self.path = folder / f"steps_{rank}.columns"
        self.waits = waits
        self._file: ColumnFile | None = None
        self._written = perf_counter()
        self._noted = 0

    def step(self) -> None:
        """A step has ended; now and then, what was noted is written."""
        self._noted += 1
        if self._noted >= _MOST or perf_counter() - self._written >= _EVERY_S:
            self.write()

    def write(self) -> None:
        """Write the steps since the last time.

        Raises:
            OSError: the file cannot be written.
        """
        self._written, self._noted = perf_counter(), 0
        rows = self.waits.take_times()
        if not rows:
            return
        if self._file is None:
            self._file = ColumnFile(self.path, "times of steps")
            self.path = self._file.path
        columns: dict[str, npt.NDArray[np.integer[Any]]] = {
            "step": np.array([row.step for row in rows], np.uint32),
            "steps": np.array([row.steps for row in rows], np.uint32),
            "queue": np.array([row.queue for row in rows], np.int32),
            **{
                name: np.array([getattr(row, name) * _NS for row in rows]).astype(np.int64)
                for name in ("began", "waiting", "running", "duration")
            },
        }
        self._file.append(Block(STEPS, {}, columns))

    def close(self) -> None:
        """Write the last steps, and end.

        Raises:
            OSError: the file cannot be written.
        """
        self.write()
        if self._file is not None:
            self._file.close()
            self._file = None


def read_steps(path: Path) -> list[StepTimes]:
    """The steps of a file, as far as it is whole.

    Args:
        path: the file.

    Returns:
        Their times, in seconds.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is none of ours.
    """
    found: list[StepTimes] = []
    blocks, _ = read_column_file(path)
    for block in blocks:
        if block.kind != STEPS:
            continue
        of = {name: column.tolist() for name, column in block.columns.items()}
        for place, step in enumerate(of["step"]):
            began, waiting, running, duration = (
                of[name][place] / _NS for name in ("began", "waiting", "running", "duration")
            )
            found.append(StepTimes(step, of["steps"][place], began, waiting, running, duration, of["queue"][place]))
    return found
