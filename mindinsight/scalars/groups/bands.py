"""The line and the band of a group, from its members' values at each pixel column. Called by `api`.

With n members that have a value y at a column: the mean with `std` (of the sample, divided by n - 1) or `se`
(std / sqrt(n)) on either side; the median; `quartiles`, at a quarter and three quarters of the way through the sorted
values, linear between them; `minmax`. The spread of a single value is unknown: NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from mindinsight.scalars.groups.points import Numbers


class Line(StrEnum):
    """The kinds of lines."""

    MEAN = "mean"
    MEDIAN = "median"


class Band(StrEnum):
    """The kinds of bands."""

    STD = "std"
    SE = "se"
    QUARTILES = "quartiles"
    MINMAX = "minmax"
    NONE = "none"


@dataclass(frozen=True)
class GroupBand:
    """One row for each column with values of members.

    Attributes:
        x: the middle of the column, float64 of shape (n,) as are the others.
        line: mean or median.
        low, high: the edges of the band; NaN if there is none.
        count: number of members with a value.
    """

    x: Numbers
    line: Numbers
    low: Numbers
    high: Numbers
    count: Numbers


def group_band(matrix: Numbers, centres: Numbers, line: Line, band: Band) -> GroupBand:
    """Returns the line and band of members.

    Args:
        matrix: values of members; NaN if they have none; shape (members, columns).
        centres: the middle of each column.
        line: kind of line.
        band: kind of band.
    """
    held = np.isfinite(matrix).any(axis=0)
    spread = _Spread(matrix[:, held])
    low, high = _BANDS[band](spread)
    return GroupBand(centres[held], spread.mean if line is Line.MEAN else spread.at(0.5), low, high, spread.count)


class _Spread:
    """Statistics of each column. Every column must have a value."""

    def __init__(self, matrix: Numbers) -> None:
        self._matrix = matrix
        self.count = np.isfinite(matrix).sum(axis=0).astype(np.float64)
        # Divided before summing, because sums of large values may overflow.
        self.mean = np.nansum(matrix / self.count, axis=0)
        self._sorted: Numbers | None = None

    @property
    def std(self) -> Numbers:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            squares = np.nansum((self._matrix - self.mean) ** 2, axis=0)
            return np.where(self.count > 1, np.sqrt(squares / (self.count - 1)), np.nan)

    def at(self, share: float) -> Numbers:
        """The quantile of sorted values at a share."""
        if self._sorted is None:
            self._sorted = np.sort(self._matrix, axis=0)
        place = share * (self.count - 1)
        below = np.floor(place).astype(np.int64)
        columns = np.arange(self._sorted.shape[1])
        low = self._sorted[below, columns]
        high = self._sorted[np.minimum(below + 1, self.count.astype(np.int64) - 1), columns]
        found: Numbers = low + (high - low) * (place - below)
        return found

    def around(self, spread: Numbers) -> tuple[Numbers, Numbers]:
        return self.mean - spread, self.mean + spread

    def none(self) -> tuple[Numbers, Numbers]:
        nothing = np.full(len(self.count), np.nan)
        return nothing, nothing


_BANDS: dict[Band, Callable[[_Spread], tuple[Numbers, Numbers]]] = {
    Band.STD: lambda spread: spread.around(spread.std),
    Band.SE: lambda spread: spread.around(spread.std / np.sqrt(spread.count)),
    Band.QUARTILES: lambda spread: (spread.at(0.25), spread.at(0.75)),
    Band.MINMAX: lambda spread: (spread.at(0.0), spread.at(1.0)),
    Band.NONE: _Spread.none,
}
