"""One stretch of an array per pixel column: what numpy's `reduceat` does, with room between stretches and empty ones.

Used by `layers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]

NOWHERE = -1
"""The place of a missing point."""


@dataclass(frozen=True)
class Stretches:
    """Where the stretches begin and end.

    Attributes:
        bounds: begin and end of each stretch in turn, never falling; shape (2n,).
    """

    bounds: Indices

    @classmethod
    def between(cls, begins: Indices, ends: Indices) -> Stretches:
        """Returns the stretches with these begins and ends; one that ends before it begins is empty."""
        bounds = np.empty(2 * len(begins), np.int64)
        bounds[::2] = begins
        np.maximum(begins, ends, out=bounds[1::2])
        return cls(bounds)

    def reduce(self, ufunc: np.ufunc, data: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Returns `ufunc` over each stretch; for an empty one any number.

        Args:
            ufunc: such as `numpy.minimum`.
            data: longer by at least one than the last stretch reaches.
        """
        found: npt.NDArray[Any] = ufunc.reduceat(data, self.bounds)[::2]
        return found

    @property
    def empty(self) -> npt.NDArray[np.bool_]:
        """Which stretches are empty."""
        return np.equal(self.bounds[::2], self.bounds[1::2])

    def first_equal(self, data: npt.NDArray[Any], wanted: npt.NDArray[np.float64]) -> Indices:
        """Returns where in each stretch its wanted number is first; NaN is nowhere."""
        wanted_or_gap = np.full(len(self.bounds) - 1, np.nan)
        wanted_or_gap[::2] = wanted
        first, end = self.bounds[0], self.bounds[-1]
        equal = data[first:end] == np.repeat(wanted_or_gap, np.diff(self.bounds))
        return self._first_of(np.flatnonzero(equal) + first)

    def first_true(self, mask: npt.NDArray[np.bool_]) -> Indices:
        """Returns where in each stretch `mask` is first true."""
        return self._first_of(np.flatnonzero(mask))

    def last_true(self, mask: npt.NDArray[np.bool_]) -> Indices:
        """Returns where in each stretch `mask` is last true."""
        hits = np.append(NOWHERE, np.flatnonzero(mask))
        found = hits[np.searchsorted(hits, self.bounds[1::2]) - 1]
        return np.where(found >= self.bounds[::2], found, NOWHERE)

    def _first_of(self, hits: Indices) -> Indices:
        hits = np.append(hits, np.iinfo(np.int64).max)
        found = hits[np.searchsorted(hits, self.bounds[::2])]
        return np.where(found < self.bounds[1::2], found, NOWHERE)
