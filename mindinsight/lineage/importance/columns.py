"""Converts parameters of runs to columns that trees can split: numbers, numbers on a log scale, categories.

Called by `orders.py`. It works on arrays and knows nothing of runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Kind = Literal["number", "log", "category"]

MOST_CATEGORIES = 30
"""Maximum number of categories. The rarest ones are merged, because a parameter with as many values as runs would
explain each run.
"""
OTHERS = "…"
"""The merged category of a parameter's rarest values."""
_LOG_DECADES = 2.0


@dataclass(frozen=True)
class Column:
    """One parameter of all runs.

    Attributes:
        name: name of the parameter.
        kind: `log` for positive numbers that span more than two decades or are much more even on a log scale.
        codes: (runs,) the index of each run's value in `values`; -1 if the run has none.
        values: numbers in rising order, or categories, the most frequent first.
    """

    name: str
    kind: Kind
    codes: npt.NDArray[np.int32]
    values: Sequence[float] | Sequence[object]

    @property
    def set(self) -> int:
        """The number of runs with a value."""
        return int(np.count_nonzero(self.codes >= 0))

    @property
    def distinct(self) -> int:
        """The number of distinct values."""
        return len(self.values)

    @property
    def levels(self) -> int:
        """The number of distinct values, counting a missing value as one."""
        return self.distinct + bool((self.codes < 0).any())

    @property
    def numbers(self) -> Floats:
        """(runs,) the values of a column of numbers; NaN if a run has none."""
        return np.append(np.asarray(self.values, float), np.nan)[self.codes]

    def rows(self, rows: npt.NDArray[np.intp]) -> Column:
        """Returns the column of some of the runs."""
        codes = self.codes[rows]
        if self.kind == "category":
            return category_column(self.name, codes, self.values)
        return number_column(self.name, np.append(np.asarray(self.values, float), np.nan)[codes])

    def shortened(self) -> Column:
        """Returns the column with the rarest categories merged if there are too many."""
        if self.kind != "category" or self.distinct <= MOST_CATEGORIES:
            return self
        kept = MOST_CATEGORIES - 1
        return Column(self.name, self.kind, np.minimum(self.codes, kept), [*self.values[:kept], OTHERS])


def number_column(name: str, numbers: Floats) -> Column:
    """Makes a column of numbers.

    Args:
        name: name of the parameter.
        numbers: (runs,) NaN if a run has none. Infinities are the lowest or the highest value.
    """
    known = ~np.isnan(numbers)
    values, places = np.unique(numbers[known], return_inverse=True)
    codes = np.full(len(numbers), -1, np.int32)
    codes[known] = places
    return Column(name, "log" if _is_log(values) else "number", codes, values.tolist())


def category_column(name: str, codes: npt.NDArray[np.integer[Any]], values: Sequence[object]) -> Column:
    """Makes a column of categories.

    Args:
        name: name of the parameter.
        codes: (runs,) k if a run has `values[k]`, -1 if it has none.
        values: all possible values. Unused ones are dropped.
    """
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    shown = [values[code] for code in order]
    places = np.empty(len(values) + 1, np.int32)
    places[-1] = -1
    places[order] = np.arange(len(order))
    return Column(name, "category", places[codes], shown)


def _is_log(values: Floats) -> bool:
    """Whether positive numbers span more than two decades, or are far more evenly spread on a log scale."""
    finite = values[np.isfinite(values)]
    if len(finite) < 3 or finite[0] <= 0:
        return False
    decades = math.log10(finite[-1]) - math.log10(finite[0])
    if decades >= _LOG_DECADES:
        return True
    return decades >= 1.0 and 2 * _unevenness(np.log(finite)) < _unevenness(finite)


def _unevenness(values: Floats) -> float:
    """The largest distance between the distribution of values and an even one, 0 to 1."""
    placed = (values - values[0]) / (values[-1] - values[0])
    return float(np.abs(placed - np.linspace(0, 1, len(values))).max())
