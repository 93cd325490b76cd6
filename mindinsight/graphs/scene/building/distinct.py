"""Finds the different numbers, and different columns of numbers, by sorting. This is fast for millions of numbers.

Used when a scene is built.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_WIDEST = 2.0**62
"""Columns whose numbers span more than this do not fit into one number."""


def different_numbers(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Returns the different numbers in order."""
    return counted(numbers)[0]


def counted(numbers: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns the different numbers in order, and the count of each."""
    ordered = np.sort(numbers)
    begins = _begins(ordered)
    return ordered[begins], np.diff(np.append(begins, len(ordered)))


def distinct(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Returns the different columns of some rows of numbers, in order."""
    order, begins = sorted_columns(rows)
    return rows[:, order[begins]]


def sorted_columns(rows: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns the sorted order of columns, the smallest first, and where each group of equal columns begins.

    Args:
        rows: the rows of numbers; the first row is compared first.
    """
    lows = rows.min(axis=1, initial=0).astype(np.int64)
    spans = rows.max(axis=1, initial=0) - lows + 1
    if float(np.prod(spans.astype(np.float64))) >= _WIDEST:
        order = np.lexsort(rows[::-1])
        ordered = rows[:, order]
        changed = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
        return order, np.flatnonzero(np.append(rows.shape[1] > 0, changed)[: rows.shape[1]])
    keys = np.zeros(rows.shape[1], np.int64)
    for row, low, span in zip(rows, lows.tolist(), spans.tolist(), strict=True):
        keys *= span
        keys += row
        keys -= low
    order = np.argsort(keys)
    return order, _begins(keys[order])


def _begins(ordered: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Where each different number begins among numbers in order."""
    return np.flatnonzero(np.append(len(ordered) > 0, ordered[1:] != ordered[:-1])[: len(ordered)])
