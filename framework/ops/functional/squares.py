"""Determinants, inverses, factors and diagonals of matrices, and products over axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.arranging import vector_of
from framework.ops.functional.primitives import (
    reshape,
    shape,
    transpose,
)
from framework.ops.known import as_tuple
from framework.ops.matrices.products import matmul
from framework.ops.operations.shapes import normal_axis

__all__ = [
    "diagonal",
    "tensor_dot",
]


@constexpr
def _diagonal_order(shape: Sequence[int], offset: int, dim1: int, dim2: int) -> Any:
    """The order that puts two dimensions last, the shape with them as one, and where the diagonal lies in that."""
    first, second = normal_axis(dim1, len(shape)), normal_axis(dim2, len(shape))
    others = tuple(i for i in range(len(shape)) if i not in (first, second))
    rows, columns = shape[first], shape[second]
    begin = offset if offset >= 0 else -offset * columns
    count = min(rows + min(offset, 0), columns - max(offset, 0))
    places = [begin + i * (columns + 1) for i in range(max(count, 0))]
    return (*others, first, second), (*(shape[i] for i in others), rows * columns), places


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The elements of a diagonal of two dimensions, as the last dimension.

    Args:
        input: the tensor.
        offset: which diagonal: 0 the main one, positive above it.
        dim1: the rows.
        dim2: the columns.

    Example:
        >>> print(ops.diagonal(Tensor([[1, 2, 3], [4, 5, 6]]), 1))
        [2 6]

    """
    order, flat, places = _diagonal_order(shape(input), offset, dim1, dim2)
    return P.Gather()(reshape(transpose(input, order), flat), vector_of(places), -1)


@constexpr
def _dotted(first: Sequence[int], second: Sequence[int], axes: Any) -> Any:
    """Orders and shapes for a product over axes of both, and the shape of the output."""
    if isinstance(axes, int):
        mine, other = tuple(range(len(first) - axes, len(first))), tuple(range(axes))
    else:
        mine = tuple(normal_axis(axis, len(first)) for axis in as_tuple(axes[0]))
        other = tuple(normal_axis(axis, len(second)) for axis in as_tuple(axes[1]))
    kept = [i for i in range(len(first)) if i not in mine]
    left = [i for i in range(len(second)) if i not in other]
    inner = 1
    for axis in mine:
        inner *= first[axis]
    out = (*(first[i] for i in kept), *(second[i] for i in left))
    return (*kept, *mine), (*other, *left), inner, out


def tensor_dot(x1: Any, x2: Any, axes: Any) -> Any:
    """The sum of products over axes of both: the last of one and the first of the other, or those given for each.

    Example:
        >>> print(ops.tensor_dot(ops.ones((2, 3)), ops.ones((3, 2)), 1))
        [[3. 3.]
         [3. 3.]]

    """
    order, turned, inner, out = _dotted(shape(x1), shape(x2), axes)
    first = reshape(transpose(x1, order), (-1, inner))
    return reshape(matmul(first, reshape(transpose(x2, turned), (inner, -1))), out)
