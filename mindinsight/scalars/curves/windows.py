"""Smooths by windows around each point: the mean, and the mean weighted by a bell curve, as on the page
(`frontend/src/charts/curves/windows.ts`).

Distances are the same as for the moving average: in units of 1/250 of the series, and two neighbours are at most one
unit apart. A weight w of the moving average means a window of (1 + w) / (1 - w) units, which smooths about as strongly.
The bell curve has the standard deviation of that window and ends at four standard deviations. At the ends of a series
windows are cut off. Values that are not finite are kept and do not count.

Points closer than 1/32 of the standard deviation are merged at their mean position. Between such positions the curve
keeps its slope. The error is below a thousandth of the curve's variation within the window. If most points crowd at few
positions, it may be three hundredths.

Used by `looks`. The compiled library computes it, or numpy if there is none.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mindinsight.scalars.curves.smoothing import smoothing_unit
from mindinsight.scalars.kernel import library
from mindinsight.store import Rows

Numbers = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

BINS_PER_SIGMA = 32
CUT = 4.0
# Points exactly at the end of a window belong to it, even after rounding.
_SLACK = 1e-9


def window_reach(weight: float) -> float:
    """Returns the reach of a window to either side, in units."""
    return (1 + weight) / (1 - weight) / 2 + _SLACK


def bell_sigma(weight: float) -> float:
    """Returns the standard deviation of the bell curve, in units."""
    return (1 + weight) / (1 - weight) / math.sqrt(12)


def window_mean(points: Rows, weight: float) -> Rows:
    """Returns the points with the means of the windows around them.

    Args:
        points: all points of a series in order of step.
        weight: above 0 and below 1; 0 leaves the values unchanged.
    """
    if weight <= 0 or not len(points):
        return points
    unit, reach = _unit(points), window_reach(weight)
    if library.KERNEL is not None:
        return library.KERNEL.smooth_mean(points, unit, reach)
    place, value, result = _laid_out(points, unit)
    return _put_back(result, _means(place, value, reach))


def window_gaussian(points: Rows, weight: float) -> Rows:
    """Returns the points with means that are weighted by a bell curve.

    Args:
        points: all points of a series in order of step.
        weight: above 0 and below 1; 0 leaves the values unchanged.
    """
    if weight <= 0 or not len(points):
        return points
    unit, sigma = _unit(points), bell_sigma(weight)
    if library.KERNEL is not None:
        return library.KERNEL.smooth_gaussian(points, unit, sigma, sigma / BINS_PER_SIGMA, CUT)
    place, value, result = _laid_out(points, unit)
    return _put_back(result, _bells(place, value, sigma) if len(value) else value)


def _unit(points: Rows) -> float:
    return smoothing_unit(float(points["step"][-1]) - float(points["step"][0]))


def _laid_out(points: Rows, unit: float) -> tuple[Numbers, Numbers, Rows]:
    """The positions of the finite values, the values, and a copy of the points."""
    result = points.copy()
    finite = np.isfinite(points["value"])
    step = points["step"][finite].astype(np.float64)
    distance = np.diff(step, prepend=step[:1]) / unit
    distance[1:] = np.where((distance[1:] >= 0) & (distance[1:] < 1), distance[1:], 1.0)
    return np.cumsum(distance), points["value"][finite], result


def _put_back(result: Rows, value: Numbers) -> Rows:
    result["value"][np.isfinite(result["value"])] = value
    return result


def _means(place: Numbers, value: Numbers, reach: float) -> Numbers:
    """Windows are composed of stretches of 1, 2, 4, … points, so that nothing is ever subtracted."""
    left = np.searchsorted(place, place - reach, side="left")
    left_over = np.searchsorted(place, place + reach, side="right") - left
    sizes, at = left_over.copy(), left.copy()
    total, low, high = np.zeros(len(value)), np.full(len(value), np.inf), np.full(len(value), -np.inf)
    sums = lows = highs = value
    length = 1
    with np.errstate(over="ignore", invalid="ignore"):
        while left_over.any():
            odd = (left_over & 1).astype(bool)
            here = at[odd]
            total[odd] += sums[here]
            low[odd], high[odd] = np.minimum(low[odd], lows[here]), np.maximum(high[odd], highs[here])
            at[odd] += length
            left_over >>= 1
            sums, lows = sums[:-length] + sums[length:], np.minimum(lows[:-length], lows[length:])
            highs = np.maximum(highs[:-length], highs[length:])
            length *= 2
        mean: Numbers = np.fmin(np.fmax(total / np.maximum(sizes, 1), low), high)
    return mean


def _bells(place: Numbers, value: Numbers, sigma: float) -> Numbers:
    number = (place / (sigma / BINS_PER_SIGMA)).astype(np.int64)
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    counts = np.diff(np.append(starts, len(value)))
    centre = np.add.reduceat(place, starts) / counts
    lows, highs = np.minimum.reduceat(value, starts), np.maximum.reduceat(value, starts)
    mean, slope, low, high = (np.empty(len(starts)) for _ in range(4))
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.add.reduceat(value, starts)
        begins = np.searchsorted(centre, centre - CUT * sigma)
        ends = np.searchsorted(centre, centre + CUT * sigma, side="right")
        for at, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
            near = slice(begin, end)
            away = (centre[at] - centre[near]) / sigma
            weight = np.exp(-0.5 * away * away)
            turned = -weight * away / sigma
            total = weight @ counts[near]
            mean[at] = weight @ sums[near] / total
            slope[at] = (turned @ sums[near] - mean[at] * (turned @ counts[near])) / total
            low[at], high[at] = lows[near].min(), highs[near].max()
        bins = np.repeat(np.arange(len(starts)), counts)
        smooth: Numbers = np.fmin(np.fmax(mean[bins] + slope[bins] * (place - centre[bins]), low[bins]), high[bins])
    return smooth
