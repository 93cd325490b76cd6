"""Frames of many series at once are equal, byte for byte, to those of single views."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight.api.frames import Kind, encode
from mindinsight.scalars.curves.curve import Axis, load
from mindinsight.scalars.curves.envelope import view
from mindinsight.scalars.kernel import library
from mindinsight.scalars.view_frames import InView, Window, view_frames
from mindinsight.store import ColumnStore, Rows, Table
from tests.mindinsight.scalars.curves.shapes import Shape, shapes

STORED = 1795227714.25
PARTS = st.one_of(st.none(), st.floats(-0.2, 1.2))


@pytest.fixture(scope="module", autouse=True)
def kernel(compiled: Path) -> Iterator[None]:
    before, library.KERNEL = library.KERNEL, library.Kernel(compiled)
    yield
    library.KERNEL = before


def stored(root: Path, parts: list[Rows]) -> ColumnStore:
    store = ColumnStore(root)
    for number, rows in enumerate(parts):
        store.write(Table.POINTS, 1, number, 0, rows)
    return store


def one_by_one(store: ColumnStore, asked: InView, window: Window) -> bytes:
    curve = replace(load(store, asked.run, asked.series, asked.count, window.axis), origin=asked.origin)
    shown = view(curve, window.width, window.low, window.high)
    kind = Kind.POINTS if shown.whole else Kind.ENVELOPE
    return encode(kind, asked.run, asked.series, shown.first, shown.end, asked.stored, shown.points)


def assert_alike(store: ColumnStore, asked: list[InView], window: Window) -> None:
    made = view_frames(store, asked, window)
    assert [bytes(frame or b"") for frame in made] == [one_by_one(store, one, window) for one in asked]


@given(
    st.lists(shapes(6000), min_size=1, max_size=2),
    st.sampled_from(list(Axis)),
    st.sampled_from([16, 17, 65, 300]),
    PARTS,
    PARTS,
    st.sampled_from([0.0, 700.0, 1.7e9 + 0.3]),
)
def test_every_byte_is_that_of_a_view_alone(
    tmp_path_factory: pytest.TempPathFactory,
    made: list[Shape],
    axis: Axis,
    width: int,
    low: float | None,
    high: float | None,
    origin: float,
) -> None:
    parts = [replace(shape, falls=0.0, backwards=0.0).rows() for shape in made]
    store = stored(tmp_path_factory.mktemp("store"), parts)
    origin = float(int(origin)) if axis is Axis.STEP else origin
    longest = max(parts, key=len)[axis.value]
    left, right = (float(longest[0]) - origin, float(longest[-1]) - origin) if len(longest) else (0.0, 1.0)
    low, high = (None if part is None else left + (right - left) * part for part in (low, high))
    asked = [InView(1, number, len(rows), STORED, origin) for number, rows in enumerate(parts)]
    assert_alike(store, asked, Window(axis, width, low, high))


def test_many_long_series_are_shared_by_threads(tmp_path: Path) -> None:
    parts = [Shape(30_000 + 1000 * number, seed=number, gaps=(1, 2), odd=0.0005).rows() for number in range(12)]
    store = stored(tmp_path, parts)
    asked = [InView(1, number, len(rows), STORED) for number, rows in enumerate(parts)]
    assert_alike(store, asked, Window(Axis.STEP, 500))
    assert_alike(store, asked, Window(Axis.WALL, 10_000))


def test_numbers_that_are_no_float32_stay_whole(tmp_path: Path) -> None:
    rows = Shape(5000, digits=9).rows()
    rows["value"][7:10] = np.nan, np.inf, 0.1
    asked = InView(1, 0, len(rows), STORED)
    assert_alike(stored(tmp_path, [rows]), [asked], Window(Axis.STEP, 100))


@pytest.mark.parametrize(
    ("axis", "column", "value"),
    [(Axis.STEP, "step", -5), (Axis.WALL, "wall", 0.0), (Axis.WALL, "wall", np.nan), (Axis.STEP, "step", 1 << 62)],
)
@pytest.mark.parametrize("count", [100, 9000])
def test_what_has_to_be_sorted_or_is_far_away_is_left_to_others(
    tmp_path: Path, axis: Axis, column: str, value: float, count: int
) -> None:
    rows = Shape(count).rows()
    rows[column][-1] = value
    plain = Shape(count, seed=1).rows()
    store = stored(tmp_path, [rows, plain])
    asked = [InView(1, number, count, STORED) for number in (0, 1)]
    left, made = view_frames(store, asked, Window(axis, 20))
    assert left is None
    assert bytes(made or b"") == one_by_one(store, asked[1], Window(axis, 20))


def test_without_the_library_everything_is_left_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "KERNEL", None)
    assert view_frames(stored(tmp_path, []), [InView(1, 0, 5, STORED)], Window(Axis.STEP, 20)) == [None]
