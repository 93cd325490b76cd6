"""Writes the rows of tables into new event files, one for each segment of each run. Called by `runs`.

The files have TensorBoard's format, whose scalars can have 64 bits; MindSpore's have 32.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

import numpy as np

from mindinsight.transfer.formats import to_tensorboard
from mindinsight.transfer.imports.table_rows import Row
from summaries.records import frame

_MOST_WAITING = 16 << 20

Series = tuple[str, int]
"""Name of a run and number of a segment."""


class ScalarFiles:
    """Event files that are filled in parallel. None stays open, so their number is not limited.

    Args:
        directories: directory of each run.
        segments: numbers of each run's segments, with their first steps.
    """

    def __init__(self, directories: Mapping[str, Path], segments: Mapping[str, Mapping[int, int]]) -> None:
        self._paths: dict[Series, Path] = {}
        self._waiting: dict[Series, list[bytes]] = {}
        self._waiting_bytes = 0
        now = int(time.time())
        for run, steps in segments.items():
            opened = now - len(steps)
            for place, (segment, first_step) in enumerate(sorted(steps.items())):
                # Files are read in order of the seconds in their names.
                path = directories[run] / f"events.out.tfevents.{opened + place:010d}.import"
                self._paths[run, segment] = path
                self._put((run, segment), to_tensorboard.head(opened + place))
                if place:
                    self._put((run, segment), to_tensorboard.restart(first_step, opened + place))

    def write(self, rows: Iterable[Row]) -> None:
        """Appends rows. Consecutive rows of the same step and time become one event.

        Raises:
            OSError: a file cannot be written.
        """
        for (series, step, wall), entries in groupby(rows, key=self._event_of):
            values = [(row.tag, row.value, _single(row.value)) for row in entries]
            self._put(series, to_tensorboard.scalars(step, wall, values))

    def close(self) -> None:
        """Writes buffered rows and marks the files as finished. Raises like `write`."""
        self._flush()
        for path in self._paths.values():
            path.chmod(path.stat().st_mode & ~0o222)

    def _event_of(self, row: Row) -> tuple[Series, int, float]:
        return (row.run, row.segment), row.step, row.wall

    def _put(self, series: Series, payload: bytes) -> None:
        record = frame(payload)
        self._waiting.setdefault(series, []).append(record)
        self._waiting_bytes += len(record)
        if self._waiting_bytes > _MOST_WAITING:
            self._flush()

    def _flush(self) -> None:
        for series, records in self._waiting.items():
            with self._paths[series].open("ab") as file:
                file.write(b"".join(records))
        self._waiting.clear()
        self._waiting_bytes = 0


def _single(number: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(number))
