"""Reductions over axes."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.functional.known import axes, count_over
from framework.ops.functional.primitives import (
    exp,
    expand_dims,
    log,
    reshape,
    shape,
    sqrt,
    square,
    stop_gradient,
)
from framework.ops.primitive import cached

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "logsumexp",
    "max",
    "mean",
    "min",
    "prod",
    "reduce_mean",
    "reduce_sum",
    "std",
    "sum",
    "var",
]

_cast = P.Cast()
_zeros = P.Zeros()


def widened(x: Any) -> Any:
    """Integers as Int64, in which sums and products of many have room."""
    return x if x.dtype.is_floating_point else _cast(x, mstype.int64)


def sum(x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum over axes, all where they are left out; of integers as Int64."""
    return cached(P.ReduceSum, keepdim)(widened(x) if dtype is None else _cast(x, dtype), axes(dim))


def reduce_sum(x: Any, axis: Any = ()) -> Any:
    """The sum over axes, all where they are left out."""
    return cached(P.ReduceSum, False)(x, axes(axis))


def mean(x: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """The mean over axes, all where they are left out."""
    return cached(P.ReduceMean, keep_dims)(x, axes(axis))


def reduce_mean(x: Any, axis: Any = ()) -> Any:
    """The mean over axes, all where they are left out."""
    return cached(P.ReduceMean, False)(x, axes(axis))


def prod(x: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """The product over axes, all where they are left out; of integers as Int64."""
    return cached(P.ReduceProd, keep_dims)(widened(x), axes(axis))


def amax(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest element over axes, all where they are left out."""
    return cached(P.ReduceMax, keepdims)(x, axes(axis))


def amin(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The smallest element over axes, all where they are left out."""
    return cached(P.ReduceMin, keepdims)(x, axes(axis))


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest elements along an axis and their indices; without an axis that of all elements and 0."""
    if axis is None:
        return cached(P.ReduceMax, False)(x, ()), _zeros((), mstype.int64)
    index, value = cached(P.ArgMaxWithValue, axis, keepdims)(x)
    return value, index


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The smallest elements along an axis and their indices; without an axis that of all elements and 0."""
    if axis is None:
        return cached(P.ReduceMin, False)(x, ()), _zeros((), mstype.int64)
    index, value = cached(P.ArgMinWithValue, axis, keepdims)(x)
    return value, index


def all(x: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Whether all elements hold, over axes."""
    return cached(P.ReduceAll, keep_dims)(x, axes(axis))


def any(x: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Whether any element holds, over axes."""
    return cached(P.ReduceAny, keep_dims)(x, axes(axis))


def argmax(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The index of the largest element along an axis; of all elements where it is left out."""
    if dim is None:
        return cached(P.Argmax, -1, mstype.int64)(reshape(x, (-1,)))
    index = cached(P.Argmax, dim, mstype.int64)(x)
    return expand_dims(index, dim) if keepdim else index


def argmin(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The index of the smallest element along an axis; of all elements where it is left out."""
    if axis is None:
        return cached(P.Argmin, -1, mstype.int32)(reshape(x, (-1,)))
    index = cached(P.Argmin, axis, mstype.int32)(x)
    return expand_dims(index, axis) if keepdims else index


def cumsum(x: Any, axis: int, dtype: Any = None) -> Any:
    """The running sum along an axis."""
    return cached(P.CumSum, False, False)(x if dtype is None else _cast(x, dtype), axis)


def cumprod(x: Any, dim: int, dtype: Any = None) -> Any:
    """The running product along an axis."""
    return cached(P.CumProd, False, False)(widened(x) if dtype is None else _cast(x, dtype), dim)


def var(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The variance over axes: squares divided by their number minus `ddof`."""
    over = axes(axis)
    squares = square(x - cached(P.ReduceMean, True)(x, over))
    return cached(P.ReduceSum, keepdims)(squares, over) / (count_over(shape(x), over) - ddof)


def std(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The standard deviation over axes, the root of `var`."""
    return sqrt(var(x, axis, ddof, keepdims))


def logsumexp(x: Any, axis: Any, keep_dims: bool = False) -> Any:
    """The logarithm of the sum of exponentials over axes."""
    over = axes(axis)
    largest = stop_gradient(cached(P.ReduceMax, True)(x, over))
    total = log(cached(P.ReduceSum, True)(exp(x - largest), over)) + largest
    return total if keep_dims else reshape(total, shape(cached(P.ReduceSum, False)(total, over)))
