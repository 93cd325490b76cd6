"""Carries out what users asked for: runs taken away from the dashboard, with or without their files, and taken back.

The API only marks the run's row; the reader, who alone writes the store, does the work within a second.
"""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path

from mindinsight.ingest.ledger import Ledger
from mindinsight.runs.models import Run
from mindinsight.runs.trash import expire

logger = logging.getLogger(__name__)


class Removals:
    """Compares what the rows say with what was done.

    Args:
        base: the watched directory.
        ledger: the reader's rows.
    """

    def __init__(self, base: Path, ledger: Ledger) -> None:
        self._base = base
        self._ledger = ledger
        self._done: dict[int, str] = dict(Run.objects.exclude(removed=Run.Removed.NO).values_list("pk", "removed"))

    def carry_out(self) -> list[int]:
        """Removes and takes back runs.

        Returns:
            The numbers of the runs that changed.
        """
        asked = {row.pk: row for row in Run.objects.exclude(removed=Run.Removed.NO)}
        expire(asked.values())
        changed = [row for row in asked.values() if self._done.get(row.pk) != row.removed]
        back = [number for number in self._done if number not in asked]
        for row in changed:
            self._remove(row)
        for row in Run.objects.filter(pk__in=back):
            self._ledger.note_removed(row)
        self._done = {number: row.removed for number, row in asked.items()}
        return [row.pk for row in changed] + back

    def _remove(self, row: Run) -> None:
        run = self._ledger.runs.get(row.name)
        paths = [self._base / path for path, _ in row.removed_files]
        if run is not None:
            paths += [self._base / file.row.path for file in run.files]
            self._ledger.drop(run)
        if row.removed == Run.Removed.FILES:
            _delete(self._base, paths)
        self._ledger.note_removed(row)


def _delete(base: Path, paths: list[Path]) -> None:
    """Deletes event files, and the directories that are empty then; whatever else lies there stays."""
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            logger.warning("Cannot delete %s: %s", path, error)
    for directory in sorted({path.parent for path in paths}, key=lambda path: len(path.parts), reverse=True):
        if directory != base:
            with contextlib.suppress(OSError):
                directory.rmdir()
