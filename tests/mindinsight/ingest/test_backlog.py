"""Large files are read by tasks in portions; the loop takes them back when they are done or get no further."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from mindinsight.environment import Environment
from mindinsight.ingest import backlog, tasks
from mindinsight.ingest import follower as following
from mindinsight.ingest.follower import Follower
from mindinsight.runs import queries
from mindinsight.runs.models import EventFile, Run, Series
from mindinsight.store import ColumnStore, Table
from summaries import SummaryWriter
from tests.mindinsight.ingest.conftest import read_all

MakeFollower = Callable[[], Follower]
COUNT = 3000


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """The tasks sent to Celery; portions are small, so that there are many."""
    asked: list[tuple[int, str]] = []
    monkeypatch.setattr(backlog, "LARGE_BYTES", 1000)
    monkeypatch.setattr(tasks, "PORTION_BYTES", 20_000)
    monkeypatch.setattr(tasks, "WINDOW_BYTES", 8_000)
    monkeypatch.setattr("mindinsight.ingest.task_sender.TaskSender.read_backlog", lambda _, *task: asked.append(task))
    monkeypatch.setattr(tasks.read_backlog, "apply_async", lambda errand, **_: asked.append(errand))
    return asked


@pytest.fixture
def run(environment: Environment) -> Path:
    with SummaryWriter(environment.base_directory / "run") as writer:
        for step in range(COUNT):
            writer.add_scalar("loss", float(step), step)
    return environment.base_directory / "run"


def turn(follower: Follower) -> None:
    follower.look_again()
    follower.turn()


def steps(environment: Environment) -> list[int]:
    row = Series.objects.get()
    assert row.count == COUNT
    store = ColumnStore(environment.data_directory / "columns")
    return store.read(Table.POINTS, row.run_id, row.pk)["step"].tolist()


def test_a_large_file_is_read_in_portions(
    environment: Environment,
    make_follower: MakeFollower,
    run: Path,
    sent: list[tuple[int, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    follower = make_follower()
    announced: list[dict[int, int]] = []
    monkeypatch.setattr(follower._announcer, "stored", announced.append)
    turn(follower)
    portions = 0
    while sent:
        tasks.read_backlog(*sent.pop(0))
        portions += 1
        turn(follower)
        series = Series.objects.get()
        assert queries.rows()[0]["points"] == series.count
        assert announced.pop() == {series.pk: series.count}
        assert not announced
    # Each has the windows that 20 000 bytes take.
    assert portions == -(-EventFile.objects.get().size // (3 * 8000))
    assert steps(environment) == list(range(COUNT))
    assert EventFile.objects.get().backlog == ""
    assert Run.objects.get().lead_series == Series.objects.get().pk
    assert Run.objects.get().environment.content["host"]


def test_a_small_file_is_read_while_the_large_one_waits(
    environment: Environment, make_follower: MakeFollower, run: Path, sent: list[tuple[int, str]]
) -> None:
    follower = make_follower()
    turn(follower)
    with SummaryWriter(environment.base_directory / "small", environment=False) as writer:
        writer.add_scalar("loss", 1.0, 1)
    turn(follower)
    turn(follower)
    assert Series.objects.get(run__name="small").count == 1
    assert len(sent) == 1


def test_a_chain_that_gets_no_further_is_ended_and_the_loop_reads(
    environment: Environment,
    make_follower: MakeFollower,
    run: Path,
    sent: list[tuple[int, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    follower = make_follower()
    turn(follower)
    tasks.read_backlog(*sent.pop(0))
    stale = sent.pop(0)
    monkeypatch.setattr(backlog, "PATIENCE_S", 0.0)
    turn(follower)  # sees how far the first portion came
    read_all(follower)
    assert steps(environment) == list(range(COUNT))
    tasks.read_backlog(*stale)  # comes too late and changes nothing
    assert not sent
    assert steps(environment) == list(range(COUNT))


def test_a_later_reader_takes_everything_back(
    environment: Environment,
    make_follower: MakeFollower,
    run: Path,
    sent: list[tuple[int, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turn(make_follower())
    tasks.read_backlog(*sent.pop(0))
    stale = sent.pop(0)
    monkeypatch.setattr(backlog, "LARGE_BYTES", 1 << 40)
    read_all(make_follower())
    tasks.read_backlog(*stale)
    assert steps(environment) == list(range(COUNT))


def test_a_file_that_cannot_be_read_is_given_back(
    environment: Environment, make_follower: MakeFollower, run: Path, sent: list[tuple[int, str]]
) -> None:
    turn(make_follower())
    next(run.iterdir()).rename(environment.base_directory / "elsewhere")
    tasks.read_backlog(*sent.pop(0))
    assert EventFile.objects.get().backlog == ""
    assert not sent


def test_what_a_killed_reader_wrote_but_did_not_count_is_swept_away(
    environment: Environment, make_follower: MakeFollower, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = make_follower()
    monkeypatch.setattr(killed, "_commit", lambda *_: None)
    turn(killed)
    turn(killed)
    follower = make_follower()
    read_all(follower)
    store = ColumnStore(environment.data_directory / "columns")
    number, series = Run.objects.get().pk, Series.objects.get().pk
    assert len(store.series_of(number)) == 2
    tasks.sweep(below=series + 1)
    assert store.series_of(number) == {series}
    assert steps(environment) == list(range(COUNT))


def test_a_disk_that_is_full_for_a_moment_costs_nothing(
    environment: Environment, make_follower: MakeFollower, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "WINDOW_BYTES", 4096)
    monkeypatch.setattr(following, "RETRY_S", 0.0)
    write, calls = ColumnStore.write, count()

    def fails_now_and_then(*arguments: Any) -> int:
        if next(calls) % 5 == 3:
            raise OSError(28, "No space left on device")
        return write(*arguments)

    monkeypatch.setattr(ColumnStore, "write", fails_now_and_then)
    read_all(make_follower())
    assert steps(environment) == list(range(COUNT))
    assert next(calls) > 20
