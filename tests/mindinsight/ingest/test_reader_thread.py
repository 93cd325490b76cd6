"""The reader's thread: one follower at a time for a store, taken over at once, and started again whatever happens."""

from __future__ import annotations

import errno
import logging
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from mindinsight.environment import Environment
from mindinsight.ingest import reader_thread
from mindinsight.ingest.reader_thread import ReaderThread
from mindinsight.store.lock import WriterLock
from tests.mindinsight.ingest.conftest import wait_for


class Hasty(threading.Event):
    """Waits shorter than it is asked to."""

    def wait(self, timeout: float | None = None) -> bool:
        """Waits a moment."""
        return super().wait(None if timeout is None else timeout / 50)


class Following:
    """Stands for `Follower`: what each one that is made does instead of reading."""

    def __init__(self) -> None:
        self.fails: list[Exception] = []
        self.fails_to_start: list[Exception] = []
        self.environments: list[Environment] = []
        self.at_work = 0

    def __call__(self, environment: Environment, caught_up: threading.Event) -> Following:
        """Makes a follower."""
        self.environments.append(environment)
        if self.fails_to_start:
            raise self.fails_to_start.pop(0)
        self._caught_up = caught_up
        return self

    def follow(self, stopping: threading.Event) -> None:
        """Follows until it is stopped."""
        if self.fails:
            raise self.fails.pop(0)
        self.at_work += 1
        self._caught_up.set()
        while not stopping.is_set():
            time.sleep(0.002)
        self.at_work -= 1


@pytest.fixture
def following(monkeypatch: pytest.MonkeyPatch) -> Following:
    made = Following()
    monkeypatch.setattr("mindinsight.ingest.follower.Follower", made)
    monkeypatch.setattr(reader_thread, "migrate_once", lambda: None)
    return made


@pytest.fixture
def make_reader(environment: Environment, following: Following) -> Iterator[Callable[[], ReaderThread]]:
    """Makes readers that wait shorter than usual, and stops them all."""
    made: list[ReaderThread] = []

    def make() -> ReaderThread:
        reader = ReaderThread(environment)
        reader._stopping = Hasty()
        made.append(reader)
        return reader

    yield make
    for reader in made:
        reader.stop()
    wait_for(lambda: not following.at_work)


MakeReader = Callable[[], ReaderThread]


def test_it_reads_until_it_is_stopped(environment: Environment, make_reader: MakeReader, following: Following) -> None:
    reader, lock = make_reader(), WriterLock(environment.data_directory / "columns")
    assert not reader.wait_until_caught_up(0.0)
    reader.start()
    reader.start()
    assert reader.wait_until_caught_up(20.0)
    assert following.environments == [environment]
    assert following.at_work == 1
    assert lock.held_by_somebody()
    assert {thread.daemon for thread in threading.enumerate() if thread.name == "reader"} == {True}
    reader.stop()
    assert following.at_work == 0
    assert not lock.held_by_somebody()


def test_another_one_waits_for_the_lock_and_takes_over(make_reader: MakeReader, following: Following) -> None:
    first, second = make_reader(), make_reader()
    first.start()
    assert first.wait_until_caught_up(20.0)
    second.start()
    assert second.wait_until_caught_up(20.0)  # The first one has read what there is.
    assert len(following.environments) == following.at_work == 1
    first.stop()
    wait_for(lambda: len(following.environments) == 2 and following.at_work == 1)


def test_it_starts_again_and_a_disk_is_complained_about_once(
    make_reader: MakeReader, following: Following, caplog: pytest.LogCaptureFixture
) -> None:
    full = [OSError(errno.ENOSPC, "No space left on device") for _ in range(3)]
    following.fails = [*full[:2], RuntimeError("unheard of"), full[2]]
    reader = make_reader()
    reader.start()
    assert reader.wait_until_caught_up(20.0)
    assert len(following.environments) == 5
    told = [(record.levelno, record.message.partition(":")[0]) for record in caplog.records]
    every_second = (logging.WARNING, "The reader starts again every second")
    assert told == [every_second, (logging.ERROR, "The reader failed and starts again"), every_second]


def test_rows_that_nobody_wrote_are_damage(
    make_reader: MakeReader, following: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    suspected: list[str] = []
    monkeypatch.setattr(reader_thread.damage, "suspect", suspected.append)
    following.fails_to_start = [ValueError("year -1")]
    following.fails = [ValueError("of something else")]
    reader = make_reader()
    reader.start()
    assert reader.wait_until_caught_up(20.0)
    assert suspected == ["a row cannot be understood: year -1"]
