"""Puts histograms with different buckets on one grid: the axis, counts below values, percentiles. Called by `views.py`.

Elements are taken to be spread evenly inside a bucket. In a bucket of width 0 all have the same value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mindinsight.distributions.decoding import Floats, Histogram

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The percentiles of each row."""

# Maximum number of decades around zero on a symmetric logarithmic axis.
_MOST_DECADES = 7
_LARGEST = 8e307
_HEAVY = 0.125
_SAMPLES = 16
_SAMPLE_LEVELS = np.linspace(0.01, 0.99, 33)


@dataclass(frozen=True)
class Axis:
    """An axis of values.

    Attributes:
        low: the lowest value.
        high: the highest value.
        linear_below: 0 for a linear axis; otherwise the axis is sign(x) * log10(1 + |x| / linear_below).
    """

    low: float
    high: float
    linear_below: float

    def places(self, values: Floats) -> Floats:
        """Returns the positions of values on the axis, in axis units."""
        if not self.linear_below:
            return values
        placed: Floats = np.sign(values) * np.log10(1 + np.abs(values) / self.linear_below)
        return placed

    def edges(self, cells: int) -> Floats:
        """Returns the edges, as values, of cells with equal widths on the axis."""
        low, high = self.places(np.array([self.low, self.high]))
        place = np.linspace(low, high, cells + 1)
        if self.linear_below:
            place = np.sign(place) * (10 ** np.abs(place) - 1) * self.linear_below
        place[0], place[-1] = self.low, self.high
        return place


def counting(values: Floats, axis: Axis | None = None) -> Callable[[Histogram], Floats]:
    """Returns the number of elements below each value. Elements at the value itself do not count.

    Args:
        values: the values.
        axis: the axis along which elements are spread inside their bucket; None spreads them by value.
    """
    along = axis.places if axis is not None and axis.linear_below else lambda places: places
    # Rounding must not split a bucket of a single value between two sides.
    wanted = np.nextafter(along(values), -np.inf)

    def below(histogram: Histogram) -> Floats:
        if not len(histogram.left):
            return np.zeros(len(values))
        x, y = histogram.corners
        return np.interp(wanted, along(x), y, left=0.0)

    return below


def percentiles(histogram: Histogram, levels: Sequence[float] | Floats) -> Floats:
    """Returns the lowest values at which given shares of the elements are reached; NaN without elements."""
    total = histogram.finite
    if not total > 0:
        return np.full(len(levels), np.nan)
    used = histogram.count > 0
    up_to = np.cumsum(histogram.count[used])
    wanted = np.asarray(levels) * total
    at = np.minimum(np.searchsorted(up_to, wanted), len(up_to) - 1)
    left, width, count = histogram.left[used][at], histogram.width[used][at], histogram.count[used][at]
    inside: Floats = left + width * np.clip((wanted - (up_to[at] - count)) / count, 0, 1)
    return inside


def choose_axis(histograms: Sequence[Histogram], kind: str) -> Axis:
    """Returns an axis that covers all elements of some histograms.

    Args:
        histograms: the histograms to draw.
        kind: `linear`, `symlog`, or `auto`, which chooses `symlog` if nine tenths of the elements crowd in a small part
        of the range.
    """
    filled = [(one, np.flatnonzero(one.count > 0)) for one in histograms]
    ends = [(one.left[at[0]], one.left[at[-1]] + one.width[at[-1]]) for one, at in filled if len(at)]
    if not ends:
        return Axis(-1.0, 1.0, 0.0)
    low = max(-_LARGEST, float(min(end[0] for end in ends)))
    high = min(_LARGEST, float(max(end[1] for end in ends)))
    if low == high:
        room = abs(low) / 2 or 0.5
        low, high = low - room, high + room
    if kind == "symlog" or (kind == "auto" and _is_heavy(_sample(histograms), high - low)):
        return Axis(low, high, _linear_below(_sample(histograms), max(-low, high)))
    return Axis(low, high, 0.0)


def _sample(histograms: Sequence[Histogram]) -> list[Histogram]:
    chosen = np.linspace(0, len(histograms) - 1, min(len(histograms), _SAMPLES)).round().astype(int)
    return [histograms[at] for at in chosen]


def _is_heavy(histograms: Sequence[Histogram], span: float) -> bool:
    spans = [float(high - low) for low, high in (percentiles(one, (0.05, 0.95)) for one in histograms)]
    known = [one for one in spans if np.isfinite(one)]
    return bool(known) and float(np.median(known)) < _HEAVY * span


def _linear_below(histograms: Sequence[Histogram], most: float) -> float:
    """Returns the smallest power of ten that the buckets can tell from zero."""
    smallest = []
    for one in histograms:
        edges = np.abs(np.concatenate((one.left, one.left + one.width)))
        if (edges > 0).any():
            smallest.append(float(edges[edges > 0].min()))
    finest = float(np.median(smallest)) if smallest else most
    clipped = min(max(finest, most * 10.0**-_MOST_DECADES), most / 10)
    return float(10.0 ** np.floor(np.log10(clipped))) if clipped > 0 else 1.0


def percentile_grid(histograms: Sequence[Histogram], axis: Axis) -> Floats:
    """Returns values that are dense where the elements are, to compute percentiles of many histograms at once."""
    inner = [percentiles(one, _SAMPLE_LEVELS) for one in _sample(histograms)]
    values = np.unique(np.concatenate([np.array([axis.low, axis.high]), *inner]))
    finite: Floats = values[np.isfinite(values)]
    return finite
