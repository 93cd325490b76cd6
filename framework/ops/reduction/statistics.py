"""Means, variances, medians and quantiles; the functions with `nan` in their name leave NaN out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import maximum, minimum
from framework.ops.array.casting import Cast, cast
from framework.ops.array.properties import rank, shape
from framework.ops.array.reshaping import Squeeze, expand_dims, reshape, squeeze
from framework.ops.array.transposing import movedim, swapaxes, transpose
from framework.ops.comparison import IsNan, isnan, logical_not, not_equal
from framework.ops.constexpr import constexpr
from framework.ops.creation.filled_like import ZerosLike, zeros_like
from framework.ops.indexing.gathering_elements import gather_elements
from framework.ops.indexing.selecting import Select, where
from framework.ops.indexing.slicing import narrow
from framework.ops.mathematics.rounding import floor
from framework.ops.matrices.products import matmul
from framework.ops.primitive import cached
from framework.ops.reduction.totals import ReduceSum, mean, std, var
from framework.ops.reduction.totals import any as any_of
from framework.ops.reduction.totals import sum as sum_over
from framework.ops.searching.sorting import Sort

__all__ = [
    "accumulate_n",
    "count_nonzero",
    "cov",
    "median",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "quantile",
    "std_mean",
    "var_mean",
]

_cast = Cast()


def accumulate_n(x: Sequence[Tensor]) -> Tensor:
    """The sum of several tensors.

    Args:
        x: a tuple or list of tensors of one shape.

    Returns:
        A tensor of that shape.

    Example:
        >>> print(ops.accumulate_n((Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))))
        [4. 6.]

    """
    out = x[0]
    for item in x[1:]:
        out = out + item
    return out


def nanmean(
    input: Tensor, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The mean over axes of the elements that are not NaN.

    Args:
        input: tensor of a floating-point type.
        axis: an axis or several; None for all.
        keepdims: keep the axes with length 1.
        dtype: element type to compute in; None for that of `input`.

    Returns:
        A tensor without the axes.

    Example:
        >>> print(ops.nanmean(Tensor([[1.0, float("nan")], [3.0, 5.0]]), 0))
        [2. 5.]

    """
    input = input if dtype is None else cast(input, dtype)
    counted = cast(logical_not(isnan(input)), input.dtype)
    numbers = where(isnan(input), zeros_like(input), input)
    return sum_over(numbers, axis, keepdims) / sum_over(counted, axis, keepdims)


def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | float | None = None,
    aweights: Tensor | float | None = None,
) -> Tensor:
    """The covariance matrix of variables over observations.

    Args:
        input: matrix of shape (variables, observations), or a vector for one variable.
        correction: number subtracted from the number of observations; 1 for an unbiased estimate.
        fweights: number of times that each observation occurred; None for 1.
        aweights: weight of each observation; None for 1.

    Returns:
        A tensor of shape (variables, variables), or a scalar tensor for one variable.

    Example:
        >>> print(ops.cov(Tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])))
        [[ 1. -1.]
         [-1.  1.]]

    """
    rows = expand_dims(input, 0) if rank(input) == 1 else input
    weights = zeros_like(rows[0]) + 1.0
    if fweights is not None:
        weights = weights * fweights
    if aweights is not None:
        weights = weights * aweights
    total = sum_over(weights, -1)
    centred = rows - expand_dims(sum_over(rows * weights, 1) / total, 1)
    freedom = total - correction
    if aweights is not None:
        freedom = total - correction * sum_over(weights * aweights, -1) / total
    out = matmul(centred * weights, transpose(centred, (1, 0))) / freedom
    return out.reshape(()) if rank(input) == 1 else out


def quantile(
    input: Tensor, q: Tensor | float, axis: int | Sequence[int] | None = None, keepdims: bool = False
) -> Tensor:
    """Quantiles along an axis, interpolated linearly between neighbouring elements.

    Args:
        input: tensor of a floating-point type; where it contains NaN, the result is NaN.
        q: a probability from 0 to 1, or a vector (Q,) of them of the type of `input`.
        axis: axis that is reduced; None for all elements.
        keepdims: keep the axis with length 1.

    Returns:
        A tensor of the shape of `input` without the axis; for a vector q, of that shape after a first dimension Q.

    Example:
        >>> print(ops.quantile(Tensor([0.0, 1.0, 2.0, 4.0]), Tensor([0.5, 1.0])))
        [1.5 4. ]

    """
    lines = _lines(input, axis)
    out = _between(lines, q, zeros_like(lines[..., :1]) + (shape(lines)[-1] - 1.0))
    out = where(any_of(isnan(lines), -1, True), zeros_like(out) + float("nan"), out)
    return _reshaped_quantiles(out, q, shape(input), axis, keepdims)


def _lines(input: Any, axis: Any) -> Tensor:
    """The elements to rank, along the last dimension."""
    return reshape(input, (-1,)) if axis is None else movedim(input, axis, -1)


def _between(lines: Tensor, q: Tensor | float, last: Tensor) -> Tensor:
    """The interpolated elements (..., Q) at fractions q of the way from the first to the last element in order."""
    ranked = cached(Sort, -1, False)(lines)[0]
    shares = reshape(q, (-1,)) if isinstance(q, Tensor) else _probability(q, lines.dtype)
    place = maximum(last, 0.0) * shares
    before = floor(place)
    low, high = cast(before, mstype.int32), cast(minimum(before + 1.0, maximum(last, 0.0)), mstype.int32)
    first, second = gather_elements(ranked, -1, low), gather_elements(ranked, -1, high)
    return first + (second - first) * (place - before)


@constexpr
def _probability(q: float, dtype: DType) -> Tensor:
    if not 0 <= q <= 1:
        raise ValueError(f"quantile: q must lie from 0 to 1, not {q}")
    return Tensor([q], dtype)


def _reshaped_quantiles(out: Any, q: Any, x_shape: Any, axis: Any, keepdims: bool) -> Tensor:
    """Quantiles (..., Q) in the shape of the result."""
    single = not isinstance(q, Tensor) or len(q.shape) == 0
    if axis is None:
        out = reshape(out, (-1, *_ones(x_shape))) if keepdims else out
        return out[0] if single else out
    front = movedim(out, -1, 0)
    if keepdims:
        front = movedim(expand_dims(front, -1), -1, axis + 1 if axis >= 0 else axis)
    return front[0] if single else front


@constexpr
def _ones(x_shape: Sequence[int]) -> tuple[int, ...]:
    return (1,) * len(x_shape)


def nanquantile(input: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Quantiles along an axis of the elements that are not NaN; NaN if there are none.

    Args:
        input: tensor of a floating-point type.
        q: a probability from 0 to 1, or a vector (Q,) of them of the type of `input`.
        axis: axis that is reduced; None for all elements.
        keepdims: keep the axis with length 1.

    Returns:
        A tensor as from `quantile`.

    Example:
        >>> print(ops.nanquantile(Tensor([float("nan"), 1.0, 2.0]), 0.5))
        1.5

    """
    lines = _lines(input, axis)
    last = sum_over(cast(logical_not(isnan(lines)), lines.dtype), -1, True) - 1.0
    return _reshaped_quantiles(_between(lines, q, last), q, shape(input), axis, keepdims)


def nanmedian(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, ...]:
    """The median along an axis of the elements that are not NaN, the lower of two, and its index.

    Args:
        input: tensor of a floating-point type.
        axis: axis that is reduced.
        keepdims: keep the axis with length 1.

    Returns:
        The medians and their Int64 indices.

    Example:
        >>> value, place = ops.nanmedian(Tensor([7.0, float("nan"), 5.0, 6.0]))
        >>> print(value, place)
        6.0 3

    """
    lines = swapaxes(input, axis, -1)
    ranked, places = cached(Sort, -1, False)(lines)
    count = sum_over(cast(logical_not(isnan(lines)), mstype.int32), -1, True)
    middle = cast(maximum(count - 1, 0) // 2, mstype.int32)
    values = swapaxes(gather_elements(ranked, -1, middle), axis, -1)
    indices = cast(swapaxes(gather_elements(places, -1, middle), axis, -1), mstype.int64)
    return (values, indices) if keepdims else (squeeze(values, axis), squeeze(indices, axis))


def count_nonzero(
    x: Tensor, axis: int | Sequence[int] = (), keep_dims: bool = False, dtype: DType = mstype.int32
) -> Tensor:
    """The number of elements that are not 0, over axes.

    Args:
        x: tensor of numbers.
        axis: an axis or several; () for all.
        keep_dims: keep the axes with length 1.
        dtype: element type of the counts.

    Returns:
        A tensor of `dtype` without the axes.

    Example:
        >>> print(ops.count_nonzero(Tensor([[0, 5, 1], [7, 0, 0]]), 1))
        [2 1]

    """
    return cached(ReduceSum, keep_dims)(_cast(not_equal(x, 0), dtype), axis)


def nansum(
    input: Tensor, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The sum over axes of the elements that are not NaN.

    Args:
        input: tensor of a floating-point type.
        axis: an axis or several; None for all.
        keepdims: keep the axes with length 1.
        dtype: element type of the result; None for that of `input`.

    Returns:
        A tensor without the axes.

    Example:
        >>> print(ops.nansum(Tensor([1.0, float("nan"), 2.0])))
        3.0

    """
    return sum_over(Select()(IsNan()(input), ZerosLike()(input), input), axis, keepdims, dtype=dtype)


def std_mean(
    input: Tensor, axis: int | Sequence[int] | None = None, ddof: int = 0, keepdims: bool = False
) -> tuple[Tensor, ...]:
    """The standard deviation and the mean over axes.

    Args:
        input: tensor of a floating-point type.
        axis: an axis or several; None for all.
        ddof: number subtracted from the number of elements in the divisor of the variance.
        keepdims: keep the axes with length 1.

    Returns:
        Two tensors without the axes: the standard deviations and the means.

    Example:
        >>> deviation, mean = ops.std_mean(Tensor([1.0, 3.0]))
        >>> print(deviation, mean)
        1.0 2.0

    """
    return std(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def var_mean(
    input: Tensor, axis: int | Sequence[int] | None = None, ddof: int = 0, keepdims: bool = False
) -> tuple[Tensor, ...]:
    """The variance and the mean over axes.

    Args:
        input: tensor of a floating-point type.
        axis: an axis or several; None for all.
        ddof: number subtracted from the number of elements in the divisor of the variance.
        keepdims: keep the axes with length 1.

    Returns:
        Two tensors without the axes: the variances and the means.

    Example:
        >>> variance, mean = ops.var_mean(Tensor([1.0, 3.0]))
        >>> print(variance, mean)
        1.0 2.0

    """
    return var(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def median(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, ...]:
    """The median along an axis, the lower of two, and its index.

    Args:
        input: tensor of numbers.
        axis: axis that is reduced.
        keepdims: keep the axis with length 1.

    Returns:
        The medians and their Int64 indices.

    Example:
        >>> values, places = ops.median(Tensor([[7.0, 5.0, 6.0]]))
        >>> print(values, places)
        [6.] [2]

    """
    values, places = Sort(axis)(input)
    middle = (shape(input)[axis] - 1) // 2
    value, place = narrow(values, axis, middle, 1), narrow(places, axis, middle, 1)
    if keepdims:
        return value, _cast(place, mstype.int64)
    return cached(Squeeze, axis)(value), _cast(cached(Squeeze, axis)(place), mstype.int64)
