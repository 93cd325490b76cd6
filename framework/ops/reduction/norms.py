"""Norms and distances, and tensors scaled to a norm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import maximum, minimum, pow
from framework.ops.array.casting import Cast, cast, cast_like
from framework.ops.array.properties import rank, shape
from framework.ops.array.reshaping import reshape
from framework.ops.comparison import not_equal
from framework.ops.constexpr import constexpr
from framework.ops.indexing.gathering_elements import gather
from framework.ops.indexing.selecting import where
from framework.ops.mathematics.exponential import sqrt, square
from framework.ops.mathematics.rounding import abs
from framework.ops.reduction.extremes import amax, amin
from framework.ops.reduction.totals import sum as sum_over
from framework.ops.shapes import axes

__all__ = [
    "clip_by_norm",
    "cosine_similarity",
    "dist",
    "norm",
    "pdist",
    "renorm",
]

_cast = Cast()


def clip_by_norm(
    x: Tensor | Sequence[Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Tensor | tuple[Tensor, ...]:
    """A tensor, or several tensors together, scaled down to a maximum norm over all elements.

    Args:
        x: a tensor, or a tuple or list of them.
        max_norm: maximum of the norm.
        norm_type: order of the norm; infinity for the largest absolute value.
        error_if_nonfinite: raise an error if the norm is not finite; PyNative mode only.

    Returns:
        The scaled tensor, or a tuple of the scaled tensors.

    Raises:
        RuntimeError: the norm is not finite and `error_if_nonfinite` is True.

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


def renorm(input: Tensor, p: float, axis: int, maxnorm: float) -> Tensor:
    """A copy of a tensor with every slice along an axis scaled down to a maximum p-norm.

    Args:
        input: tensor of a floating-point type.
        p: order of the norm.
        axis: axis of the slices.
        maxnorm: maximum of the norm.

    Returns:
        A tensor of the shape and type of `input`.

    Example:
        >>> print(ops.renorm(Tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0))
        [[0.6 0.8]
         [0.3 0.4]]

    """
    others = tuple([place for place in range(rank(input)) if place != axis % rank(input)])
    lengths = sum_over(abs(input) ** p, others, keepdim=True) ** (1.0 / p)
    return where(lengths > maxnorm, input * (maxnorm / where(lengths > maxnorm, lengths, lengths * 0 + 1)), input)


def dist(input: Tensor, other: Tensor | float, p: float = 2) -> Tensor:
    """The p-norm of the difference of two tensors.

    Args:
        input: tensor of a floating-point type.
        other: tensor or number; the shapes broadcast.
        p: order of the norm.

    Returns:
        A scalar tensor.

    Example:
        >>> print(ops.dist(Tensor([0.0, 0.0]), Tensor([3.0, 4.0])))
        5.0

    """
    return norm(reshape(input - other, (-1,)), p)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances of all pairs of rows: ||x_i - x_j||_p for i < j.

    Args:
        input: matrices of shape (..., N, M), of a floating-point type.
        p: order of the norm; 0 counts differing elements, infinity takes the largest difference.

    Returns:
        A tensor of shape (..., N (N - 1) / 2), in the order (0, 1), (0, 2), ..., (1, 2), ...

    Raises:
        ValueError: `input` has fewer than two dimensions, or p is negative.

    Example:
        >>> print(ops.pdist(Tensor([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]])))
        [5. 3. 4.]

    """
    first, second = _pairs(shape(input), p)
    axis = rank(input) - 2
    return norm(gather(input, first, axis) - gather(input, second, axis), p, -1)


@constexpr
def _pairs(x_shape: tuple[int, ...], p: float) -> tuple[Tensor, Tensor]:
    """The int32 indices of the first and of the second row of each pair, both of shape (pairs,)."""
    if len(x_shape) < 2 or not p >= 0:
        raise ValueError(f"pdist takes matrices and p >= 0, not a tensor of shape {x_shape} and p = {p}")
    first, second = np.triu_indices(x_shape[-2], 1)
    return Tensor(first, mstype.int32), Tensor(second, mstype.int32)


def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:  # noqa: N803 - MindSpore's
    """The norm over axes: (sum |a| ** ord) ** (1 / ord).

    Args:
        A: tensor of a floating-point type.
        ord: order of the norm; None or "fro" for 2. Infinity takes the largest absolute value, minus infinity the
            smallest, and 0 counts the elements that are not 0.
        dim: an axis or several; None for all.
        keepdim: keep the axes with length 1.
        dtype: element type to compute in; None for that of A.

    Returns:
        A tensor without the axes.

    Example:
        >>> print(ops.norm(Tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1))
        [ 5. 10.]

    """
    if dtype is not None:
        A = _cast(A, dtype)  # noqa: N806 - MindSpore's
    order = 2.0 if ord is None or ord == "fro" else float(ord)
    if order == 2.0:
        return sqrt(sum_over(square(A), dim, keepdim))
    if order == math.inf:
        return amax(abs(A), axes(dim), keepdim)
    if order == -math.inf:
        return amin(abs(A), axes(dim), keepdim)
    if order == 0.0:
        return sum_over(cast_like(not_equal(A, 0), A), dim, keepdim)
    if order == 1.0:
        return sum_over(abs(A), dim, keepdim)
    return pow(sum_over(pow(abs(A), order), dim, keepdim), 1 / order)


def cosine_similarity(x1: Tensor, x2: Tensor | float, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along a dimension.

    Args:
        x1: vectors, a tensor of a floating-point type.
        x2: vectors; the shapes broadcast.
        dim: dimension of the vectors.
        eps: lower limit of the vectors' lengths.

    Returns:
        A tensor without the dimension.

    Example:
        >>> print(ops.cosine_similarity(Tensor([[1.0, 0.0]]), Tensor([[3.0, 4.0]])).asnumpy().round(3))
        [0.6]

    """
    lengths = maximum(sqrt(sum_over(square(x1), dim)), eps) * maximum(sqrt(sum_over(square(x2), dim)), eps)
    return sum_over(x1 * x2, dim) / lengths
