"""Buckets: what each pixel column has in sum, checked against looking at every point."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight.scalars.curves.buckets import Buckets, bucket_view
from mindinsight.scalars.curves.curve import Axis, Curve, load
from mindinsight.store import ColumnStore, Rows
from tests.mindinsight.scalars.curves.shapes import Column, Shape, columns, curve_of, ordered, shapes

pytestmark = pytest.mark.usefixtures("both_ways")

NAN = float("nan")


def plain_row(column: Column, x: list[float], value: list[float]) -> dict[str, float]:
    """A row of buckets, by the plain definition."""
    first, last = column.places[0], column.places[-1]
    finite = [value[place] for place in column.of_kind["finite"]]
    return {
        "first_x": float(x[first]),
        "last_x": float(x[last]),
        "first": value[first],
        "last": value[last],
        "min": min(finite, default=NAN),
        "max": max(finite, default=NAN),
        "mean": math.fsum(finite) / len(finite) if finite else NAN,
        "count": len(column.places),
        **{kind: len(column.of_kind[kind]) for kind in ("nan", "pos_inf", "neg_inf")},
    }


def assert_exact(rows: Rows, curve: Curve, width: int, low: float | None = None, high: float | None = None) -> None:
    plain = ordered(rows, curve.axis)
    x, value = plain[curve.axis.value].tolist(), plain["value"].tolist()
    wanted = [plain_row(column, x, value) for column in columns(plain, curve.axis, width, low, high)]
    found = bucket_view(curve, width, low, high)
    assert sum(found.buckets.count) == sum(int(row["count"]) for row in wanted)
    for name in Buckets.__dataclass_fields__:
        expected = np.array([row[name] for row in wanted])
        # Sums of walks that come back to 0 are as exact as their largest number.
        slack = 1e-12 * max(1.0, float(np.nanmax(np.abs(expected), initial=0))) if name == "mean" else 0.0
        np.testing.assert_allclose(getattr(found.buckets, name), expected, rtol=1e-12 if slack else 0, atol=slack)


@given(shapes(20_000), st.sampled_from(list(Axis)), st.integers(1, 60), st.booleans())
def test_every_column_is_exact(
    tmp_path_factory: pytest.TempPathFactory, shape: Shape, axis: Axis, width: int, part: bool
) -> None:
    rows = shape.rows()
    curve = curve_of(tmp_path_factory.mktemp("store"), rows, axis)
    if part and len(curve.points):
        first, last = float(curve.x[0]), float(curve.x[-1])
        assert_exact(rows, curve, width, first + (last - first) / 3, last - (last - first) / 5)
    else:
        assert_exact(rows, curve, width)


@pytest.mark.parametrize("axis", list(Axis))
@pytest.mark.parametrize(("width", "odd"), [(3, 0.0), (16, 0.001), (700, 0.001), (5000, 0.0)])
def test_long_series_are_exact(tmp_path: Path, axis: Axis, width: int, odd: float) -> None:
    rows = Shape(60_000, seed=width, gaps=(0, 1, 1, 5), odd=odd).rows()
    assert_exact(rows, curve_of(tmp_path, rows, axis), width)


def test_no_points_make_no_rows(tmp_path: Path) -> None:
    found = bucket_view(load(ColumnStore(tmp_path), 1, 1, 0, Axis.STEP), 16)
    assert (len(found.buckets.count), found.first, found.end) == (0, 0, 0)


def test_a_range_without_points_makes_no_rows(tmp_path: Path) -> None:
    found = bucket_view(curve_of(tmp_path, Shape(5000).rows()), 16, 10_000, 20_000)
    assert (len(found.buckets.count), found.first, found.end) == (0, 5000, 5000)
