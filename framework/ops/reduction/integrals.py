"""Differences of neighbours, and integrals by trapezoids."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops.array.joining import concat
from framework.ops.array.properties import rank, shape
from framework.ops.array.transposing import swapaxes
from framework.ops.indexing.slicing import narrow
from framework.ops.reduction.totals import cumsum
from framework.ops.reduction.totals import sum as sum_over

__all__ = [
    "cumulative_trapezoid",
    "diff",
    "trapz",
]


def trapz(y: Tensor, x: Tensor | float | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral by trapezoids along a dimension, of values at `x`, or at distances of `dx`.

    Example:
        >>> print(ops.trapz(Tensor([1.0, 2.0, 3.0])))
        4.0

    """
    return sum_over(_trapezoids(y, x, dx, dim), -1)


def _trapezoids(y: Any, x: Any, dx: float, dim: int) -> Tensor:
    """The areas between neighbours, along the last dimension."""
    heights = swapaxes(y, dim, -1)
    areas = (heights[..., 1:] + heights[..., :-1]) * 0.5
    if x is None:
        return areas * dx
    places = x if rank(x) == 1 else swapaxes(x, dim, -1)
    return areas * (places[..., 1:] - places[..., :-1])


def cumulative_trapezoid(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral by trapezoids so far, for each value but the first one.

    Example:
        >>> print(ops.cumulative_trapezoid(Tensor([1.0, 2.0, 3.0])))
        [1.5 4. ]

    """
    return swapaxes(cumsum(_trapezoids(y, x, dx, dim), -1), -1, dim)


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """The n-th differences of neighbours along an axis, with tensors put before and behind if given.

    Example:
        >>> print(ops.diff(Tensor([1, 3, 6, 10])))
        [2 3 4]

    """
    if prepend is not None:
        x = concat((prepend, x), axis)
    if append is not None:
        x = concat((x, append), axis)
    for _ in range(n):
        length = shape(x)[axis]
        x = narrow(x, axis, 1, length - 1) - narrow(x, axis, 0, length - 1)
    return x
