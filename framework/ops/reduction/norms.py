"""Norms and distances, and tensors scaled to a norm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import maximum, minimum, pow
from framework.ops.array.casting import Cast, cast, cast_like
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.properties import rank, shape
from framework.ops.array.reshaping import reshape
from framework.ops.array.transposing import transpose
from framework.ops.comparison import not_equal
from framework.ops.constexpr import constexpr
from framework.ops.indexing.gathering_elements import gather
from framework.ops.indexing.selecting import where
from framework.ops.mathematics.exponential import sqrt, square
from framework.ops.mathematics.rounding import abs
from framework.ops.matrices.factorizations import Svd
from framework.ops.primitive import cached
from framework.ops.reduction.extremes import amax, amin
from framework.ops.reduction.totals import sum as sum_over
from framework.ops.shapes import kept_shape, normal_axis

__all__ = [
    "clip_by_norm",
    "cosine_similarity",
    "dist",
    "norm",
    "pdist",
    "renorm",
    "vector_norm",
]

_cast = Cast()

_MATRIX_ORDERS: Final = ("fro", "nuc", math.inf, -math.inf, 1, -1, 2, -2)


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


@constexpr
def _norm_plan(shape: Sequence[int], ord: Any, dim: Any) -> tuple[Any, tuple[int, ...]]:
    """The order of a norm, and its axes from 0: two for a matrix norm, else any number; 2 for vectors is "fro"."""
    rank = len(shape)
    given = tuple(range(rank)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    over = tuple(normal_axis(axis, rank) for axis in given)
    if len(set(over)) != len(over):
        raise ValueError(f"norm: dim={dim} names an axis twice")
    if ord is None:
        return "fro", over
    if len(over) > 2:
        raise ValueError(f"norm: ord={ord!r} takes one axis or two, not {len(over)} of shape {tuple(shape)}")
    if len(over) == 2:
        if ord not in _MATRIX_ORDERS:
            orders = ", ".join(map(repr, _MATRIX_ORDERS))
            raise ValueError(f"norm: ord of a matrix must be one of {orders}, not {ord!r}")
        return ord, over
    if isinstance(ord, str):
        raise TypeError(f"norm: ord={ord!r} is for matrices; a vector takes a number")
    return "fro" if ord == 2 else float(ord), over


@constexpr
def _matrices_last(rank: int, over: tuple[int, ...]) -> tuple[int, ...]:
    """The order of dimensions that moves the two of a matrix to the end."""
    return (*(axis for axis in range(rank) if axis not in over), *over)


@constexpr
def _column(over: tuple[int, ...], keepdim: bool) -> int:
    """The axis of the second dimension of matrices once the first is gone, unless it is kept."""
    return over[1] - (0 if keepdim or over[1] < over[0] else 1)


def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:  # noqa: N803 - MindSpore's
    """The norm of vectors or of matrices.

    Of vectors, over one axis: (sum |a| ** ord) ** (1 / ord). Of matrices, over two: infinity the largest and minus
    infinity the smallest sum of |a| of a row, 1 and -1 those of a column, 2 and -2 the largest and the smallest
    singular value, "nuc" the sum of the singular values, "fro" the root of the sum of squares.

    Args:
        A: tensor of a floating-point type; integers are converted to Float32.
        ord: order of the norm; None for the root of the sum of squares over any number of axes. For vectors infinity
            takes the largest and minus infinity the smallest absolute value, and 0 counts the elements that are not 0.
        dim: an axis for vectors, or two for matrices; None for all axes.
        keepdim: keep the axes with length 1.
        dtype: element type to compute in; None for that of A.

    Returns:
        A tensor without the axes.

    Raises:
        ValueError: the order is not one of matrices where there are two axes, or there are more than two.
        TypeError: the order is a text where there is one axis.

    Example:
        >>> print(ops.norm(Tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1))
        [ 5. 10.]
        >>> print(ops.norm(Tensor([[3.0, 4.0], [6.0, 8.0]]), 1))
        12.0

    """
    kind = _computed_in(dtype_of(A), dtype)
    x = A if kind == dtype_of(A) else _cast(A, kind)
    plan = _norm_plan(shape(x), ord, dim)
    order, over = plan
    if order == "fro":
        return sqrt(sum_over(square(x), over, keepdim))
    if len(over) == 2:
        return _matrix_norm(x, order, over, keepdim)
    return _vector_norm(x, order, over, keepdim)


def vector_norm(
    x: Any, ord: float = 2, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, *, dtype: Any = None
) -> Tensor:
    """The norm of vectors: (sum |x| ** ord) ** (1 / ord).

    Args:
        x: tensor of a floating-point type; integers are converted to Float32.
        ord: order of the norm. Infinity takes the largest and minus infinity the smallest absolute value, and 0 counts
            the elements that are not 0.
        axis: the axes over which a vector goes; None for all.
        keepdims: keep the axes with length 1.
        dtype: element type to compute in; None for that of `x`.

    Returns:
        A tensor without the axes.

    Example:
        >>> print(ops.vector_norm(Tensor([[1.0, -2.0], [3.0, 4.0]]), 1, axis=1))
        [3. 7.]
    """
    kind = _computed_in(dtype_of(x), dtype)
    over = _all_axes(rank(x)) if axis is None else axis
    return _vector_norm(x if kind == dtype_of(x) else _cast(x, kind), ord, over, keepdims)


@constexpr
def _all_axes(count: int) -> tuple[int, ...]:
    return tuple(range(count))


def _vector_norm(x: Any, order: float, over: int | tuple[int, ...], keepdim: bool) -> Tensor:
    if order == math.inf:
        return amax(abs(x), over, keepdim)
    if order == -math.inf:
        return amin(abs(x), over, keepdim)
    if order == 0.0:
        return sum_over(cast_like(not_equal(x, 0), x), over, keepdim)
    if order == 1.0:
        return sum_over(abs(x), over, keepdim)
    if order == 2.0:
        return sqrt(sum_over(square(abs(x)), over, keepdim))
    return pow(sum_over(pow(abs(x), order), over, keepdim), 1 / order)


def _matrix_norm(x: Any, order: Any, over: tuple[int, ...], keepdim: bool) -> Tensor:
    """The norm of the matrices that two axes make."""
    if order in (1, -1, math.inf, -math.inf):
        axes = over if order in (1, -1) else over[::-1]
        sums = sum_over(abs(x), axes[0], keepdim)
        return (amax if order > 0 else amin)(sums, _column(axes, keepdim), keepdim)
    matrices = transpose(x, _matrices_last(rank(x), over))
    values = cached(Svd, False, False)(cast(matrices, _exact_type(dtype_of(x))))[0]
    kept = sum_over(values, -1) if order == "nuc" else values[..., 0] if order == 2 else values[..., -1]
    kept = cast(kept, dtype_of(x))
    return reshape(kept, kept_shape(shape(x), over)) if keepdim else kept


@constexpr
def _computed_in(given: DType, wanted: DType | None) -> DType:
    """The element type of a norm's computation: the given one, or that of the tensor; Float32 for integers."""
    return (given if given in mstype.inexact_type else mstype.float32) if wanted is None else wanted


@constexpr
def _exact_type(dtype: DType) -> DType:
    """The element type in which matrices are decomposed."""
    return mstype.float64 if dtype == mstype.float64 else mstype.float32


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
