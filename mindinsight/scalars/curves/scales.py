"""How numbers are put along an axis: as they are, by their logarithm, or by their logarithm away from zero.

The page draws by the same formulas (`frontend/src/charts/scales/scale.ts`). Used by `pixels`, so that every pixel of a
chart with a logarithmic x axis has its own column.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

_MOST = float(np.finfo(np.float64).max)


class ScaleKind(StrEnum):
    """How numbers are put along an axis."""

    LINEAR = "linear"
    LOG = "log"
    SYMLOG = "symlog"


@dataclass(frozen=True)
class Scale:
    """A way to put numbers along an axis.

    Attributes:
        kind: which one.
        linear: of `symlog`: numbers up to this size lie as on a linear axis, and each power of ten beyond takes as much
            room as they do.
    """

    kind: ScaleKind = ScaleKind.LINEAR
    linear: float = 1.0

    def to(self, value: Numbers) -> Numbers:
        """Returns where numbers lie; they are above 0 on a logarithmic axis."""
        if self.kind is ScaleKind.LOG:
            return np.log10(value)
        if self.kind is ScaleKind.SYMLOG:
            size = np.abs(value) / self.linear
            return np.where(size <= 1, value / self.linear, np.sign(value) * (1 + np.log10(np.maximum(size, 1))))
        return value

    def back(self, place: Numbers) -> Numbers:
        """Returns the numbers that lie at these places."""
        if self.kind is ScaleKind.LOG:
            return np.power(10.0, place)
        if self.kind is ScaleKind.SYMLOG:
            size = np.abs(place)
            far = np.sign(place) * self.linear * np.power(10.0, np.maximum(size, 1) - 1)
            return np.where(size <= 1, place * self.linear, far)
        return place

    def edges(self, low: float, high: float, width: int) -> Numbers:
        """Returns where columns of equal width begin, from the second on, between two numbers."""
        # Wall times of a broken clock may be further apart than there are numbers.
        left, right = self.to(np.array([low, high])).tolist()
        span = min(right - left, _MOST)
        if not span > 0:
            return np.empty(0)
        places = left + span * (np.arange(1, width) / width)
        # Rounding may not put one edge before the last.
        return places if self.kind is ScaleKind.LINEAR else np.maximum.accumulate(self.back(places))


LINEAR = Scale()
