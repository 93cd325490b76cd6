"""Scales of axes: linear, logarithmic, or symmetric logarithmic.

The page uses the same formulas (`frontend/src/charts/scales/scale.ts`). Used by `pixels`, so that every pixel of a
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
    """The kinds of scales."""

    LINEAR = "linear"
    LOG = "log"
    SYMLOG = "symlog"


@dataclass(frozen=True)
class Scale:
    """A scale of an axis.

    Attributes:
        kind: its kind.
        linear: for `symlog`: numbers up to this size are on a linear scale, and each further power of ten takes as much
        space as they do.
    """

    kind: ScaleKind = ScaleKind.LINEAR
    linear: float = 1.0

    def to(self, value: Numbers) -> Numbers:
        """Returns the positions of numbers. They must be above 0 on a logarithmic axis."""
        if self.kind is ScaleKind.LOG:
            return np.log10(value)
        if self.kind is ScaleKind.SYMLOG:
            size = np.abs(value) / self.linear
            return np.where(size <= 1, value / self.linear, np.sign(value) * (1 + np.log10(np.maximum(size, 1))))
        return value

    def back(self, place: Numbers) -> Numbers:
        """Returns the numbers at these positions."""
        if self.kind is ScaleKind.LOG:
            return np.power(10.0, place)
        if self.kind is ScaleKind.SYMLOG:
            size = np.abs(place)
            far = np.sign(place) * self.linear * np.power(10.0, np.maximum(size, 1) - 1)
            return np.where(size <= 1, place * self.linear, far)
        return place

    def edges(self, low: float, high: float, width: int) -> Numbers:
        """Returns the starts of columns of equal width between two numbers, from the second column on."""
        # Wall times of a broken clock may differ by more than the largest number.
        left, right = self.to(np.array([low, high])).tolist()
        span = min(right - left, _MOST)
        if not span > 0:
            return np.empty(0)
        places = left + span * (np.arange(1, width) / width)
        # Rounding must not put an edge before the previous one.
        return places if self.kind is ScaleKind.LINEAR else np.maximum.accumulate(self.back(places))


LINEAR = Scale()
