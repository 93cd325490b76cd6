"""Spans of time as arrays: their union, and how much of windows they cover. Used by `steps`."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Whole: TypeAlias = "npt.NDArray[np.int64]"


def union(begin: Whole, end: Whole) -> tuple[Whole, Whole]:
    """Returns the begins and ends of separate, ascending spans that cover the same moments."""
    order = np.argsort(begin, kind="stable")
    begin, end = begin[order], np.maximum.accumulate(end[order]) if len(end) else end
    if not len(begin):
        return begin, end
    first = np.concatenate(([True], begin[1:] > end[:-1]))
    last = np.concatenate((first[1:], [True]))
    return begin[first], end[last]


def covered(spans: tuple[Whole, Whole], begin: Whole, end: Whole) -> Whole:
    """Returns how much of each window separate, ascending spans cover.

    Args:
        spans: what `union` returns.
        begin, end: the windows.
    """
    return _before(spans, end) - _before(spans, begin)


def _before(spans: tuple[Whole, Whole], moment: Whole) -> Whole:
    """How much the spans cover before moments."""
    begin, end = spans
    sums = np.concatenate(([0], np.cumsum(end - begin)))
    place = np.searchsorted(begin, moment)
    inside = np.zeros(len(moment), np.int64)
    some = place > 0
    inside[some] = np.maximum(0, end[place[some] - 1] - moment[some])
    result: Whole = sums[place] - inside
    return result
