"""Event files with zeros in them: named on the run, passed over at once, and read when they are filled later."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mindinsight.environment import Environment
from mindinsight.ingest import backlog, tasks
from mindinsight.ingest.follower import Follower
from mindinsight.runs import queries
from mindinsight.runs.models import EventFile, Series
from summaries import SummaryWriter
from tests.mindinsight.ingest.many_directories import POINTS, write_directories

MakeFollower = Callable[[], Follower]
HOUR_S = 3600.0
ZEROS = 10 << 20


@pytest.fixture
def file(environment: Environment) -> Path:
    """The event file of a run, written an hour ago."""
    write_directories(environment.base_directory / "many", 1, age_s=HOUR_S)
    return next((environment.base_directory / "many").glob("*/events*"))


def change(file: Path, content: bytes, age_s: float) -> None:
    file.write_bytes(content)
    os.utime(file, (time.time() - age_s, time.time() - age_s))


def look(follower: Follower) -> queries.RunRow:
    for _ in range(3):
        follower.look_again()
        follower.turn()
    (row,) = queries.rows()
    assert row["bytes_read"] == row["bytes"]
    return row


def test_a_file_of_zeros_is_damaged_until_it_is_filled(make_follower: MakeFollower, file: Path) -> None:
    content = file.read_bytes()
    change(file, bytes(ZEROS), HOUR_S)
    follower = make_follower()
    damage = look(follower)["damage"]
    assert damage is not None
    assert (damage["count"], damage["code"], damage["offset"]) == (1, "zeros", 0)
    assert damage["detail"] == {"zeros": ZEROS, "skipped": ZEROS}
    assert damage["message"].startswith("At byte 0, where a record should begin, the file has")

    with file.open("r+b") as opened:
        opened.write(content)
    row = look(follower)
    damage = row["damage"]
    assert damage is not None
    assert (row["points"], damage["count"], damage["offset"]) == (POINTS, 1, len(content))

    with file.open("r+b") as opened:
        opened.truncate(len(content))
    assert look(follower)["damage"] is None


def test_zeros_that_something_follows_are_counted_once(make_follower: MakeFollower, file: Path) -> None:
    content = file.read_bytes()
    change(file, content + bytes(ZEROS), HOUR_S)
    follower = make_follower()
    look(follower)
    first = 16 + int.from_bytes(content[:8], "little")
    change(file, content + bytes(ZEROS) + content[first:], 0.0)
    row = look(follower)
    assert row["points"] == 2 * POINTS
    damage = row["damage"]
    assert damage is not None
    assert (damage["count"], damage["offset"]) == (1, len(content))
    assert damage["detail"] == {"zeros": ZEROS, "skipped": ZEROS, "next": len(content) + ZEROS}


def test_zeros_at_the_end_are_no_damage_while_their_writer_lives(
    environment: Environment, make_follower: MakeFollower
) -> None:
    """It may have made room, and write there yet, however long it has said nothing."""
    with SummaryWriter(environment.base_directory / "run") as writer:
        writer.add_scalar("loss", 1.0, 0)
        assert writer.flush()
        path = next((environment.base_directory / "run").iterdir())
        change(path, path.read_bytes() + bytes(ZEROS), HOUR_S)
        follower = make_follower()
        follower.look_again()
        follower.turn()
        (row,) = queries.rows()
        assert (row["points"], row["state"], row["damage"]) == (1, "running", None)


def test_a_large_hole_takes_one_task(
    environment: Environment, make_follower: MakeFollower, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, str]] = []
    monkeypatch.setattr("mindinsight.ingest.task_sender.TaskSender.read_backlog", lambda _, *task: asked.append(task))
    monkeypatch.setattr(tasks.read_backlog, "apply_async", lambda errand, **_: asked.append(errand))
    content = file.read_bytes()
    with file.open("r+b") as opened:
        opened.seek(5 << 30)
        opened.write(content)
    os.utime(file, (time.time() - HOUR_S,) * 2)
    if file.stat().st_blocks * 512 > 1 << 20:
        pytest.skip("the file system has no holes")
    assert file.stat().st_size > backlog.LARGE_BYTES
    follower = make_follower()
    follower.look_again()
    follower.turn()
    began = time.process_time()
    tasks.read_backlog(*asked.pop(0))
    assert time.process_time() - began < 5
    assert asked == []
    row = look(follower)
    assert sum(Series.objects.values_list("count", flat=True)) == row["points"] == 2 * POINTS
    assert row["damage"] is not None
    assert row["damage"]["detail"]["skipped"] == (5 << 30) - len(content)


def test_zeros_of_a_file_that_another_reader_left_are_named(make_follower: MakeFollower, file: Path) -> None:
    content = file.read_bytes()
    change(file, content + bytes(ZEROS), HOUR_S)
    look(make_follower())
    EventFile.objects.update(damages=[], damage_count=0)  # as by a reader that was killed before it knew
    damage = look(make_follower())["damage"]
    assert damage is not None
    assert damage["offset"] == len(content)


def test_a_record_that_breaks_off_is_no_damage(make_follower: MakeFollower, file: Path) -> None:
    change(file, file.read_bytes()[:-5], HOUR_S)
    assert look(make_follower())["damage"] is None
