"""What runs are made with: from event files into the database, and out through the API."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.ingest.follower import Follower
from mindinsight.runs.models import Run, RunEnvironment, Series
from summaries import SummaryWriter
from summaries.schema.summary_pb2 import Event
from tests.mindinsight.ingest.conftest import read_all
from tests.mindinsight.published import answer
from tests.mindinsight.transfer.event_files import record

MakeFollower = Callable[[], Follower]


def write(environment: Environment, run: str, *told: tuple[float, str], number: int = 1) -> None:
    """An event file that says several times on which host it is written."""
    directory = environment.base_directory / run
    directory.mkdir(parents=True, exist_ok=True)
    events = [Event(wall_time=1.0, version="MindSpore.Event:1")]
    for wall, host in told:
        event = Event(wall_time=wall)
        event.environment.host = host
        events.append(event)
    payloads = b"".join(record(event.SerializeToString()) for event in events)
    (directory / f"events.out.events.summary.{number}.0.x_MS").write_bytes(payloads)


def host_of(run: str) -> str:
    return str(RunEnvironment.objects.get(run__name=run).content["host"])


def test_the_run_keeps_it_and_it_is_no_series(
    client: Client, environment: Environment, make_follower: MakeFollower
) -> None:
    with SummaryWriter(environment.base_directory / "a") as writer:
        writer.add_scalar("loss", 1.0, 1)
    with SummaryWriter(environment.base_directory / "b", environment=False) as writer:
        writer.add_scalar("loss", 1.0, 1)
    read_all(make_follower())
    assert set(Series.objects.values_list("kind", flat=True)) == {"scalar"}
    rows = {row["name"]: row for row in answer(client, "/api/runs/details?environment=true")["runs"]}
    assert rows["a"]["environment"]["packages"]["numpy"]
    assert rows["a"]["environment"]["source"]["branch"] is not None
    assert rows["b"]["environment"] is None
    assert all("environment" not in row for row in answer(client, "/api/runs/details")["runs"])


def test_the_newest_word_counts_whatever_is_read_last(environment: Environment, make_follower: MakeFollower) -> None:
    write(environment, "a", (5.0, "second"), (6.0, "third"), (4.0, "first"))
    read_all(make_follower())
    assert host_of("a") == "third"
    write(environment, "a", (2.0, "older"), number=2)
    read_all(make_follower())
    assert host_of("a") == "third"
    write(environment, "a", (9.0, "newer"), number=3)
    read_all(make_follower())
    assert host_of("a") == "newer"


@pytest.mark.parametrize("wall", [math.nan, math.inf, -math.inf])
def test_a_time_that_is_none_does_no_harm(environment: Environment, make_follower: MakeFollower, wall: float) -> None:
    write(environment, "a", (wall, "somewhere"))
    read_all(make_follower())
    assert host_of("a") == "somewhere"
    assert Run.objects.get().params == {}
