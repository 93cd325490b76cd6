"""Histograms by MindSpore's rule: from an array to buckets.

`check_bins` runs in the training's thread, the rest in the summary writer's.
"""

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from summaries.schema.summary_pb2 import Summary

MOST_BUCKETS = 1 << 16
"""Maximum number of buckets."""

_NEAR_OVERFLOW = float(np.finfo(np.float64).max) / 4
_WIDEST_FLOAT = float(np.finfo(np.float32).max) / 2

Bins = int | Sequence[float] | None
"""Number of buckets of equal width, or their edges in ascending order; None for MindSpore's rule."""


def bucket_count(finite: int) -> int:
    """Return MindSpore's number of buckets for a number of finite values."""
    if finite == 0:
        return 1
    for most, buckets in ((5, 2), (10, 3)):
        if finite <= most:
            return buckets
    return finite // 10 + 1 if finite <= 880 else 90


def check_bins(tag: str, bins: object) -> Bins:
    """Convert the argument `bins` of `add_histogram` for `fill_histogram`.

    Raises:
        ValueError: not 1 to 65536 buckets, or edges that do not ascend.
        TypeError: not a number, edges or a string.
    """
    if bins is None or isinstance(bins, str):
        return None
    if isinstance(bins, SupportsIndex) and not isinstance(bins, np.ndarray):
        if not 1 <= operator.index(bins) <= MOST_BUCKETS:
            raise ValueError(f"bins={bins} of {tag!r} must be from 1 to {MOST_BUCKETS}.")
        return operator.index(bins)
    try:
        edges = np.asarray(bins, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"bins={bins!r} of {tag!r} must be a number of buckets or their edges.") from None
    ascending = edges.ndim == 1 and np.isfinite(edges).all() and (np.diff(edges) > 0).all()
    if not ascending or not 2 <= edges.size <= MOST_BUCKETS + 1:
        raise ValueError(f"The edges in bins of {tag!r} must be two or more finite numbers in ascending order.")
    return [float(edge) for edge in edges]


def fill_histogram(value: Summary.Value, array: NDArray[Any], bins: Bins = None) -> None:
    """Set the histogram of `value` to that of all elements of `array`.

    Numbers that are not finite are counted apart. With `bins` as edges, what lies outside of them is in no
    bucket, but counts in `count`, `min`, `max` and `sum`.
    """
    histogram = value.histogram
    numbers = array.reshape(-1)
    histogram.count = numbers.size
    finite = _finite(histogram, numbers)
    if not finite.size:
        return
    low, high = float(finite.min()), float(finite.max())
    histogram.min, histogram.max = low, high
    with np.errstate(over="ignore"):
        histogram.sum = float(finite.sum(dtype=np.float64))
    if bins is None or isinstance(bins, int):
        _add_equal(histogram, finite, low, high, bins or bucket_count(finite.size))
    else:
        edges = np.asarray(bins, np.float64)
        _add(histogram, np.histogram(finite, edges)[0], edges[:-1], np.diff(edges))


def _finite(histogram: Summary.Histogram, numbers: NDArray[Any]) -> NDArray[Any]:
    """Count what is not finite; return the rest in a type that numpy can sort into buckets."""
    histogram.nan_count = histogram.pos_inf_count = histogram.neg_inf_count = 0
    if numbers.dtype.kind != "f":
        return numbers.astype(np.uint8) if numbers.dtype.kind == "b" else numbers
    if numbers.dtype == np.float16:
        numbers = numbers.astype(np.float32)
    known = np.isfinite(numbers)
    if known.all():
        return numbers
    histogram.nan_count = int(np.isnan(numbers).sum())
    histogram.pos_inf_count = int(np.isposinf(numbers).sum())
    histogram.neg_inf_count = int(np.isneginf(numbers).sum())
    finite: NDArray[Any] = numbers[known]
    return finite


def _add_equal(histogram: Summary.Histogram, finite: NDArray[Any], low: float, high: float, buckets: int) -> None:
    if low == high:
        low, high = low - 0.5, high + 0.5
    scale = 1.0
    if max(-low, high) > _NEAR_OVERFLOW:
        # The arithmetic of edges would leave the range of numbers.
        scale = 0.25
        finite = finite.astype(np.float64) * scale
    elif finite.dtype == np.float32 and high - low > _WIDEST_FLOAT:
        # So would numpy's differences of elements, which are of their type.
        finite = finite.astype(np.float64)
    try:
        counts, edges = np.histogram(finite, buckets, (low * scale, high * scale))
    except ValueError:
        # So far from zero that the edges of buckets of that width are equal: use a single bucket.
        _add(histogram, np.array([finite.size]), np.array([low]), np.array([high - low]))
        return
    _add(histogram, counts, edges[:-1] / scale, np.full(buckets, high / buckets - low / buckets))


def _add(
    histogram: Summary.Histogram, counts: NDArray[Any], lefts: NDArray[np.float64], widths: NDArray[np.float64]
) -> None:
    add = histogram.buckets.add
    for left, width, count in zip(lefts.tolist(), widths.tolist(), counts.tolist(), strict=True):
        add(left=left, width=width, count=count)
