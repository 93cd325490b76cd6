"""Histograms as arrays, with a warning for each one that the dashboard cannot read any more."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.client.numbers import as_float

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Histogram:
    """The distribution of an array's elements at one step.

    Attributes:
        step: the training step.
        wall_time: seconds since 1970.
        segment: the run's segment (between two restarts).
        left: float64 of shape (k,), the lower edge of each bucket.
        width: float64 of shape (k,), the width of each bucket; 0 for a single value.
        count: float64 of shape (k,), the number of elements in each bucket.
        min: the lowest finite element; NaN if unknown. The same holds for `max` and `sum`.
        nan_count: number of elements that are NaN; the same holds for the infinities.
    """

    step: int
    wall_time: float
    segment: int
    left: Floats
    width: Floats
    count: Floats
    min: float
    max: float
    sum: float
    nan_count: int
    pos_inf_count: int
    neg_inf_count: int

    @property
    def edges(self) -> Floats:
        """float64 of shape (k + 1,): the edges of the buckets, as `matplotlib.pyplot.stairs` takes them."""
        if not len(self.left):
            return np.empty(0)
        return np.append(self.left, self.left[-1] + self.width[-1])

    def __repr__(self) -> str:
        return f"<Histogram at step {self.step}: {len(self.left)} buckets, {self.count.sum():g} elements>"


def decode_histograms(rows: Iterable[Mapping[str, Any]], segment: int) -> list[Histogram]:
    """Returns the histograms in the dashboard's answer for a series.

    A histogram that the dashboard cannot read (for instance because its file was deleted) is left out with a warning.
    """
    found = []
    for row in rows:
        if row["error"] is None:
            found.append(_histogram(row, segment))
        else:
            warnings.warn(f"The histogram of step {row['step']} is missing: {row['error']['message']}", stacklevel=3)
    return found


def thin(histograms: Sequence[Histogram], at_most: int) -> list[Histogram]:
    """Returns `at_most` of the histograms, evenly spaced by index, including the first and the last."""
    if len(histograms) <= at_most:
        return list(histograms)
    chosen = np.linspace(0, len(histograms) - 1, at_most).round().astype(int)
    return [histograms[index] for index in chosen]


def _histogram(row: Mapping[str, Any], segment: int) -> Histogram:
    return Histogram(
        step=row["step"],
        wall_time=as_float(row["wall_time"]),
        segment=segment,
        left=np.array(row["left"], np.float64),
        width=np.array(row["width"], np.float64),
        count=np.array(row["count"], np.float64),
        min=as_float(row["min"]),
        max=as_float(row["max"]),
        sum=as_float(row["sum"]),
        nan_count=row["nan_count"],
        pos_inf_count=row["pos_inf_count"],
        neg_inf_count=row["neg_inf_count"],
    )
