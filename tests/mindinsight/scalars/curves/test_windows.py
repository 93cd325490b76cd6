"""Smoothing by windows, held against plain loops over all pairs of points, and against pandas and scipy's formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight.scalars.curves.smoothing import smoothing_unit
from mindinsight.scalars.curves.windows import bell_sigma, window_gaussian, window_mean, window_reach
from mindinsight.store import Rows, Table
from tests.mindinsight.scalars.curves.shapes import Shape, shapes

pytestmark = pytest.mark.usefixtures("both_ways")

WEIGHTS = st.sampled_from([0.05, 0.3, 0.6, 0.9, 0.99])
SMALL = shapes(250).filter(lambda shape: shape.count > 0 and not shape.falls)


def places(rows: Rows) -> list[float]:
    """Where the finite points lie, in units, added up one after another."""
    unit = smoothing_unit(float(rows["step"][-1]) - float(rows["step"][0]))
    found: list[float] = []
    last = 0.0
    for step, value in zip(rows["step"].tolist(), rows["value"].tolist(), strict=True):
        if not math.isfinite(value):
            continue
        distance = (step - last) / unit
        found.append(found[-1] + (distance if 0 <= distance < 1 else 1.0) if found else 0.0)
        last = step
    return found


def finite(rows: Rows) -> list[float]:
    return [value for value in rows["value"].tolist() if math.isfinite(value)]


def rows_of(values: list[float], steps: list[int] | None = None) -> Rows:
    rows = np.zeros(len(values), Table.POINTS.dtype)
    rows["step"] = range(len(values)) if steps is None else steps
    rows["value"] = values
    return rows


@given(SMALL, WEIGHTS)
def test_the_mean_is_that_of_each_window(shape: Shape, weight: float) -> None:
    rows = shape.rows()
    at, value, reach = places(rows), finite(rows), window_reach(weight)
    expected = []
    for here in at:
        window = [one for there, one in zip(at, value, strict=True) if abs(there - here) <= reach]
        expected.append(math.fsum(window) / len(window))
    np.testing.assert_allclose(finite(window_mean(rows, weight)), expected, rtol=1e-9, atol=1e-9)


@given(SMALL, WEIGHTS)
def test_the_bell_curve_weighs_all_points_within_four_deviations(shape: Shape, weight: float) -> None:
    rows = shape.rows()
    at, value, sigma = np.array(places(rows)), np.array(finite(rows)), bell_sigma(weight)
    found = finite(window_gaussian(rows, weight))
    for here, smooth in zip(at, found, strict=True):
        away = (at - here) / sigma
        near = np.abs(away) <= 4
        weights = np.exp(-0.5 * away[near] ** 2)
        varies = float(np.ptp(value[near]))
        assert smooth == pytest.approx(float(weights @ value[near] / weights.sum()), abs=3e-2 * varies + 1e-9)


def test_the_bell_curve_of_a_long_curve_is_that_of_all_points_to_a_thousandth() -> None:
    value = Shape(3000, digits=6).rows()["value"]
    sigma = bell_sigma(0.9)
    unit = smoothing_unit(len(value) - 1)
    away = np.arange(len(value)) / unit / sigma
    weights = np.where(away <= 4, np.exp(-0.5 * away**2), 0.0)
    both = np.concatenate([weights[:0:-1], weights])
    expected = np.convolve(value, both)[len(value) - 1 : 2 * len(value) - 1]
    expected /= np.convolve(np.ones(len(value)), both)[len(value) - 1 : 2 * len(value) - 1]
    found = window_gaussian(rows_of(value.tolist()), 0.9)["value"]
    np.testing.assert_allclose(found, expected, atol=1e-3 * float(np.ptp(value)))


def test_evenly_spaced_points_give_what_a_rolling_mean_gives() -> None:
    value = Shape(200, digits=6).rows()["value"]
    reach = int(window_reach(0.6))
    expected = [value[max(0, at - reach) : at + reach + 1].mean() for at in range(len(value))]
    assert window_mean(rows_of(value.tolist()), 0.6)["value"] == pytest.approx(expected)


def test_points_far_apart_give_the_sampled_bell_curve_exactly() -> None:
    value, sigma = Shape(120, digits=6).rows()["value"], bell_sigma(0.6)
    away = np.arange(-4, 5)
    weights = np.where(np.abs(away) <= 4 * sigma, np.exp(-0.5 * (away / sigma) ** 2), 0.0)
    expected = np.convolve(value, weights / weights.sum(), "valid")
    found = window_gaussian(rows_of(value.tolist()), 0.6)["value"]
    np.testing.assert_allclose(found[4:-4], expected, rtol=1e-12)


@pytest.mark.parametrize("smooth", [window_mean, window_gaussian])
@pytest.mark.parametrize("constant", [0.0, 0.1, 1e-12, 1e300, 1.7e308, 5e-324])
def test_a_constant_stays_exactly_constant(smooth: object, constant: float) -> None:
    assert callable(smooth)
    assert smooth(rows_of([constant] * 3000), 0.97)["value"].tolist() == [constant] * 3000


@pytest.mark.parametrize("smooth", [window_mean, window_gaussian])
def test_a_huge_value_leaves_no_trace_behind_its_window(smooth: object) -> None:
    assert callable(smooth)
    values = [0.1] * 100 + [1e300] + [0.1] * 100
    assert smooth(rows_of(values), 0.6)["value"][130:].tolist() == [0.1] * 71


@pytest.mark.parametrize("smooth", [window_mean, window_gaussian])
def test_what_is_not_finite_passes_through_and_moves_nothing(smooth: object) -> None:
    assert callable(smooth)
    found = smooth(rows_of([1.0, math.nan, 2.0, math.inf, -math.inf, 3.0]), 0.6)["value"]
    assert np.isnan(found[1])
    assert found[[3, 4]].tolist() == [math.inf, -math.inf]
    alone = smooth(rows_of([1.0, 2.0, 3.0], [0, 2, 5]), 0.6)["value"]
    assert found[[0, 2, 5]].tolist() == pytest.approx(alone.tolist())
    assert smooth(rows_of([math.nan]), 0.6)["value"].tolist() == pytest.approx([math.nan], nan_ok=True)


@pytest.mark.parametrize("smooth", [window_mean, window_gaussian])
def test_long_series_keep_what_lies_beside_their_values(smooth: object) -> None:
    assert callable(smooth)
    rows = Shape(100_000, gaps=(0, 1, 7), odd=0.0001).rows()
    found = smooth(rows, 0.9)
    assert found[["step", "wall"]].tolist() == rows[["step", "wall"]].tolist()
    assert np.isfinite(found["value"]).tolist() == np.isfinite(rows["value"]).tolist()
    assert np.ptp(np.diff(finite(found))) < np.ptp(np.diff(finite(rows)))
