"""Imports tables of scalars and directories of event files as runs. Called by `mindinsight import`."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from mindinsight.transfer.errors import TransferError
from mindinsight.transfer.imports.scalar_files import ScalarFiles
from mindinsight.transfer.imports.staging import Staging
from mindinsight.transfer.imports.table_rows import Row, read_rows
from mindinsight.transfer.named_runs import NamedRun, find_named_runs
from mindinsight.transfer.report import counted
from summaries.limits import MAX_TAGS

_MOST_RUNS = 10_000
_TABLE_NAMES = {"scalar", "scalars"}
Progress = Callable[[], object]
"""Called from time to time, so that a user sees progress."""


@dataclass
class Imported:
    """The result of an import.

    Attributes:
        runs: names of the new runs.
        points: number of scalars from tables.
        files: number of copied event files.
    """

    runs: list[str] = field(default_factory=list)
    points: int = 0
    files: int = 0

    def summary(self) -> str:
        """Returns a sentence about the result, without the full stop."""
        parts = ((self.points, "scalar"), (self.files, "file"))
        what = " and ".join(counted(number, noun) for number, noun in parts if number)
        more = len(self.runs) - 1
        runs = f"{self.runs[0]!r} and {counted(more, 'more run')}" if more else f"the run {self.runs[0]!r}"
        return f"Imported {runs} with {what}"


@dataclass
class _Survey:
    """The content of the tables, from a first read: everything is checked before anything is written.

    Attributes:
        segments: first step of each segment of each run.
        rows: number of rows.
    """

    segments: dict[str, dict[int, int]] = field(default_factory=dict)
    rows: int = 0
    _tags: dict[str, set[str]] = field(default_factory=dict)

    def note(self, row: Row) -> None:
        run = row.run
        if run not in self.segments:
            if len(self.segments) >= _MOST_RUNS:
                raise TransferError(f"{row.place}: there are more than {_MOST_RUNS} runs. Nothing was imported.")
            self.segments[run], self._tags[run] = {}, set()
        steps, tags = self.segments[run], self._tags[run]
        steps[row.segment] = min(row.step, steps.get(row.segment, row.step))
        tags.add(row.tag)
        if len(tags) > MAX_TAGS:
            raise TransferError(f"{row.place}: {run!r} has more than {MAX_TAGS} tags. Nothing was imported.")
        self.rows += 1


class Import:
    """Imports sources into a base directory.

    Args:
        sources: tables, and directories with event files.
        base: the base directory of a dashboard.
        name: name of the run, or of the common folder of several runs.
        tag: the tag of tables without tags.
        force: whether to replace existing runs with the same name.
    """

    def __init__(self, sources: Sequence[Path], base: Path, *, name: str | None, tag: str | None, force: bool) -> None:
        self._tables = [source for source in sources if not source.is_dir()]
        self._directories = [source for source in sources if source.is_dir()]
        self._base = base
        self._name = name
        self._tag = tag
        self._force = force
        self._alone = True

    def run(self, progress: Progress) -> Imported:
        """Imports everything or, after an error, nothing.

        Args:
            progress: called from time to time.

        Raises:
            TransferError: a source is invalid, or a run exists already.
        """
        runs = find_named_runs(self._directories) if self._directories else []
        for run in runs:
            self._refuse_own(run)
        survey = self._survey(len(runs), progress)
        try:
            with Staging(self._base, force=self._force) as staging:
                done = Imported(points=survey.rows)
                self._copy_runs(runs, staging, done, progress)
                self._write_tables(survey, staging, done, progress)
                staging.commit()
                return done
        except OSError as error:
            where = error.filename or self._base
            raise TransferError(f"{where}: {error.strerror or error}. Nothing was imported.") from error

    def _refuse_own(self, run: NamedRun) -> None:
        directory = run.directory.resolve()
        if directory.is_relative_to(self._base.resolve()):
            raise TransferError(
                f"{directory} is already below {self._base}, so a dashboard shows it without an import."
            )

    def _survey(self, runs: int, progress: Progress) -> _Survey:
        survey = _Survey()
        sources: dict[str, Path] = {}
        for path in self._tables:
            for row in self._rows(path, progress):
                if sources.setdefault(row.run, path) != path:
                    both = f"{sources[row.run]} and {path} would both become {row.run!r}"
                    raise TransferError(f"{both}. Import them one at a time, with --name.")
                survey.note(row)
        self._alone = runs + len(survey.segments) == 1
        if not runs and not survey.segments:
            raise TransferError("There are no rows to import.")
        return survey

    def _rows(self, path: Path, progress: Progress) -> Iterator[Row]:
        try:
            for number, row in enumerate(read_rows(path, run=default_name(path), tag=self._tag)):
                if not number & 0xFFF:
                    progress()
                yield row
        except OSError as error:
            raise TransferError(f"{path} cannot be read: {error.strerror or error}. Nothing was imported.") from error

    def _named(self, name: str) -> str:
        """The name of a run. The requested name is a folder if there are several runs."""
        if self._name is None:
            return name
        return self._name if self._alone else f"{self._name}/{name}"

    def _copy_runs(self, runs: Sequence[NamedRun], staging: Staging, done: Imported, progress: Progress) -> None:
        for run in runs:
            directory = staging.add(self._named(run.name))
            done.runs.append(self._named(run.name))
            for file in chain(run.files, run.lineage):
                target = directory / Path(file.location).relative_to(run.directory)
                target.parent.mkdir(exist_ok=True)
                shutil.copy2(file.location, target, follow_symlinks=False)
                done.files += 1
                progress()

    def _write_tables(self, survey: _Survey, staging: Staging, done: Imported, progress: Progress) -> None:
        if not survey.segments:
            return
        directories = {}
        for name in survey.segments:
            directories[name] = staging.add(self._named(name))
            done.runs.append(self._named(name))
        files = ScalarFiles(directories, survey.segments)
        for path in self._tables:
            files.write(self._rows(path, progress))
        files.close()


def default_name(path: Path) -> str:
    """Returns the run's name for a table without names: the file's name, or its folder's name if all files have the
    same name.
    """
    stem = path.stem
    return path.resolve().parent.name if stem in _TABLE_NAMES else stem
