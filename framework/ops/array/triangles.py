"""Upper and lower triangles of matrices."""

from __future__ import annotations

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.properties import shape
from framework.ops.array.reshaping import expand_dims
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import logical_and, logical_or
from framework.ops.constexpr import constexpr
from framework.ops.creation.filled_like import zeros_like
from framework.ops.creation.ranges import Range
from framework.ops.elementwise import LikeFirst
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.indexing.selecting import where
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "Tril",
    "Triu",
    "matrix_band_part",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
]


class Tril(LikeFirst):
    """The lower triangles of matrices, with zeros above a diagonal of the last two dimensions.

    Args:
        diagonal: the number of the diagonal: 0 is the main one, positive numbers are above it.

    Inputs: x, a tensor of two dimensions or more.
    Output: a tensor of x's shape and element type.

    Example:
        >>> print(ops.Tril()(Tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]])))
        [[1 0 0]
         [4 5 0]
         [7 8 9]]
    """

    part = "tril"

    @prim_attr_register
    def __init__(self, diagonal: int = 0) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> Dims:
        if len(x) < 2:
            raise ValueError(f"{self.name} needs at least two dimensions, not shape {x}")
        return x

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return getattr(xp, self.part)(x, self.diagonal)


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle, with zeros above a diagonal.

    Args:
        input: a tensor (..., M, N).
        diagonal: the number of the diagonal: 0 is the main one, positive numbers are above it.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.tril(Tensor([[1, 2], [3, 4]])))
        [[1 0]
         [3 4]]

    """
    return cached(Tril, diagonal)(input)


@bprop_getters.register(Tril)
def get_bprop_tril(self: Tril) -> Bprop:
    """The same triangle of the gradient."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (self(dout),)

    return bprop


class Triu(Tril):
    """The upper triangles of matrices, with zeros below a diagonal of the last two dimensions.

    Args:
        diagonal: the number of the diagonal: 0 is the main one, positive numbers are above it.

    Inputs: x, a tensor of two dimensions or more.
    Output: a tensor of x's shape and element type.

    Example:
        >>> print(ops.Triu(diagonal=1)(Tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]])))
        [[0 2 3]
         [0 0 6]
         [0 0 0]]
    """

    part = "triu"


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle, with zeros below a diagonal.

    Args:
        input: a tensor (..., M, N).
        diagonal: the number of the diagonal: 0 is the main one, positive numbers are above it.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.triu(Tensor([[1, 2], [3, 4]])))
        [[1 2]
         [0 4]]

    """
    return cached(Triu, diagonal)(input)


def matrix_band_part(x: Tensor, lower: Tensor | int, upper: int) -> Tensor:
    """Band matrices: elements outside the band around the main diagonal become zero.

    Args:
        x: (..., M, N).
        lower: the number of diagonals to keep below the main one, an int or an int tensor; all if negative.
        upper: the same above the main one.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.matrix_band_part(ops.ones((3, 3)), 1, 0))
        [[1. 0. 0.]
         [1. 1. 0.]
         [0. 1. 1.]]

    """
    rows, columns = shape(x)[-2:]
    below = expand_dims(Range()(0, rows, 1), 1) - Range()(0, columns, 1)
    inside = logical_and(logical_or(below <= lower, below * 0 > lower), logical_or(-below <= upper, below * 0 > upper))
    return where(inside, x, zeros_like(x))


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: DType = mstype.int64) -> Tensor:
    """Rows and columns, (2, count), of the elements on and below a diagonal of a matrix.

    Args:
        row: the number of rows.
        col: the number of columns.
        offset: the number of the diagonal: 0 is the main one, positive numbers are above it.
        dtype: the element type.

    Returns:
        A tensor (2, count): the rows, then the columns.

    Example:
        >>> print(ops.tril_indices(2, 2))
        [[0 1 1]
         [0 0 1]]

    """
    return _below(row, col, offset, dtype)


@constexpr
def _below(row: int, col: int, offset: int, dtype: DType) -> Tensor:
    return Tensor(np.stack(np.tril_indices(row, offset, col)), dtype)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: DType = mstype.int64) -> Tensor:
    """Rows and columns, (2, count), of the elements on and above a diagonal of a matrix.

    Args:
        row: the number of rows.
        col: the number of columns.
        offset: the number of the diagonal: 0 is the main one, positive numbers are above it.
        dtype: the element type.

    Returns:
        A tensor (2, count): the rows, then the columns.

    Example:
        >>> print(ops.triu_indices(2, 2))
        [[0 0 1]
         [0 1 1]]

    """
    return _above(row, col, offset, dtype)


@constexpr
def _above(row: int, col: int, offset: int, dtype: DType) -> Tensor:
    return Tensor(np.stack(np.triu_indices(row, offset, col)), dtype)
