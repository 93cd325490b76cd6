"""Summaries of the points of each pixel column: first, last, extremes, mean and counts. Called by the API."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.scalars.curves.columns import fill_columns
from mindinsight.scalars.curves.curve import Curve
from mindinsight.scalars.curves.pixels import cut

Numbers = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Buckets:
    """One row for each pixel column with points.

    Attributes:
        first_x, last_x: x of the first and last point, float64 of shape (n,).
        first, last: their values.
        min, max, mean: statistics of the finite values; NaN if there are none.
        count: number of points.
        nan, pos_inf, neg_inf: numbers of values that are not finite.
    """

    first_x: Numbers
    last_x: Numbers
    first: Numbers
    last: Numbers
    min: Numbers
    max: Numbers
    mean: Numbers
    count: Counts
    nan: Counts
    pos_inf: Counts
    neg_inf: Counts


@dataclass(frozen=True)
class BucketView:
    """The pixel columns of a range.

    Attributes:
        buckets: the columns.
        first: index of the first point covered.
        end: index after the last point covered.
    """

    buckets: Buckets
    first: int
    end: int


def bucket_view(curve: Curve, width: int, low: float | None = None, high: float | None = None) -> BucketView:
    """Returns the pixel columns of a curve.

    Args:
        curve: the curve.
        width: maximum number of columns.
        low: x of the chart's left edge; default: that of the first point.
        high: x of the chart's right edge; default: that of the last point.
    """
    pixels = cut(curve, width, low, high)
    end = curve.total if pixels.end == len(curve.points) else pixels.end
    columns = fill_columns(curve, pixels)
    finite, lasts = columns["finite"], pixels.ends - 1
    value = curve.points["value"]
    buckets = Buckets(
        first_x=curve.x[pixels.starts].astype(np.float64),
        last_x=curve.x[lasts].astype(np.float64),
        first=value[pixels.starts],
        last=value[lasts],
        min=_known(columns["min"], finite),
        max=_known(columns["max"], finite),
        mean=_known(columns["sum"], finite) / np.maximum(finite, 1),
        count=pixels.ends - pixels.starts,
        nan=columns["nan"],
        pos_inf=columns["pos_inf"],
        neg_inf=columns["neg_inf"],
    )
    return BucketView(buckets, pixels.first, end)


def _known(numbers: Numbers, finite: Counts) -> Numbers:
    return np.where(finite > 0, numbers, np.nan)
