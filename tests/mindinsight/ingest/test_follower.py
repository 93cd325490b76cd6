"""The follower: finds runs, reads them once and whole, survives whatever happens to files and to itself."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError

from mindinsight.environment import Environment
from mindinsight.ingest import follower as follower_module
from mindinsight.ingest.follower import Follower
from mindinsight.ingest.storing import ledger as ledger_module
from mindinsight.runs import queries
from mindinsight.runs.models import EventFile, Run, Series
from mindinsight.store import ColumnStore, Table
from summaries import SummaryWriter
from tests.mindinsight.ingest.conftest import read_all

MakeFollower = Callable[[], Follower]

# Bytes of a record before its content, and in all beside it: a length and two checksums.
PAYLOAD, FRAME = 12, 16


def write(directory: Path, steps: range, tag: str = "loss") -> Path:
    with SummaryWriter(directory) as writer:
        for step in steps:
            writer.add_scalar(tag, step * 0.5, step)
    return next(directory.glob("*_MS"))


def steps_of(environment: Environment, run: str, tag: str = "loss") -> list[int]:
    store = ColumnStore(environment.data_directory / "columns")
    rows = Series.objects.filter(run__name=run, tag=tag, kind="scalar").order_by("segment", "first_step")
    return [
        step for row in rows for step in store.read(Table.POINTS, row.run_id, row.pk, 0, row.count)["step"].tolist()
    ]


def test_every_scalar_of_the_real_files(
    environment: Environment, make_follower: MakeFollower, real_files: Path
) -> None:
    shutil.copytree(real_files / "mindspore" / "lenet", environment.base_directory / "lenet")
    read_all(make_follower())
    facts = json.loads((real_files / "mindspore" / "facts.json").read_text())
    for name, files in facts.items():
        if name.startswith("lenet/"):
            expected = sum(file["tags"].get("scalar_value:loss/auto", 0) for file in files.values() if "tags" in file)
            assert Series.objects.get(run__name=name, tag="loss/auto").count == expected
    assert {row["writer"] for row in queries.rows()} == {"mindspore"}
    assert all(row["damage"] is None for row in queries.rows())


def test_hparams_directories_belong_to_their_run(
    environment: Environment, make_follower: MakeFollower, real_files: Path
) -> None:
    shutil.copytree(real_files / "tensorboard", environment.base_directory / "tb")
    read_all(make_follower())
    rows = {row["name"]: row for row in queries.rows()}
    assert set(rows) == {"tb/adam_lr0.001", "tb/sgd_lr0.1", "tb/sgd_lr5_diverges"}
    assert all(row["files"] == 2 for row in rows.values())
    assert Series.objects.filter(run__name="tb/sgd_lr0.1", tag__startswith="hparam/").exists()


def test_a_growing_file_is_followed(environment: Environment, make_follower: MakeFollower) -> None:
    follower = make_follower()
    with SummaryWriter(environment.base_directory / "run") as writer:
        for step in range(5):
            writer.add_scalar("loss", 1.0, step)
            writer.flush()
            read_all(follower)
            assert steps_of(environment, "run") == list(range(step + 1))
            assert Run.objects.get().state == Run.State.RUNNING
            assert Run.objects.get().state_detail == {"host": socket.gethostname(), "pid": os.getpid()}
    read_all(follower)
    assert Run.objects.get().state == Run.State.FINISHED


@pytest.mark.parametrize(("slice_s", "whole"), [(60.0, True), (0.0, False)])
def test_a_turn_reads_older_data_for_a_slice_of_time(
    environment: Environment, make_follower: MakeFollower, monkeypatch: pytest.MonkeyPatch, slice_s: float, whole: bool
) -> None:
    monkeypatch.setattr(follower_module, "WINDOW_BYTES", 1000)
    monkeypatch.setattr(follower_module, "BACKLOG_SLICE_S", slice_s)
    size = write(environment.base_directory / "run", range(300)).stat().st_size
    follower = make_follower()
    follower.look_again()
    follower.turn()
    read = EventFile.objects.get().offset
    assert read == size if whole else 0 < read < size


def test_new_series_are_shown_before_others_are_counted(
    environment: Environment, make_follower: MakeFollower, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower_module, "COMMIT_EVERY_S", 1e9)
    follower = make_follower()
    with SummaryWriter(environment.base_directory / "run") as writer:
        write_both(writer, range(1))
        read_all(follower)
        written = str(next((environment.base_directory / "run").iterdir()))
        monkeypatch.setattr(follower._watcher, "wait", lambda seconds: {written})
        write_both(writer, range(1, 2))
        follower.turn()
        assert steps_of(environment, "run") == [0]
        monkeypatch.setattr(follower_module, "COMMIT_NEW_AFTER_S", 0.0)
        follower._due.again("commit new", 0.0)
        writer.add_scalar("more", 1.0, 2)
        assert writer.flush()
        follower.turn()
        assert steps_of(environment, "run") == [0, 1]
        assert steps_of(environment, "run", "more") == [2]


def test_what_was_not_committed_is_read_again_into_the_same_places(
    environment: Environment, make_follower: MakeFollower, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(environment.base_directory / "run", range(100))
    first = make_follower()
    monkeypatch.setattr(first, "_commit", lambda *_: None)
    first.turn()
    first.turn()
    assert not Series.objects.exists()
    read_all(make_follower())
    assert steps_of(environment, "run") == list(range(100))
    assert max(path.stat().st_size for path in environment.data_directory.glob("columns/*/*.points")) == 100 * 24


def test_a_later_follower_goes_on_where_the_first_stopped(
    environment: Environment, make_follower: MakeFollower
) -> None:
    with SummaryWriter(environment.base_directory / "run") as writer:
        writer.add_scalar("loss", 1.0, 0)
        writer.flush()
        read_all(make_follower())
        writer.add_scalar("loss", 1.0, 1)
        writer.flush()
        read_all(make_follower())
    assert steps_of(environment, "run") == [0, 1]


def test_a_damaged_record_is_named_and_the_others_are_kept(
    environment: Environment, make_follower: MakeFollower
) -> None:
    file = write(environment.base_directory / "run", range(50))
    file.chmod(0o600)
    content, start = bytearray(file.read_bytes()), 0
    for _ in range(25):
        start += FRAME + int.from_bytes(content[start : start + 8], "little")
    content[start + PAYLOAD] ^= 0xFF
    file.write_bytes(content)
    read_all(make_follower())
    damage = queries.rows()[0]["damage"]
    assert damage is not None
    assert damage["file"] == f"run/{file.name}"
    assert damage["offset"] == start
    assert damage["code"] == damage["reason"] == "payload_crc"
    assert damage["message"] == f"The record at byte {damage['offset']} fails its checksum."
    assert damage["detail"] == {}
    assert len(steps_of(environment, "run")) >= 48


def test_a_damage_that_an_older_version_noted_keeps_its_sentence(
    environment: Environment, make_follower: MakeFollower
) -> None:
    write(environment.base_directory / "run", range(5))
    read_all(make_follower())
    noted = {"offset": 7, "reason": "payload_crc", "message": "The record at byte 7 fails its checksum."}
    EventFile.objects.update(damages=[noted], damage_count=1)
    damage = queries.rows()[0]["damage"]
    assert damage is not None
    assert (damage["message"], damage["code"], damage["detail"]) == (noted["message"], "", {})


def test_a_half_written_tail_waits(environment: Environment, make_follower: MakeFollower) -> None:
    whole = write(environment.base_directory / "other", range(10)).read_bytes()
    shutil.rmtree(environment.base_directory / "other")
    file = environment.base_directory / "run" / "events.out.events.summary.1700000000.0.host_MS"
    file.parent.mkdir()
    file.write_bytes(whole[:-7])
    follower = make_follower()
    read_all(follower)
    assert steps_of(environment, "run") == list(range(9))
    assert queries.rows()[0]["damage"] is None
    file.write_bytes(whole)
    read_all(follower)
    assert steps_of(environment, "run") == list(range(10))


def test_a_replaced_file_is_read_anew(environment: Environment, make_follower: MakeFollower) -> None:
    file = write(environment.base_directory / "run", range(30))
    follower = make_follower()
    read_all(follower)
    shorter = write(environment.base_directory / "draft", range(3))
    shorter.replace(file)
    shutil.rmtree(environment.base_directory / "draft")
    read_all(follower)
    read_all(follower)
    assert steps_of(environment, "run") == [0, 1, 2]


def test_a_removed_run_goes_after_two_looks(environment: Environment, make_follower: MakeFollower) -> None:
    write(environment.base_directory / "gone", range(3))
    write(environment.base_directory / "stays", range(3))
    follower = make_follower()
    read_all(follower)
    shutil.rmtree(environment.base_directory / "gone")
    follower.look_again()
    follower.turn()
    assert Run.objects.count() == 2
    follower.look_again()
    follower.turn()
    assert [run.name for run in Run.objects.all()] == ["stays"]


def test_a_base_directory_that_vanishes_takes_no_run_with_it(
    environment: Environment, make_follower: MakeFollower
) -> None:
    write(environment.base_directory / "run", range(3))
    follower = make_follower()
    read_all(follower)
    environment.base_directory.rename(environment.base_directory.with_name("unmounted"))
    for _ in range(3):
        follower.look_again()
        follower.turn()
    assert Run.objects.count() == 1


def test_columns_that_do_not_fit_the_database_are_made_anew(
    environment: Environment, make_follower: MakeFollower
) -> None:
    write(environment.base_directory / "run", range(20))
    read_all(make_follower())
    shutil.rmtree(environment.data_directory / "columns")
    read_all(make_follower())
    assert steps_of(environment, "run") == list(range(20))


def test_the_first_start_keeps_the_identity_that_pages_were_told(
    environment: Environment, make_follower: MakeFollower
) -> None:
    told = ColumnStore(environment.data_directory / "columns").identity
    make_follower()
    assert ColumnStore(environment.data_directory / "columns").identity == told


def test_links_and_odd_files_are_left_alone(
    environment: Environment, make_follower: MakeFollower, tmp_path: Path
) -> None:
    secret = write(tmp_path / "secret", range(3))
    run = environment.base_directory / "run"
    write(run, range(3))
    (run / "events.out.events.summary.1700000000.0.link_MS").symlink_to(secret)
    (environment.base_directory / "linked").symlink_to(tmp_path / "secret")
    (environment.base_directory / "loop").symlink_to(environment.base_directory)
    os.mkfifo(run / "events.out.events.summary.1700000000.0.fifo_MS")
    (run / "events.out.events.summary.1700000000.0.dir_MS").mkdir()
    read_all(make_follower())
    assert [(row["name"], row["files"]) for row in queries.rows()] == [("run", 1)]


@pytest.mark.parametrize("name", ["новый прогон", "训练 1", "a'b\"c<script>", "run;rm -rf", "%2e%2e", "a\nb"])
def test_runs_of_any_name(environment: Environment, make_follower: MakeFollower, name: str) -> None:
    write(environment.base_directory / name, range(3))
    read_all(make_follower())
    assert [row["name"] for row in queries.rows()] == [name]
    assert steps_of(environment, name) == [0, 1, 2]


def test_the_base_directory_can_be_a_run_itself(environment: Environment, make_follower: MakeFollower) -> None:
    write(environment.base_directory, range(3))
    read_all(make_follower())
    assert [row["name"] for row in queries.rows()] == ["."]


def test_numbers_that_are_none_are_kept_and_counted(environment: Environment, make_follower: MakeFollower) -> None:
    with SummaryWriter(environment.base_directory / "run") as writer:
        for step, value in enumerate([1.0, float("nan"), float("inf"), -2.0, float("-inf"), float("nan")]):
            writer.add_scalar("loss", value, step)
    read_all(make_follower())
    tag = Series.objects.get()
    assert (tag.count, tag.not_finite, tag.min, tag.max) == (6, 4, -2.0, 1.0)
    lead = queries.rows()[0]["lead_tag"]
    assert lead is not None
    assert lead["last_value"] == "NaN"


def test_a_run_without_scalars_has_got_as_far_as_its_other_values(
    environment: Environment, make_follower: MakeFollower
) -> None:
    with SummaryWriter(environment.base_directory / "weights") as writer:
        for step in (3, 9):
            writer.add_histogram("fc.weight", [1.0, 2.0], step)
        writer.add_text("note", "read", 5)
    read_all(make_follower())
    run = Run.objects.get()
    series = Series.objects.all()
    assert (run.last_step, run.point_count) == (9, 0)
    assert run.first_wall == min(one.first_wall or 0 for one in series)
    assert run.last_wall == max(one.last_wall or 0 for one in series)


@pytest.mark.parametrize("refuses", [OSError(errno.ENOSPC, "No space left on device"), OperationalError("full")])
def test_what_a_disk_takes_of_a_window_only_in_part_counts_once(
    environment: Environment, make_follower: MakeFollower, monkeypatch: pytest.MonkeyPatch, refuses: Exception
) -> None:
    if isinstance(refuses, OperationalError):
        refuses.__cause__ = full_database()
    monkeypatch.setattr(follower_module, "RETRY_S", 0.0)
    store = ColumnStore.write

    def take_points_only(self: ColumnStore, table: Table, *arguments: Any) -> None:
        if table is not Table.POINTS:
            raise refuses
        store(self, table, *arguments)

    follower = make_follower()
    with SummaryWriter(environment.base_directory / "run") as writer:
        write_both(writer, range(10))
        read_all(follower)
        write_both(writer, range(10, 20))
        monkeypatch.setattr(ColumnStore, "write", take_points_only)
        for _ in range(5):
            follower.look_again()
            follower.turn()
        monkeypatch.setattr(ColumnStore, "write", store)
        read_all(follower)
    assert steps_of(environment, "run") == list(range(20))
    assert Series.objects.get(kind="text").count == 20
    (row,) = queries.rows()
    assert (row["points"], len(row["segments"])) == (20, 1)


def write_both(writer: SummaryWriter, steps: range) -> None:
    for step in steps:
        writer.add_scalar("loss", step * 0.5, step)
        writer.add_text("note", str(step), step)
    assert writer.flush()


def full_database() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


def test_a_database_that_takes_no_new_runs_is_asked_again(
    environment: Environment, make_follower: MakeFollower, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert = ledger_module.insert_new

    def refuse_files(model: type[Any], count: int, columns: Any) -> Any:
        if model is EventFile:
            raise OperationalError("full") from full_database()
        return insert(model, count, columns)

    write(environment.base_directory / "run", range(10))
    follower = make_follower()
    monkeypatch.setattr(ledger_module, "insert_new", refuse_files)
    for _ in range(3):
        follower.look_again()
        follower.turn()
    assert queries.rows() == []
    monkeypatch.setattr(ledger_module, "insert_new", insert)
    read_all(follower)
    assert steps_of(environment, "run") == list(range(10))


def test_a_database_that_fails_for_another_reason_starts_the_reader_anew(
    environment: Environment, make_follower: MakeFollower, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(environment.base_directory / "run", range(10))
    follower = make_follower()

    def refuse(*_: object) -> None:
        raise OperationalError("no such table")

    monkeypatch.setattr(ledger_module, "insert_new", refuse)
    with pytest.raises(OperationalError, match="no such table"):
        follower.turn()
