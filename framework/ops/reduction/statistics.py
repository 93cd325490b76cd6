"""Means, variances, medians and quantiles, without NaN where the name says so."""

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
    """The sum of a tuple of tensors of one shape.

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
    """The mean of the elements that are numbers, over axes, all where they are left out.

    Example:
        >>> print(ops.nanmean(Tensor([[1.0, float("nan")], [3.0, 5.0]]), 0))
        [2. 5.]

    """
    input = input if dtype is None else cast(input, dtype)
    counted = cast(logical_not(isnan(input)), input.dtype)
    known = where(isnan(input), zeros_like(input), input)
    return sum_over(known, axis, keepdims) / sum_over(counted, axis, keepdims)


def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | float | None = None,
    aweights: Tensor | float | None = None,
) -> Tensor:
    """The covariances of variables, which are rows, over observations, which are columns.

    Args:
        input: a matrix (variables, observations), or a vector for one variable.
        correction: subtracted from the number of observations; 1 for an unbiased estimate.
        fweights: how often each observation came.
        aweights: how much each observation counts.

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
    """The values below which shares q of the elements lie, straight between the two nearest.

    Args:
        input: a floating-point tensor; where there is NaN, the result is.
        q: a number from 0 to 1, or a vector (Q,) of the type of `input`.
        axis: along which; all elements where it is left out.
        keepdims: keep the axis as one of length 1.

    Returns:
        The shape of `input` without the axis; for a vector with Q in front.

    Example:
        >>> print(ops.quantile(Tensor([0.0, 1.0, 2.0, 4.0]), Tensor([0.5, 1.0])))
        [1.5 4. ]

    """
    lines = _lines(input, axis)
    out = _between(lines, q, zeros_like(lines[..., :1]) + (shape(lines)[-1] - 1.0))
    out = where(any_of(isnan(lines), -1, True), zeros_like(out) + float("nan"), out)
    return _as_asked(out, q, shape(input), axis, keepdims)


def _lines(input: Any, axis: Any) -> Tensor:
    """What is ranked along the last dimension."""
    return reshape(input, (-1,)) if axis is None else movedim(input, axis, -1)


def _between(lines: Tensor, q: Tensor | float, last: Tensor) -> Tensor:
    """Values (..., Q) at shares of the way from the first to the last element in order."""
    ranked = cached(Sort, -1, False)(lines)[0]
    shares = reshape(q, (-1,)) if isinstance(q, Tensor) else _share(q, lines.dtype)
    place = maximum(last, 0.0) * shares
    before = floor(place)
    low, high = cast(before, mstype.int32), cast(minimum(before + 1.0, maximum(last, 0.0)), mstype.int32)
    first, second = gather_elements(ranked, -1, low), gather_elements(ranked, -1, high)
    return first + (second - first) * (place - before)


@constexpr
def _share(q: float, dtype: DType) -> Tensor:
    if not 0 <= q <= 1:
        raise ValueError(f"quantile: q is from 0 to 1, not {q}")
    return Tensor([q], dtype)


def _as_asked(out: Any, q: Any, of: Any, axis: Any, keepdims: bool) -> Tensor:
    """Quantiles (..., Q) in the shape that was asked for."""
    single = not isinstance(q, Tensor) or len(q.shape) == 0
    if axis is None:
        kept = reshape(out, (-1, *_ones(of))) if keepdims else out
        return kept[0] if single else kept
    front = movedim(out, -1, 0)
    if keepdims:
        front = movedim(expand_dims(front, -1), -1, axis + 1 if axis >= 0 else axis)
    return front[0] if single else front


@constexpr
def _ones(of: Sequence[int]) -> tuple[int, ...]:
    return (1,) * len(of)


def nanquantile(input: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """`quantile` of the elements that are numbers; NaN where none is.

    Example:
        >>> print(ops.nanquantile(Tensor([float("nan"), 1.0, 2.0]), 0.5))
        1.5

    """
    lines = _lines(input, axis)
    last = sum_over(cast(logical_not(isnan(lines)), lines.dtype), -1, True) - 1.0
    return _as_asked(_between(lines, q, last), q, shape(input), axis, keepdims)


def nanmedian(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, ...]:
    """The element in the middle of those that are numbers, the lower of two, and where it is.

    Args:
        input: a floating-point tensor.
        axis: along which.
        keepdims: keep the axis as one of length 1.

    Returns:
        The elements, and their places Int64.

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
    found = cast(swapaxes(gather_elements(places, -1, middle), axis, -1), mstype.int64)
    return (values, found) if keepdims else (squeeze(values, axis), squeeze(found, axis))


def count_nonzero(
    x: Tensor, axis: int | Sequence[int] = (), keep_dims: bool = False, dtype: DType = mstype.int32
) -> Tensor:
    """How many elements are not 0, over axes, all where they are left out.

    Example:
        >>> print(ops.count_nonzero(Tensor([[0, 5, 1], [7, 0, 0]]), 1))
        [2 1]

    """
    return cached(ReduceSum, keep_dims)(_cast(not_equal(x, 0), dtype), axis)


def nansum(
    input: Tensor, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The sum over axes of what is not NaN.

    Example:
        >>> print(ops.nansum(Tensor([1.0, float("nan"), 2.0])))
        3.0

    """
    return sum_over(Select()(IsNan()(input), ZerosLike()(input), input), axis, keepdims, dtype=dtype)


def std_mean(
    input: Tensor, axis: int | Sequence[int] | None = None, ddof: int = 0, keepdims: bool = False
) -> tuple[Tensor, ...]:
    """The standard deviation and the mean over axes.

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

    Example:
        >>> variance, mean = ops.var_mean(Tensor([1.0, 3.0]))
        >>> print(variance, mean)
        1.0 2.0

    """
    return var(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def median(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, ...]:
    """The element in the middle along an axis, the lower of two, and where it is.

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
