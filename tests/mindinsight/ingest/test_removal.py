"""Runs that a user removes and takes back, through the API and the reader."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.ingest import removal
from mindinsight.ingest.follower import Follower
from mindinsight.runs import queries
from mindinsight.runs.models import Run, Series
from summaries import SummaryWriter
from tests.mindinsight.ingest.conftest import read_all

MakeFollower = Callable[[], Follower]


def write(directory: Path) -> None:
    with SummaryWriter(directory) as writer:
        for step in range(10):
            writer.add_scalar("loss", 1.0, step)


def turn(follower: Follower, times: int = 3) -> None:
    for _ in range(times):
        follower.look_again()
        follower.turn()


def names() -> list[str]:
    return [row["name"] for row in queries.rows()]


def test_a_removed_run_stays_away_and_comes_back_whole(
    environment: Environment, make_follower: MakeFollower, client: Client
) -> None:
    write(environment.base_directory / "gone")
    write(environment.base_directory / "stays")
    follower = make_follower()
    read_all(follower)
    run = Run.objects.get(name="gone")
    assert client.delete(f"/api/runs/{run.uid.hex}").status_code == 202
    turn(follower)
    assert names() == ["stays"]
    assert not Series.objects.filter(run=run).exists()
    assert not (environment.data_directory / "columns" / str(run.pk)).exists()
    assert len(list((environment.base_directory / "gone").iterdir())) == 1
    turn(make_follower())  # a later reader leaves it alone, too
    assert names() == ["stays"]
    assert client.get(f"/api/runs/{run.uid.hex}").status_code == 404
    assert client.post(f"/api/runs/{run.uid.hex}/restore").status_code == 202
    turn(follower)
    read_all(follower)
    assert sorted(names()) == ["gone", "stays"]
    assert Series.objects.get(run=run).count == 10


def test_files_are_deleted_only_when_asked_and_only_event_files(
    environment: Environment, make_follower: MakeFollower, client: Client
) -> None:
    directory = environment.base_directory / "run"
    write(directory)
    (directory / "model.ckpt").write_bytes(b"weights")
    write(environment.base_directory / "other")
    follower = make_follower()
    read_all(follower)
    run = Run.objects.get(name="run")
    assert client.delete(f"/api/runs/{run.uid.hex}?files=1").status_code == 202
    turn(follower, 1)
    assert [path.name for path in directory.iterdir()] == ["model.ckpt"]
    answer = client.post(f"/api/runs/{run.uid.hex}/restore")
    assert (answer.status_code, answer.json()["code"]) == (409, "files_deleted")
    turn(follower)
    assert names() == ["other"]


def test_an_unknown_run_cannot_be_removed(environment: Environment, transactional_db: None, client: Client) -> None:
    assert client.delete(f"/api/runs/{'0' * 32}").status_code == 404
    assert client.delete("/api/runs/1").status_code == 404


def trashed(client: Client) -> list[dict[str, Any]]:
    return list(client.get("/api/runs/trash").json()["runs"])


def purge(client: Client, run: Run) -> None:
    body = {"runs": [run.uid.hex]}
    assert client.post("/api/runs/trash/purge", body, content_type="application/json").status_code == 202


def swap(directory: Path, outside: Path) -> None:
    """Moves a run's directory away and puts a link in its place, to one with files of the same names."""
    outside.mkdir()
    for file in directory.iterdir():
        (outside / file.name).write_bytes(b"mine")
    directory.rename(outside.with_name("moved"))
    directory.symlink_to(outside)


@pytest.fixture
def run(environment: Environment, make_follower: MakeFollower) -> tuple[Follower, Run]:
    """A run that was read, whose writer ended, and its follower."""
    write(environment.base_directory / "run")
    write(environment.base_directory / "other")
    follower = make_follower()
    read_all(follower)
    return follower, Run.objects.get(name="run")


def test_what_cannot_be_deleted_stays_in_the_trash_with_the_reason(
    environment: Environment, run: tuple[Follower, Run], client: Client, tmp_path: Path
) -> None:
    follower, row = run
    directory, outside = environment.base_directory / "run", tmp_path / "outside"
    assert client.delete(f"/api/runs/{row.uid.hex}").status_code == 202
    turn(follower)
    swap(directory, outside)
    turn(follower)
    assert [found["problem"] for found in trashed(client)] == [None]
    purge(client, row)
    assert [found["deleting"] for found in trashed(client)] == [True]
    turn(follower)
    (found,) = trashed(client)
    assert (found["deleting"], found["problem"]["code"]) == (False, "not_deleted_symbolic_link")
    (name,) = [file.name for file in outside.iterdir()]
    assert found["problem"]["detail"] == {
        "file": f"run/{name}",
        "files": 1,
        "error": "A symbolic link stands in the path",
    }
    assert found["files"] == 1
    assert found["bytes"] > 0
    assert (outside / name).read_bytes() == b"mine"

    directory.unlink()
    (tmp_path / "moved").rename(directory)
    purge(client, row)
    turn(follower)
    assert trashed(client) == []
    assert not directory.exists()


def test_a_run_that_could_not_be_deleted_comes_back(
    environment: Environment, run: tuple[Follower, Run], client: Client, tmp_path: Path
) -> None:
    follower, row = run
    directory = environment.base_directory / "run"
    client.delete(f"/api/runs/{row.uid.hex}")
    turn(follower)
    swap(directory, tmp_path / "outside")
    purge(client, row)
    turn(follower)
    directory.unlink()
    (tmp_path / "moved").rename(directory)
    assert client.post(f"/api/runs/{row.uid.hex}/restore").status_code == 202
    turn(follower)
    read_all(follower)
    assert trashed(client) == []
    assert Series.objects.get(run=row).count == 10


def test_a_run_that_never_lay_in_the_trash_lies_there_when_it_cannot_be_deleted(
    environment: Environment, run: tuple[Follower, Run], client: Client, tmp_path: Path
) -> None:
    follower, row = run
    swap(environment.base_directory / "run", tmp_path / "outside")
    assert client.delete(f"/api/runs/{row.uid.hex}?files=1").status_code == 202
    turn(follower)
    (found,) = trashed(client)
    assert found["problem"]["code"] == "not_deleted_symbolic_link"
    assert found["removed_at"] == pytest.approx(time.time(), abs=60)
    assert len(list((tmp_path / "outside").iterdir())) == 1


def test_some_files_of_a_run_are_deleted_and_some_are_not(
    environment: Environment, make_follower: MakeFollower, client: Client
) -> None:
    directory = environment.base_directory / "run"
    write(directory)
    write(directory)
    follower = make_follower()
    read_all(follower)
    row = Run.objects.get(name="run")
    first, second = sorted(directory.iterdir())
    client.delete(f"/api/runs/{row.uid.hex}")
    turn(follower)
    content = first.read_bytes()
    first.unlink()
    (directory / "new").write_bytes(content)
    (directory / "new").replace(first)
    os.utime(first, (1, 1))
    purge(client, row)
    turn(follower)
    (found,) = trashed(client)
    assert (found["files"], found["bytes"]) == (1, len(content))
    assert found["problem"]["code"] == "not_deleted_other_file"
    assert (first.exists(), second.exists()) == (True, False)


def test_a_deletion_that_a_killed_reader_began_is_ended_by_the_next_one(
    environment: Environment, run: tuple[Follower, Run], make_follower: MakeFollower, client: Client
) -> None:
    _, row = run
    assert client.delete(f"/api/runs/{row.uid.hex}?files=1").status_code == 202
    turn(make_follower())
    assert not (environment.base_directory / "run").exists()
    assert trashed(client) == []


def test_a_directory_that_is_removed_by_hand_leaves_the_trash(
    environment: Environment, run: tuple[Follower, Run], client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower, row = run
    monkeypatch.setattr(removal, "_GONE_AFTER_S", 60.0)
    client.delete(f"/api/runs/{row.uid.hex}")
    turn(follower)
    for file in (environment.base_directory / "run").iterdir():
        file.unlink()
    turn(follower)
    assert [one["name"] for one in trashed(client)] == ["run"]  # Somebody may be putting it back.
    monkeypatch.setattr(removal, "_GONE_AFTER_S", 0.0)
    turn(follower)
    assert trashed(client) == []


def test_a_directory_that_is_away_for_a_moment_stays_in_the_trash(
    environment: Environment,
    run: tuple[Follower, Run],
    client: Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    follower, row = run
    # A busy machine may take longer than a second for a few turns.
    monkeypatch.setattr(removal, "_GONE_AFTER_S", 60.0)
    client.delete(f"/api/runs/{row.uid.hex}")
    turn(follower)
    directory = environment.base_directory / "run"
    for _ in range(3):
        directory.rename(tmp_path / "away")
        turn(follower)
        assert [one["id"] for one in trashed(client)] == [row.uid.hex]
        (tmp_path / "away").rename(directory)
        turn(follower)
    assert client.post(f"/api/runs/{row.uid.hex}/restore").status_code == 202
    turn(follower)
    assert names() == ["other", "run"]


def test_what_a_link_leads_to_is_not_read(
    environment: Environment, make_follower: MakeFollower, client: Client, tmp_path: Path
) -> None:
    """The directory is swapped between the look at it and the first read."""
    write(environment.base_directory / "run")
    write(tmp_path / "secret")
    secret, known = next((tmp_path / "secret").iterdir()), next((environment.base_directory / "run").iterdir())
    secret.rename(secret.with_name(known.name))
    follower = make_follower()
    follower._survey.look_now()
    (environment.base_directory / "run").rename(tmp_path / "moved")
    (environment.base_directory / "run").symlink_to(tmp_path / "secret")
    follower._read_all(set())
    follower._commit()
    assert not Series.objects.exists()
