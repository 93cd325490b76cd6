"""Statistics of all elements of a view: extremes, mean, deviation, histogram. Called by `views.py`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.tensors.arrays.elements import Array, portions, real, wide

_LARGEST = float(np.finfo(np.float64).max)
SAMPLE = 1 << 16
"""Number of elements for percentiles, evenly spaced in C order."""


@dataclass(frozen=True)
class Statistics:
    """Statistics of a view's elements; for complex elements, of their magnitudes.

    Attributes:
        count: number of elements.
        zeros: number of zeros.
        nan: number of NaN; the infinities are analogous.
        min: the lowest finite element; None if there is none.
        mean: mean of the finite elements.
        std: standard deviation of the finite elements, like `numpy.std`.
        low: 1st percentile of a sample of the finite elements.
        high: 99th percentile of the same sample.
    """

    count: int
    zeros: int
    nan: int
    pos_inf: int
    neg_inf: int
    min: float | int | None
    max: float | int | None
    mean: float | None
    std: float | None
    low: float | None
    high: float | None

    @property
    def finite(self) -> int:
        """The number of finite elements."""
        return self.count - self.nan - self.pos_inf - self.neg_inf


def statistics(view: Array) -> Statistics:
    """Returns the statistics of a view."""
    with np.errstate(all="ignore"):
        return _statistics(view)


def _statistics(view: Array) -> Statistics:
    zeros = nan = pos_inf = neg_inf = 0
    lows: list[Any] = []
    highs: list[Any] = []
    sums: list[float] = []
    for _, (portion,) in portions([view]):
        values = real(portion)
        zeros += values.size - int(np.count_nonzero(values))
        if values.dtype.kind == "f":
            finite = np.isfinite(values)
            if not finite.all():
                odd = values[~finite]
                nan += int(np.isnan(odd).sum())
                pos_inf += int((odd == np.inf).sum())
                neg_inf += int((odd == -np.inf).sum())
                values = values[finite]
        if values.size:
            lows.append(values.min().item())
            highs.append(values.max().item())
            sums.append(float(values.sum(dtype=np.float64)))
    finite_count = view.size - nan - pos_inf - neg_inf
    if not finite_count:
        return Statistics(view.size, zeros, nan, pos_inf, neg_inf, None, None, None, None, None, None)
    # Divided first, because the sum of finite numbers may overflow.
    parts = [one / finite_count for one in sums]
    mean = math.fsum(parts) if all(map(math.isfinite, parts)) else sum(parts)
    low, high = percentiles(view)
    std = _deviation(view, mean, finite_count)
    return Statistics(view.size, zeros, nan, pos_inf, neg_inf, min(lows), max(highs), mean, std, low, high)


def _deviation(view: Array, mean: float, count: int) -> float:
    squares = 0.0
    for _, (portion,) in portions([view]):
        apart = wide(portion) - mean
        if portion.dtype.kind in "fc":
            apart = apart[np.isfinite(apart)]
        squares += float(np.dot(apart, apart))
    return math.sqrt(squares / count)


def percentiles(view: Array) -> tuple[float | None, float | None]:
    """Returns the 1st and the 99th percentile of an evenly spaced sample of the finite elements."""
    count = min(view.size, SAMPLE)
    numbers = np.linspace(0, view.size - 1, count).round().astype(np.int64)
    sample = wide(view[np.unravel_index(numbers, view.shape)] if view.ndim else view.reshape(1))
    sample = sample[np.isfinite(sample)]
    if not sample.size:
        return None, None
    low, high = np.percentile(sample, [1, 99])
    return float(low), float(high)


def histogram(view: Array, low: float, high: float, bins: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Returns edges and exact counts of the finite elements, like `numpy.histogram`.

    Args:
        view: the elements.
        low: left edge of the first bucket.
        high: right edge of the last bucket.
        bins: number of buckets.
    """
    # All numbers are halved if the range with its margins exceeds float64.
    scale = 1.0 if max(abs(low), abs(high)) < _LARGEST / 4 else 0.5
    ends = _apart(low * scale, high * scale, bins)
    edges = np.histogram_bin_edges([], bins, ends)
    counts = np.zeros(bins, np.int64)
    with np.errstate(all="ignore"):
        for _, (portion,) in portions([view]):
            values = wide(portion) * scale
            counts += np.histogram(values[np.isfinite(values)], bins, ends)[0]
    return edges / scale, counts


def _apart(low: float, high: float, bins: int) -> tuple[float, float]:
    """Ends that are so far apart that all edges between them are distinct numbers."""
    least = 4 * bins * float(np.spacing(max(abs(low), abs(high))))
    if low == high:
        least = max(least, 1.0)
    if high - low >= least:
        return low, high
    end = min(low + (high - low) / 2 + least / 2, _LARGEST / 2)
    start = max(end - least, -_LARGEST / 2)
    return start, start + least
