"""Judges what state a run is in, from its newest files: running, finished, crashed or stalled.

A writer of `summaries` holds its file locked while it lives and takes the write permission away when it closes it, so
its end is known at once. Of other writers only growth is known.
"""

from __future__ import annotations

from dataclasses import dataclass

from mindinsight.runs.models import Run
from summaries.beneath import FilePath
from summaries.reading.liveness import WriterState, writer_state

STALLED_AFTER_S = 60.0
SETTLED_AFTER_S = 600.0
# Writers hold events back for up to two minutes (TensorBoard's default) before they flush.
WRITE_DELAY_S = 150.0


@dataclass(frozen=True)
class FileSign:
    """When one event file last grew, as far as anybody can tell.

    Attributes:
        path: the file.
        modified: what its directory entry says, seconds since 1970.
        seen_growing: when we last saw it grow, seconds since 1970; 0 if never.
        closed: whether nobody may write it any more.
        foreign: whether its writer is known to be none of `summaries`, of which more could be told.
    """

    path: FilePath
    modified: float
    seen_growing: float = 0.0
    closed: bool = False
    foreign: bool = False

    def last_growth(self, last_wall: float | None) -> float:
        """When the file last grew.

        A copied or restored file has a fresh date and old events: unless it was seen to grow, it cannot have grown
        after its last event by more than a moment.

        Args:
            last_wall: wall time of the run's last point, seconds since 1970, if it has any.
        """
        written = self.modified if last_wall is None else min(self.modified, last_wall + WRITE_DELAY_S)
        return max(written, self.seen_growing)

    def writer(self) -> WriterState:
        """What is known of its writer; the file is looked at only where that can tell more."""
        if self.closed:
            return WriterState.CLOSED
        return WriterState.UNKNOWN if self.foreign else writer_state(self.path)


def judge(files: list[FileSign], now: float, last_wall: float | None = None) -> tuple[Run.State, float]:
    """Returns the state of a run and since when it holds.

    Args:
        files: the run's event files.
        now: seconds since 1970.
        last_wall: wall time of the run's last point, seconds since 1970, if it has any.
    """
    newest = max(files, key=lambda file: file.modified)
    signs = {file.writer() for file in files if now - file.modified < SETTLED_AFTER_S or file == newest}
    last = max(file.last_growth(last_wall) for file in files)
    if WriterState.WRITING in signs:
        return Run.State.RUNNING, last
    if WriterState.ABANDONED in signs:
        return Run.State.CRASHED, last
    if WriterState.UNKNOWN in signs:
        return _by_growth(last, now)
    return Run.State.FINISHED, last


def _by_growth(last: float, now: float) -> tuple[Run.State, float]:
    if now - last < STALLED_AFTER_S:
        return Run.State.RUNNING, last
    if now - last < SETTLED_AFTER_S:
        return Run.State.STALLED, last
    return Run.State.FINISHED, last
