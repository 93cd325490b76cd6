"""Distances of two histograms: Kolmogorov-Smirnov and Wasserstein. Called by the API to sort layers by change."""

from __future__ import annotations

import numpy as np

from mindinsight.distributions.decoding import Histogram


def distances(one: Histogram, other: Histogram) -> tuple[float, float] | None:
    """Returns the Kolmogorov-Smirnov and the Wasserstein distance, or None if a histogram has no finite elements.

    The cumulative shares are linear between bucket edges, so the largest difference is at an edge, and the area between
    the two lines is a sum of trapezoids and pairs of triangles.
    """
    totals = one.finite, other.finite
    if not min(totals) > 0:
        return None
    x = np.unique(np.concatenate([one.corners[0], other.corners[0]]))
    # The shares jump only at edges, so each piece goes from the right of an edge to the left of the next one.
    after = _shares(one, x, including=True) - _shares(other, x, including=True)
    before = _shares(one, x, including=False) - _shares(other, x, including=False)
    furthest = float(max(np.abs(after).max(), np.abs(before).max()))
    start, end, wide = after[:-1], before[1:], np.diff(x)
    crossing = start * end < 0
    sizes = np.abs(start) + np.abs(end)
    area = np.where(crossing, (start**2 + end**2) / np.where(crossing, sizes, 1.0), sizes) / 2 * wide
    return furthest, float(area.sum())


def _shares(histogram: Histogram, x: np.typing.NDArray[np.float64], including: bool) -> np.typing.NDArray[np.float64]:
    used = histogram.count > 0
    left, width, count = histogram.left[used], histogram.width[used], histogram.count[used]
    side = "right" if including else "left"
    at = np.searchsorted(left, x, side=side) - 1  # type: ignore[call-overload]
    at_all = np.maximum(at, 0)
    up_to = np.cumsum(count)
    inside = np.divide(x - left[at_all], width[at_all], out=np.ones(len(x)), where=width[at_all] > 0)
    shares: np.typing.NDArray[np.float64] = up_to[at_all] - count[at_all] * (1 - np.clip(inside, 0, 1))
    of_all: np.typing.NDArray[np.float64] = np.where(at < 0, 0.0, shares) / count.sum()
    return of_all
