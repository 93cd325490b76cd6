"""The envelope: nothing that a chart of this width could show is left out, checked against looking at every point."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight.scalars.curves.curve import Axis, Curve, load
from mindinsight.scalars.curves.envelope import view
from mindinsight.store import ColumnStore, Rows, Table
from tests.counts import pairwise
from tests.mindinsight.scalars.curves.shapes import Column, Shape, columns, curve_of, ordered, shapes

pytestmark = pytest.mark.usefixtures("both_ways")

RANGES = st.one_of(st.none(), st.tuples(st.floats(-0.1, 1.1), st.floats(-0.1, 1.1)))


def points(values: list[float], steps: list[int] | None = None) -> Rows:
    rows = np.zeros(len(values), Table.POINTS.dtype)
    rows["step"] = range(len(values)) if steps is None else steps
    rows["wall"] = rows["step"]
    rows["value"] = values
    return rows


def bounds(rows: Rows, axis: Axis, part: tuple[float, float] | None) -> tuple[float | None, float | None]:
    """A range as parts of the curve's extent, in units of x."""
    if part is None or not len(rows):
        return None, None
    x = ordered(rows, axis)[axis.value]
    low, high = sorted(float(x[0]) + (float(x[-1]) - float(x[0])) * share for share in part)
    return low, high


def standing_out(found: list[Column], count: int) -> list[int]:
    """Places of the points that the definition asks for, with a neighbour on either side."""
    kept: set[int] = set()
    for column in found:
        kept |= {places[0] for places in column.of_kind.values() if places}
        kept |= {*column.of_kind["finite"][-1:], column.lowest, column.highest} - {-1}
    kept |= {found[0].places[0] - 1, found[-1].places[-1] + 1}
    return sorted(place for place in kept if 0 <= place < count)


def assert_exact(rows: Rows, curve: Curve, width: int, low: float | None, high: float | None) -> None:
    plain = ordered(rows, curve.axis)
    found = columns(plain, curve.axis, width, low, high)
    shown = view(curve, width, low, high)
    inside = [place for column in found for place in column.places]
    if len(inside) > 2 * width:
        assert not shown.whole
        assert shown.points.tobytes() == plain[standing_out(found, len(plain))].tobytes()
    else:
        assert shown.whole
    if inside:
        first, end = max(0, inside[0] - 1), inside[-1] + 2
        assert (shown.first, shown.end) == (first, len(rows) if end >= len(plain) else end)
        if shown.whole:
            assert shown.points.tobytes() == plain[first:end].tobytes()


@given(shapes(20_000), st.sampled_from(list(Axis)), st.integers(1, 60), RANGES)
def test_every_column_keeps_exactly_what_stands_out(
    tmp_path_factory: pytest.TempPathFactory, shape: Shape, axis: Axis, width: int, part: tuple[float, float] | None
) -> None:
    rows = shape.rows()
    assert_exact(rows, curve_of(tmp_path_factory.mktemp("store"), rows, axis), width, *bounds(rows, axis, part))


@pytest.mark.parametrize(("axis", "width", "odd"), pairwise(Axis, [3, 16, 700, 5000], [0.0, 0.001]))
def test_long_series_are_exact(tmp_path: Path, axis: Axis, width: int, odd: float) -> None:
    rows = Shape(60_000, seed=width, gaps=(0, 1, 1, 5), odd=odd).rows()
    curve = curve_of(tmp_path, rows, axis)
    assert curve.levels is not None
    assert_exact(rows, curve, width, None, None)
    assert_exact(rows, curve, width, *bounds(rows, axis, (0.201, 0.777)))


def test_few_points_come_as_they_are(tmp_path: Path) -> None:
    shown = view(curve_of(tmp_path, points([3.0, 1.0, 2.0])), width=16)
    assert shown.whole
    assert shown.points["value"].tolist() == [3.0, 1.0, 2.0]
    assert (shown.first, shown.end) == (0, 3)


def pixel(step: int, low: float, high: float) -> int:
    """The pixel column of a step in a chart of 900."""
    return int((step - low) / (high - low) * 900)


@pytest.mark.smoke
def test_one_step_spikes_are_seen_at_every_zoom(tmp_path: Path) -> None:
    count = 1_000_000
    chance = np.random.default_rng(5)
    rows = points(chance.normal(size=count).tolist())
    spikes = np.sort(chance.choice(count, 60, replace=False))
    rows["value"][spikes] = 40.0
    curve = curve_of(tmp_path, rows)
    for zoom in (1, 2, 7, 50, 333, 4096, 100_000):
        for middle in spikes[:: 1 if zoom < 50 else 6]:
            low = max(0.0, float(middle) - count / zoom / 2)
            high = low + count / zoom
            shown = view(curve, 900, low, high)
            assert len(shown.points) <= 4 * 900 + 2
            seen = shown.points["step"][shown.points["value"] == 40.0]
            wanted = spikes[(spikes >= low) & (spikes <= high)]
            assert {pixel(step, low, high) for step in wanted} <= {pixel(step, low, high) for step in seen}


def test_a_range_holds_one_point_on_either_side(tmp_path: Path) -> None:
    shown = view(curve_of(tmp_path, points([float(n) for n in range(100)])), 16, 40, 50)
    assert shown.points["step"].tolist() == list(range(39, 52))


@pytest.mark.parametrize(("low", "high"), [(None, None), (-5, 500), (0, 99)])
def test_a_range_beyond_the_points_is_cut(tmp_path: Path, low: float | None, high: float | None) -> None:
    shown = view(curve_of(tmp_path, points([float(n) for n in range(20)])), 16, low, high)
    assert shown.points["step"].tolist() == list(range(20))


@pytest.mark.parametrize(("low", "high", "steps"), [(200, 300, [99]), (-9, -5, [0]), (50.2, 50.7, [50, 51])])
def test_a_range_without_points_has_its_neighbours(tmp_path: Path, low: float, high: float, steps: list[int]) -> None:
    shown = view(curve_of(tmp_path, points([0.0] * 100)), 16, low, high)
    assert shown.points["step"].tolist() == steps


def test_a_training_that_went_back_is_shown_in_order_of_step(tmp_path: Path) -> None:
    shown = view(curve_of(tmp_path, points([1.0, 2.0, 3.0, 4.0], steps=[0, 1, 1, 0])), width=16)
    assert shown.points["step"].tolist() == [0, 0, 1, 1]
    assert shown.points["value"].tolist() == [1.0, 4.0, 2.0, 3.0]
    assert (shown.first, shown.end) == (0, 4)


def test_points_without_a_time_are_left_out_over_time_only(tmp_path: Path) -> None:
    rows = points([1.0, 2.0, 3.0, 4.0])
    rows["wall"] = [5.0, float("nan"), float("inf"), 6.0]
    shown = view(curve_of(tmp_path, rows, Axis.WALL), width=16)
    assert shown.points["value"].tolist() == [1.0, 4.0]
    assert shown.end == 4
    assert len(view(curve_of(tmp_path, rows, Axis.STEP), width=16).points) == 4


def test_no_points_are_no_error(tmp_path: Path) -> None:
    store = ColumnStore(tmp_path)
    for axis in Axis:
        shown = view(load(store, 1, 1, 0, axis), 16)
        assert (len(shown.points), shown.first, shown.end, shown.whole) == (0, 0, 0, True)


def test_steps_and_times_at_the_end_of_all_numbers(tmp_path: Path) -> None:
    rows = points([float(n) for n in range(200)], [*range(-(2**63), -(2**63) + 100), *range(2**63 - 100, 2**63)])
    rows["wall"] = [-1.7e308] * 100 + [1.7e308] * 100
    for axis in Axis:
        shown = view(curve_of(tmp_path, rows, axis), 16)
        assert shown.points["value"][[0, -1]].tolist() == [0.0, 199.0]
