"""Levels: every entry is what looking at each of its points says, whatever happened to the files."""

from __future__ import annotations

import errno
import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight.store import ColumnStore, Rows, Table
from mindinsight.store.levels import condense, summarise

POINTS = Table.POINTS
NAN, INF = float("nan"), float("inf")


def points(n: int, seed: int = 0, odd: float = 0.0) -> Rows:
    """A noisy curve with steps that repeat and jump; a share of its values is not finite."""
    chance = np.random.default_rng(seed)
    rows = np.zeros(n, POINTS.dtype)
    rows["step"] = np.cumsum(chance.integers(0, 3, n))
    rows["wall"] = 1e9 + np.cumsum(chance.random(n) - 0.001)
    rows["value"] = np.where(chance.random(n) < odd, chance.choice([NAN, INF, -INF], n), chance.normal(size=n).round(1))
    return rows


def expected(rows: Rows, size: int) -> list[dict[str, float]]:
    """The entries of blocks of `size` points, by the plain definition."""
    return [_entry(rows, at, at + size) for at in range(0, len(rows) - size + 1, size)]


def _entry(rows: Rows, first: int, end: int) -> dict[str, float]:
    value = rows["value"][first:end].tolist()
    finite = [number for number in value if math.isfinite(number)]
    low, high = min(finite, default=INF), max(finite, default=-INF)
    around = rows[max(0, first - 1) : end]
    return {
        "step_first": rows["step"][first],
        "wall_first": rows["wall"][first],
        "min": low,
        "max": high,
        "sum": math.fsum(finite),
        "min_at": value.index(low) if finite else 0,
        "max_at": value.index(high) if finite else 0,
        "finite": len(finite),
        "nan": sum(map(math.isnan, value)),
        "pos_inf": value.count(INF),
        "neg_inf": value.count(-INF),
        "step_falls": sum(after < before for before, after in zip(around["step"], around["step"][1:], strict=False)),
        "wall_falls": sum(after < before for before, after in zip(around["wall"], around["wall"][1:], strict=False)),
    }


def assert_exact(store: ColumnStore, rows: Rows) -> None:
    levels = store.levels(1, 7, rows)
    for entries, size in ((levels.one, 64), (levels.two, 4096)):
        wanted = expected(rows, size)
        assert len(entries) == len(wanted)
        for entry, plain in zip(entries, wanted, strict=True):
            found = {name: entry[name].item() for name in plain}
            assert found.pop("sum") == pytest.approx(plain.pop("sum"), rel=1e-12, abs=1e-9)
            if not plain["finite"]:
                for name in ("min_at", "max_at"):
                    del plain[name], found[name]
            assert found == plain


def written(file: Path) -> int:
    return file.stat().st_size // 56 if file.exists() else 0


@pytest.fixture
def store(tmp_path: Path) -> ColumnStore:
    return ColumnStore(tmp_path)


@pytest.fixture
def one(tmp_path: Path) -> Path:
    return tmp_path / "1" / "7.level1"


@pytest.fixture
def two(tmp_path: Path) -> Path:
    return tmp_path / "1" / "7.level2"


@pytest.mark.parametrize("odd", [0.0, 0.01, 0.9, 1.0])
@pytest.mark.parametrize("n", [2047, 2048, 4095, 4096, 4097, 9000])
def test_entries_are_exact(store: ColumnStore, one: Path, two: Path, n: int, odd: float) -> None:
    rows = points(n, odd=odd)
    store.write(POINTS, 1, 7, 0, rows)
    assert (written(one), written(two)) == ((n // 64, n // 4096) if n >= 2048 else (0, 0))
    assert_exact(store, rows)


@given(st.lists(st.integers(1, 3000), max_size=8), st.integers(0, 2**32), st.sampled_from([0.0, 0.02]))
def test_any_sequence_of_appends_gives_the_same_files(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], seed: int, odd: float
) -> None:
    rows = points(sum(sizes), seed, odd)
    pieces, whole = (ColumnStore(tmp_path_factory.mktemp(name)) for name in ("pieces", "whole"))
    end = 0
    for size in sizes:
        end = pieces.write(POINTS, 1, 7, end, rows[end : end + size])
    whole.write(POINTS, 1, 7, 0, rows)
    for ours, plain in zip(_stored(pieces, rows), _stored(whole, rows), strict=True):
        assert ours.tobytes() == plain.tobytes()


def _stored(store: ColumnStore, rows: Rows) -> tuple[Rows, Rows]:
    levels = store.levels(1, 7, rows)
    return levels.one, levels.two


@given(st.integers(0, 3000), st.integers(0, 2**32), st.sampled_from([0.0, 0.02, 0.9]))
def test_compiled_or_not_they_are_the_same_to_the_last_bit(first: int, seed: int, odd: float) -> None:
    rows = points(first + 3 * 4096, seed, odd)[first:]
    rows["value"][seed % 4096] = seed % 3 * 1e308
    found = [_both_levels(rows)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mindinsight.store.kernel.library.KERNEL", None)
        found.append(_both_levels(rows))
    assert found[0] == found[1]


@pytest.mark.parametrize("before", [0, 1])
def test_no_points_have_no_entries_compiled_or_not(before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = points(before)
    assert len(summarise(rows[:0], rows)) == 0
    monkeypatch.setattr("mindinsight.store.kernel.library.KERNEL", None)
    assert len(summarise(rows[:0], rows)) == 0
    assert len(condense(summarise(rows[:0], rows))) == 0


def _both_levels(rows: Rows) -> bytes:
    ones = np.concatenate([summarise(rows[:640], rows[:0]), summarise(rows[640:], rows[639:640])])
    return ones.tobytes() + condense(ones).tobytes()


def test_what_an_earlier_write_left_out_is_made_up_for_by_a_small_one(store: ColumnStore, one: Path) -> None:
    rows = points(2075)
    store.write(POINTS, 1, 7, 0, rows[:2065])
    one.unlink()
    ColumnStore(one.parents[1]).write(POINTS, 1, 7, 2065, rows[2065:])
    assert written(one) == 2075 // 64
    assert_exact(store, rows)


def test_what_is_missing_behind_some_entries_is_made_of_the_stored_points(store: ColumnStore, one: Path) -> None:
    rows = points(9000)
    store.write(POINTS, 1, 7, 0, rows[:8900])
    whole = one.read_bytes()
    os.truncate(one, 10 * 56)
    ColumnStore(one.parents[1]).write(POINTS, 1, 7, 8900, rows[8900:])
    assert one.read_bytes()[: len(whole)] == whole
    assert_exact(store, rows)


@pytest.mark.parametrize("size", [1, 63, 64, 65])
def test_small_writes_summarise_block_by_block(store: ColumnStore, one: Path, two: Path, size: int) -> None:
    rows = points(4500, odd=0.01)
    for at in range(0, len(rows), size):
        end = store.write(POINTS, 1, 7, at, rows[at : at + size])
        assert written(one) == (end // 64 if end >= 2048 else 0)
        assert written(two) == end // 4096
    assert_exact(store, rows)


def test_another_writer_goes_on_where_one_was_killed(store: ColumnStore, one: Path, tmp_path: Path) -> None:
    rows = points(9000)
    store.write(POINTS, 1, 7, 0, rows[:8200])
    before = one.read_bytes()
    after = ColumnStore(tmp_path)
    after.write(POINTS, 1, 7, 5000, rows[5000:8200])
    assert one.read_bytes() == before
    after.write(POINTS, 1, 7, 8200, rows[8200:])
    assert_exact(after, rows)


def test_a_level_file_torn_at_any_byte_is_mended_by_the_next_write(one: Path, two: Path, tmp_path: Path) -> None:
    rows = points(8192 + 64)
    for file, torn in [(file, torn) for file in (one, two) for torn in range(57)]:
        store = ColumnStore(tmp_path)
        store.write(POINTS, 1, 7, 0, rows[:8192])
        os.truncate(file, file.stat().st_size - torn)
        assert store.levels(1, 7, rows[:8192]).one["min"].tolist() == [e["min"] for e in expected(rows[:8192], 64)]
        ColumnStore(tmp_path).write(POINTS, 1, 7, 8192, rows[8192:])
        assert (written(one), written(two)) == (129, 2)
        store.remove_run(1)


def test_torn_levels_are_read_exactly(store: ColumnStore, one: Path, two: Path) -> None:
    rows = points(9000, odd=0.01)
    for length in (0, 1, 55, 56, 57, 64 * 56, 100 * 56 + 3):
        store.write(POINTS, 1, 7, 0, rows)
        os.truncate(one, length)
        assert_exact(store, rows)
        os.truncate(two, min(length, two.stat().st_size))
        assert_exact(store, rows)


def test_deleted_levels_are_read_exactly_and_written_again(
    store: ColumnStore, one: Path, two: Path, tmp_path: Path
) -> None:
    rows = points(9000)
    store.write(POINTS, 1, 7, 0, rows[:8900])
    one.unlink()
    two.unlink()
    assert_exact(store, rows[:8900])
    ColumnStore(tmp_path).write(POINTS, 1, 7, 8900, rows[8900:])
    assert (written(one), written(two)) == (140, 2)
    assert_exact(store, rows)


def test_levels_deleted_under_a_writer_leave_a_hole_that_nobody_falls_into(
    store: ColumnStore, one: Path, two: Path
) -> None:
    rows = points(13_000, odd=0.01)
    store.write(POINTS, 1, 7, 0, rows[:8192])
    one.unlink()
    two.unlink()
    store.write(POINTS, 1, 7, 8192, rows[8192:])
    assert written(one) == 203
    assert_exact(store, rows)


def test_garbage_behind_the_end_is_not_looked_at(store: ColumnStore, one: Path, two: Path) -> None:
    rows = points(9000)
    store.write(POINTS, 1, 7, 0, rows[:8500])
    for file in (one, two):
        with file.open("ab") as stream:
            stream.write(b"\xff" * 1000)
    assert_exact(store, rows[:8500])
    store.write(POINTS, 1, 7, 8500, rows[8500:])
    assert_exact(store, rows)


def test_a_reader_of_fewer_points_sees_their_levels_only(store: ColumnStore) -> None:
    rows = points(9000)
    store.write(POINTS, 1, 7, 0, rows)
    assert_exact(store, rows[:5000])


def test_a_full_disk_while_levels_are_written_is_mended_by_the_next_write(
    store: ColumnStore, one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = points(5000)
    write = os.pwrite

    def pwrite(descriptor: int, data: memoryview, offset: int) -> int:
        if len(data) % 24:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data, offset)

    monkeypatch.setattr(os, "pwrite", pwrite)
    with pytest.raises(OSError, match="No space left"):
        store.write(POINTS, 1, 7, 0, rows[:4480])
    monkeypatch.undo()
    store.write(POINTS, 1, 7, 0, rows[:4480])
    store.write(POINTS, 1, 7, 4480, rows[4480:])
    assert written(one) == 78
    assert_exact(store, rows)


def test_places_have_no_levels(store: ColumnStore, tmp_path: Path) -> None:
    store.write(Table.PLACES, 1, 7, 0, np.zeros(5000, Table.PLACES.dtype))
    assert [file.name for file in (tmp_path / "1").iterdir()] == ["7.places"]
