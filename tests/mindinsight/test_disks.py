"""What is known of a disk: from the file system's numbers, and from errors of writes."""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
from pathlib import Path

import pytest

from mindinsight.disks import LOOK_EVERY_S, LOW_BYTES, REMEMBER_S, DiskTrouble, DiskWatch, look_at, trouble_in
from tests.dashboard import ROOT
from tests.small_disk import SmallDisk


def refusal(number: int, name: str | None = None) -> OSError:
    return OSError(number, os.strerror(number), name) if name else OSError(number, os.strerror(number))


def test_a_disk_with_room_has_no_trouble(tmp_path: Path) -> None:
    assert look_at(tmp_path) is None


def test_a_disk_with_little_room_counts_as_full(tmp_path: Path) -> None:
    found = look_at(tmp_path, low=1 << 60)
    assert found is not None
    assert (found.condition, found.directory) == ("full", str(tmp_path))


def test_a_directory_that_is_still_to_be_made_is_on_the_disk_of_its_parent(tmp_path: Path) -> None:
    found = look_at(tmp_path / "a" / "b", low=1 << 60)
    assert found is not None
    assert found.directory == str(tmp_path)


def test_full_and_read_only_disks_are_told_apart(tmp_path: Path) -> None:
    with SmallDisk(tmp_path / "disk", 6) as disk:
        place = disk.seen(disk.path)
        assert look_at(place) is None
        disk.fill(leave=LOW_BYTES - 65_536)
        found = look_at(place)
        assert found is not None
        assert found.condition == "full"
        assert found.free <= LOW_BYTES
        disk.empty()
        assert look_at(place) is None
        assert disk.run("mount", "-o", "remount,ro", disk.path).returncode == 0
        found = look_at(place)
        assert found is not None
        assert found.condition == "read_only"


@pytest.mark.parametrize(
    ("number", "condition"), [(errno.ENOSPC, "full"), (errno.EDQUOT, "full"), (errno.EROFS, "read_only")]
)
def test_an_error_names_the_directory_of_its_file(tmp_path: Path, number: int, condition: str) -> None:
    named = trouble_in(refusal(number, str(tmp_path / "file")), Path("/"))
    assert named is not None
    assert (named.condition, named.directory) == (condition, str(tmp_path))
    unnamed = trouble_in(refusal(number), tmp_path)
    assert unnamed is not None
    assert (unnamed.condition, unnamed.directory) == (condition, str(tmp_path))


@pytest.mark.parametrize("error", [refusal(errno.EACCES, "/x"), refusal(errno.EIO, "/x"), ValueError("no")])
def test_other_errors_are_no_trouble_of_a_disk(tmp_path: Path, error: Exception) -> None:
    assert trouble_in(error, tmp_path) is None


FILL_DATABASE = """
import sqlite3, sys
from pathlib import Path
from mindinsight.disks import trouble_in
directory = Path(sys.argv[1])
database = sqlite3.connect(directory / "database")
database.execute("CREATE TABLE numbers (number)")
try:
    with database:
        database.executemany("INSERT INTO numbers VALUES (?)", [("x" * 1000,)] * 2000)
except sqlite3.Error as error:
    wrapped = RuntimeError("the query failed")
    wrapped.__cause__ = error
    found = trouble_in(wrapped, directory)
    print(found.condition, found.directory)
"""


def test_a_database_on_a_full_disk_says_so(tmp_path: Path) -> None:
    with SmallDisk(tmp_path / "disk", 1) as disk:
        done = disk.run("env", f"PYTHONPATH={ROOT}", sys.executable, "-c", FILL_DATABASE, disk.path)
        assert done.stdout == f"full {disk.path}\n", done


def test_a_database_that_may_not_be_written_says_so(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "database").execute("CREATE TABLE numbers (number)").connection.close()
    database = sqlite3.connect(f"file:{tmp_path / 'database'}?mode=ro", uri=True)
    with pytest.raises(sqlite3.OperationalError) as caught:
        database.execute("INSERT INTO numbers VALUES (1)")
    found = trouble_in(caught.value, tmp_path)
    assert found is not None
    assert found.condition == "read_only"
    database.close()


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_watch_remembers_an_error_until_writes_have_gone_well_for_a_while(tmp_path: Path) -> None:
    clock = Clock()
    watch = DiskWatch([tmp_path], clock)
    assert watch.look() is None
    assert watch.failed(refusal(errno.EDQUOT)) is not None
    assert watch.failed(refusal(errno.EACCES)) is None
    clock.now += REMEMBER_S / 2
    found = watch.look()
    assert found is not None
    assert found.condition == "full"
    clock.now += REMEMBER_S
    assert watch.look() is None


def test_a_watch_sees_what_becomes_of_a_disk(tmp_path: Path) -> None:
    clock = Clock()
    with SmallDisk(tmp_path / "disk", 8) as disk:
        watch = DiskWatch([tmp_path, disk.seen(disk.path)], clock)
        assert watch.look() is None
        disk.fill()
        clock.now += LOOK_EVERY_S
        found = watch.look()
        assert found is not None
        assert found.directory == str(disk.seen(disk.path))
        disk.empty()
        clock.now += LOOK_EVERY_S
        assert watch.look() is None


@pytest.mark.parametrize("condition", ["full", "read_only", "failing"])
def test_the_sentence_names_the_directory_and_what_to_do(condition: str) -> None:
    trouble = DiskTrouble.from_json({"condition": condition, "directory": "/data", "free": 1_200_000})
    assert trouble is not None
    assert "/data" in trouble.message
    assert trouble.message.count(".") >= 2
    assert DiskTrouble.from_json(trouble.as_json()) == trouble


def test_free_bytes_count_by_the_mebibyte() -> None:
    trouble = DiskTrouble("full", "/data", 1000)
    assert trouble.same_as(DiskTrouble("full", "/data", 2000))
    assert not trouble.same_as(DiskTrouble("full", "/data", 2 << 20))
    assert not trouble.same_as(DiskTrouble("read_only", "/data", 1000))
    assert not trouble.same_as(None)
