"""Scans the whole base directory from time to time for changed, new and missing files.

Run by the follower, a piece at a time: a scan of ten thousand runs takes half a second, and growing files cannot wait
that long.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from mindinsight.ingest.discovery import FoundFile, FoundRun, search
from mindinsight.ingest.followed import FollowedFile, FollowedRun
from mindinsight.ingest.scheduling import LongWork
from mindinsight.ingest.storing.ledger import Ledger

logger = logging.getLogger(__name__)

# Number of runs created or deleted in one transaction: some ten milliseconds of work.
RUNS_AT_ONCE = 200
# Maximum share of the time for scans. With very many runs they happen less often. The share may be larger if something
# unknown has changed or something is missing.
_SHARE = 0.05
_SHARE_IF_ASKED = 0.5
_RETRY_S = 1.0


class Survey:
    """Repeated scans of everything below the base directory.

    Args:
        base: the directory.
        interval: seconds between two scans; 0 scans once.
        ledger: creates rows for new files.
        look: called with a followed file and its newer directory entry.
        welcome: called with newly followed runs.
        lose: called with the names of missing runs, at most `RUNS_AT_ONCE`, each with the time (`time.monotonic`) of
        the scan that missed it first. Returns the runs to announce.

    Attributes:
        checked: time of the last complete scan, in seconds since 1970.
    """

    def __init__(
        self,
        base: Path,
        interval: float,
        ledger: Ledger,
        *,
        look: Callable[[FollowedFile, FoundFile], None],
        welcome: Callable[[list[FollowedRun]], None],
        lose: Callable[[Mapping[str, float]], Iterable[str]],
    ) -> None:
        self._base = base
        self._interval = interval or float("inf")
        self._ledger = ledger
        self._look, self._welcome, self._lose = look, welcome, lose
        self._work = LongWork(self._look_through)
        self._missing: dict[str, float] = {}
        self._lost: set[str] = set()
        self._asked = False
        self._next = self._not_before = 0.0
        self.checked = 0.0

    @property
    def under_way(self) -> bool:
        """Whether a scan has started and not ended."""
        return self._work.under_way

    @property
    def due(self) -> bool:
        """Whether there is work: a scan is running, or it is time for one."""
        return self.under_way or time.monotonic() >= self._next

    def ask(self) -> None:
        """Requests another scan soon. Something has changed, perhaps where the running scan has already been."""
        self._asked = True
        self._next = min(self._next, self._not_before)

    def put_off(self, seconds: float) -> None:
        """Delays the next scan by these seconds, because the last one failed."""
        self._next = time.monotonic() + seconds

    def go_on(self) -> None:
        """Does a piece of the running scan, or starts one."""
        self._work.go_on()

    def look_now(self) -> None:
        """Does a complete scan."""
        if self.under_way:
            self._work.finish()
        self._work.finish()

    def _look_through(self) -> Iterator[None]:
        self._asked = False
        self._next = float("inf")
        found: dict[str, FoundRun] = {}
        try:
            yield from self._look_at_known(found)
        except OSError as error:
            logger.warning("Cannot read the directory %s: %s", self._base, error)
            self._next = time.monotonic() + _RETRY_S
            return
        looked_s = self._work.seconds
        self.checked = time.time()
        yield from self._take(found)
        yield from self._drop_missing(found)
        now = time.monotonic()
        self._not_before = now + looked_s / _SHARE_IF_ASKED
        self._next = self._not_before if self._asked else now + self._pause(looked_s)

    def _look_at_known(self, found: dict[str, FoundRun]) -> Iterator[None]:
        """Done at once, because a file may be read between two pieces, and would then seem to have been truncated."""
        for files in search(self._base, found):
            for file in files:
                followed = self._ledger.files.get(file.relative)
                if followed is not None:
                    self._look(followed, file)
            yield

    def _pause(self, looked_s: float) -> float:
        return max(self._interval, looked_s / (_SHARE_IF_ASKED if self._missing else _SHARE))

    def _take(self, found: Mapping[str, FoundRun]) -> Iterator[None]:
        """Follows new files, the newest runs first."""
        known = self._ledger.files
        fresh = [run for run in found.values() if any(file.relative not in known for file in run.files)]
        fresh.sort(key=lambda run: run.files[0].opened, reverse=True)
        for first in range(0, len(fresh), RUNS_AT_ONCE):
            self._take_some(fresh[first : first + RUNS_AT_ONCE])
            yield

    def _take_some(self, found: Sequence[FoundRun]) -> None:
        files = [file for run in found for file in run.files if file.relative not in self._ledger.files]
        new = self._ledger.take(found)
        for file in files:
            followed = self._ledger.files.get(file.relative)
            if followed is not None:
                self._look(followed, file)
        if new:
            self._welcome(new)

    def _drop_missing(self, found: Mapping[str, FoundRun]) -> Iterator[None]:
        """Drops runs that were missing twice in succession. A directory that is being replaced is missing for a short
        time.
        """
        self._lost.difference_update(found)
        missing = self._ledger.names - found.keys() - self._lost
        lost = [(name, missed) for name, missed in self._missing.items() if name in missing]
        self._missing = dict.fromkeys(missing.difference(dict(lost)), time.monotonic())
        for first in range(0, len(lost), RUNS_AT_ONCE):
            some = dict(lost[first : first + RUNS_AT_ONCE])
            again = set(self._lose(some))
            self._missing.update((name, some[name]) for name in again)
            self._lost.update(some.keys() - again)
            yield
        self._lost &= self._ledger.names  # A deleted run has no row; a kept one has.
