"""Assigns the points of a curve to the pixel columns of a chart.

With x from `low` to `high` and `width` columns, column k begins at `low + (high - low) * (k / width)` in float64
arithmetic; the last one includes `high`. On an axis that is not linear, the same holds for positions on the axis. Used
by `envelope`, `buckets` and `counts`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.scalars.curves.curve import Axis, Curve
from mindinsight.scalars.curves.scales import ScaleKind
from mindinsight.scalars.kernel import library
from mindinsight.store import BLOCK

Indices = npt.NDArray[np.int64]

_INT64 = np.iinfo(np.int64)
# The sum of two numbers below it fits into int64 with any signs.
_FAR = 1 << 61


@dataclass(frozen=True)
class Pixels:
    """The points of a range of x, by pixel column.

    Attributes:
        first: index of the first point in the range.
        end: index after the last point in the range.
        starts: index of the first point of each column with points.
    """

    first: int
    end: int
    starts: Indices

    @property
    def edges(self) -> Indices:
        """The starts, followed by `end`."""
        return np.append(self.starts, self.end)

    @property
    def ends(self) -> Indices:
        """Index after the last point of each column with points."""
        return self.edges[1:]


def cut(curve: Curve, width: int, low: float | None = None, high: float | None = None) -> Pixels:
    """Divides a curve into pixel columns.

    Args:
        curve: the curve.
        width: number of columns.
        low: x of the chart's left edge; default: that of the first point.
        high: x of the chart's right edge; default: that of the last point.
    """
    count = len(curve.points)
    if not count:
        return Pixels(0, 0, np.empty(0, np.int64))
    left, right = extent(curve, low, high)
    if not left <= right:
        empty = int(search(curve, np.array([left]))[0]) if math.isfinite(left) else 0
        return Pixels(empty, empty, np.empty(0, np.int64))
    edges = curve.scale.edges(left, right, width)
    found = search(curve, np.concatenate([[left], edges, [np.nextafter(right, np.inf)]]))
    open_left = low is None and curve.scale.kind is not ScaleKind.LOG
    first = 0 if open_left else int(found[0])
    end = count if high is None else max(first, int(found[-1]))
    starts = np.clip(found[:-1], first, end)
    starts[0] = first
    return Pixels(first, end, starts[np.append(starts[1:], end) > starts])


def extent(curve: Curve, low: float | None, high: float | None) -> tuple[float, float]:
    """Returns the edges of a chart. On a logarithmic axis the left one is above 0, or NaN if no point is.

    Args:
        curve: the curve, with points.
        low: x of the left edge; default: that of the first point.
        high: x of the right edge; default: that of the last point.
    """
    left = _place(curve, 0) if low is None else low
    right = _place(curve, -1) if high is None else high
    if curve.scale.kind is ScaleKind.LOG and left <= 0:
        at = int(search(curve, np.array([np.nextafter(0.0, 1.0)]))[0])
        left = _place(curve, at) if at < len(curve.points) else math.nan
    return left, right


def _place(curve: Curve, at: int) -> float:
    """x of a point relative to the chart's origin."""
    return float(curve.x[at] - curve.origin)


def search(curve: Curve, x: npt.NDArray[np.float64]) -> Indices:
    """Returns the index of the first point at or after each of these places of the chart."""
    sought = _comparable(x, curve)
    if library.KERNEL is not None:
        return library.KERNEL.search(curve.points, curve.levels, curve.axis.value, sought)
    if curve.levels is None:
        return np.searchsorted(curve.x, sought)
    starts = curve.levels.one[f"{curve.axis.value}_first"]
    if len(curve.points) % BLOCK:
        starts = np.append(starts, curve.x[len(starts) * BLOCK])
    block = np.searchsorted(starts, sought) - 1
    return np.where(block < 0, 0, _search_blocks(curve.x, block * BLOCK, sought))


def _search_blocks(x: npt.NDArray[Any], at: Indices, sought: npt.NDArray[Any]) -> Indices:
    """Continues from the first point of a block, which is before the place, to the last such point."""
    half = BLOCK // 2
    while half:
        probe = at + half
        np.copyto(at, probe, where=x[np.minimum(probe, len(x) - 1)] < sought)
        half //= 2
    return np.minimum(at + 1, len(x))


def _comparable(x: npt.NDArray[np.float64], curve: Curve) -> npt.NDArray[Any]:
    """Places in the points' own type: a step is after a place if it is after the next whole number."""
    if curve.axis is Axis.WALL:
        return x + curve.origin
    whole, origin = np.ceil(x), int(curve.origin)
    if len(whole) and whole.min() > -_FAR and whole.max() < _FAR and -_FAR < origin < _FAR:
        return whole.astype(np.int64) + origin
    inside = np.clip(whole, float(_INT64.min), np.nextafter(float(_INT64.max), 0)).astype(np.int64)
    if not origin:
        return np.where(whole >= float(_INT64.max), _INT64.max, inside)
    # The sum may exceed the range of steps.
    inside = np.clip(inside, _INT64.min - min(origin, 0), _INT64.max - max(origin, 0)) + origin
    return np.where(whole + float(origin) >= float(_INT64.max), _INT64.max, inside)
