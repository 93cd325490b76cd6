"""Removes and restores runs as users requested, with or without their files.

The API only marks the run's row. The reader, the only writer of the store, does the work within a second.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from pathlib import Path

from mindinsight.api.problems import error_body
from mindinsight.ingest.deletion import Refusal, delete_files, is_there
from mindinsight.ingest.followed import FollowedFile
from mindinsight.ingest.storing.ledger import Ledger
from mindinsight.runs.models import Run
from mindinsight.runs.stored_files import StoredFile
from mindinsight.runs.trash import expire

logger = logging.getLogger(__name__)

# Time after which files that could not be deleted are tried again.
_RETRY_S = 3600.0
# Files in the trash count as deleted after they have been missing for this time: somebody may be putting them back.
_GONE_AFTER_S = 1.0
_WHY = {
    "not_deleted_symbolic_link": (
        "{file} was not deleted: its path contains a symbolic link. Put the directory back and delete again, or "
        "restore the run."
    ),
    "not_deleted_other_file": (
        "{file} was not deleted: it is not the file that was moved to the trash. Look at it, then restore the run and "
        "delete it again."
    ),
    "not_deleted_no_permission": (
        "{file} was not deleted: the account of the dashboard has no permission. Allow it to write the directory and "
        "delete again, or restore the run."
    ),
    "not_deleted_read_only": (
        "{file} was not deleted: its file system is read-only. Mount it writable and delete again, or restore the run."
    ),
    "not_deleted": "{file} was not deleted: {error}. Delete again, or restore the run.",
}


class Removals:
    """Compares the requests in the rows with the work done.

    Args:
        base: the watched directory.
        ledger: the reader's rows.
    """

    def __init__(self, base: Path, ledger: Ledger) -> None:
        self._base = base
        self._ledger = ledger
        # A reader that was killed may not have deleted all files.
        rows = Run.objects.exclude(removed=Run.Removed.NO)
        self._done: dict[int, str] = {row.pk: row.removed for row in rows if not _interrupted(row)}
        self._failed: dict[int, float] = {}
        self._gone_since: dict[str, float] = {}

    def carry_out(self) -> list[int]:
        """Removes and restores runs.

        Returns:
            The numbers of the runs that changed.
        """
        asked = {row.pk: row for row in Run.objects.exclude(removed=Run.Removed.NO)}
        now = time.monotonic()
        expire(row for row in asked.values() if now - self._failed.get(row.pk, -_RETRY_S) >= _RETRY_S)
        changed = [row for row in asked.values() if self._done.get(row.pk) != row.removed]
        back = [number for number in self._done if number not in asked]
        for row in changed:
            self._remove(row)
        for row in Run.objects.filter(pk__in=back):
            self._ledger.note_removed(row)
        self._done = {number: row.removed for number, row in asked.items()}
        self._failed = {number: when for number, when in self._failed.items() if number in asked}
        return [row.pk for row in changed] + back

    def holds(self, name: str, missed: float) -> bool:
        """Whether a run that is missing on disk stays in the trash.

        It stays while something exists at the paths of its files, and for a short time after that: a directory that is
        being put back is missing between two system calls.

        Args:
            name: name of the run.
            missed: time at which a scan missed it first, by `time.monotonic`.
        """
        row = self._ledger.removed(name)
        if row is None:
            return False
        if any(is_there(self._base, file) for file in _files(row)):
            self._gone_since.pop(name, None)
            return True
        now = time.monotonic()
        if now - max(missed, self._gone_since.setdefault(name, now)) < _GONE_AFTER_S:
            return True
        del self._gone_since[name]
        return False

    def _remove(self, row: Run) -> None:
        run = self._ledger.runs.get(row.name)
        files = {file.path: file for file in _files(row)}
        if run is not None:
            for stored in map(_stored, run.files):
                # The user did not remove a file that has replaced another one since the request.
                if files.get(stored.path, stored).inode in (0, stored.inode):
                    files[stored.path] = stored
            self._ledger.drop(run)
        row.removed_files = list(files.values())
        if row.removed == Run.Removed.FILES:
            self._delete(row, files.values())
        else:
            _save(row, Run.Removed.STORE)
        self._ledger.note_removed(row)

    def _delete(self, row: Run, files: Iterable[StoredFile]) -> None:
        """Deletes a run's files. Files that cannot be deleted return to the trash, with the reason."""
        refusals = delete_files(self._base, files)
        row.removed_files = [refusal.file for refusal in refusals]
        row.removal_problem = None
        self._failed.pop(row.pk, None)
        if refusals:
            row.removal_problem = _problem(refusals)
            row.removed, row.removed_at = Run.Removed.STORE, row.removed_at or time.time()
            self._failed[row.pk] = time.monotonic()
            logger.warning("%d files of %s: %s", len(refusals), row.name, row.removal_problem["message"])
        _save(row, Run.Removed.FILES)


def _interrupted(row: Run) -> bool:
    """Whether files of a run still have to be deleted."""
    return row.removed == Run.Removed.FILES and bool(row.removed_files)


def _files(row: Run) -> list[StoredFile]:
    return [StoredFile.of(entry) for entry in row.removed_files]


def _stored(file: FollowedFile) -> StoredFile:
    found = file.found
    return StoredFile(found.relative, found.size, found.inode, found.modified)


def _problem(refusals: list[Refusal]) -> dict[str, object]:
    """The first refusal as an error of the API."""
    (path, *_), code, error = refusals[0]
    message = _WHY[code].format(file=path, error=error)
    return error_body(code, message, {"file": path, "files": len(refusals), "error": error})


def _save(row: Run, before: Run.Removed) -> None:
    """Writes the result for a removed run, unless a user requested something else in the meantime."""
    fields = ("removed", "removed_at", "removed_files", "removal_problem")
    Run.objects.filter(pk=row.pk, removed=before).update(**{name: getattr(row, name) for name in fields})
