"""Reads one event file into the store: reads a window, writes its rows, and counts them in memory.

There is one `Intake` per event file, used by the reader's loop and, for a large back-log, by a task. Rows are written
first and counted afterwards. After an error nothing has been counted, and everything is written again to the same
places.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import Error as DatabaseError
from numpy.typing import NDArray

from mindinsight.ingest.storing.book import Ends, Facts, SeriesBook, SeriesState
from mindinsight.ingest.storing.numbers import SeriesNumbers
from mindinsight.ingest.storing.segments import MAX_STRETCHES, Groups, Rows, Stretch, first_repeat
from mindinsight.runs.models import EventFile
from mindinsight.store import SHORT, ColumnStore, Table
from summaries.beneath import FilePath
from summaries.damages import Damage
from summaries.kinds import KIND_INDEX, KINDS, Kind
from summaries.reading.classify import Flavour
from summaries.reading.reader import EventFileReader

if TYPE_CHECKING:
    from summaries.reading.reader import Batch
    from summaries.schema.summary_pb2 import Writer

DAMAGES_KEPT = 100
# Reads the next window of a large file while this one is being stored. The loops in C and the writes of the store both
# release the GIL.
_AHEAD = ThreadPoolExecutor(1, thread_name_prefix="ahead")


def kept_damages(damages: Sequence[Damage], before: int = 0) -> list[dict[str, Any]]:
    """Adds damages to the first ones that a file's row keeps. It has `before` already."""
    return [
        {
            "offset": damage.offset,
            "reason": damage.reason,
            "message": damage.message,
            "code": damage.code,
            "detail": dict(damage.detail),
        }
        for damage in damages[: max(0, DAMAGES_KEPT - before)]
    ]


class ReplacedError(Exception):
    """The file is not the one that was read before and must be read again."""


@dataclass
class Stored:
    """The result of one window.

    Attributes:
        ends: index after the last row, by number of the series.
        records: number of records.
        noted: rows of kinds that describe the run itself, with their kind.
        looked: approximate number of bytes examined.
        writer: the process that writes the file, if `summaries` writes it.
        flavour: format of the events: whose writer made them.
    """

    ends: dict[int, int] = field(default_factory=dict)
    records: int = 0
    looked: int = 0
    noted: list[tuple[Kind, Rows]] = field(default_factory=list)
    writer: Writer | None = None
    flavour: str = "unknown"


@dataclass(frozen=True)
class _Part:
    """Rows of a window in one stretch, by tag; None if there are none."""

    points: Groups | None
    places: Groups | None


@dataclass(frozen=True)
class _Rows:
    """Rows of a window in file order, with the key of each."""

    rows: Rows
    keys: Rows

    def __len__(self) -> int:
        return len(self.rows)

    def grouped(self) -> Groups | None:
        return Groups.of(self.rows, self.keys) if len(self.rows) else None

    def before(self, place: int) -> _Rows:
        return _Rows(self.rows[:place], self.keys[:place])

    def behind(self, place: int) -> _Rows:
        return _Rows(self.rows[place:], self.keys[place:])

    def first_from(self, wall: float) -> int:
        """Index of the first row with this wall time or a later one."""
        later = np.flatnonzero(self.rows["wall"] >= wall)
        return int(later[0]) if len(later) else len(self.rows)


class Intake:
    """Reads one event file into the store.

    Args:
        row: the file's row, with the offset up to which it was read.
        path: the file.
        store: the store for the rows.
        numbers: gives new series their numbers.

    Attributes:
        book: the file's series.
        changed: whether the file's row has to be written back.
        foreign: whether the writer is known not to be `summaries`.
        recovering: whether the store refused a window and nothing has been written back since. New data should then be
        written back at once, because the next refusal would lose it, and this could repeat.
    """

    def __init__(self, row: EventFile, path: FilePath, store: ColumnStore, numbers: SeriesNumbers) -> None:
        self.row = row
        self.path = path
        self.book = SeriesBook(row, numbers)
        self.changed = False
        self.foreign = False
        self.recovering = False
        self._store = store
        self._reader: EventFileReader | None = None
        self._ahead: Future[Batch] | None = None
        self._tags: list[str] = []
        self._torn = False
        self._gap: Damage | None = None

    def read(self, max_bytes: int, *, settled: bool = False) -> Stored:
        """Reads one window and stores its rows.

        Args:
            max_bytes: approximate maximum number of bytes.
            settled: whether the file has not grown for a while and may be complete.

        Raises:
            ReplacedError: the file was replaced or truncated.
            OSError: the file cannot be read or the store cannot be written. Nothing is counted, so it can be tried
            again. django.db.Error: the same for the database.
        """
        if self._torn:
            self._return_to_row()
        reader, ahead = self._reader or self._resume(), self._ahead
        # Dropped after an error: the next attempt begins where the row says.
        self._reader = self._ahead = None
        batch = reader.read(max_bytes) if ahead is None else ahead.result()
        if batch.restarted:
            raise ReplacedError
        much_is_left = batch.size - batch.offset > max_bytes
        ahead = _AHEAD.submit(reader.read, max_bytes) if much_is_left else None
        self._tags = batch.tags
        stored = Stored(records=batch.records, looked=batch.bytes_read, writer=batch.writer, flavour=str(batch.flavour))
        of_run = batch.place_kind == KIND_INDEX[Kind.ENVIRONMENT]
        if of_run.any():
            stored.noted.append((Kind.ENVIRONMENT, batch.places[of_run]))
        settled = settled and batch.complete
        try:
            for part in self._parts(batch, ~of_run):
                self._store_points(part.points, stored, settled)
                self._store_places(part.places, stored)
        except (OSError, DatabaseError):
            self._forget()
            raise
        self._reader, self._ahead = reader, ahead
        self._note(batch)
        return stored

    def _resume(self) -> EventFileReader:
        """Returns a reader that continues where the row says. TensorBoard names kinds only with the first value of a
        tag.
        """
        kinds = {tag: Kind(kind) for tag, kind, _ in self.book.rows} if self.row.offset else None
        return EventFileReader(self.path, offset=self.row.offset, kinds=kinds)

    def _forget(self) -> None:
        """A part of a window has been counted: resets to the database's state, so that no row counts twice."""
        self._torn = self.recovering = True
        self.changed = False
        self.book.close()
        with contextlib.suppress(DatabaseError):  # The next attempt does it.
            self._return_to_row()

    def _return_to_row(self) -> None:
        self.row.refresh_from_db()
        self.row.complete = False
        self._torn = False

    def written(self) -> None:
        """Called when the rows of the file and of its series have been written back."""
        self.changed = self.recovering = False
        self.book.written()

    def release(self) -> None:
        """Frees memory that is only needed while the file is read."""
        self._reader = self._ahead = None
        self.book.close()

    # Stretches

    def _parts(self, batch: Batch, kept: NDArray[np.bool_]) -> Iterator[_Part]:
        """Splits a window where the training restarted. Each part goes into the newest stretch of its time.

        Args:
            batch: the window.
            kept: which of its places are stored in series. The others describe the run itself.
        """
        points = _Rows(batch.points, batch.tag)
        places = _Rows(batch.places[kept], (batch.place_tag * len(KINDS) + batch.place_kind)[kept])
        restarts = batch.restarts
        while len(points) or len(places):
            part = _Part(points.grouped(), places.grouped())
            cut = self._cut(part, points, places, restarts)
            if cut is None or len(self.row.stretches) >= MAX_STRETCHES:
                self._extend_stretch(points.rows)
                yield part
                return
            point, place = cut
            if point or place:
                self._extend_stretch(points.rows[:point])
                yield _Part(points.before(point).grouped(), places.before(place).grouped())
            points, places = points.behind(point), places.behind(place)
            restarts = restarts[restarts > point] - point
            self._begin_stretch(points.rows, places.rows)

    def _cut(self, part: _Part, points: _Rows, places: _Rows, restarts: Rows) -> tuple[int, int] | None:
        """The start of the next stretch: index of its first point and of its first place."""
        known = bool(self.book.rows)
        point = part.points.first_fall(self._reached_by_point if known else None) if part.points else None
        if len(restarts):
            stretches = self.row.stretches
            restart = first_repeat(points.rows, restarts, stretches[-1]["last_step"] if stretches else None)
            point = min((index for index in (point, restart) if index is not None), default=None)
        place = part.places.first_fall(self._reached_by_place if known else None) if part.places else None
        walls = points.rows["wall"], places.rows["wall"]
        if point is not None and (place is None or walls[0][point] <= walls[1][place]):
            return point, places.first_from(walls[0][point])
        if place is not None:
            return points.first_from(walls[1][place]), place
        return None

    def _reached_by_point(self, number: int) -> int | None:
        return self._reached(self._tags[number], Kind.SCALAR)

    def _reached_by_place(self, number: int) -> int | None:
        return self._reached(*self._named(number))

    def _reached(self, tag: str, kind: Kind) -> int | None:
        stretch = max(0, len(self.row.stretches) - 1)
        row = self.book.rows.get((tag, kind.value, stretch))
        return row.last_step if row is not None and row.count else None

    def _begin_stretch(self, points: Rows, places: Rows) -> None:
        first = points[0] if len(points) else places[0]
        step, wall = int(first["step"]), float(first["wall"])
        begun = Stretch(first_step=step, last_step=step, first_wall=wall)
        # Only values of other kinds came before. They were the first stretch.
        before = self.row.stretches or [begun.copy()]
        self.row.stretches = [*before, begun]

    def _extend_stretch(self, points: Rows) -> None:
        if not len(points):
            return
        low, high = int(points["step"].min()), int(points["step"].max())
        if not self.row.stretches:
            self.row.stretches = [Stretch(first_step=low, last_step=high, first_wall=float(points["wall"][0]))]
        stretch = self.row.stretches[-1]
        stretch["first_step"] = min(stretch["first_step"], low)
        stretch["last_step"] = max(stretch["last_step"], high)

    # Rows

    def _store_points(self, groups: Groups | None, stored: Stored, settled: bool) -> None:
        if groups is None:
            return
        series = self.book.series([(self._tags[number], Kind.SCALAR) for number in groups.keys])
        ends = Ends.of(groups.rows, groups.starts)
        if settled and max(ends.counts) < SHORT and not any(row.count for row in series):
            numbers = [row.id for row in series]
            self._store.write_short([self.row.run_id] * len(numbers), numbers, groups.starts, groups.rows)
        else:
            self._write_all(Table.POINTS, series, groups)
        if series[0].stretch == MAX_STRETCHES - 1:
            self._check_order(series, groups)
        self.book.note_rows(series, ends)
        self.book.note_values(series, Facts.of(groups.rows["value"], groups.starts))
        stored.ends.update((row.id, row.count) for row in series)
        self._count(groups.rows)

    def _write_all(self, table: Table, series: list[SeriesState], groups: Groups) -> None:
        for row, (_, rows) in zip(series, groups.parts(), strict=True):
            self._store.write(table, row.run_id, row.id, row.count, rows)

    def _check_order(self, series: list[SeriesState], groups: Groups) -> None:
        """Only the last stretch of a file with very many falling steps can be out of order."""
        for row, (_, rows) in zip(series, groups.parts(), strict=True):
            step = rows["step"]
            follows = row.last_step is None or step[0] >= row.last_step
            row.ordered = row.ordered and bool(follows and (step[1:] >= step[:-1]).all())

    def _count(self, points: Rows) -> None:
        row = self.row
        wall = points["wall"]
        row.points += len(points)
        first, last = float(wall.min()), float(wall.max())
        row.first_wall = first if row.first_wall is None else min(row.first_wall, first)
        row.last_wall = last if row.last_wall is None else max(row.last_wall, last)

    def _store_places(self, groups: Groups | None, stored: Stored) -> None:
        if groups is None:
            return
        series = self.book.series([self._named(number) for number in groups.keys])
        self._write_all(Table.PLACES, series, groups)
        self.book.note_rows(series, Ends.of(groups.rows, groups.starts))
        stored.ends.update((row.id, row.count) for row in series)
        for number, rows in groups.parts():
            if self._named(number)[1] is Kind.HPARAMS:
                stored.noted.append((Kind.HPARAMS, rows))

    def _named(self, number: int) -> tuple[str, Kind]:
        """The tag and the kind of a key of places."""
        tag, kind = divmod(number, len(KINDS))
        return self._tags[tag], KINDS[kind]

    # Other content of a window

    def _note(self, batch: Batch) -> None:
        row = self.row
        row.records += batch.records
        self.foreign = batch.writer is None and batch.flavour != Flavour.UNKNOWN
        self._gap = batch.gap
        self._withdraw(batch)
        if batch.damage_count:
            row.damages = [*row.damages, *kept_damages(batch.damages, len(row.damages))]
            row.damage_count += batch.damage_count
        place = (batch.offset, batch.size, batch.complete)
        if place != (row.offset, row.size, row.complete) or batch.damage_count:
            row.offset, row.size, row.complete = place
            self.changed = True

    def settle(self) -> bool:
        """Counts the gap at the file's end as damage, once nobody is expected to write into it.

        Returns:
            Whether the damage is new.
        """
        row = self.row
        if self._gap is None or len(row.damages) >= DAMAGES_KEPT or self._gap_damages():
            return False
        row.damages = [*row.damages, *kept_damages([self._gap])]
        row.damage_count += 1
        self.changed = True
        return True

    def _gap_damages(self) -> list[dict[str, Any]]:
        """The damage that `settle` counted. All others are before the place where reading continues."""
        return [damage for damage in self.row.damages if damage["offset"] >= self.row.offset]

    def _withdraw(self, batch: Batch) -> None:
        """Drops the counted gap at the end, which has been filled or has changed."""
        counted = self._gap_damages()
        if counted and (batch.gap is None or kept_damages([batch.gap]) != counted):
            self.row.damages = [damage for damage in self.row.damages if damage not in counted]
            self.row.damage_count -= len(counted)
            self.changed = True
