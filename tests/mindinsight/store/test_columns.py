"""Columns: written rows are read, a torn write is not visible, writing again repairs it."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight.store import ColumnStore, Originals, Rows, Table, WriterLock, one_after_another
from summaries.beneath import Beneath

POINTS, PLACES = Table.POINTS, Table.PLACES


def points(n: int, start: int = 0) -> Rows:
    rows = np.zeros(n, POINTS.dtype)
    rows["step"] = np.arange(start, start + n)
    rows["wall"] = rows["step"] + 0.5
    rows["value"] = rows["step"] * 2.0
    return rows


@pytest.fixture
def store(tmp_path: Path) -> ColumnStore:
    return ColumnStore(tmp_path / "columns")


def test_what_is_written_is_read(store: ColumnStore) -> None:
    assert store.write(POINTS, 1, 7, 0, points(10)) == 10
    assert store.write(POINTS, 1, 7, 10, points(5, start=10)) == 15
    assert store.read(POINTS, 1, 7).tolist() == points(15).tolist()


def test_a_run_may_have_values_of_both_tables(store: ColumnStore) -> None:
    places = np.zeros(3, PLACES.dtype)
    places["offset"] = [2**40, 7, 8]
    store.write(PLACES, 1, 7, 0, places)
    store.write(POINTS, 1, 7, 0, points(2))
    assert store.read(PLACES, 1, 7).tolist() == places.tolist()
    assert (store.count(PLACES, 1, 7), store.count(POINTS, 1, 7)) == (3, 2)


@pytest.mark.parametrize("there", [10, 5000])
def test_a_slice_is_cut_at_the_end(store: ColumnStore, there: int) -> None:
    store.write(POINTS, 1, 7, 0, points(there))
    assert store.read(POINTS, 1, 7, there - 2, there + 10)["step"].tolist() == [there - 2, there - 1]
    assert store.read(POINTS, 1, 7, 3)["step"].tolist() == list(range(3, there))
    assert len(store.read(POINTS, 1, 7, there + 2)) == 0
    assert len(store.read(POINTS, 1, 7, 5, 4)) == 0


def test_parts_are_put_one_after_another() -> None:
    whole = one_after_another([points(3), points(0), points(2, start=3)])
    assert whole.dtype == POINTS.dtype
    assert whole.tolist() == points(5).tolist()


def test_nobody_changes_what_was_read(store: ColumnStore) -> None:
    store.write(POINTS, 1, 7, 0, points(5000))
    for rows in (store.read(POINTS, 1, 7), store.read(POINTS, 1, 7, 0, 5)):
        with pytest.raises(ValueError, match="read-only"):
            rows["value"] = 0.0


def test_an_unknown_series_has_no_rows(store: ColumnStore) -> None:
    assert store.state(POINTS, 3, 9) == (0, 0)
    assert len(store.read(POINTS, 3, 9)) == 0


def test_the_time_of_the_last_write_is_known(store: ColumnStore) -> None:
    store.write(POINTS, 1, 7, 0, points(3))
    count, first = store.state(POINTS, 1, 7)
    assert count == 3
    while store.state(POINTS, 1, 7) == (3, first):
        store.write(POINTS, 1, 7, 0, points(3))
    assert store.state(POINTS, 1, 7)[1] > first


def test_a_write_torn_at_any_byte_is_not_seen_and_heals(store: ColumnStore, tmp_path: Path) -> None:
    end = store.write(POINTS, 1, 7, 0, points(10))
    file = tmp_path / "columns" / "1" / "7.points"
    for torn in range(4 * POINTS.dtype.itemsize):
        store.write(POINTS, 1, 7, end, points(4, start=end))
        os.truncate(file, end * POINTS.dtype.itemsize + torn)
        whole = end + torn // POINTS.dtype.itemsize
        assert store.count(POINTS, 1, 7) == whole
        assert store.read(POINTS, 1, 7).tolist() == points(whole).tolist()
    store.write(POINTS, 1, 7, end, points(4, start=end))
    assert store.read(POINTS, 1, 7).tolist() == points(14).tolist()


def test_writing_again_puts_points_into_the_same_places(store: ColumnStore) -> None:
    store.write(POINTS, 1, 7, 0, points(10))
    store.write(POINTS, 1, 7, 4, points(6, start=4))
    assert store.read(POINTS, 1, 7).tolist() == points(10).tolist()


def test_what_was_read_stays_when_the_run_is_removed(store: ColumnStore) -> None:
    store.write(POINTS, 1, 7, 0, points(5000))
    rows = store.read(POINTS, 1, 7)
    store.remove_run(1)
    assert rows.tolist() == points(5000).tolist()


def test_runs_are_removed_alone(store: ColumnStore) -> None:
    store.write(POINTS, 1, 7, 0, points(3))
    store.write(POINTS, 2, 8, 0, points(3))
    store.remove_run(1)
    store.remove_run(3)
    assert store.count(POINTS, 1, 7) == 0
    assert store.count(POINTS, 2, 8) == 3
    store.write(POINTS, 1, 7, 0, points(2))
    assert store.count(POINTS, 1, 7) == 2


def test_series_are_removed_alone_with_their_levels(store: ColumnStore, tmp_path: Path) -> None:
    for series in (7, 70):
        store.write(POINTS, 1, series, 0, points(5000))
    store.remove_series(1, 7)
    store.remove_series(1, 8)
    assert sorted(file.name for file in (tmp_path / "columns" / "1").iterdir()) == [
        "70.level1",
        "70.level2",
        "70.points",
    ]
    assert store.count(POINTS, 1, 70) == 5000


def test_nobody_else_may_read_what_is_stored(tmp_path: Path) -> None:
    usual = os.umask(0)
    try:
        store = ColumnStore(tmp_path / "deep" / "columns")
        store.write(POINTS, 1, 7, 0, points(5000))
        store.write(PLACES, 1, 8, 0, np.zeros(3, PLACES.dtype))
        store.write_short([2], [9], [0], points(3))
        assert WriterLock(tmp_path / "deep" / "columns").acquire()
        original = Beneath(tmp_path, "deep/columns/1/7.points")
        assert Originals(tmp_path / "deep" / "columns").link(3, 5, original)
    finally:
        os.umask(usual)
    found = [path for path in (tmp_path / "deep" / "columns").rglob("*") if path.name not in ("FORMAT", "identity")]
    assert len(found) == 10
    assert {path.stat().st_mode & 0o777 for path in found if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in found if path.is_file()} == {0o600}
    assert (tmp_path / "deep" / "columns").stat().st_mode & 0o777 == 0o700


def test_a_directory_that_was_deleted_is_made_again(store: ColumnStore, tmp_path: Path) -> None:
    store.write(POINTS, 1, 7, 0, points(3))
    shutil.rmtree(tmp_path / "columns")
    assert store.runs() == set()
    assert store.series_of(1) == set()
    assert len(store.read(POINTS, 1, 7)) == 0
    store.write(POINTS, 2, 7, 0, points(3))
    assert store.runs() == {2}
    assert store.series_of(2) == {7}


def test_runs_and_series_are_told_by_their_numbers(store: ColumnStore, tmp_path: Path) -> None:
    store.write(POINTS, 1, 7, 0, points(5000))
    store.write(PLACES, 12, 80, 0, np.zeros(3, PLACES.dtype))
    (tmp_path / "columns" / "1" / "notes.txt").touch()
    store.write_short([5], [9], [0], points(3))
    assert (store.runs(), store.series_of(1), store.series_of(12)) == ({1, 12}, {7}, {80})


def test_levels_of_a_run_that_comes_again_are_those_of_a_new_one(store: ColumnStore, tmp_path: Path) -> None:
    other = ColumnStore(tmp_path / "other")
    for run in (1, 2):
        store.write(POINTS, run, 7, 0, points(9000))
    store.remove_run(1)
    for end in (1000, 9000):
        for columns in (store, other):
            start = columns.count(POINTS, 1, 7)
            columns.write(POINTS, 1, 7, start, points(end - start, start=start))
    for name in ("7.level1", "7.level2"):
        made = (tmp_path / "columns" / "1" / name).read_bytes()
        assert made == (tmp_path / "other" / "1" / name).read_bytes()


def test_a_full_disk_is_an_error_and_the_same_write_mends_it(
    store: ColumnStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, left = os.pwrite, [100]

    def pwrite(descriptor: int, rows: memoryview, offset: int) -> int:
        room = min(left[0], rows.nbytes)
        if not room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left[0] -= room
        return write(descriptor, rows.tobytes()[:room], offset)

    monkeypatch.setattr(os, "pwrite", pwrite)
    with pytest.raises(OSError, match="No space left"):
        store.write(POINTS, 1, 7, 0, points(10))
    left[0] = 1000
    store.write(POINTS, 1, 7, 0, points(10))
    assert store.read(POINTS, 1, 7).tolist() == points(10).tolist()


@given(st.lists(st.integers(1, 1000), max_size=12))
def test_any_sequence_of_appends_reads_back(tmp_path_factory: pytest.TempPathFactory, sizes: list[int]) -> None:
    store = ColumnStore(tmp_path_factory.mktemp("columns"))
    end = 0
    for size in sizes:
        end = store.write(POINTS, 1, 1, end, points(size, start=end))
    assert store.read(POINTS, 1, 1).tolist() == points(sum(sizes)).tolist()
