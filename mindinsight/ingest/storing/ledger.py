"""The reader's rows of runs, files and series: kept in memory, written back about twice a second.

Only the reader uses it, and only in the process that holds the store's lock. The rows in memory are therefore
authoritative, and the database follows. Offsets of files and counts of series are written in one transaction: see
`docs/architecture/store.md`.
"""

from __future__ import annotations

import time
import zlib
from collections import ChainMap
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import transaction

from mindinsight.ingest.discovery import FoundFile, FoundRun
from mindinsight.ingest.followed import FollowedFile, FollowedRun
from mindinsight.ingest.storing.book import SERIES_FIELDS
from mindinsight.ingest.storing.bundles import Bundle
from mindinsight.ingest.storing.intake import Intake
from mindinsight.ingest.storing.notes import keep_environments, newer
from mindinsight.ingest.storing.numbers import SeriesNumbers
from mindinsight.ingest.storing.upsert import insert_columns, insert_new, upsert
from mindinsight.runs.models import EventFile, Run, Series, StoreMark
from mindinsight.store import ColumnStore
from summaries.naming import FileKind
from summaries.reading.environment import Noted

COLOURS = 10
# Data of a file that no longer grows is not kept in memory.
KEPT_S = 60.0
RUN_FIELDS = (
    "writer",
    "state",
    "state_since",
    "state_detail",
    "opened",
    "first_wall",
    "last_wall",
    "last_step",
    "tag_count",
    "point_count",
    "lead_series",
    "params",
    "metrics",
    "result_tags",
    "noted",
    "segments",
    "reading",
)
FILE_FIELDS = (
    "inode",
    "size",
    "offset",
    "complete",
    "damage_count",
    "damages",
    "records",
    "points",
    "first_wall",
    "last_wall",
    "stretches",
    "segment",
)
_NOTHING_READ: dict[str, Any] = {"tag_count": 0, "point_count": 0, "lead_series": None, "segments": [], "reading": None}


class Ledger:
    """Rows of runs, event files and series.

    Args:
        base: the watched directory.
        store: the columns that the rows describe.

    Attributes:
        runs: all followed runs by name.
        files: all followed files by path relative to the base directory.
        numbers: assigns numbers to new series.
        first_number: series with lower numbers were not created by this reader.
    """

    def __init__(self, base: Path, store: ColumnStore) -> None:
        self._base = base
        self._store = store
        self._match_store()
        self.numbers = SeriesNumbers()
        self.first_number = StoreMark.objects.get().next_series
        self._rows: dict[str, Run] = {run.name: run for run in Run.objects.all()}
        # Earlier back-log tasks must not touch this reader's files.
        EventFile.objects.exclude(backlog="").update(backlog="")
        self._file_rows: dict[str, EventFile] = {file.path: file for file in EventFile.objects.all()}
        self.runs: dict[str, FollowedRun] = {}
        self.files: dict[str, FollowedFile] = {}
        self._dirty_runs: dict[int, FollowedRun] = {}
        self._touched: dict[int, FollowedFile] = {}
        self._environments: dict[int, Noted] = {}

    def _match_store(self) -> None:
        """Starts from scratch if database and columns do not belong together, for example because one was deleted."""
        mark = StoreMark.objects.first()
        if mark is not None and mark.identity == self._store.identity:
            return
        if mark is None and self._store.empty:
            # At the very first start web servers may have sent pages this identity already.
            StoreMark.objects.create(identity=self._store.identity)
            return
        with transaction.atomic():
            StoreMark.objects.all().delete()
            EventFile.objects.all().delete()
            Run.objects.update(**_NOTHING_READ)
            StoreMark.objects.create(identity=self._store.clear())

    # Finding

    def take(self, found: Iterable[FoundRun]) -> list[FollowedRun]:
        """Creates rows for new runs and files. Removed runs are skipped.

        Returns:
            The newly followed runs.

        Raises:
            django.db.Error: nothing was created. It can be tried again.
        """
        found = [run for run in found if self.removed(run.name) is None]
        self._make_rows(found)
        new = [run for run in found if run.name not in self.runs]
        for run in new:
            self.runs[run.name] = FollowedRun(self._rows[run.name])
        for run in found:
            for file in run.files:
                if file.relative not in self.files:
                    self._follow(self.runs[run.name], file)
        return [self.runs[run.name] for run in new]

    def removed(self, name: str) -> Run | None:
        """Returns the row of a run that a user removed; None for any other name."""
        row = self._rows.get(name)
        return row if row is not None and row.removed != Run.Removed.NO else None

    def _make_rows(self, found: Sequence[FoundRun]) -> None:
        with transaction.atomic():
            runs = self._make_runs([run for run in found if run.name not in self._rows])
            rows = ChainMap(runs, self._rows)
            files = self._make_files(
                [(rows[run.name], file) for run in found for file in run.files if file.relative not in self._file_rows]
            )
        self._rows.update(runs)
        self._file_rows.update(files)

    def _make_runs(self, found: Sequence[FoundRun]) -> dict[str, Run]:
        columns: dict[str, list[Any]] = {
            "name": [run.name for run in found],
            "colour": [zlib.crc32(run.name.encode()) % COLOURS for run in found],
            "opened": [run.files[0].opened for run in found],
        }
        return {row.name: row for row in insert_new(Run, len(found), columns)} if found else {}

    def _make_files(self, found: Sequence[tuple[Run, FoundFile]]) -> dict[str, EventFile]:
        lineage, events = EventFile.Kind.LINEAGE.value, EventFile.Kind.EVENTS.value
        columns: dict[str, list[Any]] = {
            "run_id": [run.pk for run, _ in found],
            "path": [file.relative for _, file in found],
            "kind": [lineage if file.kind is FileKind.LINEAGE else events for _, file in found],
            "opened": [file.opened for _, file in found],
            "inode": [file.inode for _, file in found],
            "size": [file.size for _, file in found],
        }
        return {row.path: row for row in insert_new(EventFile, len(found), columns)} if found else {}

    def _follow(self, run: FollowedRun, found: FoundFile) -> None:
        row = self._file_rows[found.relative]
        if row.kind == EventFile.Kind.EVENTS and row.offset < row.size:
            row.complete = False  # The end that the last reader left is checked again.
        intake = Intake(row, found.path, self._store, self.numbers)
        file = FollowedFile(run, intake, found)
        self.files[found.relative] = file
        run.add(file)

    # Changes

    def touch(self, run: FollowedRun, file: FollowedFile | None = None) -> None:
        """Marks a run to be written back, together with a file whose rows changed."""
        self._dirty_runs[run.row.pk] = run
        if file is not None:
            self._touched[file.row.pk] = file

    def note_environment(self, run: int, noted: Noted | None) -> None:
        """Keeps the environment of a run, by number, for the next `commit`."""
        found = newer(self._environments.get(run), noted)
        if found is not None:
            self._environments[run] = found

    @property
    def has_new_series(self) -> bool:
        """Whether new series wait to become visible to other processes."""
        return any(file.intake.book.created for file in self._touched.values())

    def fold(self, most: int | None = None) -> list[FollowedRun]:
        """Updates the rows of changed runs from their files.

        Args:
            most: maximum number of runs, in the order of their changes; default: all.

        Returns:
            These runs, for `commit`.
        """
        changed = list(islice(self._dirty_runs.values(), most))
        for run in changed:
            run.fold()
        return changed

    def commit(self, runs: Iterable[FollowedRun]) -> tuple[set[int], set[int]]:
        """Writes the changes of some runs in one transaction.

        Args:
            runs: the result of `fold`.

        Returns:
            The numbers of the runs and of the series that changed.

        Raises:
            django.db.Error: nothing was written. Everything stays marked.
        """
        written = {run.row.pk: run for run in runs}
        changed = [file for run in written.values() for file in run.files if _is_dirty(file)]
        series = {number: row for file in changed for number, row in file.intake.book.dirty.items()}
        with transaction.atomic():
            upsert(Run, [run.row for run in written.values()], RUN_FIELDS)
            upsert(EventFile, [file.row for file in changed], FILE_FIELDS)
            upsert(Series, series.values(), SERIES_FIELDS)
            keep_environments({run: self._environments[run] for run in written.keys() & self._environments})
        for file in changed:
            file.intake.written()
            if file.row.complete and time.time() - file.seen_growing > KEPT_S:
                file.intake.release()
        self._note_written(written)
        return set(written), set(series)

    def _note_written(self, runs: Mapping[int, FollowedRun]) -> None:
        for number, run in runs.items():
            self._dirty_runs.pop(number, None)
            self._environments.pop(number, None)
            for file in run.files:
                self._touched.pop(file.row.pk, None)

    def write_bundle(self, bundle: Bundle) -> set[int]:
        """Writes the rows of a bundle's runs, files and series in one transaction.

        Returns:
            The numbers of the runs.

        Raises:
            django.db.Error: nothing was written.
        """
        runs = [file.run.row for file in bundle.files]
        with transaction.atomic():
            upsert(Run, runs, RUN_FIELDS)
            upsert(EventFile, [file.row for file in bundle.files], FILE_FIELDS)
            insert_columns(Series, len(bundle.numbers), bundle.columns)
        for run in runs:
            self._dirty_runs.pop(run.pk, None)
        return {run.pk for run in runs}

    @property
    def names(self) -> set[str]:
        """The names of all runs with a row."""
        return set(self._rows)

    @property
    def has_changes(self) -> bool:
        """Whether a run waits to be written back."""
        return bool(self._dirty_runs)

    def newest_first(self) -> list[FollowedRun]:
        """All followed runs in the order in which older data is read."""
        return sorted(self.runs.values(), key=lambda run: run.row.opened, reverse=True)

    def forget(self, names: Collection[str]) -> set[int]:
        """Removes runs whose files are gone, and all their points.

        Args:
            names: names of runs with a row. A few hundred at a time take some milliseconds.

        Returns:
            The numbers of the runs.

        Raises:
            django.db.Error: nothing was removed.
        """
        numbers = {self._rows[name].pk for name in names}
        # The rows go first. Columns without rows are unreachable and will be removed; rows without columns would be
        # wrong.
        with transaction.atomic():
            Run.objects.filter(pk__in=numbers).delete()
        for name in names:
            del self._rows[name]
            if name in self.runs:
                self._unfollow(self.runs[name])
        self._store.remove_runs(numbers)
        return numbers

    def drop(self, run: FollowedRun) -> None:
        """Removes all points of a run, its files' rows and its series. The run's own row stays."""
        # The rows go first: columns without rows are unreachable, rows without columns would be wrong.
        with transaction.atomic():
            EventFile.objects.filter(run=run.row).delete()
            Run.objects.filter(pk=run.row.pk).update(**_NOTHING_READ)
        self._unfollow(run)
        self._store.remove_run(run.row.pk)

    def _unfollow(self, run: FollowedRun) -> None:
        for file in run.files:
            self._drop_rows(file)
        self._dirty_runs.pop(run.row.pk, None)
        self._environments.pop(run.row.pk, None)
        del self.runs[run.row.name]

    def drop_file(self, file: FollowedFile) -> None:
        """Removes all points that came from one event file."""
        numbers = list(Series.objects.filter(file=file.row).values_list("pk", flat=True))
        self._drop_rows(file)
        file.row.delete()
        for number in numbers:
            self._store.remove_series(file.run.row.pk, number)
        file.run.files.remove(file)
        self._dirty_runs[file.run.row.pk] = file.run

    def let_go(self, file: FollowedFile) -> None:
        """Stops following a deleted file, and keeps all data from it."""
        file.row.complete = True
        file.intake.changed = True
        self.files.pop(file.found.relative, None)

    def _drop_rows(self, file: FollowedFile) -> None:
        self.files.pop(file.found.relative, None)
        self._file_rows.pop(file.found.relative, None)
        self._touched.pop(file.row.pk, None)

    def note_removed(self, run: Run) -> None:
        """A user has removed the run or wants it back. Its row says which."""
        self._rows[run.name] = run


def _is_dirty(file: FollowedFile) -> bool:
    return file.intake.changed or bool(file.intake.book.dirty)
