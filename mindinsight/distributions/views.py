"""The data of a histogram plot over steps: rows of steps, cells of values, and statistics of each row.

If there are more steps than rows, neighbouring steps are merged; none is left out. Called by the API.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mindinsight.distributions.decoding import Floats, Histogram
from mindinsight.distributions.grid import LEVELS, Axis, choose_axis, counting, percentile_grid, percentiles

COLUMNS = (
    "first_step", "last_step", "histograms", "wall_time", "finite", "min", "max", "mean", "std",
    "p5", "p25", "p50", "p75", "p95", "nan", "pos_inf", "neg_inf", "zero", "zero_width", "spike",
)  # fmt: skip
"""Statistics of each row, as in `api.md`."""

Below = Callable[[Histogram], Floats]
# Minimum density against all other buckets, and maximum width on the axis, for drawing the bucket at zero separately.
_SPIKE = 4.0
_NARROW = 0.03
_WORTH = 0.05


@dataclass(frozen=True)
class Item:
    """One recorded histogram."""

    step: int
    wall: float
    histogram: Histogram


@dataclass(frozen=True)
class View:
    """The drawn data.

    Attributes:
        axis: the axis of values.
        table: float64 of shape (rows, len(COLUMNS)).
        counts: float32 of shape (rows, cells), the number of elements in each cell without the spike at zero.
    """

    axis: Axis
    table: Floats
    counts: np.typing.NDArray[np.float32]


def make_view(items: Sequence[Item], rows: int, cells: int, axis: str) -> View:
    """Puts histograms into rows.

    Args:
        items: histograms in order of step. Those of the same step are merged.
        rows: maximum number of rows.
        cells: number of cells on the axis of values; 0 for statistics only.
        axis: `linear`, `symlog` or `auto`.
    """
    histograms = [one.histogram for one in items]
    with np.errstate(over="ignore", invalid="ignore"):
        chosen = choose_axis(histograms, axis)
        edges, grid = chosen.edges(max(1, cells)), percentile_grid(histograms, chosen)
        below_edges, below_grid = counting(edges, chosen), counting(grid)
        table, counts = [], []
        for part in _parts([one.step for one in items], rows):
            row = items[part]
            spikes = [_spike(one.histogram, chosen) for one in row]
            table.append(_known(row, grid, below_grid, sum(spikes)))
            counts.append(_cells(row, spikes, below_edges, cells) if cells else np.zeros(0))
    return View(
        chosen,
        np.array(table, np.float64).reshape(-1, len(COLUMNS)),
        np.array(counts, np.float32).reshape(-1, cells) if cells else np.zeros((len(table), 0), np.float32),
    )


def _parts(steps: Sequence[int], rows: int) -> list[slice]:
    """Groups the items into rows. A row covers 2^k neighbouring steps, so rows stay the same while a run grows."""
    distinct, starts = np.unique(np.array(steps, np.int64), return_index=True)
    together = 1
    while len(distinct) > rows * together:
        together *= 2
    bounds = [*starts[::together].tolist(), len(steps)]
    return [slice(first, end) for first, end in pairwise(bounds)]


def _spike(histogram: Histogram, axis: Axis) -> float:
    """Number of elements in the bucket at zero, if it would flatten all others and is therefore drawn separately."""
    at = histogram.zero_bucket
    if at < 0 or np.count_nonzero(histogram.count) < 2:
        return 0.0
    if histogram.width[at] == 0:
        return float(histogram.count[at])
    if histogram.count[at] < _WORTH * histogram.finite:
        return 0.0
    wide = axis.places(histogram.left + histogram.width) - axis.places(histogram.left)
    if wide[at] > _NARROW * np.ptp(axis.places(np.array([axis.low, axis.high]))):
        return 0.0
    dense = np.divide(histogram.count, wide, out=np.zeros(len(wide)), where=wide > 0)
    here, dense[at] = dense[at], 0.0
    return float(histogram.count[at]) if here > _SPIKE * dense.max() else 0.0


def _cells(row: Sequence[Item], spikes: Sequence[float], below: Below, cells: int) -> Floats:
    """Number of elements in each cell, spread evenly along the axis inside their bucket."""
    counts = np.zeros(cells)
    for item, spike in zip(row, spikes, strict=True):
        histogram = item.histogram
        if spike:
            rest = histogram.count.copy()
            rest[histogram.zero_bucket] = 0
            histogram = Histogram(histogram.left, histogram.width, rest, None, None, None)
        up_to = below(histogram)
        if len(up_to) and len(histogram.count):
            up_to[-1] = histogram.finite
        counts += np.diff(up_to)
    return counts


def _known(row: Sequence[Item], grid: Floats, below: Below, spike: float) -> list[float]:
    """The columns of a row, in the order of `COLUMNS`."""
    parts = [one.histogram for one in row]
    finite = sum(one.finite for one in parts)
    mean, spread = _moments(parts, finite)
    lows, highs = [one.min for one in parts if one.min is not None], [one.max for one in parts if one.max is not None]
    return [
        float(row[0].step),
        float(row[-1].step),
        float(len(row)),
        row[-1].wall,
        finite,
        min(lows, default=np.nan),
        max(highs, default=np.nan),
        mean,
        spread,
        *_pooled(parts, grid, below, finite).tolist(),
        float(sum(one.nan_count for one in parts)),
        float(sum(one.pos_inf_count for one in parts)),
        float(sum(one.neg_inf_count for one in parts)),
        *_at_zero(parts),
        spike,
    ]


def _moments(parts: Sequence[Histogram], finite: float) -> tuple[float, float]:
    """Mean and standard deviation of all elements of a row."""
    if not finite:
        return np.nan, np.nan
    left, width, count = (np.concatenate([getattr(one, name) for one in parts]) for name in ("left", "width", "count"))
    middle = left + width / 2
    # A sum from the writer is exact. A sum from buckets is only close to it.
    exact = all(one.sum is not None for one in parts)
    total = sum(one.sum or 0.0 for one in parts) if exact else float((count * middle).sum())
    mean = total / finite
    squares = count * ((middle - mean) ** 2 + width**2 / 12)
    return mean, np.sqrt(float(squares.sum()) / finite)


def _at_zero(parts: Sequence[Histogram]) -> tuple[float, float]:
    """Number of elements in the buckets at zero, and the width of the widest of these buckets."""
    buckets = [(one, at) for one in parts if (at := one.zero_bucket) >= 0]
    elements = sum(float(one.count[at]) for one, at in buckets)
    return elements, max((float(one.width[at]) for one, at in buckets), default=0.0)


def _pooled(parts: Sequence[Histogram], grid: Floats, below: Below, finite: float) -> Floats:
    """Percentiles of all elements of a row."""
    if len(parts) == 1 or not finite:
        return percentiles(parts[0], LEVELS) if len(parts) == 1 else np.full(len(LEVELS), np.nan)
    up_to = np.maximum.accumulate(np.sum([below(one) for one in parts], axis=0))
    up_to[-1] = finite
    return np.interp(np.array(LEVELS) * finite, up_to, grid)
