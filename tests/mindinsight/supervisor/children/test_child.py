"""Restart delays and the logs of children."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mindinsight.supervisor.children import child_log
from mindinsight.supervisor.children.child import Backoff
from mindinsight.supervisor.children.child_log import ChildLog
from tests.small_disk import SmallDisk


def test_delays_double_up_to_ten_seconds() -> None:
    backoff = Backoff()
    assert [backoff.delay(lived=1) for _ in range(8)] == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]


def test_a_long_life_begins_anew() -> None:
    backoff = Backoff()
    assert [backoff.delay(lived) for lived in (1, 1, 5, 1)] == [0.2, 0.4, 0.2, 0.4]


def test_what_is_killed_comes_back_within_a_second() -> None:
    backoff = Backoff()
    assert [backoff.delay(1, was_killed=True) for _ in range(20)] == [0.2, 0.4, 0.8] + [1.0] * 17


def printed(log: ChildLog, *blocks: bytes) -> None:
    for block in blocks:
        read, write = os.pipe()
        os.write(write, block)
        os.close(write)
        assert not log.copy(read)
        os.close(read)


def test_lines_are_put_together_from_blocks(tmp_path: Path) -> None:
    log = ChildLog(tmp_path / "web.log")
    printed(log, b"one\ntw", b"o\nunfini", b"shed \xff")
    log.close()
    assert (tmp_path / "web.log").read_text() == "one\ntwo\nunfinished \ufffd\n"
    assert log.last_lines == ("one", "two", "unfinished \ufffd")


def test_files_keep_their_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_log, "MAX_BYTES", 1000)
    log = ChildLog(tmp_path / "web.log")
    printed(log, *([b"a line of thirty characters ...\n" * 100] * 3))
    log.close()
    files = list(tmp_path.iterdir())
    assert len(files) == 1 + child_log.OLD_FILES
    assert all(file.stat().st_size <= 1000 for file in files)


def test_a_full_disk_costs_lines_only() -> None:
    log = ChildLog(Path("/dev/full"))
    printed(log, b"nobody keeps this\n")
    assert log.last_lines == ("nobody keeps this",)
    log.close()


def test_a_log_goes_on_when_there_is_room_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_log, "MAX_BYTES", 8192)
    with SmallDisk(tmp_path / "disk", 1) as disk:
        path = disk.seen(disk.path) / "web.log"
        log = ChildLog(path)
        printed(log, b"before\n")
        disk.fill()
        # Enough for several files: none of the rotations succeeds either.
        printed(log, *([b"a line of thirty characters ...\n" * 300] * 5))
        disk.empty()
        printed(log, b"after\n")
        log.close()
        assert path.read_text().splitlines()[-1] == "after"
