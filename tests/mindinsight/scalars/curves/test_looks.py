"""Axes, scales, joins and smoothing over several files, against looking at each point in turn."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight.scalars.curves.counts import count_hits, parse_rule, within
from mindinsight.scalars.curves.curve import Axis
from mindinsight.scalars.curves.envelope import view
from mindinsight.scalars.curves.looks import Around, Look, SmoothingKind, look_at, series_around
from mindinsight.scalars.curves.scales import Scale, ScaleKind
from mindinsight.scalars.queries import Part
from mindinsight.store import ColumnStore, Rows, Table
from tests.mindinsight.scalars.curves.shapes import Shape, curve_of, shapes

pytestmark = pytest.mark.usefixtures("both_ways")

LOG, SYMLOG = Scale(ScaleKind.LOG), Scale(ScaleKind.SYMLOG, 10.0)


def place_on(scale: Scale, x: float) -> float:
    """Where a number lies, by the definition."""
    if scale.kind is ScaleKind.LOG:
        return math.log10(x)
    size = abs(x) / scale.linear
    return x / scale.linear if size <= 1 else math.copysign(1 + math.log10(size), x)


def extremes_by_column(x: list[float], value: list[float], scale: Scale, width: int) -> list[tuple[float, float]]:
    """The lowest and the highest value of each pixel column, point by point."""
    at = [place_on(scale, one) for one in x]
    edges = [at[0] + (at[-1] - at[0]) * (k / width) for k in range(1, width)]
    found: dict[int, list[float]] = {}
    for place, one in zip(at, value, strict=True):
        if math.isfinite(one):
            found.setdefault(bisect_right(edges, place), []).append(one)
    return [(min(column), max(column)) for column in found.values()]


@pytest.mark.parametrize("scale", [LOG, SYMLOG])
@pytest.mark.parametrize("origin", [0.0, 1000.0])
def test_each_pixel_of_an_axis_that_is_not_linear_has_its_extremes(tmp_path: Path, scale: Scale, origin: float) -> None:
    rows = Shape(30_000, gaps=(1, 1, 3), odd=0.0005, digits=9).rows()
    rows["step"] += int(origin)
    curve = replace(curve_of(tmp_path, rows), origin=origin, scale=scale)
    shown = view(curve, 300)
    x = (rows["step"] - origin).astype(float).tolist()
    shown_x = (shown.points["step"] - origin).astype(float).tolist()
    # Edges are computed through the inverse of the scale: a point next to one may fall on either side.
    whole = extremes_by_column(x, rows["value"].tolist(), scale, 300)
    seen = extremes_by_column(shown_x, shown.points["value"].tolist(), scale, 300)
    assert sum(one == other for one, other in zip(whole, seen, strict=True)) >= len(whole) - 4
    assert not shown.whole
    assert set(shown.points.tolist()) <= set(rows.tolist()) or not np.isfinite(shown.points["value"]).all()


def test_a_logarithmic_axis_leaves_out_what_is_not_above_zero(tmp_path: Path) -> None:
    rows = np.zeros(3000, Table.POINTS.dtype)
    rows["step"] = np.arange(-1000, 2000)
    curve = replace(curve_of(tmp_path, rows), scale=LOG)
    # One point on either side is given too.
    assert view(curve, 100).points["step"][:2].tolist() == [0, 1]
    assert view(curve, 100, -500.0, -1.0).points["step"].size <= 2
    assert within(curve, None, None) == (1001, 3000)
    assert within(curve, -500.0, 10.0) == (1001, 1011)


@given(shapes(3000), st.integers(-(10**9), 10**9), st.floats(-0.1, 1.1), st.floats(-0.1, 1.1))
def test_a_range_of_relative_steps_is_exact(
    tmp_path_factory: pytest.TempPathFactory, shape: Shape, shift: int, one: float, other: float
) -> None:
    rows = shape.rows()
    rows["step"] += shift
    if not len(rows):
        return
    origin = int(rows["step"].min())
    curve = replace(curve_of(tmp_path_factory.mktemp("store"), rows), origin=float(origin))
    span = float(rows["step"].max()) - origin
    low, high = sorted((one * span, other * span))
    first, end = within(curve, low, high)
    steps = [step - origin for step in sorted(rows["step"].tolist())]
    assert end - first == sum(low <= step <= high for step in steps)


@given(shapes(2000), shapes(2000))
def test_a_scalar_over_another_joins_equal_steps(
    tmp_path_factory: pytest.TempPathFactory, y_shape: Shape, x_shape: Shape
) -> None:
    y, x = y_shape.rows(), x_shape.rows()
    store = ColumnStore(tmp_path_factory.mktemp("store"))
    store.write(Table.POINTS, 1, 1, 0, y)
    store.write(Table.POINTS, 1, 2, 0, x)
    curve = look_at(store, 1, 1, len(y), Look("tag:x"), Around(x=((2, len(x)),)))
    newest = dict(zip(x["step"].tolist(), x["value"].tolist(), strict=True))
    expected = [
        (newest[step], step, value)
        for step, value in zip(y["step"].tolist(), y["value"].tolist(), strict=True)
        if step in newest and math.isfinite(newest[step])
    ]
    found = curve.points
    assert sorted(found["wall"].tolist()) == found["wall"].tolist()
    pairs = list(zip(found["wall"].tolist(), found["step"].tolist(), found["value"].tolist(), strict=True))
    assert sorted(map(repr, pairs)) == sorted(map(repr, expected))


@pytest.mark.parametrize("kind", list(SmoothingKind))
def test_files_of_a_segment_are_smoothed_as_one_curve(tmp_path: Path, kind: SmoothingKind) -> None:
    rows = Shape(3000, odd=0.001).rows()
    store, cuts = ColumnStore(tmp_path), [0, 700, 1900, 3000]
    pieces = [rows[a:b] for a, b in pairwise(cuts)]
    for number, piece in enumerate(pieces):
        store.write(Table.POINTS, 1, number, 0, piece)
    store.write(Table.POINTS, 1, 9, 0, rows)
    parts = [part(number, piece) for number, piece in enumerate(pieces)]
    look = Look(kind=kind, weight=0.9)
    around = series_around(look, parts, store)
    found = [look_at(store, 1, number, len(piece), look, around[number]).points for number, piece in enumerate(pieces)]
    whole = look_at(store, 1, 9, len(rows), look, Around()).points
    np.testing.assert_array_equal(np.concatenate(found)["value"], whole["value"])


def part(number: int, rows: Rows, segment: int = 0, tag: str = "loss") -> Part:
    first, last = int(rows["step"][0]), int(rows["step"][-1])
    return Part(number, 1, tag, segment, first, last, float(rows["wall"][0]))


def test_other_segments_and_overlapping_files_are_smoothed_alone(tmp_path: Path) -> None:
    rows = Shape(300).rows()
    parts = [part(1, rows[:100]), part(2, rows[100:200], segment=1), part(3, rows[50:]), part(4, rows, tag="x")]
    around = series_around(Look("relative_step", weight=0.5), parts, ColumnStore(tmp_path))
    assert [(one.before, one.after) for one in around.values()] == [((), ())] * 4
    assert {one.origin for one in around.values()} == {float(rows["step"][0])}
    joined = series_around(Look("tag:x"), parts, ColumnStore(tmp_path))
    assert [one.x for one in joined.values()] == [((4, 0),), (), ((4, 0),), ((4, 0),)]


RULES = st.sampled_from([">1", "<-2", ">=0", "<=0", "<-3,>3", ">-1&<1", ">5&<2", "<4,>-4", ">1e30"])


@given(shapes(9000), RULES, st.floats(0, 1), st.floats(0, 1))
def test_counts_are_those_of_every_point(
    tmp_path_factory: pytest.TempPathFactory, shape: Shape, rule: str, one: float, other: float
) -> None:
    rows = shape.rows()
    curve = curve_of(tmp_path_factory.mktemp("store"), rows)
    low, high = (
        sorted(float(rows["step"].min(initial=0) + share * np.ptp(rows["step"])) for share in (one, other))
        if (len(rows))
        else (0.0, 1.0)
    )
    first, end = within(curve, low, high)
    plain = {
        ">1": lambda v: v > 1,
        "<-2": lambda v: v < -2,
        ">=0": lambda v: v >= 0,
        "<=0": lambda v: v <= 0,
        "<-3,>3": lambda v: v < -3 or v > 3,
        ">-1&<1": lambda v: -1 < v < 1,
        ">5&<2": lambda v: False,
        "<4,>-4": lambda v: v < 4 or v > -4,
        ">1e30": lambda v: v > 1e30,
    }[rule]
    inside = [row["value"].item() for row in rows if low <= row["step"] <= high]
    assert end - first == len(inside)
    assert count_hits(curve, first, end, parse_rule(rule)) == sum(map(plain, inside))


@pytest.mark.parametrize("text", ["", "10", ">", ">a", ">1,<2,>3", "nan", ">inf", "=1"])
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="bound"):
        parse_rule(text)


def test_scales_are_turned_back() -> None:
    numbers = np.array([-1e6, -10.0, -3.0, 0.0, 1e-9, 10.0, 11.0, 1e9])
    np.testing.assert_allclose(SYMLOG.back(SYMLOG.to(numbers)), numbers, rtol=1e-12)
    np.testing.assert_allclose(LOG.back(LOG.to(numbers[4:])), numbers[4:], rtol=1e-12)
    assert SYMLOG.to(np.array([10.0, 100.0, -1000.0])).tolist() == [1.0, 2.0, -3.0]
    assert Axis.STEP.value == "step"


def test_bounds_at_the_end_of_all_numbers_leave_out_infinities() -> None:
    (low,) = parse_rule(">=-1.7976931348623157e+308&<=0")
    assert (low.low, low.high) == (-1.7976931348623157e308, 0.0)
    (high,) = parse_rule(">5&<=1.7976931348623157e+308")
    assert high.high == 1.7976931348623157e308
