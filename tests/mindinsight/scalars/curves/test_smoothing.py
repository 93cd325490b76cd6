"""Smoothing: the numbers that the page's own smoothing gives, whose loop is followed here line by line."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight.scalars.curves.curve import Axis
from mindinsight.scalars.curves.envelope import view
from mindinsight.scalars.curves.looks import Around, Look, look_at
from mindinsight.scalars.curves.smoothing import smoothed, smoothed_each, smoothing_unit
from mindinsight.store import ColumnStore, Rows, Table
from tests.mindinsight.scalars.curves.shapes import Shape, shapes

pytestmark = pytest.mark.usefixtures("both_ways")

WEIGHTS = st.one_of(st.sampled_from([0.001, 0.1, 0.6, 0.9, 0.99, 0.999]), st.floats(1e-6, 0.999))


def plain(rows: Rows, weight: float) -> list[float]:
    """`DebiasedEma` of the page, point by point."""
    unit = smoothing_unit(float(rows["step"][-1]) - float(rows["step"][0]))
    mean, rest, last, found = 0.0, 1.0, math.nan, []
    for step, value in zip(rows["step"].tolist(), rows["value"].tolist(), strict=True):
        if math.isfinite(value):
            distance = (step - last) / unit
            last = step
            own = math.exp(math.log(weight) * (distance if 0 <= distance < 1 else 1))
            rest *= own
            if rest < 1:
                mean += (value - mean) * (1 - own) / (1 - rest)
            value = value if rest == 1 else mean
        found.append(value)
    return found


def rows_of(values: list[float], steps: list[int] | None = None) -> Rows:
    rows = np.zeros(len(values), Table.POINTS.dtype)
    rows["step"] = range(len(values)) if steps is None else steps
    rows["value"] = values
    return rows


@given(st.lists(shapes(60).filter(lambda shape: not shape.falls), max_size=5), WEIGHTS)
def test_several_series_are_smoothed_each_by_itself(several: list[Shape], weight: float) -> None:
    series = [shape.rows() for shape in several]
    found = smoothed_each(series, weight)
    assert [len(rows) for rows in found] == [len(rows) for rows in series]
    for rows, own in zip(series, found, strict=True):
        expected = plain(rows, weight) if len(rows) else []
        np.testing.assert_allclose(own["value"], expected, rtol=1e-9, atol=1e-9)
        assert own["step"].tolist() == rows["step"].tolist()


def assert_same(rows: Rows, weight: float) -> None:
    found = smoothed(rows, weight)
    finite = rows["value"][np.isfinite(rows["value"])]
    slack = 1e-9 * float(np.abs(finite).max(initial=0.0))
    np.testing.assert_allclose(found["value"], plain(rows, weight), rtol=1e-9, atol=slack)
    assert found[["step", "wall"]].tolist() == rows[["step", "wall"]].tolist()


@given(shapes(6000).filter(lambda shape: shape.count > 0 and not shape.falls), WEIGHTS)
def test_it_is_what_the_page_shows(shape: Shape, weight: float) -> None:
    assert_same(shape.rows(), weight)


@pytest.mark.parametrize("weight", [0.01, 0.6, 0.999])
@pytest.mark.parametrize("gaps", [(1,), (0, 1, 7)])
def test_long_series(weight: float, gaps: tuple[int, ...]) -> None:
    assert_same(Shape(200_000, gaps=gaps, odd=0.0001).rows(), weight)


def test_it_is_the_debiased_average() -> None:
    values = Shape(200).rows()["value"].tolist()
    found = smoothed(rows_of(values), 0.9)["value"]
    total = 0.0
    for n, value in enumerate(values):
        total = 0.9 * total + 0.1 * value
        assert found[n] == pytest.approx(total / (1 - 0.9 ** (n + 1)))


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e-12, 1e300, 1.7e308, 5e-324])
def test_a_constant_stays_constant(constant: float) -> None:
    assert smoothed(rows_of([constant] * 5000), 0.97)["value"] == pytest.approx([constant] * 5000, rel=1e-12)


def test_what_is_not_finite_passes_through_and_moves_nothing() -> None:
    values = [1.0, math.nan, 2.0, math.inf, -math.inf, 3.0]
    found = smoothed(rows_of(values), 0.5)["value"]
    assert np.isnan(found[1])
    assert found[[3, 4]].tolist() == [math.inf, -math.inf]
    alone = smoothed(rows_of([1.0, 2.0, 3.0], [0, 2, 5]), 0.5)["value"]
    assert found[[0, 2, 5]].tolist() == pytest.approx(alone.tolist())


def test_without_weight_or_points_nothing_happens() -> None:
    rows = rows_of([3.0, 1.0])
    assert smoothed(rows, 0.0).tolist() == rows.tolist()
    assert len(smoothed(rows[:0], 0.9)) == 0
    assert smoothed(rows_of([math.inf]), 0.9)["value"].tolist() == [math.inf]


def test_a_curve_is_smoothed_over_the_whole_series_whatever_is_shown_of_it(tmp_path: Path) -> None:
    store, rows = ColumnStore(tmp_path), Shape(50_000, odd=0.0001, backwards=0.001).rows()
    store.write(Table.POINTS, 1, 1, 0, rows)
    whole = dict(zip(rows["step"].tolist(), plain(rows, 0.9), strict=True))
    for axis in Axis:
        curve = look_at(store, 1, 1, len(rows), Look(axis.value, weight=0.9), Around())
        middle = float(curve.x[len(rows) // 2])
        for shown in (view(curve, 100), view(curve, 100, middle, float(curve.x[-1]))):
            expected = [whole[step] for step in shown.points["step"].tolist()]
            np.testing.assert_allclose(shown.points["value"], expected, rtol=1e-9, atol=1e-9)
    assert curve.total == len(rows)


def test_steps_that_fall_are_sorted_before_they_are_smoothed(tmp_path: Path) -> None:
    store, rows = ColumnStore(tmp_path), rows_of([1.0, 2.0, 3.0, 4.0], [5, 6, 1, 2])
    store.write(Table.POINTS, 1, 1, 0, rows)
    found = look_at(store, 1, 1, 4, Look(weight=0.5), Around()).points["value"].tolist()
    assert found == pytest.approx(plain(rows[[2, 3, 0, 1]], 0.5))


def test_the_unit_is_that_of_the_page() -> None:
    assert [smoothing_unit(span) for span in (0.0, 250.0, 1000.0)] == [1.0, 1.0, 4.0]
    assert smoothing_unit(250_000.0) == pytest.approx(2 ** (40 / 4))
