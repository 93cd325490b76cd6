"""Judges the state of a run from its newest files: running, finished, crashed or stalled.

A writer of `summaries` locks its file while it lives and removes the write permission when it closes the file, so its
end is known at once. For other writers only growth is known.
"""

from __future__ import annotations

from dataclasses import dataclass

from mindinsight.runs.models import Run
from summaries.beneath import FilePath
from summaries.reading.liveness import WriterState, writer_state

STALLED_AFTER_S = 60.0
SETTLED_AFTER_S = 600.0
# Writers may buffer events for up to two minutes (TensorBoard's default) before they flush.
WRITE_DELAY_S = 150.0


@dataclass(frozen=True)
class FileSign:
    """The signs of growth of one event file.

    Attributes:
        path: the file.
        modified: modification time in its directory entry, in seconds since 1970.
        seen_growing: time at which it was last seen to grow, in seconds since 1970; 0 if never.
        closed: whether it is write-protected.
        foreign: whether its writer is known not to be `summaries`, whose files show more.
    """

    path: FilePath
    modified: float
    seen_growing: float = 0.0
    closed: bool = False
    foreign: bool = False

    def last_growth(self, last_wall: float | None) -> float:
        """Returns the time at which the file last grew.

        A copied or restored file has a new date and old events. Unless it was seen to grow, it cannot have grown long
        after its last event.

        Args:
            last_wall: wall time of the run's last point, seconds since 1970, if it has any.
        """
        written = self.modified if last_wall is None else min(self.modified, last_wall + WRITE_DELAY_S)
        return max(written, self.seen_growing)

    def writer(self) -> WriterState:
        """The state of its writer. The file is checked only if that adds information."""
        if self.closed:
            return WriterState.CLOSED
        return WriterState.UNKNOWN if self.foreign else writer_state(self.path)


def judge(files: list[FileSign], now: float, last_wall: float | None = None) -> tuple[Run.State, float]:
    """Returns the state of a run, and the time since when it holds.

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
