"""Mappings: a mapping never has former contents of a file, and is released again."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mindinsight.store import ColumnStore, Rows, Table, mappings

POINTS = Table.POINTS


def points(first: int, end: int) -> Rows:
    rows = np.zeros(end - first, POINTS.dtype)
    rows["step"] = range(first, end)
    return rows


@pytest.fixture
def store(tmp_path: Path) -> ColumnStore:
    return ColumnStore(tmp_path)


def mapped_files(directory: Path) -> int:
    gc.collect()
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return sum(f"{directory}/" in line for line in lines)


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_points_that_come_later_are_seen(store: ColumnStore, tmp_path: Path) -> None:
    store.write(POINTS, 1, 7, 0, points(0, 1000))
    first = store.read(POINTS, 1, 7)
    store.write(POINTS, 1, 7, 1000, points(1000, 3000))
    assert len(first) == 1000
    assert store.read(POINTS, 1, 7)["step"].tolist() == list(range(3000))
    assert store.read(POINTS, 1, 7, 500, 2500)["step"].tolist() == list(range(500, 2500))


def test_the_same_points_are_mapped_once(store: ColumnStore, tmp_path: Path) -> None:
    store.write(POINTS, 1, 7, 0, points(0, 1000))
    for end in range(800, 1000):
        store.read(POINTS, 1, 7, 0, end)
    assert mapped_files(tmp_path) == 1
    assert np.shares_memory(store.read(POINTS, 1, 7, 0, 900), store.read(POINTS, 1, 7, 0, 901))


def test_a_series_that_was_replaced_is_read_anew(store: ColumnStore) -> None:
    for start in (0, 5000, 10_000):
        store.write(POINTS, 1, 7, 0, points(start, start + 1000))
        before = store.read(POINTS, 1, 7)
        assert before["step"].tolist() == list(range(start, start + 1000))
        store.remove_run(1)
        assert len(store.read(POINTS, 1, 7)) == 0
        assert before["step"][0] == start


def test_idle_mappings_are_let_go(store: ColumnStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mappings, "IDLE_S", 0.05)
    store.write(POINTS, 1, 7, 0, points(0, 1000))
    kept = store.read(POINTS, 1, 7)
    store.write(POINTS, 1, 8, 0, points(0, 1000))
    store.read(POINTS, 1, 8)
    wait_for(lambda: mapped_files(tmp_path) == 1)
    assert kept["step"].tolist() == list(range(1000))
    del kept
    wait_for(lambda: mapped_files(tmp_path) == 0)
    store.read(POINTS, 1, 8)
    wait_for(lambda: mapped_files(tmp_path) == 0)


@pytest.mark.parametrize(("limit", "value"), [("MOST_FILES", 3), ("MOST_BYTES", 3 * 24_000)])
def test_mappings_are_bounded(
    store: ColumnStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    monkeypatch.setattr(mappings, limit, value)
    for series in range(10):
        store.write(POINTS, 1, series, 0, points(series, series + 1000))
    for series in (*range(10), *range(10)):
        assert store.read(POINTS, 1, series)["step"][0] == series
    assert mapped_files(tmp_path) == 3


def test_one_file_stays_mapped_however_large_it_is(
    store: ColumnStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mappings, "MOST_BYTES", 10_000)
    for series in range(3):
        store.write(POINTS, 1, series, 0, points(series, series + 1000))
        store.read(POINTS, 1, series)
        assert mapped_files(tmp_path) == 1


def test_the_file_that_was_asked_for_last_stays(
    store: ColumnStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mappings, "MOST_FILES", 2)
    for series in (1, 2, 1, 3):
        if series not in store.series_of(1):
            store.write(POINTS, 1, series, 0, points(0, 1000))
        store.read(POINTS, 1, series)
    gc.collect()
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    assert [f"{tmp_path}/1/{series}.points" in maps for series in (1, 2, 3)] == [True, False, True]


def test_a_file_that_goes_between_two_looks_has_no_rows(
    store: ColumnStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(POINTS, 1, 7, 0, points(0, 1000))
    status = (tmp_path / "1" / "7.points").stat()
    store.remove_run(1)
    monkeypatch.setattr(os, "stat", lambda *_, **__: status)
    assert len(store.read(POINTS, 1, 7)) == 0
