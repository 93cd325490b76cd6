"""Which points of a curve lie in which pixel column of a chart.

With x from `low` to `high` and `width` columns, column k begins at `low + (high - low) * (k / width)` in float64
arithmetic; the last one includes `high`. On an axis that is not linear the same holds of where numbers lie on it.
Asked by `envelope`, `buckets` and `counts`.
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
# Sums of two numbers below it are int64 whatever their signs.
_FAR = 1 << 61


@dataclass(frozen=True)
class Pixels:
    """The points of a range of x, by pixel column.

    Attributes:
        first: index of the first point in range.
        end: index behind the last point in range.
        starts: index of the first point of each column that has points.
    """

    first: int
    end: int
    starts: Indices

    @property
    def edges(self) -> Indices:
        """The starts, and behind them `end`."""
        return np.append(self.starts, self.end)

    @property
    def ends(self) -> Indices:
        """Index behind the last point of each column that has points."""
        return self.edges[1:]


def cut(curve: Curve, width: int, low: float | None = None, high: float | None = None) -> Pixels:
    """Cuts a curve into pixel columns.

    Args:
        curve: the curve.
        width: how many columns there are.
        low: x of the chart's left edge; that of the first point by default.
        high: x of the chart's right edge; that of the last point by default.
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
    """Returns the edges of a chart; the left one is above 0 on a logarithmic axis, NaN where no point is.

    Args:
        curve: the curve, with points.
        low: x of the left edge; that of the first point by default.
        high: x of the right edge; that of the last point by default.
    """
    left = _place(curve, 0) if low is None else low
    right = _place(curve, -1) if high is None else high
    if curve.scale.kind is ScaleKind.LOG and left <= 0:
        at = int(search(curve, np.array([np.nextafter(0.0, 1.0)]))[0])
        left = _place(curve, at) if at < len(curve.points) else math.nan
    return left, right


def _place(curve: Curve, at: int) -> float:
    """x of a point as the chart has it."""
    return float(curve.x[at] - curve.origin)


def search(curve: Curve, x: npt.NDArray[np.float64]) -> Indices:
    """Returns the index of the first point at or behind each of these places of the chart."""
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
    """Goes on from the first point of a block, which lies before the place, to the last one that does."""
    half = BLOCK // 2
    while half:
        probe = at + half
        np.copyto(at, probe, where=x[np.minimum(probe, len(x) - 1)] < sought)
        half //= 2
    return np.minimum(at + 1, len(x))


def _comparable(x: npt.NDArray[np.float64], curve: Curve) -> npt.NDArray[Any]:
    """Places as numbers of the points' own type: a step is behind a place when it is behind the next whole number."""
    if curve.axis is Axis.WALL:
        return x + curve.origin
    whole, origin = np.ceil(x), int(curve.origin)
    if len(whole) and whole.min() > -_FAR and whole.max() < _FAR and -_FAR < origin < _FAR:
        return whole.astype(np.int64) + origin
    inside = np.clip(whole, float(_INT64.min), np.nextafter(float(_INT64.max), 0)).astype(np.int64)
    if not origin:
        return np.where(whole >= float(_INT64.max), _INT64.max, inside)
    # The sum may be no step any more.
    inside = np.clip(inside, _INT64.min - min(origin, 0), _INT64.max - max(origin, 0)) + origin
    return np.where(whole + float(origin) >= float(_INT64.max), _INT64.max, inside)
