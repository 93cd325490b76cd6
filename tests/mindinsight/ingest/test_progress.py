"""How long older data will take to be read, as a run's row says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindinsight.ingest.discovery import FoundFile
from mindinsight.ingest.followed import FollowedFile, FollowedRun
from mindinsight.ingest.progress import LONGEST_LEFT_S, STALLED_AFTER_S, Progress
from mindinsight.ingest.storing.intake import Intake
from mindinsight.ingest.storing.numbers import SeriesNumbers
from mindinsight.runs.models import EventFile, Run
from mindinsight.store import ColumnStore
from summaries.naming import FileKind


class Reading:
    """A run of one file of which so much is read at every look."""

    def __init__(self, folder: Path, size: int) -> None:
        self.now = 1000.0
        self.run = FollowedRun(Run(name="run"))
        self.row = EventFile(path="run/file", size=size)
        found = FoundFile(str(folder / "file"), "run/file", FileKind.MINDSPORE, 0.0, 1, size, 0.0)
        self.run.add(FollowedFile(self.run, Intake(self.row, found.path, ColumnStore(folder), SeriesNumbers()), found))
        self.progress = Progress(lambda: self.now)
        self.progress.look([self.run])

    def look(self, read: int, seconds: float = 1.0) -> None:
        self.now += seconds
        self.row.offset += read
        self.row.records += read // 100
        self.progress.look([self.run])

    @property
    def left(self) -> float | None:
        return self.run.row.reading["seconds_left"]


def test_steady_reading_gives_an_estimate(tmp_path: Path) -> None:
    reading = Reading(tmp_path, 1_000_000)
    for _ in range(30):
        reading.look(1000)
    assert reading.left == pytest.approx(970, rel=0.01)
    assert reading.run.row.reading["events_per_second"] == pytest.approx(10, rel=0.01)


def test_reading_that_stops_has_no_estimate(tmp_path: Path) -> None:
    reading = Reading(tmp_path, 1_000_000)
    for _ in range(10):
        reading.look(1000)
    for _ in range(int(STALLED_AFTER_S) + 1):
        reading.look(0)
    assert reading.run.row.reading == {"events_per_second": 0.0, "seconds_left": None}
    for _ in range(100):
        reading.look(0)
        assert reading.left is None
    reading.look(1000)
    assert reading.left is not None


def test_an_estimate_beyond_a_week_is_left_out(tmp_path: Path) -> None:
    reading = Reading(tmp_path, 1 << 50)
    for _ in range(20):
        reading.look(1000)
        assert reading.left is None
    for _ in range(20):
        reading.look(1 << 40)
        assert reading.left is None or reading.left <= LONGEST_LEFT_S
    assert reading.left == pytest.approx(1000, rel=0.05)
