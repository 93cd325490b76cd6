"""Short series that share files: read as if they had their own, moved when they grow, removed without a trace."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight.store import SHORT, ColumnStore, Rows, Table
from mindinsight.store.packs import SERIES

POINTS = Table.POINTS


def points(n: int, series: int, start: int = 0) -> Rows:
    rows = np.zeros(n, POINTS.dtype)
    rows["step"] = np.arange(start, start + n)
    rows["wall"] = rows["step"] + 0.5
    rows["value"] = rows["step"] + series * 1000.0
    return rows


def write_short(store: ColumnStore, run: int, lengths: dict[int, int]) -> None:
    starts = [0, *np.cumsum(list(lengths.values()))[:-1].tolist()]
    runs = [run] * len(lengths)
    store.write_short(runs, list(lengths), starts, np.concatenate([points(n, each) for each, n in lengths.items()]))


def files(store: ColumnStore, tmp_path: Path) -> set[str]:
    return {path.relative_to(tmp_path / "columns").as_posix() for path in tmp_path.rglob("columns/*/*")}


@pytest.fixture
def store(tmp_path: Path) -> ColumnStore:
    return ColumnStore(tmp_path / "columns")


def test_short_series_of_many_runs_share_a_file(store: ColumnStore, tmp_path: Path) -> None:
    write_short(store, 1, {5: 3, 6: 1, 7: 100})
    write_short(store, 2, {8: 20})
    assert files(store, tmp_path) == {"packs/0"}
    for run, series, count in ((1, 5, 3), (1, 6, 1), (1, 7, 100), (2, 8, 20)):
        assert store.read(POINTS, run, series).tolist() == points(count, series).tolist()
        assert store.count(POINTS, run, series) == count
    assert store.read(POINTS, 1, 7, 90, 95).tolist() == points(5, 7, 90).tolist()
    assert len(store.read(POINTS, 1, 7, 100)) == len(store.read(POINTS, 1, 9)) == 0
    assert not store.empty


def test_many_short_series_are_read_with_one_look_into_each_file(
    store: ColumnStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths = {SERIES + 3: 2, 5: 3, SERIES - 1: 4, 6: 1, SERIES: 5}
    for series, count in lengths.items():
        write_short(store, 1, {series: count})
    opened: list[str] = []
    open_file = os.open

    def look(path: str | Path, *given: int) -> int:
        opened.append(str(path))
        return open_file(path, *given)

    monkeypatch.setattr(os, "open", look)
    found = store.read_points([(1, series) for series in lengths])
    assert [rows.tolist() for rows in found] == [points(count, series).tolist() for series, count in lengths.items()]
    assert sorted(opened) == [f"{tmp_path}/columns/packs/0", f"{tmp_path}/columns/packs/1"]


def test_numbers_on_both_sides_of_a_border_are_found(store: ColumnStore) -> None:
    write_short(store, 1, {SERIES - 1: 4, SERIES: 5, SERIES + 7: 6})
    write_short(store, 1, {SERIES + 3: 2})
    found = [store.read(POINTS, 1, series).tolist() for series in (SERIES - 1, SERIES, SERIES + 3, SERIES + 7)]
    counts = zip((SERIES - 1, SERIES, SERIES + 3, SERIES + 7), (4, 5, 2, 6), strict=True)
    assert found == [points(count, series).tolist() for series, count in counts]


@given(
    st.lists(
        st.tuples(st.integers(0, 3 * SERIES), st.integers(1, SHORT - 1)),
        min_size=1,
        max_size=8,
        unique_by=lambda pair: pair[0],
    )
)
@settings(max_examples=30)
def test_whatever_the_numbers_and_lengths(
    tmp_path_factory: pytest.TempPathFactory, wanted: list[tuple[int, int]]
) -> None:
    store = ColumnStore(tmp_path_factory.mktemp("any") / "columns")
    write_short(store, 3, dict(wanted))
    for series, count in wanted:
        assert store.read(POINTS, 3, series).tolist() == points(count, series).tolist()


def test_a_series_that_grows_gets_a_file_of_its_own(store: ColumnStore, tmp_path: Path) -> None:
    write_short(store, 1, {5: 3, 6: 4})
    assert store.write(POINTS, 1, 5, 3, points(2, 5, 3)) == 5
    assert files(store, tmp_path) == {"packs/0", "1/5.points"}
    assert store.read(POINTS, 1, 5).tolist() == points(5, 5).tolist()
    assert store.read(POINTS, 1, 6).tolist() == points(4, 6).tolist()
    assert list(store.short_series()) == [{6: 1}]
    assert store.series_of(1) == {5}


def test_many_are_read_at_once_wherever_each_lies(store: ColumnStore, tmp_path: Path) -> None:
    write_short(store, 1, {5: 3, 6: 4, SERIES + 1: 7, SERIES + 2: 2})
    store.write(POINTS, 1, 5, 3, points(2, 5, 3))
    store.write(POINTS, 2, 9, 0, points(6, 9))
    store.remove_series(1, SERIES + 2)
    wanted = [(1, 6), (1, SERIES + 2), (2, 9), (1, SERIES + 1), (3, 77), (1, 5)]
    found = ColumnStore(tmp_path / "columns").read_points(wanted)
    expected = [points(count, series) for count, series in ((4, 6), (0, 0), (6, 9), (7, SERIES + 1), (0, 0), (5, 5))]
    assert [rows.tolist() for rows in found] == [rows.tolist() for rows in expected]


def test_a_writer_that_starts_anew_moves_it_just_as_well(store: ColumnStore, tmp_path: Path) -> None:
    write_short(store, 1, {5: 3})
    ColumnStore(tmp_path / "columns").write(POINTS, 1, 5, 3, points(1, 5, 3))
    assert store.read(POINTS, 1, 5).tolist() == points(4, 5).tolist()


def test_a_writer_killed_while_it_moves_loses_nothing(store: ColumnStore, tmp_path: Path) -> None:
    write_short(store, 1, {5: 3})
    (tmp_path / "columns" / "1").mkdir()
    (tmp_path / "columns" / "1" / "5.points.new").write_bytes(points(2, 5).tobytes())
    assert store.read(POINTS, 1, 5).tolist() == points(3, 5).tolist()
    store.write(POINTS, 1, 5, 3, points(1, 5, 3))
    assert store.read(POINTS, 1, 5).tolist() == points(4, 5).tolist()
    assert files(store, tmp_path) == {"packs/0", "1/5.points"}


def test_a_torn_write_is_not_seen_and_writing_again_heals(store: ColumnStore, tmp_path: Path) -> None:
    write_short(store, 1, {5: 3})
    with (tmp_path / "columns" / "packs" / "0").open("ab") as pack:
        pack.write(b"torn off")  # rows without a slot, and not even whole
    assert len(store.read(POINTS, 1, 6)) == 0
    write_short(store, 1, {6: 2})
    write_short(store, 1, {5: 4})
    assert store.read(POINTS, 1, 6).tolist() == points(2, 6).tolist()
    assert store.read(POINTS, 1, 5).tolist() == points(4, 5).tolist()


def test_of_rows_that_are_cut_off_the_whole_ones_are_read(store: ColumnStore, tmp_path: Path) -> None:
    write_short(store, 1, {5: 3, 6: 4})
    pack = tmp_path / "columns" / "packs" / "0"
    os.truncate(pack, pack.stat().st_size - POINTS.dtype.itemsize - 1)
    assert store.read(POINTS, 1, 6).tolist() == points(2, 6).tolist()
    assert [rows.tolist() for rows in store.read_points([(1, 5), (1, 6)])] == [
        points(3, 5).tolist(),
        points(2, 6).tolist(),
    ]
    os.truncate(pack, 6 * POINTS.dtype.itemsize - 1)
    assert len(store.read(POINTS, 1, 5)) == 0
    assert store.read_points([(1, 5), (1, 900)])[1].tolist() == []


def test_the_end_of_a_slice_may_lie_behind_the_last_row(store: ColumnStore) -> None:
    write_short(store, 1, {5: 10, 6: 10})
    assert store.read(POINTS, 1, 5, 8, 99)["step"].tolist() == [8, 9]
    assert store.read(POINTS, 1, 5, 3, 4)["step"].tolist() == [3]
    assert len(store.read(POINTS, 1, 5, 4, 4)) == len(store.read(POINTS, 1, 5, 7, 3)) == 0


def test_series_between_others_keep_their_rows(store: ColumnStore) -> None:
    write_short(store, 1, {5: 3, 7: 2})
    write_short(store, 2, {4: 1, 6: 5, 8: 2})
    assert [store.count(POINTS, 0, series) for series in range(4, 9)] == [1, 3, 5, 2, 2]
    assert list(store.short_series()) == [{4: 2, 5: 1, 6: 2, 7: 1, 8: 2}]
    assert store.state(POINTS, 2, 6)[1] > store.state(POINTS, 1, 7)[1]


def test_what_is_removed_leaves_zeros_in_its_place_only(store: ColumnStore, tmp_path: Path) -> None:
    for series in range(3):
        write_short(store, series, {series: 2000})
    store.remove_series(1, 1)
    pack = np.fromfile(tmp_path / "columns" / "packs" / "0", POINTS.dtype)[SERIES:]
    assert pack[:2000].tolist() == points(2000, 0).tolist()
    assert not pack[2000:4000]["wall"].any()
    assert pack[4000:].tolist() == points(2000, 2).tolist()


def test_the_state_changes_with_every_write_and_no_other(store: ColumnStore) -> None:
    write_short(store, 1, {5: 3})
    before = store.state(POINTS, 1, 5)
    write_short(store, 1, {6: 3})
    assert store.state(POINTS, 1, 5) == before
    store.write(POINTS, 1, 5, 3, points(1, 5, 3))
    assert store.state(POINTS, 1, 5) != before


def test_a_removed_run_leaves_the_others_and_gives_its_room_back(store: ColumnStore, tmp_path: Path) -> None:
    write_short(store, 1, {5: 2000})
    write_short(store, 2, {6: 2000})
    pack = tmp_path / "columns" / "packs" / "0"
    os.sync()
    before = pack.stat().st_blocks
    store.remove_run(1)
    os.sync()
    assert len(store.read(POINTS, 1, 5)) == 0
    assert store.read(POINTS, 2, 6).tolist() == points(2000, 6).tolist()
    assert list(store.short_series()) == [{6: 2}]
    assert pack.stat().st_blocks < before


def test_many_removed_runs_leave_the_others(store: ColumnStore, tmp_path: Path) -> None:
    numbers = list(range(1000, 1100))  # in two packs
    for number in numbers:
        write_short(store, number % 7, {number: 1 + number % 5})
    store.remove_runs([2, 4, 99])
    for number in numbers:
        kept = 0 if number % 7 in (2, 4) else 1 + number % 5
        assert store.read(POINTS, number % 7, number).tolist() == points(kept, number).tolist()
    there = {number: run for pack in store.short_series() for number, run in pack.items()}
    assert there == {number: number % 7 for number in numbers if number % 7 not in (2, 4)}


def test_a_removed_series_is_gone_wherever_it_was(store: ColumnStore) -> None:
    write_short(store, 1, {5: 3, 6: 3})
    store.write(POINTS, 1, 6, 3, points(1, 6, 3))
    store.remove_series(1, 5)
    store.remove_series(1, 6)
    assert [len(store.read(POINTS, 1, series)) for series in (5, 6)] == [0, 0]


def test_who_reads_while_series_move_always_sees_all_points(store: ColumnStore, tmp_path: Path) -> None:
    count = 60
    write_short(store, 1, dict.fromkeys(range(count), 50))
    seen: list[int] = []
    done = threading.Event()

    def read() -> None:
        other = ColumnStore(tmp_path / "columns")
        while not done.is_set():
            seen.extend(len(other.read(POINTS, 1, series)) for series in range(count))
            seen.extend(other.count(POINTS, 1, series) for series in range(count))

    reader = threading.Thread(target=read)
    reader.start()
    for series in range(count):
        store.write(POINTS, 1, series, 50, points(1, series, 50))
    done.set()
    reader.join()
    assert seen
    assert set(seen) <= {50, 51}


def test_who_reads_many_while_one_moves_sees_all_its_points(store: ColumnStore, tmp_path: Path) -> None:
    write_short(store, 1, {5: 3, 6: 4})
    # Killed after the file was made and before the pack let go: both have the same points.
    (tmp_path / "columns" / "1").mkdir()
    (tmp_path / "columns" / "1" / "5.points").write_bytes(points(3, 5).tobytes())
    assert store.read_points([(1, 5)])[0].tolist() == points(3, 5).tolist()
    ColumnStore(tmp_path / "columns").write(POINTS, 1, 5, 3, points(1, 5, 3))
    assert store.read_points([(1, 5)])[0].tolist() == points(4, 5).tolist()


def test_clearing_removes_packs_too(store: ColumnStore) -> None:
    write_short(store, 1, {5: 3})
    store.clear()
    assert store.empty
    assert len(store.read(POINTS, 1, 5)) == 0
