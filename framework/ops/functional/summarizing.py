"""Reductions under further names, several figures at once, and figures in the middle."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.comparison import not_equal
from framework.ops.functional.picking import topk
from framework.ops.functional.primitives import shape
from framework.ops.functional.rearranging import narrow
from framework.ops.primitive import cached
from framework.ops.reduction.totals import mean, std, sum, var

__all__ = [
    "count_nonzero", "median", "nansum", "std_mean", "top_k", "var_mean",
]  # fmt: skip

_cast = P.Cast()


def top_k(input_x: Any, k: int, sorted: bool = True) -> Any:
    """The k largest elements along the last axis, and their indices.

    Example:
        >>> values, places = ops.top_k(Tensor([3.0, 9.0, 1.0, 7.0]), 2)
        >>> print(values, places)
        [9. 7.] [1 3]

    """
    return topk(input_x, k, None, True, sorted)


def count_nonzero(x: Any, axis: Any = (), keep_dims: bool = False, dtype: Any = mstype.int32) -> Any:
    """How many elements are not 0, over axes, all where they are left out.

    Example:
        >>> print(ops.count_nonzero(Tensor([[0, 5, 1], [7, 0, 0]]), 1))
        [2 1]

    """
    return cached(P.ReduceSum, keep_dims)(_cast(not_equal(x, 0), dtype), axis)


def nansum(input: Any, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
    """The sum over axes of what is not NaN.

    Example:
        >>> print(ops.nansum(Tensor([1.0, float("nan"), 2.0])))
        3.0

    """
    return sum(P.Select()(P.IsNan()(input), P.ZerosLike()(input), input), axis, keepdims, dtype=dtype)


def std_mean(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The standard deviation and the mean over axes.

    Example:
        >>> deviation, mean = ops.std_mean(Tensor([1.0, 3.0]))
        >>> print(deviation, mean)
        1.0 2.0

    """
    return std(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def var_mean(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The variance and the mean over axes.

    Example:
        >>> variance, mean = ops.var_mean(Tensor([1.0, 3.0]))
        >>> print(variance, mean)
        1.0 2.0

    """
    return var(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def median(input: Any, axis: int = -1, keepdims: bool = False) -> Any:
    """The element in the middle along an axis, the lower of two, and where it is.

    Example:
        >>> values, places = ops.median(Tensor([[7.0, 5.0, 6.0]]))
        >>> print(values, places)
        [6.] [2]

    """
    values, places = P.Sort(axis)(input)
    middle = (shape(input)[axis] - 1) // 2
    value, place = narrow(values, axis, middle, 1), narrow(places, axis, middle, 1)
    if keepdims:
        return value, _cast(place, mstype.int64)
    return cached(P.Squeeze, axis)(value), _cast(cached(P.Squeeze, axis)(place), mstype.int64)
