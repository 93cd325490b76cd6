"""Smooths a whole series on the server, with the same average as `frontend/src/data/series/smoothing.ts`.

The debiased exponential moving average: with weights w_i of the points,
s_n = w_n s_(n-1) + (1 - w_n) y_n and m_n = s_n / (1 - w_1 ... w_n). Points closer than 1/250 of the series count in
proportion to their distance. Values that are not finite are kept and do not affect the average. Used by `looks`. Means
of windows are in `windows`.

The compiled library goes from point to point. Without it, numpy sums a block of points at once, while 1 / W_n is far
from overflow: s_n = W_n (s_0 + sum of (1 - w_i) y_i / W_i) with W_n = w_1 ... w_n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mindinsight.scalars.kernel import library
from mindinsight.store import Rows, one_after_another

Numbers = npt.NDArray[np.float64]

_UNITS_PER_SERIES = 250
_PIECE = 1 << 18
_BLOCK = 4096
# exp of this times the largest sum does not overflow. Values are scaled to at most 1.
_LOG_MOST = 600.0


def smoothed(points: Rows, weight: float) -> Rows:
    """Returns the points with smoothed values.

    Args:
        points: all points of a series in order of step.
        weight: weight of earlier values, above 0 and below 1; 0 leaves the values unchanged.
    """
    if weight <= 0 or not len(points):
        return points
    unit = smoothing_unit(float(points["step"][-1]) - float(points["step"][0]))
    if library.KERNEL is not None:
        return library.KERNEL.smooth(points, math.log(weight), unit)
    return _smoothed_by_numpy(points, weight, unit)


def smoothed_each(series: Sequence[Rows], weight: float) -> list[Rows]:
    """Returns several series with smoothed values, like `smoothed`.

    Args:
        series: all points of each series in order of step.
        weight: weight of earlier values, above 0 and below 1; 0 leaves the values unchanged.
    """
    if library.KERNEL is None or weight <= 0 or not series:
        return [smoothed(points, weight) for points in series]
    ends = np.cumsum([len(points) for points in series])
    whole = library.KERNEL.smooth_each(one_after_another(series), ends, math.log(weight), _UNITS_PER_SERIES)
    return [whole[end - len(points) : end] for points, end in zip(series, ends.tolist(), strict=True)]


def _smoothed_by_numpy(points: Rows, weight: float, unit: float) -> Rows:
    result = points.copy()
    finite = np.isfinite(points["value"])
    if finite.any():
        average = _Average(weight, unit, float(np.abs(points["value"][finite]).max()))
        for first in range(0, len(points), _PIECE):
            piece = slice(first, first + _PIECE)
            taken = finite[piece]
            value = result["value"][piece]
            value[taken] = average.extend(points["step"][piece][taken].astype(np.float64), value[taken])
    return result


def smoothing_unit(span: float) -> float:
    """Returns the distance in steps that counts as one point, for a series that covers `span` steps."""
    unit = span / _UNITS_PER_SERIES
    return 2.0 ** (math.ceil(4 * math.log2(unit)) / 4) if unit > 1 else 1.0


class _Average:
    """The average so far.

    Args:
        weight: weight of earlier values, for points at a distance of one unit.
        unit: distance in steps from which points count fully.
        scale: the largest absolute value.
    """

    def __init__(self, weight: float, unit: float, scale: float) -> None:
        self._log_weight = math.log(weight)
        self._unit = unit
        self._scale = scale or 1.0
        self._block = max(1, min(_BLOCK, int(_LOG_MOST / -self._log_weight)))
        self._sum = 0.0
        self._log_rest = 0.0
        self._last_step = math.nan
        self._lowest, self._highest = math.inf, -math.inf

    def extend(self, step: Numbers, value: Numbers) -> Numbers:
        """Returns the averages of these points, which follow the earlier ones and are finite."""
        if not len(step):
            return value
        distance = np.diff(step, prepend=self._last_step) / self._unit
        self._last_step = float(step[-1])
        # The first point and distant points count fully.
        logs = self._log_weight * np.where((distance >= 0) & (distance < 1), distance, 1.0)
        rest = np.cumsum(logs)
        rest += self._log_rest
        self._log_rest = float(rest[-1])
        sums = self._sums(logs, value / self._scale)
        return self._between(sums / -np.expm1(rest) * self._scale, value)

    def _between(self, average: Numbers, value: Numbers) -> Numbers:
        """An average is between the lowest and the highest value so far, so that a constant series stays constant."""
        low = np.minimum.accumulate(np.minimum(value, self._lowest))
        high = np.maximum.accumulate(np.maximum(value, self._highest))
        self._lowest, self._highest = float(low[-1]), float(high[-1])
        return np.clip(average, low, high)

    def _sums(self, logs: Numbers, value: Numbers) -> Numbers:
        """Continues s_n, block by block."""
        share = self._blocks(-np.expm1(logs) * value)
        log_decay = np.cumsum(self._blocks(logs), axis=1)
        decay = np.exp(log_decay)
        sums = np.cumsum(share * np.exp(-log_decay), axis=1)
        sums += self._carried(sums[:, -1] * decay[:, -1], decay[:, -1])[:, np.newaxis]
        sums *= decay
        found = sums.ravel()[: len(value)]
        self._sum = float(found[-1])
        return found

    def _carried(self, own: Numbers, decay: Numbers) -> Numbers:
        """The initial value of each block: s_n at the end of the previous one."""
        carried, total = [], self._sum
        for more, kept in zip(own.tolist(), decay.tolist(), strict=True):
            carried.append(total)
            total = total * kept + more
        return np.array(carried)

    def _blocks(self, numbers: Numbers) -> Numbers:
        """One row for each block. Zeros after the end change nothing."""
        return np.pad(numbers, (0, -len(numbers) % self._block)).reshape(-1, self._block)
