"""Passes files with a large back-log to chains of tasks, watches their progress, and takes files back.

Used by the follower, in the process that holds the store's lock.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable

from mindinsight.ingest.followed import FollowedFile
from mindinsight.runs.models import EventFile, Series

# The reader's loop reads smaller back-logs itself, in about a second.
LARGE_BYTES = 512 << 20
# A chain without progress for this time has lost its broker or its worker.
PATIENCE_S = 15.0
# Time for which the loop reads a file itself after its chain failed.
RETRY_S = 60.0


class Backlog:
    """The files that tasks are reading.

    Args:
        send: queues a task that reads a portion of a file. Takes the file's number and the name of the chain.
    """

    def __init__(self, send: Callable[[int, str], None]) -> None:
        self._send = send
        self._files: dict[int, tuple[FollowedFile, float]] = {}
        self._not_before: dict[int, float] = {}

    def wants(self, file: FollowedFile) -> bool:
        """Whether tasks should read a file."""
        return (
            file.unread > LARGE_BYTES
            and not file.row.backlog
            and time.monotonic() >= self._not_before.get(file.row.pk, 0.0)
        )

    def hand_out(self, file: FollowedFile) -> None:
        """Starts a chain of tasks for a file whose rows have all been written back."""
        chain = uuid.uuid4().hex
        EventFile.objects.filter(pk=file.row.pk).update(backlog=chain)
        file.row.backlog = chain
        file.intake.release()
        self._files[file.row.pk] = file, time.monotonic()
        self._send(file.row.pk, chain)

    def look(self) -> tuple[list[FollowedFile], dict[int, int]]:
        """Checks the progress of the tasks.

        Returns:
            The files with progress, and the index after the last row of each of their series.
        """
        moved: list[FollowedFile] = []
        ends: dict[int, int] = {}
        for number, (file, since) in list(self._files.items()):
            before = file.row.offset
            try:
                file.row.refresh_from_db()
            except EventFile.DoesNotExist:  # its run was removed
                del self._files[number]
                continue
            if file.row.offset != before:
                self._files[number] = file, time.monotonic()
                ends.update(Series.objects.filter(file=number).values_list("pk", "count"))
                file.intake.book.created = True  # the run's row is made from series that may be new
                moved.append(file)
            elif time.monotonic() - since > PATIENCE_S:
                self._not_before[number] = time.monotonic() + RETRY_S
                self._take_back(file)
            if file.row.complete or not file.row.backlog:
                self._take_back(file)
        return moved, ends

    def _take_back(self, file: FollowedFile) -> None:
        """From here on the loop reads the file. A task that still reads it finds that its chain has ended."""
        EventFile.objects.filter(pk=file.row.pk).update(backlog="")
        file.row.refresh_from_db()
        self._files.pop(file.row.pk, None)
