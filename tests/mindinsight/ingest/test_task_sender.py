"""Messages of the reader: tasks in order, and messages that are merged while the broker is down."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from kombu.exceptions import OperationalError

from mindinsight.ingest import announcer, task_sender
from mindinsight.ingest.announcer import Announcer
from mindinsight.ingest.task_sender import TaskSender
from tests.mindinsight.ingest.conftest import wait_for


class Application:
    """Accepts tasks like Celery; refuses the given number of them."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, tuple[object, ...]]] = []
        self.refuse = 0

    def send_task(self, name: str, arguments: tuple[object, ...], *, retry: bool) -> None:
        assert not retry
        if self.refuse:
            self.refuse -= 1
            raise OperationalError("no broker")
        self.taken.append((name, arguments))


@pytest.fixture
def application(monkeypatch: pytest.MonkeyPatch) -> Application:
    made, of_others = Application(), Application()

    def find(_: str) -> Application:
        """A reader of an earlier test may still be sending."""
        return of_others if threading.current_thread() in _before else made

    monkeypatch.setattr(task_sender, "import_string", find)
    return made


_before: set[threading.Thread] = set()


@pytest.fixture(autouse=True)
def _others() -> None:
    """Remembers the threads of other tests."""
    _before.clear()
    _before.update(threading.enumerate())


def sending_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "task-sender" and thread not in _before]


def test_tasks_are_sent_in_order_and_runs_are_measured_two_hundred_at_a_time(application: Application) -> None:
    sender = TaskSender()
    sender.measure(set(range(450)))
    sender.read_backlog(7, "chain")
    sender.start()
    sender.sweep(12)
    sender.keep_copy(3)
    sender.measure([])
    wait_for(lambda: len(application.taken) == 6)
    assert application.taken == [
        ("runs.measure_disk_use", (list(range(200)),)),
        ("runs.measure_disk_use", (list(range(200, 400)),)),
        ("runs.measure_disk_use", (list(range(400, 450)),)),
        ("ingest.read_backlog", (7, "chain")),
        ("ingest.sweep", (12,)),
        ("ingest.keep_copy", (3,)),
    ]
    assert [thread.daemon for thread in sending_threads()] == [True]
    sender.stop()
    wait_for(lambda: not sending_threads())


def test_a_broker_that_is_away_loses_its_task_only(application: Application) -> None:
    application.refuse = 1
    sender = TaskSender()
    sender.start()
    sender.sweep(1)
    sender.sweep(2)
    sender.stop()
    wait_for(lambda: not sending_threads())
    assert application.taken == [("ingest.sweep", (2,))]


def test_tasks_beyond_the_bound_are_left_out(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_sender, "_WAITING", 3)
    sender = TaskSender()
    for number in range(5):
        sender.sweep(number)
    sender.start()
    wait_for(lambda: len(application.taken) == 3)
    sender.stop()
    wait_for(lambda: not sending_threads())
    assert [arguments for _, arguments in application.taken] == [(0,), (1,), (2,)]


class Layer:
    """Takes messages as a channel layer does; while `away` it refuses them."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, dict[str, Any]]] = []
        self.asked = 0
        self.flushed = False
        self.away = False

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        self.asked += 1
        if self.away:
            raise OSError("nobody listens")
        self.taken.append((group, message))

    async def flush(self) -> None:
        self.flushed = True


@pytest.fixture
def layer(monkeypatch: pytest.MonkeyPatch) -> Layer:
    made = Layer()
    monkeypatch.setattr(announcer, "get_channel_layer", lambda: made)
    monkeypatch.setattr(announcer, "RETRY_S", 0.01)
    return made


@pytest.fixture
def sender(layer: Layer) -> Iterator[Announcer]:
    made = Announcer()
    yield made
    made.stop()
    assert layer.flushed


def test_what_was_said_before_the_thread_runs_is_one_message(sender: Announcer, layer: Layer) -> None:
    sender.stored({7: 3, 8: 1})
    sender.stored({7: 5})
    sender.rows({2}, {9, 8})
    sender.rows({1}, {8})
    sender.start()
    sender.rows(set(), set())
    wait_for(lambda: layer.taken)
    group, message = layer.taken[0]
    assert group == announcer.GROUP
    told = {name: message[name] for name in ("type", "number", "ends", "runs", "series", "beat")}
    assert told == {
        "type": "live",
        "number": 1,
        "ends": [[7, 5], [8, 1]],
        "runs": [1, 2],
        "series": [8, 9],
        "beat": None,
    }


def test_every_message_has_the_next_number_and_only_what_is_new(sender: Announcer, layer: Layer) -> None:
    sender.start()
    sender.stored({7: 3})
    wait_for(lambda: len(layer.taken) == 1)
    sender.beat({"time": 1.0})  # type: ignore[arg-type, typeddict-item]
    wait_for(lambda: len(layer.taken) == 2)
    first, second = (message for _, message in layer.taken)
    assert (first["number"], second["number"]) == (1, 2)
    assert first["reader"] == second["reader"]
    # Pages tell one life of the reader from the next.
    assert int(first["reader"], 16) > 0
    assert (second["ends"], second["runs"], second["series"]) == ([], [], [])
    assert second["beat"] == {"time": 1.0}


def test_while_the_broker_is_away_messages_are_merged_and_the_newer_word_counts(
    sender: Announcer, layer: Layer, caplog: pytest.LogCaptureFixture
) -> None:
    layer.away = True
    sender.start()
    sender.stored({7: 3, 8: 4})
    sender.rows({1}, {5})
    sender.beat({"time": 1.0})  # type: ignore[arg-type, typeddict-item]
    wait_for(lambda: layer.asked > 2)
    sender.stored({7: 9})
    sender.rows({2}, {6})
    sender.beat({"time": 2.0})  # type: ignore[arg-type, typeddict-item]
    layer.away = False

    def told() -> bool:
        return any(message["beat"] == {"time": 2.0} for _, message in layer.taken)

    wait_for(told)
    ends: dict[int, int] = {}
    for _, message in layer.taken:
        ends.update(map(tuple, message["ends"]))
    assert ends == {7: 9, 8: 4}
    assert {run for _, message in layer.taken for run in message["runs"]} == {1, 2}
    assert {series for _, message in layer.taken for series in message["series"]} == {5, 6}
    assert [record.levelname for record in caplog.records if "broker is away" in record.message] == ["WARNING"]
