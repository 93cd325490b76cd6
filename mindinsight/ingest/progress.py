"""How fast older data is being read and how long it will take: what a run's row says as `reading`.

Asked by the follower once a second.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mindinsight.ingest.followed import FollowedRun

if TYPE_CHECKING:
    from mindinsight.runs.queries import ReadingRow

# Less than this is not worth a word.
_WORTH_S = 1.0
# How much of the newest measurement goes into the rate.
_WEIGHT = 0.4


class Progress:
    """Measures how fast all files together are read."""

    def __init__(self) -> None:
        self._last: tuple[float, int, int] | None = None
        self._bytes_per_second = 0.0
        self._events_per_second = 0.0

    def look(self, runs: Sequence[FollowedRun]) -> list[FollowedRun]:
        """Updates `reading` of runs.

        Args:
            runs: all runs, in the order in which they are read.

        Returns:
            The runs for which something else is to be said now.
        """
        if not self._measure(runs):
            return []
        changed: list[FollowedRun] = []
        ahead = 0
        for run in runs:
            unread = run.unread
            ahead += unread
            reading = self._reading(ahead) if unread else None
            if reading != run.row.reading:
                run.row.reading = reading
                changed.append(run)
        return changed

    def _measure(self, runs: Sequence[FollowedRun]) -> bool:
        """Returns whether anything is known by now."""
        now = time.monotonic()
        files = [file.row for run in runs for file in run.files]
        read, records = sum(row.offset for row in files), sum(row.records for row in files)
        last, self._last = self._last, (now, read, records)
        if last is not None:
            then, read_then, records_then = last
            elapsed = max(now - then, 1e-3)
            self._bytes_per_second += _WEIGHT * (max(0, read - read_then) / elapsed - self._bytes_per_second)
            self._events_per_second += _WEIGHT * (max(0, records - records_then) / elapsed - self._events_per_second)
        return last is not None

    def _reading(self, unread: int) -> ReadingRow | None:
        if self._bytes_per_second <= 0:
            return {"events_per_second": 0.0, "seconds_left": None}
        left = unread / self._bytes_per_second
        if left < _WORTH_S:
            return None
        return {"events_per_second": float(f"{self._events_per_second:.3g}"), "seconds_left": round(left, 1)}
