"""Sums, means and norms over many elements or tensors, made of other functions."""

from __future__ import annotations

from typing import Any

from framework.ops.arithmetic.binary import minimum
from framework.ops.comparison import isnan, logical_not
from framework.ops.functional.creation import cast, zeros_like
from framework.ops.functional.measuring import norm
from framework.ops.functional.picking import where
from framework.ops.functional.primitives import expand_dims, rank, transpose
from framework.ops.functional.shaping import swapaxes
from framework.ops.mathematics.rounding import abs
from framework.ops.matrices.products import matmul
from framework.ops.reduction.totals import cumsum
from framework.ops.reduction.totals import sum as sum_over

__all__ = ["accumulate_n", "clip_by_norm", "cov", "cumulative_trapezoid", "nanmean", "renorm", "trapz"]


def accumulate_n(x: Any) -> Any:
    """The sum of a tuple of tensors of one shape.

    Example:
        >>> print(ops.accumulate_n((Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))))
        [4. 6.]

    """
    out = x[0]
    for item in x[1:]:
        out = out + item
    return out


def clip_by_norm(x: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """A tensor, or tensors together, scaled so that the norm over all elements is at most a bound.

    Args:
        x: a tensor, or a tuple or list of them.
        max_norm: the bound.
        norm_type: the order of the norm, infinite for the largest absolute value.
        error_if_nonfinite: whether a norm that is no finite number is refused; PyNative mode only.

    Raises:
        RuntimeError: the norm is not finite, and that was to be refused.

    Example:
        >>> print(ops.clip_by_norm(Tensor([30.0, 40.0]), 5.0).asnumpy().round(3))
        [3. 4.]

    """
    tensors = x if isinstance(x, (tuple, list)) else (x,)
    lengths = [norm(item.reshape((-1,)), norm_type) for item in tensors]
    if norm_type == float("inf"):
        total = lengths[0]
        for length in lengths[1:]:
            total = where(length > total, length, total)
    else:
        total = lengths[0] ** norm_type
        for length in lengths[1:]:
            total = total + length**norm_type
        total = total ** (1.0 / norm_type)
    if error_if_nonfinite and not total.isfinite():
        raise RuntimeError("clip_by_norm: the norm of the tensors is not finite")
    scale = minimum(max_norm / (total + 1e-6), 1.0)
    scaled = [cast(item * scale, item.dtype) for item in tensors]
    return tuple(scaled) if isinstance(x, (tuple, list)) else scaled[0]


def renorm(input: Any, p: float, axis: int, maxnorm: float) -> Any:
    """Every slice along an axis whose norm of order p is above a bound scaled down to it.

    Example:
        >>> print(ops.renorm(Tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0))
        [[0.6 0.8]
         [0.3 0.4]]

    """
    others = tuple([place for place in range(rank(input)) if place != axis % rank(input)])
    lengths = sum_over(abs(input) ** p, others, keepdim=True) ** (1.0 / p)
    return where(lengths > maxnorm, input * (maxnorm / where(lengths > maxnorm, lengths, lengths * 0 + 1)), input)


def nanmean(input: Any, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
    """The mean of the elements that are numbers, over axes, all where they are left out.

    Example:
        >>> print(ops.nanmean(Tensor([[1.0, float("nan")], [3.0, 5.0]]), 0))
        [2. 5.]

    """
    input = input if dtype is None else cast(input, dtype)
    counted = cast(logical_not(isnan(input)), input.dtype)
    known = where(isnan(input), zeros_like(input), input)
    return sum_over(known, axis, keepdims) / sum_over(counted, axis, keepdims)


def trapz(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The integral by trapezoids along a dimension, of values at `x`, or at distances of `dx`.

    Example:
        >>> print(ops.trapz(Tensor([1.0, 2.0, 3.0])))
        4.0

    """
    return sum_over(_trapezoids(y, x, dx, dim), -1)


def cumulative_trapezoid(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The integral by trapezoids so far, for each value but the first one.

    Example:
        >>> print(ops.cumulative_trapezoid(Tensor([1.0, 2.0, 3.0])))
        [1.5 4. ]

    """
    return swapaxes(cumsum(_trapezoids(y, x, dx, dim), -1), -1, dim)


def _trapezoids(y: Any, x: Any, dx: float, dim: int) -> Any:
    """The areas between neighbours, along the last dimension."""
    heights = swapaxes(y, dim, -1)
    areas = (heights[..., 1:] + heights[..., :-1]) * 0.5
    if x is None:
        return areas * dx
    places = x if rank(x) == 1 else swapaxes(x, dim, -1)
    return areas * (places[..., 1:] - places[..., :-1])


def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
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
