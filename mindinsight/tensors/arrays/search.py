"""Finds the next element of some kind in a view: NaN, the largest, the first difference. Called by `views.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.tensors.arrays.elements import PORTION, Array, portions, real

Test = Callable[..., npt.NDArray[np.bool_]]


class Target(StrEnum):
    """The target of a search."""

    NAN = "nan"
    INF = "inf"
    NOT_FINITE = "not_finite"
    MIN = "min"
    MAX = "max"
    ZERO = "zero"
    DIFFERENCE = "difference"


def matcher(target: Target, extreme: Any = None) -> Test:
    """Returns a test that marks the matching elements of a portion.

    Args:
        target: the target; for differences see `difference.outside`.
        extreme: the value for `MIN` and `MAX`.
    """
    tests: dict[Target, Test] = {
        Target.NAN: lambda values: np.isnan(values),
        Target.INF: lambda values: np.isinf(values),
        Target.NOT_FINITE: lambda values: ~np.isfinite(values),
        Target.ZERO: lambda values: np.asarray(values == 0),
        Target.MIN: lambda values: np.asarray(real(values) == extreme),
        Target.MAX: lambda values: np.asarray(real(values) == extreme),
    }
    return tests[target]


def find(views: Sequence[Array], test: Test, start: int, backwards: bool = False, around: bool = True) -> int | None:
    """Returns the number in C order of the next element that a test marks, or None.

    Args:
        views: views of the same shape. The test gets a portion of each.
        test: marks elements.
        start: number of the element after which the search starts; it is checked last itself.
        backwards: whether to search towards lower numbers.
        around: whether to continue at the other end.
    """
    size = views[0].size
    start = min(max(start, -1), size)
    with np.errstate(all="ignore"):
        if backwards:
            found = _last(views, test, 0, min(start, size))
            return _last(views, test, max(0, start), size) if found is None and around else found
        found = _first(views, test, start + 1, size)
        return _first(views, test, 0, min(start + 1, size)) if found is None and around else found


def _first(views: Sequence[Array], test: Test, start: int, stop: int) -> int | None:
    for number, parts in portions(views, start, stop):
        marked = test(*parts)
        if marked.any():
            return number + int(marked.argmax())
    return None


def _last(views: Sequence[Array], test: Test, start: int, stop: int) -> int | None:
    for behind in range(stop, start, -PORTION):
        found = None
        for number, parts in portions(views, max(start, behind - PORTION), behind):
            (marked,) = np.nonzero(test(*parts))
            if len(marked):
                found = number + int(marked[-1])
        if found is not None:
            return found
    return None
