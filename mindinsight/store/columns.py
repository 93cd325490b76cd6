"""The rows of all series in flat files: appended by the writer, read by index.

A row is identified by its position. The writer gives the position, so writing again after a kill puts the same rows
into the same positions. A reader counts complete rows, so a torn write is invisible. Short series that were complete
when they were first read share files (`packs`) until they grow.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np

from mindinsight.store.files import count_rows, state_of_rows, write_rows
from mindinsight.store.identity import Identity
from mindinsight.store.level_files import SUMMARISED_FROM, LevelFiles, read_levels
from mindinsight.store.levels import Levels
from mindinsight.store.mappings import Mappings
from mindinsight.store.packs import Packs
from mindinsight.store.tables import Rows, Table

SHORT = SUMMARISED_FROM
"""Number of points from which a series has its own files."""

_SUFFIXES = (*(table.suffix for table in Table), "level1", "level2")


class ColumnStore:
    """The rows below one directory. Keep the object, because its caches make reading faster.

    A store with another format is empty for readers. Its identity is the empty text, which tells the writer to `clear`
    it
    before the first `write`.

        Args:
            root: the directory; created if needed.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._prefix = str(root)
        self._identity = Identity(root)
        self._levels = LevelFiles()
        self._mappings = Mappings()
        self._packs = Packs(f"{self._prefix}/packs")
        self._folders: set[int] = set()
        self._alone: set[int] = set()

    @property
    def identity(self) -> str:
        """Identifies this store. It changes when the store is rebuilt, so that indices of the two are not mixed."""
        return self._identity.name

    @property
    def empty(self) -> bool:
        """Whether no run has rows here. False for a store with another format, which has to be cleared."""
        return self._identity.readable and not any(entry.is_dir() for entry in self._root.iterdir())

    def write(self, table: Table, run: int, series: int, at: int, rows: Rows) -> int:
        """Writes rows after the first `at` rows of a series. Only the writer may call it.

        Args:
            table: kind of the rows.
            run: number of the run.
            series: number of the series.
            at: index of the first row written.
            rows: the rows, of the table's dtype.

        Returns:
            The index after the last row.

        Raises:
            OSError: the disk is full or the directory is missing. Writing the same rows again later repairs it.
            RuntimeError: the store has another format and was not cleared.
        """
        base = self._base(run, series)
        if run not in self._folders:
            self._make_folder(run)
        if table is Table.POINTS and series not in self._alone:
            self._unpack(base, series, at)
        write_rows(f"{base}.{table.suffix}", at, rows)
        if table is Table.POINTS:
            self._levels.extend(base, at, rows)
        return at + len(rows)

    def write_short(self, runs: Sequence[int], numbers: Sequence[int], starts: Sequence[int], points: Rows) -> None:
        """Writes all points of new series that are not expected to grow. Only the writer may call it.

        Args:
            runs: number of the run of each series.
            numbers: numbers of the series.
            starts: start of each series' points; each has fewer than `SHORT`.
            points: rows of POINT.

        Raises:
            OSError: the disk is full or the directory is missing. Writing the same rows again later repairs it.
            RuntimeError: the store has another format and was not cleared.
        """
        self._check_format()
        self._packs.append(runs, numbers, starts, points)

    def read(self, table: Table, run: int, series: int, first: int = 0, end: int | None = None) -> Rows:
        """Reads rows by index. More than 16 KiB are mapped into memory instead of copied.

        Args:
            table: kind of the rows.
            run: number of the run.
            series: number of the series.
            first: index of the first row.
            end: index after the last row; default: all rows.

        Returns:
            The existing rows, read-only; none for an unknown series.
        """
        if not self._identity.readable:
            return np.empty(0, table.dtype)
        path = f"{self._base(run, series)}.{table.suffix}"
        rows = self._mappings.read_rows(path, table.dtype, first, end)
        if len(rows) or table is not Table.POINTS:
            return rows
        packed = self._packs.read(series, first, end)
        # Rows that are in neither may have moved from one to the other in the meantime.
        return self._mappings.read_rows(path, table.dtype, first, end) if packed is None else packed

    def read_points(self, wanted: Sequence[tuple[int, int]]) -> list[Rows]:
        """Reads all points of many series, like `read` for one. A thousand series may share a file.

        Args:
            wanted: number of the run and number of each series.
        """
        # When a series moves into its own file, the pack has the same points until they are dropped.
        packed = self._packs.read_many(series for _, series in wanted) if self._identity.readable else {}
        return [packed[series] if series in packed else self.read(Table.POINTS, run, series) for run, series in wanted]

    def count(self, table: Table, run: int, series: int) -> int:
        """The number of complete rows of a series."""
        return self.state(table, run, series)[0]

    def state(self, table: Table, run: int, series: int) -> tuple[int, int]:
        """The number of complete rows of a series, and a number that changes with every write."""
        if not self._identity.readable:
            return 0, 0
        path = f"{self._base(run, series)}.{table.suffix}"
        state = state_of_rows(path, table.dtype)
        if state[0] or table is not Table.POINTS:
            return state
        place = self._packs.place(series)
        return state_of_rows(path, table.dtype) if place is None else (place[1], place[0])

    def levels(self, run: int, series: int, points: Rows) -> Levels:
        """Returns the summaries of the first points of a series.

        Args:
            run: number of the run.
            series: number of the series.
            points: the points returned by `read`, from the first one on.
        """
        return read_levels(self._mappings, self._base(run, series), points)

    def clear(self) -> str:
        """Removes everything, including data of other formats. Returns the identity of the new store.

        Only the holder of the `WriterLock` may call it. If it is interrupted, the identity has already changed, so that
        nobody
        takes the remaining data for the old store.
        """
        self._identity.drop()
        for entry in self._root.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
        self._folders.clear()
        self._alone.clear()
        self._levels.forget_all()
        return self._identity.renew()

    def series_of(self, run: int) -> set[int]:
        """Returns the numbers of all series of a run with their own files."""
        folder = self._root / str(run)
        names = [path.stem for path in folder.iterdir()] if folder.is_dir() else []
        return {int(name) for name in names if name.isdecimal()}

    def short_series(self) -> Iterator[dict[int, int]]:
        """Yields the numbers of all series in shared files with the run of each, a thousand at a time."""
        return self._packs.runs()

    def runs(self) -> set[int]:
        """Returns the numbers of all runs with series that have their own files."""
        names = [path.name for path in self._root.iterdir()] if self._root.is_dir() else []
        return {int(name) for name in names if name.isdecimal()}

    def remove_run(self, run: int) -> None:
        """Removes the rows of a run, if there are any."""
        self.remove_runs([run])

    def remove_runs(self, runs: Collection[int]) -> None:
        """Removes the rows of some runs, if there are any."""
        folders = {f"{self._prefix}/{run}" for run in runs}
        self._folders.difference_update(runs)
        self._levels.forget_in(folders)
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        self._packs.drop_runs(runs)

    def remove_series(self, run: int, series: int) -> None:
        """Removes the rows of a series, if there are any."""
        base = self._base(run, series)
        self._levels.forget(base)
        self._packs.drop([series])
        self._alone.discard(series)
        for suffix in _SUFFIXES:
            Path(f"{base}.{suffix}").unlink(missing_ok=True)

    def _unpack(self, base: str, series: int, at: int) -> None:
        """Moves a short series that grows into its own file."""
        path = f"{base}.{Table.POINTS.suffix}"
        packed = self._packs.read(series) if at else None
        if packed is not None:
            if count_rows(path, Table.POINTS.dtype) < len(packed):
                # At once: readers find the file first and do not look into the pack any more.
                write_rows(f"{path}.new", 0, packed)
                Path(f"{path}.new").replace(path)
            self._packs.drop([series])
        self._alone.add(series)

    def _check_format(self) -> None:
        if not self._identity.readable:
            raise RuntimeError(f"The store {self._root} has another format; it has to be cleared before it is written.")

    def _make_folder(self, run: int) -> None:
        self._check_format()
        (self._root / str(run)).mkdir(parents=True, mode=0o700, exist_ok=True)
        self._folders.add(run)

    def _base(self, run: int, series: int) -> str:
        return f"{self._prefix}/{run}/{series}"
