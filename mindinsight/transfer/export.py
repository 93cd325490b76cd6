"""Exports runs: reads them, and writes one file for each. Called by `mindinsight export` and by tasks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

import numpy as np

from mindinsight.ingest.discovery import FoundFile
from mindinsight.transfer.errors import TransferError
from mindinsight.transfer.event_export import EventExport, MindSporeExport, TensorBoardExport
from mindinsight.transfer.formats.contents import plural
from mindinsight.transfer.named_runs import NamedRun
from mindinsight.transfer.new_file import NewFile
from mindinsight.transfer.reading import Progress, Window, read_file
from mindinsight.transfer.report import Report
from mindinsight.transfer.segments import StretchCounter, first_segments
from mindinsight.transfer.selection import Selection
from mindinsight.transfer.tables import CsvTable, ParquetTable, Rows, import_arrow
from summaries.kinds import KINDS, Kind


class Format(StrEnum):
    """The formats of an export."""

    CSV = "csv"
    PARQUET = "parquet"
    TENSORBOARD = "tensorboard"
    MINDSPORE = "mindspore"


_TABLES: dict[Format, type[CsvTable | ParquetTable]] = {Format.CSV: CsvTable, Format.PARQUET: ParquetTable}
_EVENTS: dict[Format, type[EventExport]] = {Format.TENSORBOARD: TensorBoardExport, Format.MINDSPORE: MindSporeExport}


@dataclass(frozen=True)
class Plan:
    """A run and its output file."""

    run: NamedRun
    target: Path


class Export:
    """Exports runs.

    Args:
        runs: the runs.
        target: the format.
        output: directory to write to.
        selection: the selected values.
        force: whether files of an earlier export may be replaced.

    Raises:
        TransferError: nothing can be exported. Nothing was written.
    """

    def __init__(
        self, runs: Sequence[NamedRun], target: Format, output: Path, selection: Selection, *, force: bool
    ) -> None:
        self.report = Report()
        self._format = target
        self._selection = selection
        self._force = force
        if target is Format.PARQUET:
            import_arrow()
        if target in _TABLES and not selection.wants_kind(Kind.SCALAR):
            raise TransferError(f"{target.value} files hold scalars only. Ask for --kind scalar, or another --format.")
        self.plans = [Plan(run, self._target(output, run)) for run in runs]
        for plan in self.plans:
            self._check(plan)

    @property
    def size(self) -> int:
        """Number of bytes to read."""
        passes = [2 if self._format in _TABLES and len(plan.run.files) > 1 else 1 for plan in self.plans]
        return sum(times * plan.run.size for times, plan in zip(passes, self.plans, strict=True))

    def write(self, progress: Progress, begin: Callable[[str], object]) -> None:
        """Writes all files. Notes about the export are in `report`.

        Args:
            progress: called with the number of bytes read since the last call.
            begin: called with the name of each run.

        Raises:
            TransferError: a file cannot be written. Files written before are complete and stay.
        """
        for plan in self.plans:
            begin(plan.run.name)
            with NewFile(plan.target, replace=self._force, finished=self._format in _EVENTS) as new:
                self._write_run(plan.run, new.file, progress)
            self._take_lineage(plan)
            self.report.runs += 1

    def _write_run(self, run: NamedRun, file: BinaryIO, progress: Progress) -> None:
        if self._format in _TABLES:
            self._write_table(run, _TABLES[self._format](file, run.name), progress)
        else:
            self._write_events(run, _EVENTS[self._format](file, self.report, _opened(run)), progress)

    def _target(self, output: Path, run: NamedRun) -> Path:
        opened = int(_opened(run))
        names = {
            Format.CSV: "scalars.csv",
            Format.PARQUET: "scalars.parquet",
            Format.TENSORBOARD: f"events.out.tfevents.{opened:010d}.export",
            Format.MINDSPORE: f"events.out.events.summary.{opened}.0.export_MS",
        }
        return output / run.name / names[self._format]

    def _check(self, plan: Plan) -> None:
        directory = plan.target.parent
        copies = [directory / file.path.name for file in self._lineage_to_copy(plan.run)]
        with suppress(OSError):
            if self._format in _EVENTS and directory.samefile(plan.run.directory):
                raise TransferError(
                    f"{directory} is the run itself, which would then contain every value twice. Choose another "
                    "--output."
                )
        for path in (plan.target, *copies):
            if not self._force and os.path.lexists(path):
                raise TransferError(f"{path} is there already. Choose another --output, or add --force to replace it.")

    def _write_events(self, run: NamedRun, events: EventExport, progress: Progress) -> None:
        for file in run.files:
            for window in read_file(file, self._selection, self.report, progress):
                events.write(window)

    def _write_table(self, run: NamedRun, table: CsvTable | ParquetTable, progress: Progress) -> None:
        firsts = first_segments(run.files, progress)
        for file, first in zip(run.files, firsts, strict=True):
            counter = StretchCounter()
            for window in read_file(file, self._selection, self.report, progress):
                segment = counter.number(window.batch)[window.wanted] + np.int32(first)
                table.write(Rows(window.tags, window.points, window.tag, segment))
                self.report.points += len(window.points)
                self._note_others(window)
        table.close()

    def _note_others(self, window: Window) -> None:
        why = f"{'CSV' if self._format is Format.CSV else 'Parquet'} files hold scalars only"
        for index, count in enumerate(np.bincount(window.place_kind).tolist()):
            if KINDS[index] is not Kind.ENVIRONMENT:  # It belongs to the run, and is not one of its values.
                self.report.leave_out(plural(KINDS[index].value), why, count)

    def _lineage_to_copy(self, run: NamedRun) -> tuple[FoundFile, ...]:
        wanted = self._selection.wants_kind(Kind.HPARAMS) and self._selection.wants_tag("")
        return run.lineage if wanted and self._format is Format.MINDSPORE else ()

    def _take_lineage(self, plan: Plan) -> None:
        """Hyper-parameters are in separate files, which MindInsight reads unchanged."""
        if self._format is not Format.MINDSPORE:
            if self._selection.wants_kind(Kind.HPARAMS) and self._selection.wants_tag(""):
                why = "only the format mindspore has such files"
                self.report.leave_out("lineage files with hyper-parameters", why, len(plan.run.lineage))
            return
        for file in self._lineage_to_copy(plan.run):
            target = plan.target.parent / file.path.name
            try:
                source = os.fdopen(file.path.open(), "rb")
                with source, NewFile(target, replace=self._force, finished=True) as new:
                    shutil.copyfileobj(source, new.file)
            except OSError as error:
                self.report.failures.append(f"{file.path} cannot be read: {error.strerror or error}.")


def _opened(run: NamedRun) -> float:
    """Creation time of the run's first file, in seconds since 1970; 0 for a run with lineage files only."""
    return run.files[0].opened if run.files else 0.0
