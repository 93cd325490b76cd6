"""Reductions over axes."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.arithmetic.binary import maximum, minimum
from framework.ops.functional.known import axes, count_over
from framework.ops.functional.primitives import expand_dims, reshape, shape, stop_gradient, zeros_like
from framework.ops.mathematics.exponential import exp, log, sqrt, square
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
_ones_like = P.OnesLike()
_select = P.Select()
_zeros = P.Zeros()
_sum = P.ReduceSum(False)
_sum_kept = P.ReduceSum(True)


def widened(x: Any) -> Any:
    """Integers as Int64, in which sums and products of many have room."""
    return x if x.dtype.is_floating_point else _cast(x, mstype.int64)


def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum over axes, all where they are left out; of integers as Int64.

    Example:
        >>> print(ops.sum(Tensor([[1, 2], [3, 4]]), 0))
        [4 6]

    """
    reduced = _sum_kept if keepdim else _sum
    return reduced(widened(input) if dtype is None else _cast(input, dtype), axes(dim))


def reduce_sum(x: Any, axis: Any = ()) -> Any:
    """The sum over axes, all where they are left out.

    Example:
        >>> print(ops.reduce_sum(Tensor([[1.0, 2.0], [3.0, 6.0]]), 0))
        [4. 8.]

    """
    return cached(P.ReduceSum, False)(x, axes(axis))


def mean(x: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """The mean over axes, all where they are left out.

    Example:
        >>> print(ops.mean(Tensor([[1.0, 2.0], [3.0, 6.0]]), 1))
        [1.5 4.5]

    """
    return cached(P.ReduceMean, keep_dims)(x, axes(axis))


def reduce_mean(x: Any, axis: Any = ()) -> Any:
    """The mean over axes, all where they are left out.

    Example:
        >>> print(ops.reduce_mean(Tensor([[1.0, 2.0], [3.0, 6.0]]), 0))
        [2. 4.]

    """
    return cached(P.ReduceMean, False)(x, axes(axis))


def prod(input: Any, axis: Any = None, keep_dims: bool = False, dtype: Any = None) -> Any:
    """The product over axes, all where they are left out; of integers as Int64.

    Example:
        >>> print(ops.prod(Tensor([[1.0, 2.0], [3.0, 6.0]]), 1))
        [ 2. 18.]

    """
    return cached(P.ReduceProd, keep_dims)(widened(input) if dtype is None else _cast(input, dtype), axes(axis))


def _counted(input: Any, initial: Any, where: Any, largest: bool) -> Any:
    """The elements that count for the largest or smallest one, with one that counts always."""
    if where is not None:
        if initial is None:
            raise ValueError("amax, amin: with `where`, say by `initial` what the result is where nothing counts")
        input = _select(where, input, zeros_like(input) + initial)
    if initial is None:
        return input
    return maximum(input, initial) if largest else minimum(input, initial)


def amax(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """The largest element over axes, all where they are left out.

    Args:
        input: a tensor of any shape.
        axis: an int or a tuple of them.
        keepdims: keep the axes, of length 1.
        initial: a number that counts as one more element.
        where: a Bool tensor that says which elements count; `initial` is needed then.

    Example:
        >>> print(ops.amax(Tensor([[1.0, 4.0], [3.0, 2.0]]), 1))
        [4. 3.]

    """
    return cached(P.ReduceMax, keepdims)(_counted(input, initial, where, True), axes(axis))


def amin(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """The smallest element over axes, all where they are left out.

    Args:
        input: a tensor of any shape.
        axis: an int or a tuple of them.
        keepdims: keep the axes, of length 1.
        initial: a number that counts as one more element.
        where: a Bool tensor that says which elements count; `initial` is needed then.

    Example:
        >>> print(ops.amin(Tensor([[1.0, 4.0], [3.0, 2.0]]), 1))
        [1. 2.]

    """
    return cached(P.ReduceMin, keepdims)(_counted(input, initial, where, False), axes(axis))


def max(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """The largest elements along an axis and their indices; without an axis that of all elements and 0.

    Arguments are those of `amax`.

    Example:
        >>> values, places = ops.max(Tensor([[1, 5, 2], [7, 3, 4]]), axis=1)
        >>> print(values, places)
        [5 7] [1 0]

    """
    input = _counted(input, initial, where, True)
    if axis is None:
        return cached(P.ReduceMax, False)(input, ()), _zeros((), mstype.int64)
    index, value = cached(P.ArgMaxWithValue, axis, keepdims)(input)
    return value, index


def min(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """The smallest elements along an axis and their indices; without an axis that of all elements and 0.

    Arguments are those of `amin`.

    Example:
        >>> values, places = ops.min(Tensor([[1, 5, 2], [7, 3, 4]]), axis=1)
        >>> print(values, places)
        [1 3] [0 1]

    """
    input = _counted(input, initial, where, False)
    if axis is None:
        return cached(P.ReduceMin, False)(input, ()), _zeros((), mstype.int64)
    index, value = cached(P.ArgMinWithValue, axis, keepdims)(input)
    return value, index


def all(input: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Whether all elements hold, over axes.

    Example:
        >>> print(ops.all(Tensor([[True, False], [True, True]]), 1))
        [False  True]

    """
    return cached(P.ReduceAll, keep_dims)(input, axes(axis))


def any(input: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Whether any element holds, over axes.

    Example:
        >>> print(ops.any(Tensor([[True, False], [False, False]]), 1))
        [ True False]

    """
    return cached(P.ReduceAny, keep_dims)(input, axes(axis))


def argmax(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The index of the largest element along an axis; of all elements where it is left out.

    Example:
        >>> print(ops.argmax(Tensor([[1.0, 4.0], [3.0, 2.0]]), 1))
        [1 0]

    """
    if dim is None:
        return cached(P.Argmax, -1, mstype.int64)(reshape(input, (-1,)))
    index = cached(P.Argmax, dim, mstype.int64)(input)
    return expand_dims(index, dim) if keepdim else index


def argmin(input: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The index of the smallest element along an axis; of all elements where it is left out.

    Example:
        >>> print(ops.argmin(Tensor([[1.0, 4.0], [3.0, 2.0]]), 1))
        [0 1]

    """
    if axis is None:
        return cached(P.Argmin, -1, mstype.int32)(reshape(input, (-1,)))
    index = cached(P.Argmin, axis, mstype.int32)(input)
    return expand_dims(index, axis) if keepdims else index


def cumsum(x: Any, axis: int, dtype: Any = None) -> Any:
    """The running sum along an axis.

    Example:
        >>> print(ops.cumsum(Tensor([1, 2, 3, 4]), 0))
        [ 1  3  6 10]

    """
    return cached(P.CumSum, False, False)(x if dtype is None else _cast(x, dtype), axis)


def cumprod(input: Any, dim: int, dtype: Any = None) -> Any:
    """The running product along an axis.

    Example:
        >>> print(ops.cumprod(Tensor([1, 2, 3, 4]), 0))
        [ 1  2  6 24]

    """
    return cached(P.CumProd, False, False)(widened(input) if dtype is None else _cast(input, dtype), dim)


def var(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The variance over axes: squares divided by their number minus `ddof`.

    Example:
        >>> print(ops.var(Tensor([1.0, 5.0])), ops.var(Tensor([1.0, 5.0]), ddof=1))
        4.0 8.0

    """
    over = axes(axis)
    squares = square(input - cached(P.ReduceMean, True)(input, over))
    total = cached(P.ReduceSum, keepdims)
    count = count_over(shape(input), over)
    return total(squares, over) / ((total(_ones_like(squares), over) if count is None else count) - ddof)


def std(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The standard deviation over axes, the root of `var`.

    Example:
        >>> print(ops.std(Tensor([1.0, 3.0])))
        1.0

    """
    return sqrt(var(input, axis, ddof, keepdims))


def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """The logarithm of the sum of exponentials over axes.

    Example:
        >>> print(ops.logsumexp(Tensor([90.0, 90.0]), 0).asnumpy().round(3))
        90.693

    """
    over = axes(dim)
    largest = stop_gradient(cached(P.ReduceMax, True)(input, over))
    total = log(cached(P.ReduceSum, True)(exp(input - largest), over)) + largest
    return total if keepdim else reshape(total, shape(cached(P.ReduceSum, False)(total, over)))
