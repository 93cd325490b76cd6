"""The rows of one event file's series, kept in memory while the file is read.

Owned by an `Intake`, written back by the ledger or by a back-log task.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mindinsight.ingest.storing.numbers import SeriesNumbers
from mindinsight.runs.models import EventFile, Series
from summaries.kinds import Kind

SERIES_FIELDS = (
    "segment",
    "count",
    "first_step",
    "last_step",
    "first_wall",
    "last_wall",
    "ordered",
    "last_value",
    "min",
    "max",
    "sum",
    "not_finite",
)

Rows = npt.NDArray[Any]

_LARGEST = sys.float_info.max


@dataclass(slots=True)
class SeriesState:
    """A row of `mindinsight.runs.models.Series` while its file is read. The attributes are the row's columns.

    It is not the model itself, because a reader may find ten thousand new series in its first second, and instances of
    models are slow to make.
    """

    id: int
    run_id: int
    file_id: int
    tag: str
    kind: str
    stretch: int
    segment: int
    count: int = 0
    first_step: int | None = None
    last_step: int | None = None
    first_wall: float | None = None
    last_wall: float | None = None
    ordered: bool = True
    last_value: float | None = None
    min: float | None = None
    max: float | None = None
    sum: float = 0.0
    not_finite: int = 0


# Reading the value of an enumeration member takes as long as the rest of finding a series.
_WORDS = {kind: kind.value for kind in Kind}
_COLUMNS = tuple(field.name for field in fields(SeriesState))


class SeriesBook:
    """Finds and creates the series of one event file.

    Args:
        file: the file's row.
        numbers: gives new series their numbers.

    Attributes:
        dirty: series changed since the last write-back, by number.
        created: whether one of these is new.
    """

    def __init__(self, file: EventFile, numbers: SeriesNumbers) -> None:
        self._file = file
        self._numbers = numbers
        self._rows: dict[tuple[str, str, int], SeriesState] | None = None
        self.dirty: dict[int, SeriesState] = {}
        self.created = False

    @property
    def rows(self) -> dict[tuple[str, str, int], SeriesState]:
        """All series of the file by tag, kind and stretch. Read from the database at the first use."""
        if self._rows is None:
            # Offset and series are written in one transaction. If nothing was read there are no series.
            known = Series.objects.filter(file=self._file).values_list(*_COLUMNS) if self._file.offset else ()
            self._rows = {(row.tag, row.kind, row.stretch): row for row in (SeriesState(*values) for values in known)}
        return self._rows

    def series(self, names: Iterable[tuple[str, Kind]]) -> list[SeriesState]:
        """Returns the series of each tag and kind in the file's newest stretch."""
        file, rows, found = self._file, self.rows, []
        stretch = max(0, len(file.stretches) - 1)
        run, number, segment = file.run_id, file.pk, file.segment + stretch
        for tag, kind in names:
            key = (tag, _WORDS[kind], stretch)
            row = rows.get(key)
            if row is None:
                row = SeriesState(self._numbers.take(), run, number, *key, segment)
                rows[key] = row
                self.created = True
            found.append(row)
        return found

    def note_rows(self, series: Iterable[SeriesState], ends: Ends) -> None:
        """Counts rows that were appended to each series.

        Args:
            series: the series.
            ends: data about their new rows, in the same order.
        """
        for row, count, first_step, first_wall, last_step, last_wall in zip(series, *ends, strict=True):
            if row.count == 0:
                row.first_step, row.first_wall = first_step, first_wall
            row.count += count
            row.last_step, row.last_wall = last_step, last_wall
            self.dirty[row.id] = row

    def note_values(self, series: Iterable[SeriesState], facts: Facts) -> None:
        """Updates the statistics with points that were appended to each series.

        Args:
            series: the series.
            facts: data about their new points, in the same order.
        """
        for row, last, low, high, total, odd in zip(series, *facts, strict=True):
            row.last_value = None if math.isnan(last) else last
            row.not_finite += odd
            if low <= high:
                row.min = low if row.min is None else min(row.min, low)
                row.max = high if row.max is None else max(row.max, high)
                # No database accepts the sum of infinities of both signs.
                row.sum = min(max(row.sum + total, -_LARGEST), _LARGEST)

    def number_segments(self) -> None:
        """Updates the segment of the series after the file's segment has changed."""
        for row in self.rows.values():
            segment = self._file.segment + row.stretch
            if row.segment != segment:
                row.segment = segment
                self.dirty[row.id] = row

    def written(self) -> None:
        """Marks everything as written back."""
        self.dirty = {}
        self.created = False

    def close(self) -> None:
        """Frees the memory. Changes that were not written back are lost."""
        self._rows = None
        self.written()


class Ends(NamedTuple):
    """First and last new rows of several series, one entry each.

    Attributes:
        counts: number of rows.
        first_step, first_wall: step and wall time of the first row.
        last_step, last_wall: step and wall time of the last row.
    """

    counts: list[int]
    first_step: list[int]
    first_wall: list[float]
    last_step: list[int]
    last_wall: list[float]

    @classmethod
    def of(cls, rows: Rows, starts: list[int]) -> Ends:
        """Summarises the rows of all series of a window, which are concatenated."""
        behind = np.array([*starts[1:], len(rows)])
        step, wall = rows["step"], rows["wall"]
        return cls(
            (behind - starts).tolist(),
            step[starts].tolist(),
            wall[starts].tolist(),
            step[behind - 1].tolist(),
            wall[behind - 1].tolist(),
        )


class Facts(NamedTuple):
    """Statistics of the new points of several series, one entry each.

    Attributes:
        last: the last value.
        low: lowest finite value; infinity if there is none.
        high: highest finite value; minus infinity if there is none.
        total: sum of the finite values.
        not_finite: number of values that are NaN or infinite.
    """

    last: list[float]
    low: list[float]
    high: list[float]
    total: list[float]
    not_finite: list[int]

    @classmethod
    def of(cls, values: npt.NDArray[np.float64], starts: list[int]) -> Facts:
        """Computes statistics of the values of all series of a window, which are concatenated."""
        last = values[np.array([*starts[1:], len(values)]) - 1].tolist()
        finite = np.isfinite(values)
        if finite.all():
            low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
            total = np.add.reduceat(values, starts)
            return cls(last, low.tolist(), high.tolist(), total.tolist(), [0] * len(starts))
        low = np.minimum.reduceat(np.where(finite, values, np.inf), starts)
        high = np.maximum.reduceat(np.where(finite, values, -np.inf), starts)
        total = np.add.reduceat(np.where(finite, values, 0.0), starts)
        odd = np.add.reduceat((~finite).astype(np.int64), starts)
        return cls(last, low.tolist(), high.tolist(), total.tolist(), odd.tolist())
