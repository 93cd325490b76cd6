"""The file system's events: watched once existing files are read, and nothing is lost in between."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import watchfiles
from watchfiles import Change

from mindinsight.environment import Environment
from mindinsight.ingest import follower as followers
from mindinsight.ingest.follower import Follower
from mindinsight.ingest.watcher import Watcher
from mindinsight.runs.models import Run
from summaries import SummaryWriter
from tests.mindinsight.ingest.conftest import wait_for

PATIENCE_S = 20.0

pytestmark = pytest.mark.django_db(transaction=True)


class Visitor(threading.Event):
    """Stands between the follower's turns, in its own thread: acts, and ends it.

    Args:
        act: is called before every turn; the follower ends when it returns True.
    """

    def __init__(self, act: Callable[[], bool]) -> None:
        super().__init__()
        self._act = act
        self._until = time.monotonic() + PATIENCE_S

    def is_set(self) -> bool:
        """Called by the follower before every turn."""
        assert time.monotonic() < self._until, "what was written is never read"
        return self._act()


def write(directory: Path) -> None:
    with SummaryWriter(directory) as writer:
        writer.add_scalar("loss", 1.0, 1)


def names() -> set[str]:
    return set(Run.objects.filter(point_count__gt=0).values_list("name", flat=True))


def test_events_are_heard_without_polling(environment: Environment) -> None:
    """Whatever is made once the first files were read is found, long before the next poll."""
    caught_up = threading.Event()
    write(environment.base_directory / "before")
    made = 0

    def act() -> bool:
        nonlocal made
        if caught_up.is_set() and not made:
            write(environment.base_directory / "between")  # nobody has asked for events at this moment
            made = 1
        elif "between" in names() and made < 100:
            write(environment.base_directory / f"after{made}")  # again and again: asking takes a moment
            made += 1
        return {"before", "between"} < names()

    Follower(replace(environment, reload_interval=300.0), caught_up).follow(Visitor(act))
    assert any(name.startswith("after") for name in names())


def test_files_that_grow_beside_a_long_back_log_are_heard(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Events do not wait for the end of a back-log that takes longer than a moment."""
    monkeypatch.setattr(followers, "WATCH_WITHIN_S", 0.0)
    caught_up = threading.Event()
    write(environment.base_directory / "before")
    follower = Follower(replace(environment, reload_interval=300.0), caught_up)
    made = 0

    def act() -> bool:
        nonlocal made
        caught_up.clear()  # the back-log never ends
        if made < 100:
            write(environment.base_directory / f"beside{made}")
            made += 1
        return "before" in names() and len(names()) > 2

    follower.follow(Visitor(act))
    assert made


class Events:
    """Stands for the file system: tells what it is given, in place of `watchfiles.watch`."""

    def __init__(self) -> None:
        self.told: queue.Queue[set[tuple[Change, str]] | Exception | None] = queue.Queue()
        self.asked: dict[str, Any] = {}

    def watch(self, base: Path, **options: Any) -> Iterator[set[tuple[Change, str]]]:
        """Yields what happens below a directory."""
        self.asked = {"base": base, **options}
        while (happened := self.told.get()) is not None:
            if isinstance(happened, Exception):
                raise happened
            yield happened


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> Iterator[Events]:
    made = Events()
    monkeypatch.setattr(watchfiles, "watch", made.watch)
    yield made
    made.told.put(None)


def test_changes_are_gathered_and_a_deleted_file_is_its_directory(events: Events, tmp_path: Path) -> None:
    watcher = Watcher(tmp_path)
    assert not watcher.started
    assert watcher.wait(0.0) == set()
    watcher.start()
    assert watcher.started
    events.told.put({(Change.added, "/base/a/1"), (Change.modified, "/base/b/2"), (Change.deleted, "/base/c/3")})
    events.told.put({(Change.deleted, "/base/c/4"), (Change.added, "/base/d")})
    heard: set[str] = set()
    wait_for(lambda: heard.update(watcher.wait(0.0)) or "/base/d" in heard)
    assert heard == {"/base/a/1", "/base/b/2", "/base/c", "/base/d"}
    assert watcher.wait(0.0) == set()
    assert watcher.working
    asked = events.asked
    assert (asked["base"], asked["watch_filter"]) == (tmp_path, None)  # Hidden and temporary files, too.
    # A hundred looks a second at most, and none of watchfiles' usual 1.6 seconds.
    assert 0 < asked["step"] <= asked["debounce"] <= 10
    assert {thread.daemon for thread in threading.enumerate() if thread.name == "watcher"} == {True}
    assert not asked["stop_event"].is_set()
    watcher.stop()
    assert asked["stop_event"].is_set()
    watcher.wait(60.0)  # Nobody waits any more.
    watcher.wait(60.0)


def test_without_events_the_directory_is_polled(
    events: Events, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    watcher = Watcher(tmp_path)
    watcher.start()
    events.told.put(OSError("too many directories"))
    wait_for(lambda: not watcher.working)
    assert [record.message for record in caplog.records] == [
        f"No file system events below {tmp_path} (too many directories); polling instead"
    ]


def test_a_dashboard_that_reads_once_asks_for_no_events(environment: Environment) -> None:
    write(environment.base_directory / "before")
    turns = 0

    def act() -> bool:
        nonlocal turns
        turns += 1
        if turns == 5:
            write(environment.base_directory / "after")
        return turns > 10

    Follower(replace(environment, reload_interval=0.0)).follow(Visitor(act))
    assert names() == {"before"}
