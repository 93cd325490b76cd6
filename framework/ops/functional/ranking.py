"""Elements by their rank: quantiles, buckets, and running sums of exponentials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.arithmetic.binary import maximum, minimum
from framework.ops.comparison import isnan, logical_not
from framework.ops.constexpr import constexpr
from framework.ops.functional.arranging import movedim
from framework.ops.functional.creation import cast, zeros_like
from framework.ops.functional.logarithms import logaddexp
from framework.ops.functional.picking import gather_elements, where
from framework.ops.functional.primitives import expand_dims, reshape, shape
from framework.ops.functional.searching import searchsorted
from framework.ops.functional.shaping import concat, squeeze, swapaxes
from framework.ops.mathematics.rounding import floor
from framework.ops.primitive import cached
from framework.ops.reduction.totals import any as any_of
from framework.ops.reduction.totals import sum as sum_over

__all__ = ["bucketize", "logcumsumexp", "nanmedian", "nanquantile", "quantile"]


def quantile(input: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
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


def nanquantile(input: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """`quantile` of the elements that are numbers; NaN where none is.

    Example:
        >>> print(ops.nanquantile(Tensor([float("nan"), 1.0, 2.0]), 0.5))
        1.5

    """
    lines = _lines(input, axis)
    last = sum_over(cast(logical_not(isnan(lines)), lines.dtype), -1, True) - 1.0
    return _as_asked(_between(lines, q, last), q, shape(input), axis, keepdims)


def _lines(input: Any, axis: Any) -> Any:
    """What is ranked along the last dimension."""
    return reshape(input, (-1,)) if axis is None else movedim(input, axis, -1)


def _between(lines: Any, q: Any, last: Any) -> Any:
    """Values (..., Q) at shares of the way from the first to the last element in order."""
    ranked = cached(P.Sort, -1, False)(lines)[0]
    shares = reshape(q, (-1,)) if isinstance(q, Tensor) else _share(q, lines.dtype)
    place = maximum(last, 0.0) * shares
    before = floor(place)
    low, high = cast(before, mstype.int32), cast(minimum(before + 1.0, maximum(last, 0.0)), mstype.int32)
    first, second = gather_elements(ranked, -1, low), gather_elements(ranked, -1, high)
    return first + (second - first) * (place - before)


@constexpr
def _share(q: float, dtype: Any) -> Tensor:
    if not 0 <= q <= 1:
        raise ValueError(f"quantile: q is from 0 to 1, not {q}")
    return Tensor([q], dtype)


def _as_asked(out: Any, q: Any, of: Any, axis: Any, keepdims: bool) -> Any:
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


def nanmedian(input: Any, axis: int = -1, keepdims: bool = False) -> Any:
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
    ranked, places = cached(P.Sort, -1, False)(lines)
    count = sum_over(cast(logical_not(isnan(lines)), mstype.int32), -1, True)
    middle = cast(maximum(count - 1, 0) // 2, mstype.int32)
    values = swapaxes(gather_elements(ranked, -1, middle), axis, -1)
    found = cast(swapaxes(gather_elements(places, -1, middle), axis, -1), mstype.int64)
    return (values, found) if keepdims else (squeeze(values, axis), squeeze(found, axis))


def bucketize(input: Any, boundaries: Any, *, right: bool = False) -> Any:
    """Between which boundaries elements lie: 0 up to the first one, as many as there are above the last one.

    Args:
        input: a tensor of numbers.
        boundaries: a tuple or list of numbers, in order.
        right: an element that is a boundary lies above it, not below.

    Returns:
        Int32, of the shape of `input`.

    Example:
        >>> print(ops.bucketize(Tensor([[0.5, 1.0], [2.5, 9.0]]), [1.0, 2.0, 3.0]))
        [[0 0]
         [2 3]]

    """
    return searchsorted(_boundaries(tuple(boundaries)), cast(input, mstype.float64), out_int32=True, right=right)


@constexpr
def _boundaries(numbers: tuple[float, ...]) -> Tensor:
    return Tensor(list(numbers), mstype.float64)


def logcumsumexp(input: Any, axis: int) -> Any:
    """log of the running sum of exp(x) along an axis, without overflow.

    Sums of 1, 2, 4, ... neighbours are doubled until all are in (Hillis and Steele 1986).

    Args:
        input: a floating-point tensor.
        axis: along which.

    Example:
        >>> print(ops.logcumsumexp(Tensor([0.0, 0.0, 90.0]), 0).asnumpy().round(3))
        [ 0.     0.693 90.   ]

    """
    out = swapaxes(input, axis, -1)
    for reach in _doubled(shape(out)[-1]):
        out = concat((out[..., :reach], logaddexp(out[..., reach:], out[..., :-reach])), -1)
    return swapaxes(out, axis, -1)


@constexpr
def _doubled(length: int) -> tuple[int, ...]:
    """1, 2, 4, ... below a length."""
    return tuple(1 << power for power in range(max(length - 1, 0).bit_length()))
