"""The trash: in, back out, or away for good, as rows tell it. What the reader makes of it: tests of `ingest`."""

from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.runs import trash
from mindinsight.runs.models import EventFile, Run
from tests.mindinsight.published import answer

pytestmark = pytest.mark.django_db
DAY = 86_400.0


def make(environment: Environment, name: str, size: int = 100, state: str = "finished", age: float = 3600.0) -> Run:
    """A run with one event file that last grew `age` seconds ago."""
    path = environment.base_directory / name / "events.out.tfevents.1"
    path.parent.mkdir()
    path.write_bytes(b"x" * size)
    os.utime(path, (time.time() - age,) * 2)
    run = Run.objects.create(name=name, state=state)
    EventFile.objects.create(run=run, path=f"{name}/{path.name}", size=size)
    return run


def post(client: Client, path: str, *runs: Run) -> Any:
    body = {"runs": [run.uid.hex for run in runs]}
    return client.post(f"/api/runs/trash{path}", body, content_type="application/json")


def test_runs_lie_in_the_trash_with_their_size_and_their_last_day(
    client: Client, environment: Environment, settings: LazySettings
) -> None:
    settings.ENVIRONMENT = dataclasses.replace(environment, trash_days=30.0)
    one, two, kept = make(environment, "one", 100), make(environment, "two", 23), make(environment, "kept")
    assert post(client, "", one, two).status_code == 202
    found = answer(client, "/api/runs/trash")
    assert (found["keep_days"], found["bytes"], {row["name"] for row in found["runs"]}) == (30, 123, {"one", "two"})
    row = found["runs"][0]
    assert row["deleted_at"] - row["removed_at"] == pytest.approx(30 * DAY)
    assert [row["name"] for row in answer(client, "/api/runs")["results"]] == [kept.name]


def test_unless_told_to_nothing_deletes_files(client: Client, environment: Environment) -> None:
    post(client, "", make(environment, "one"))
    found = answer(client, "/api/runs/trash")
    assert (found["keep_days"], found["runs"][0]["deleted_at"]) == (0, None)


def test_what_lies_in_the_trash_comes_back(client: Client, environment: Environment) -> None:
    run = make(environment, "one")
    post(client, "", run)
    assert post(client, "/restore", run).status_code == 202
    assert answer(client, "/api/runs/trash")["runs"] == []
    run.refresh_from_db()
    assert (run.removed, run.removed_at, run.removed_files) == ("", None, [])


def test_a_run_that_is_still_written_is_not_deleted(client: Client, environment: Environment) -> None:
    running, finished = make(environment, "running", state="running"), make(environment, "finished")
    refused = post(client, "/purge", finished, running)
    assert (refused.status_code, refused.json()["code"]) == (409, "run_is_running")
    assert refused.json()["detail"] == {"run": "running"}
    assert client.delete(f"/api/runs/{running.uid.hex}?files=1").status_code == 409
    assert set(Run.objects.values_list("removed", flat=True)) == {""}


def test_files_of_the_trash_that_grew_lately_are_not_deleted(client: Client, environment: Environment) -> None:
    run = make(environment, "one", age=5.0)
    post(client, "", run)
    assert post(client, "/purge", run).json()["code"] == "run_is_running"
    os.utime(environment.base_directory / "one" / "events.out.tfevents.1", (0, 0))
    assert post(client, "/purge", run).status_code == 202
    assert post(client, "/restore", run).json()["code"] == "files_deleted"


def test_an_unknown_run_refuses_all(client: Client, environment: Environment) -> None:
    run = make(environment, "one")
    body = {"runs": [run.uid.hex, "0" * 32]}
    refused = client.post("/api/runs/trash", body, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (404, "run_not_found")
    run.refresh_from_db()
    assert run.removed == ""


@pytest.mark.parametrize(
    ("days", "lay", "expected"), [(30.0, 31.0, "files"), (30.0, 29.0, "store"), (0.0, 400.0, "store")]
)
def test_the_time_in_the_trash_ends(
    environment: Environment, settings: LazySettings, days: float, lay: float, expected: str
) -> None:
    settings.ENVIRONMENT = dataclasses.replace(environment, trash_days=days)
    run = make(environment, "one")
    trash.put([run])
    Run.objects.update(removed_at=time.time() - lay * DAY)
    trash.expire(Run.objects.all())
    run.refresh_from_db()
    assert run.removed == expected


def test_what_was_removed_before_there_was_a_trash_is_never_deleted(environment: Environment) -> None:
    run = make(environment, "one")
    Run.objects.update(removed="store")
    trash.expire(Run.objects.all())
    run.refresh_from_db()
    assert run.removed == "store"


def test_files_that_are_gone_stop_nobody(client: Client, environment: Environment) -> None:
    run = make(environment, "one")
    post(client, "", run)
    Path(environment.base_directory / "one" / "events.out.tfevents.1").unlink()
    assert post(client, "/purge", run).status_code == 202
