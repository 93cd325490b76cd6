"""Removes runs: to the trash, back from it, or for good. Called by `api/trash.py` and by the reader.

Only rows change here. The reader does the work within a second, because only the reader writes the store and deletes
event files.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TypedDict

from django.conf import settings
from django.db import transaction

from mindinsight.runs.models import EventFile, Run
from mindinsight.runs.stored_files import StoredFile
from mindinsight.stored_names import beneath
from summaries.reading.liveness import WriterState, writer_state

# A file that grew more recently than this has a writer, whatever its state is.
_GREW_LATELY_S = 60.0
_DAY_S = 86_400.0


class TrashRow(TypedDict):
    """A run in the trash."""

    number: int
    id: str
    name: str
    removed_at: float | None
    deleted_at: float | None
    files: int
    bytes: int
    deleting: bool
    problem: dict[str, object] | None


class StillWritten(Exception):  # noqa: N818  (what it is, not an error of the program)
    """A run whose event files are still being written. The message is the run's name."""


class FilesDeleted(Exception):  # noqa: N818
    """A run whose event files are deleted. The message is the run's name."""


def put(runs: Sequence[Run]) -> None:
    """Moves runs to the trash. Runs in the trash stay unchanged."""
    moved = [run for run in runs if run.removed == Run.Removed.NO]
    _note_files(moved)
    for run in moved:
        run.removed, run.removed_at = Run.Removed.STORE, time.time()
    _save(moved)


def take_back(runs: Sequence[Run]) -> None:
    """Restores runs from the trash.

    Raises:
        FilesDeleted: the files of one run are deleted. No run is restored.
    """
    for run in runs:
        if run.removed == Run.Removed.FILES:
            raise FilesDeleted(run.name)
        run.removed, run.removed_at, run.removed_files = Run.Removed.NO, None, []
        run.removal_problem = None
    _save(runs)


def purge(runs: Sequence[Run]) -> None:
    """Requests the deletion of runs' event files, in the trash or not.

    Raises:
        StillWritten: one run is still being written. Nothing is deleted.
    """
    for run in runs:
        if is_written(run):
            raise StillWritten(run.name)
    _note_files([run for run in runs if run.removed == Run.Removed.NO])
    for run in runs:
        run.removed = Run.Removed.FILES
    _save(runs)


def is_written(run: Run) -> bool:
    """Returns whether a writer still writes to a run's event files."""
    if run.removed == Run.Removed.NO:
        return run.state == Run.State.RUNNING
    now = time.time()
    for known in map(StoredFile.of, run.removed_files):
        file = beneath(settings.ENVIRONMENT.base_directory, known.path)
        try:
            status = file.stat()
        except OSError:
            continue
        if not known.is_at(status):
            continue  # Such a run is not deleted either.
        state, modified = writer_state(file), status.st_mtime
        if state is WriterState.WRITING or (state is WriterState.UNKNOWN and now - modified < _GREW_LATELY_S):
            return True
    return False


def contents() -> list[TrashRow]:
    """Returns the runs in the trash and those about to be deleted, newest first."""
    runs = Run.objects.exclude(removed=Run.Removed.NO).order_by("-removed_at", "name")
    return [
        {
            "number": run.pk,
            "id": run.uid.hex,
            "name": run.name,
            "removed_at": run.removed_at,
            "deleted_at": _deleted_at(run),
            "files": len(run.removed_files),
            "bytes": sum(size for _, size, *_ in run.removed_files),
            "deleting": run.removed == Run.Removed.FILES,
            "problem": run.removal_problem,
        }
        for run in runs
        if run.removed == Run.Removed.STORE or run.removed_files
    ]


def expire(runs: Iterable[Run]) -> None:
    """Requests the deletion of removed runs whose time in the trash is over. The reader calls this with their rows."""
    now = time.time()
    over = [run for run in runs if (deleted_at := _deleted_at(run)) is not None and deleted_at <= now]
    over = [run for run in over if not is_written(run)]
    for run in over:
        run.removed = Run.Removed.FILES
    _save(over)


def _deleted_at(run: Run) -> float | None:
    """Returns the end of a run's time in the trash, or None if it has none."""
    days = settings.ENVIRONMENT.trash_days
    if run.removed != Run.Removed.STORE or run.removed_at is None or days <= 0:
        return None
    return float(run.removed_at + days * _DAY_S)


def _note_files(runs: Sequence[Run]) -> None:
    """Stores the identity of runs' event files, which is checked before they are deleted."""
    files: dict[int, list[StoredFile]] = {run.pk: [] for run in runs}
    for start in range(0, len(runs), 500):
        chosen = EventFile.objects.filter(run__in=[run.pk for run in runs[start : start + 500]]).order_by("path")
        for number, path, size, inode in chosen.values_list("run_id", "path", "size", "inode"):
            files[number].append(StoredFile(path, size, inode))
    for run in runs:
        run.removed_files = files[run.pk]


def _save(runs: Sequence[Run]) -> None:
    with transaction.atomic():
        Run.objects.bulk_update(runs, ["removed", "removed_at", "removed_files", "removal_problem"], batch_size=200)
