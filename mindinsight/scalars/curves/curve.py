"""One series as a curve: its points in order of x, with the levels that make views of many points fast.

Loaded by the API; used by `envelope` and `buckets`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.scalars.curves.scales import LINEAR, Scale
from mindinsight.store import BLOCK, ColumnStore, Levels, Rows, Table

# With fewer points, reading each is as fast as using levels.
LEVELS_FROM = 2048


class Axis(StrEnum):
    """The quantity on the x axis."""

    STEP = "step"
    WALL = "wall"


@dataclass(frozen=True)
class Curve:
    """The points of a series in order of x.

    Attributes:
        points: rows of POINT in order of x. Points with equal x are in recorded order.
        axis: the quantity on the x axis.
        total: number of points of the series; more than in `points` if some have no finite x.
        levels: summaries of `points`, or None.
        origin: x that the chart shows as 0.
        scale: scale of the x axis.
    """

    points: Rows
    axis: Axis
    total: int
    levels: Levels | None = None
    origin: float = 0.0
    scale: Scale = LINEAR

    @property
    def x(self) -> npt.NDArray[Any]:
        """int64 or float64 of shape (n,), without subtracting the origin."""
        return self.points[self.axis.value]


def load(store: ColumnStore, run: int, series: int, end: int, axis: Axis) -> Curve:
    """Returns the first `end` points of a series as a curve.

    Steps fall in a few series of unusual files, and wall times if a clock was set back. Then the points are sorted,
    which takes longer.

    Args:
        store: the store with the points.
        run: number of the run.
        series: number of the series.
        end: number of points.
        axis: the quantity on the x axis.
    """
    points = store.read(Table.POINTS, run, series, 0, end)
    levels = store.levels(run, series, points) if len(points) >= LEVELS_FROM else None
    ordered = _ordered(points, levels, axis)
    return Curve(ordered, axis, len(points), levels if ordered is points else None)


def load_many(store: ColumnStore, run: int, parts: Sequence[tuple[int, int]]) -> list[Rows]:
    """Returns the points of several series of a run, each in order of step.

    Args:
        store: the store with the points.
        run: number of the run.
        parts: number of each series, and number of its points.
    """
    return [load(store, run, series, end, Axis.STEP).points for series, end in parts]


def along(points: Rows, axis: Axis) -> Curve:
    """Returns points derived from stored ones (smoothed ones, for instance) as a curve."""
    return Curve(_ordered(points, None, axis), axis, len(points))


def _ordered(points: Rows, levels: Levels | None, axis: Axis) -> Rows:
    """Returns the same object if the points are already in order."""
    return points if _rises(points, levels, axis) else _sorted(points, axis)


def _rises(points: Rows, levels: Levels | None, axis: Axis) -> bool:
    x = points[axis.value]
    if not np.isfinite(x[[0, -1] if len(x) else []]).all():
        return False
    if levels is None:
        return bool((x[1:] >= x[:-1]).all())
    falls = f"{axis.value}_falls"
    ones = levels.one[len(levels.two) * BLOCK :]
    tail = x[len(levels.one) * BLOCK - 1 :]
    return not levels.two[falls].any() and not ones[falls].any() and bool((tail[1:] >= tail[:-1]).all())


def _sorted(points: Rows, axis: Axis) -> Rows:
    x = points[axis.value]
    if axis is Axis.WALL:
        points = points[np.isfinite(x)]
        x = points[axis.value]
    return points[np.argsort(x, kind="stable")]


def joined(y: Rows, x_parts: Sequence[Rows], total: int) -> Curve:
    """Returns one scalar over another of the same run: the points of `y` in order of x, which is in the column `wall`.

    The match is exact: steps are integers and must be equal. If x has several points at a step, the last recorded one
    counts. Every point of y at that step is kept. Points of y without a finite x are left out.

    Args:
        y: rows of POINT in order of step.
        x_parts: rows of POINT of each part in order of step; later parts were recorded later.
        total: number of points in the series of `y`.
    """
    x = np.concatenate(x_parts) if x_parts else y[:0]
    x = x[np.argsort(x["step"], kind="stable")]
    place = np.searchsorted(x["step"], y["step"], side="right") - 1
    known = place >= 0
    known[known] = x["step"][place[known]] == y["step"][known]
    rows = y[known].copy()
    rows["wall"] = x["value"][place[known]]
    # Points with an x that is not finite are left out.
    curve = along(rows, Axis.WALL)
    return Curve(curve.points, curve.axis, total)
