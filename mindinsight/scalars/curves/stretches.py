"""Reduces one stretch of an array per pixel column: like numpy's `reduceat`, but with gaps and empty stretches.

Used by `layers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]

NOWHERE = -1
"""The index of a missing point."""


@dataclass(frozen=True)
class Stretches:
    """The begins and ends of stretches.

    Attributes:
        bounds: begin and end of each stretch in turn, in ascending order; shape (2n,).
    """

    bounds: Indices

    @classmethod
    def between(cls, begins: Indices, ends: Indices) -> Stretches:
        """Returns the stretches with these begins and ends. A stretch that ends before it begins is empty."""
        bounds = np.empty(2 * len(begins), np.int64)
        bounds[::2] = begins
        np.maximum(begins, ends, out=bounds[1::2])
        return cls(bounds)

    def reduce(self, ufunc: np.ufunc, data: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Returns `ufunc` over each stretch. For an empty one the result is arbitrary.

        Args:
            ufunc: such as `numpy.minimum`.
            data: longer by at least one than the end of the last stretch.
        """
        found: npt.NDArray[Any] = ufunc.reduceat(data, self.bounds)[::2]
        return found

    @property
    def empty(self) -> npt.NDArray[np.bool_]:
        """Which stretches are empty."""
        return np.equal(self.bounds[::2], self.bounds[1::2])

    def first_equal(self, data: npt.NDArray[Any], wanted: npt.NDArray[np.float64]) -> Indices:
        """Returns the first position in each stretch of its given number. NaN is never found."""
        wanted_or_gap = np.full(len(self.bounds) - 1, np.nan)
        wanted_or_gap[::2] = wanted
        first, end = self.bounds[0], self.bounds[-1]
        equal = data[first:end] == np.repeat(wanted_or_gap, np.diff(self.bounds))
        return self._first_of(np.flatnonzero(equal) + first)

    def first_true(self, mask: npt.NDArray[np.bool_]) -> Indices:
        """Returns the first position in each stretch at which `mask` is true."""
        return self._first_of(np.flatnonzero(mask))

    def last_true(self, mask: npt.NDArray[np.bool_]) -> Indices:
        """Returns the last position in each stretch at which `mask` is true."""
        hits = np.append(NOWHERE, np.flatnonzero(mask))
        found = hits[np.searchsorted(hits, self.bounds[1::2]) - 1]
        return np.where(found >= self.bounds[::2], found, NOWHERE)

    def _first_of(self, hits: Indices) -> Indices:
        hits = np.append(hits, np.iinfo(np.int64).max)
        found = hits[np.searchsorted(hits, self.bounds[::2])]
        return np.where(found < self.bounds[1::2], found, NOWHERE)
