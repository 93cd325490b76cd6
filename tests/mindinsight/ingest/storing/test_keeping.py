"""Runs whose event files were deleted: gone by default, whole where the user wants to keep them."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.ingest import tasks
from mindinsight.ingest.follower import Follower
from mindinsight.runs import queries
from mindinsight.runs.models import EventFile, Run, Series
from mindinsight.store import Originals
from summaries import SummaryWriter
from tests.mindinsight.ingest.conftest import read_all

MakeFollower = Callable[[], Follower]


@pytest.fixture
def environment(environment: Environment, settings: LazySettings) -> Environment:
    """The usual one, with the wish to keep what is deleted."""
    settings.ENVIRONMENT = dataclasses.replace(environment, keep_deleted=True)
    return settings.ENVIRONMENT  # type: ignore[no-any-return]


@pytest.fixture
def run(environment: Environment) -> Path:
    with SummaryWriter(environment.base_directory / "run") as writer:
        for step in range(10):
            writer.add_scalar("loss", 1.0, step)
            writer.add_histogram("weights", [1.0, 2.0], step)
    return environment.base_directory / "run"


def delete(run: Path, follower: Follower) -> None:
    shutil.rmtree(run)
    for _ in range(3):
        follower.look_again()
        follower.turn()


def histograms(client: Client) -> list[str | None]:
    series = Series.objects.get(kind="histogram").pk
    answer = client.get(f"/api/distributions/histograms?series={series}").json()
    return [row["error"] and row["error"]["code"] for row in answer["histograms"]]


def test_a_deleted_run_stays_with_everything_in_it(make_follower: MakeFollower, run: Path, client: Client) -> None:
    follower = make_follower()
    read_all(follower)
    delete(run, follower)
    (row,) = queries.rows()
    assert (row["name"], row["state"], row["points"]) == ("run", "finished", 10)
    assert histograms(client) == [None] * 10
    delete_again = make_follower()
    delete_again.look_again()
    delete_again.turn()
    assert histograms(client) == [None] * 10


def test_on_another_file_system_a_copy_is_kept(
    make_follower: MakeFollower, run: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Originals, "link", lambda *_: False)
    asked: list[int] = []
    monkeypatch.setattr("mindinsight.ingest.task_sender.TaskSender.keep_copy", lambda _, number: asked.append(number))
    follower = make_follower()
    read_all(follower)
    follower.look_again()
    follower.turn()
    assert asked == [EventFile.objects.get().pk]
    tasks.keep_copy(asked[0])
    delete(run, follower)
    assert histograms(client) == [None] * 10


def test_a_run_that_is_removed_frees_what_was_kept(
    environment: Environment, make_follower: MakeFollower, run: Path, client: Client
) -> None:
    follower = make_follower()
    read_all(follower)
    delete(run, follower)
    number = Run.objects.get().pk
    client.delete(f"/api/runs/{Run.objects.get().uid.hex}")
    follower.look_again()
    follower.turn()
    assert not (environment.data_directory / "columns" / str(number)).exists()
