"""Differences of neighbours, and integrals by the trapezoidal rule."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops.array.joining import concat
from framework.ops.array.properties import rank, shape
from framework.ops.array.transposing import swapaxes
from framework.ops.indexing.slicing import narrow
from framework.ops.reduction.cumulative import cumsum
from framework.ops.reduction.totals import sum as sum_over

__all__ = [
    "cumulative_trapezoid",
    "diff",
    "trapz",
]


def trapz(y: Tensor, x: Tensor | float | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral along a dimension by the trapezoidal rule.

    Args:
        y: values of the integrand.
        x: points of the values, a vector or a tensor of the shape of y; None for equal distances.
        dx: distance between points if x is None.
        dim: dimension of the integral.

    Returns:
        A tensor of the shape of y without the dimension.

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
    """The running integral along a dimension by the trapezoidal rule.

    Args:
        y: values of the integrand.
        x: points of the values, a vector or a tensor of the shape of y; None for equal distances.
        dx: distance between points if x is None.
        dim: dimension of the integral.

    Returns:
        A tensor of the shape of y, with one element less along the dimension.

    Example:
        >>> print(ops.cumulative_trapezoid(Tensor([1.0, 2.0, 3.0])))
        [1.5 4. ]

    """
    return swapaxes(cumsum(_trapezoids(y, x, dx, dim), -1), -1, dim)


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """The n-th differences of neighbours along an axis.

    Args:
        x: tensor of numbers.
        n: order of the differences.
        axis: axis of the neighbours.
        prepend: tensor that is put before x; None for none.
        append: tensor that is put after x; None for none.

    Returns:
        A tensor of the type of x, with n elements less along the axis.

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
