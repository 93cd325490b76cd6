"""The rate at which older data is read, and the remaining time: the field `reading` of a run's row.

Called by the follower once a second. Estimates are given only while data is being read, and only up to
`LONGEST_LEFT_S`. A reader that has read nothing for `STALLED_AFTER_S` has no rate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mindinsight.ingest.followed import FollowedRun

if TYPE_CHECKING:
    from mindinsight.runs.queries import ReadingRow

# Time without reading after which the rate is unknown. The mean alone would halve with every measurement, and the
# estimate would double.
STALLED_AFTER_S = 5.0
# A longer estimate only says that reading hardly advances.
LONGEST_LEFT_S = 7 * 86_400.0
# Back-logs that take less time are not reported.
_WORTH_S = 1.0
# Weight of the newest measurement in the rate.
_WEIGHT = 0.4


class Progress:
    """Measures the rate at which all files together are read.

    Args:
        clock: returns monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last: tuple[float, int, int] | None = None
        self._read_at = 0.0
        self._bytes_per_second = 0.0
        self._events_per_second = 0.0

    def look(self, runs: Sequence[FollowedRun]) -> list[FollowedRun]:
        """Updates `reading` of runs.

        Args:
            runs: all runs, in the order in which they are read.

        Returns:
            The runs whose `reading` has changed.
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
        """Returns whether an estimate is known by now."""
        now = self._clock()
        files = [file.row for run in runs for file in run.files]
        read, records = sum(row.offset for row in files), sum(row.records for row in files)
        last, self._last = self._last, (now, read, records)
        if last is not None:
            then, read_then, records_then = last
            elapsed = max(now - then, 1e-3)
            self._bytes_per_second += _WEIGHT * (max(0, read - read_then) / elapsed - self._bytes_per_second)
            self._events_per_second += _WEIGHT * (max(0, records - records_then) / elapsed - self._events_per_second)
            if read > read_then:
                self._read_at = now
            elif now - self._read_at >= STALLED_AFTER_S:
                self._bytes_per_second = self._events_per_second = 0.0
        return last is not None

    def _reading(self, unread: int) -> ReadingRow | None:
        if self._bytes_per_second <= 0:
            return {"events_per_second": 0.0, "seconds_left": None}
        left = unread / self._bytes_per_second
        if left < _WORTH_S:
            return None
        events = float(f"{self._events_per_second:.3g}")
        return {"events_per_second": events, "seconds_left": round(left, 1) if left <= LONGEST_LEFT_S else None}
