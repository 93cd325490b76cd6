"""Diagonals of matrices: extract them, replace them, and build matrices from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops.array.casting import cast
from framework.ops.array.joining import concat
from framework.ops.array.padding import Pad
from framework.ops.array.properties import rank, shape
from framework.ops.array.repeating import vector_of
from framework.ops.array.reshaping import expand_dims, reshape
from framework.ops.array.transposing import movedim, transpose
from framework.ops.constexpr import constexpr
from framework.ops.control.composed import Composed
from framework.ops.creation.filled_like import zeros_like
from framework.ops.creation.ranges import arange
from framework.ops.indexing.gathering_elements import Gather, gather
from framework.ops.indexing.selecting import masked_fill, where
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import normal_axis

__all__ = [
    "MatrixDiagV3",
    "block_diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "fill_diagonal",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_set_diag",
]


@constexpr
def _diagonal_range(k: Any) -> tuple[int, int]:
    """The lowest and the highest diagonal of the argument k."""
    low, high = (k, k) if isinstance(k, int) else (k[0], k[-1])
    if low > high:
        raise ValueError(f"k must be a diagonal, or the lowest and the highest diagonal, not {k}")
    return low, high


_ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


def _positions(rows: int, columns: int, low: int, high: int, align: str) -> np.ndarray:
    """The index into a flat matrix of each diagonal element, -1 for padding; the highest diagonal comes first."""
    if align not in _ALIGNMENTS:
        raise ValueError(f"align must be one of {', '.join(_ALIGNMENTS)}, not {align!r}")
    if not -rows < low <= high < columns:
        raise ValueError(f"a matrix of {rows} rows and {columns} columns has no diagonals {low} to {high}")
    longest = min(rows + min(high, 0), columns - max(low, 0))
    out = np.full((high - low + 1, longest), -1)
    above, below = align.split("_")
    for line, number in enumerate(range(high, low - 1, -1)):
        begin_row, begin_column = max(-number, 0), max(number, 0)
        length = min(rows - begin_row, columns - begin_column)
        start = longest - length if (above if number >= 0 else below) == "RIGHT" else 0
        places = np.arange(length)
        out[line, start : start + length] = (begin_row + places) * columns + begin_column + places
    return out


@constexpr
def _diagonal_part_plan(
    x_shape: Sequence[int], low: int, high: int, align: str
) -> tuple[Tensor, Tensor, tuple[int, ...]]:
    """The indices of diagonal elements in flat matrices, the mask of padding, and the shape of the diagonals."""
    places = _positions(x_shape[-2], x_shape[-1], low, high, align)
    diagonals = places.shape[1:] if low == high else places.shape
    padding = Tensor((places < 0).reshape(diagonals))
    return Tensor(places.clip(0).ravel(), mstype.int32), padding, (*x_shape[:-2], *diagonals)


def matrix_diag_part(x: Tensor, k: int | Sequence[int], padding_value: float, align: str = "RIGHT_LEFT") -> Tensor:
    """Diagonals of matrices.

    Args:
        x: matrices of shape (..., M, N).
        k: a diagonal, positive above the main one and negative below; or the lowest and the highest of several.
        padding_value: number that fills diagonals shorter than the longest, whose length is L.
        align: side to which diagonals above and below the main one are aligned: "LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT"
            or "RIGHT_RIGHT".

    Returns:
        A tensor of shape (..., L); for several diagonals (..., count, L), the highest first.

    Raises:
        ValueError: there is no such diagonal, or no such alignment.

    Example:
        >>> print(ops.matrix_diag_part(Tensor([[1, 2], [3, 4]]), (-1, 0), 9))
        [[1 4]
         [3 9]]

    """
    low, high = _diagonal_range(k)
    places, padding, out_shape = _diagonal_part_plan(shape(x), low, high, align)
    rows, columns = shape(x)[-2:]
    elements = gather(reshape(x, (-1, rows * columns)), places, 1)
    return masked_fill(reshape(elements, out_shape), padding, cast(padding_value, x.dtype))


@constexpr
def _diagonal_source(rows: int, columns: int, low: int, high: int, align: str) -> tuple[Tensor, Tensor]:
    """The index into flat diagonals of each matrix element, and the mask of elements that are on no diagonal."""
    places = _positions(rows, columns, low, high, align).ravel()
    source = np.full(rows * columns, -1)
    source[places[places >= 0]] = np.nonzero(places >= 0)[0]
    return Tensor(source.clip(0), mstype.int32), Tensor((source < 0).reshape(rows, columns))


def matrix_diag(
    x: Tensor, k: Any = 0, num_rows: int = -1, num_cols: int = -1, padding_value: float = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Matrices built from diagonals, the inverse of `matrix_diag_part`.

    Args:
        x: diagonals of shape (..., L); for several (..., count, L), the highest first.
        k: a diagonal, or the lowest and the highest of several.
        num_rows: number of rows; -1 for the smallest that fits.
        num_cols: number of columns; -1 for the smallest that fits.
        padding_value: number for all other elements.
        align: as for `matrix_diag_part`.

    Returns:
        A tensor of shape (..., rows, columns).

    Example:
        >>> print(ops.matrix_diag(Tensor([1, 2]), 1))
        [[0 1 0]
         [0 0 2]
         [0 0 0]]

    """
    low, high = _diagonal_range(k)
    out_shape, length = _matrix_shape(shape(x), low, high, num_rows, num_cols)
    source, others = _diagonal_source(out_shape[-2], out_shape[-1], low, high, align)
    elements = gather(reshape(x, (-1, length)), source, 1)
    return masked_fill(reshape(elements, out_shape), others, cast(padding_value, x.dtype))


@constexpr
def _matrix_shape(x_shape: Sequence[int], low: int, high: int, rows: int, columns: int) -> tuple[tuple[int, ...], int]:
    """The shape of the matrices, and the number of elements on the diagonals of each."""
    length = x_shape[-1]
    least_rows, least_columns = length - min(high, 0), length + max(low, 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows, columns = least_rows if rows == -1 else rows, least_columns if columns == -1 else columns
    count = high - low + 1
    longest = min(rows + min(high, 0), columns - max(low, 0))
    if (count > 1 and (len(x_shape) < 2 or x_shape[-2] != count)) or longest != length:
        raise ValueError(
            f"a tensor of shape {tuple(x_shape)} does not fit diagonals {low} to {high} of a matrix of {rows} rows and "
            f"{columns} columns"
        )
    return (*x_shape[: -2 if count > 1 else -1], rows, columns), count * length


def matrix_set_diag(x: Tensor, diagonal: Tensor, k: Any = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Copies of matrices with some diagonals replaced.

    Args:
        x: matrices of shape (..., M, N).
        diagonal: new diagonals of shape (..., L); for several (..., count, L), the highest first.
        k: a diagonal, or the lowest and the highest of several.
        align: as for `matrix_diag_part`.

    Returns:
        A tensor of the shape and type of x.

    Raises:
        ValueError: the diagonals have another shape.

    Example:
        >>> print(ops.matrix_set_diag(ops.ones((2, 2)), Tensor([5.0, 6.0])))
        [[5. 1.]
         [1. 6.]]

    """
    low, high = _diagonal_range(k)
    x_shape = shape(x)
    length = _diagonal_size(x_shape, shape(diagonal), low, high)
    source, others = _diagonal_source(x_shape[-2], x_shape[-1], low, high, align)
    elements = reshape(gather(reshape(diagonal, (-1, length)), source, 1), x_shape)
    return where(others, x, elements)


@constexpr
def _diagonal_size(x_shape: Sequence[int], diagonal: Sequence[int], low: int, high: int) -> int:
    """The number of elements on the diagonals of a matrix."""
    longest = min(x_shape[-2] + min(high, 0), x_shape[-1] - max(low, 0))
    expected = (*x_shape[:-2], longest) if low == high else (*x_shape[:-2], high - low + 1, longest)
    if tuple(diagonal) != expected:
        raise ValueError(
            f"diagonals {low} to {high} of shape {tuple(x_shape)} have shape {expected}, not {tuple(diagonal)}"
        )
    return longest * (high - low + 1)


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy of a tensor with one diagonal of two dimensions replaced.

    Args:
        input: tensor of two dimensions or more.
        src: new diagonal: the other dimensions of `input`, then the length of the diagonal.
        offset: the diagonal, positive above the main one and negative below.
        dim1: dimension of the rows.
        dim2: dimension of the columns.

    Returns:
        A tensor of the shape and type of `input`.

    Example:
        >>> print(ops.diagonal_scatter(ops.zeros((2, 2)), Tensor([1.0, 2.0])))
        [[1. 0.]
         [0. 2.]]

    """
    matrices = movedim(input, (dim1, dim2), (-2, -1))
    return movedim(matrix_set_diag(matrices, src, offset), (-2, -1), (dim1, dim2))


def fill_diagonal(input: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """A copy of a tensor with the main diagonal filled with one number.

    Args:
        input: a matrix, or a tensor of more dimensions of one length, whose elements [i, i, ...] are filled.
        fill_value: the number.
        wrap: in tall matrices, start another diagonal one row below the end of the first, and so on.

    Returns:
        A tensor of the shape and type of `input`.

    Example:
        >>> print(ops.fill_diagonal(ops.zeros((2, 3)), 5.0))
        [[5. 0. 0.]
         [0. 5. 0.]]

    """
    return masked_fill(input, _diagonal_mask(shape(input), wrap), cast(fill_value, input.dtype))


@constexpr
def _diagonal_mask(x_shape: Sequence[int], wrap: bool) -> Tensor:
    """A Bool mask of the main diagonal."""
    mask = np.zeros(x_shape, bool)
    np.fill_diagonal(mask, True, wrap)
    return Tensor(mask)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices of zeros with the last dimension of a tensor on a diagonal.

    Args:
        input: tensor of shape (..., L).
        offset: the diagonal, positive above the main one and negative below.
        dim1: dimension of the rows in the result, of length L + |offset|.
        dim2: dimension of the columns in the result, of length L + |offset|.

    Returns:
        A tensor of one dimension more than `input`, of its type.

    Example:
        >>> print(ops.diag_embed(Tensor([1.0, 2.0]), 1))
        [[0. 1. 0.]
         [0. 0. 2.]
         [0. 0. 0.]]

    """
    places = arange(0, shape(input)[-1], 1)
    column = expand_dims(input, -1)
    square = where(expand_dims(places, 1) == expand_dims(places, 0), column, zeros_like(column))
    paddings, order = _embedding(rank(input) + 1, offset, dim1, dim2)
    return transpose(cached(Pad, paddings)(square), order)


@constexpr
def _embedding(dims: int, offset: int, dim1: int, dim2: int) -> tuple[Any, ...]:
    """The padding around a square matrix, and the axis order that moves its dimensions to dim1 and dim2."""
    rows, columns = dim1 % dims, dim2 % dims
    if rows == columns or not all(-dims <= dim < dims for dim in (dim1, dim2)):
        raise ValueError(f"diag_embed: dim1 {dim1} and dim2 {dim2} must be two different dimensions of {dims}")
    around = ((0, offset), (offset, 0)) if offset >= 0 else ((-offset, 0), (0, -offset))
    others = iter(range(dims - 2))
    order = tuple(dims - 2 if dim == rows else dims - 1 if dim == columns else next(others) for dim in range(dims))
    return ((0, 0),) * (dims - 2) + around, order


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix of zeros with all elements of a tensor, in order, on a diagonal.

    Args:
        input: tensor of any shape, of n elements.
        offset: the diagonal, positive above the main one and negative below.

    Returns:
        A square matrix with n + |offset| rows, of the type of `input`.

    Example:
        >>> print(ops.diagflat(Tensor([[1, 2]])))
        [[1 0]
         [0 2]]

    """
    return diag_embed(reshape(input, (-1,)), offset)


def block_diag(*inputs: Tensor) -> Tensor:
    """A block diagonal matrix: the inputs along the main diagonal, zeros elsewhere.

    Args:
        inputs: matrices, or vectors, which count as matrices of one row.

    Returns:
        A matrix with the sum of all rows and the sum of all columns.

    Example:
        >>> print(ops.block_diag(Tensor([[1.0, 2.0]]), Tensor([[3.0]])))
        [[1. 2. 0.]
         [0. 0. 3.]]

    """
    matrices = [reshape(item, (1, -1)) if rank(item) < 2 else item for item in inputs]
    width = sum([shape(item)[1] for item in matrices])
    rows = []
    before = 0
    for item in matrices:
        behind = width - before - shape(item)[1]
        rows.append(cached(Pad, ((0, 0), (before, behind)))(item))
        before = before + shape(item)[1]
    return concat(tuple(rows), 0)


@constexpr
def _diagonal_order(shape: Sequence[int], offset: int, dim1: int, dim2: int) -> Any:
    """The axis order that moves two dimensions to the end, the shape with both merged, and the diagonal's indices."""
    first, second = normal_axis(dim1, len(shape)), normal_axis(dim2, len(shape))
    others = tuple(i for i in range(len(shape)) if i not in (first, second))
    rows, columns = shape[first], shape[second]
    begin = offset if offset >= 0 else -offset * columns
    count = min(rows + min(offset, 0), columns - max(offset, 0))
    places = [begin + i * (columns + 1) for i in range(max(count, 0))]
    return (*others, first, second), (*(shape[i] for i in others), rows * columns), places


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A diagonal of two dimensions of a tensor, as its last dimension.

    Args:
        input: tensor of two dimensions or more.
        offset: the diagonal, positive above the main one and negative below.
        dim1: dimension of the rows.
        dim2: dimension of the columns.

    Returns:
        A tensor with the other dimensions of `input`, then the length of the diagonal.

    Example:
        >>> print(ops.diagonal(Tensor([[1, 2, 3], [4, 5, 6]]), 1))
        [2 6]

    """
    order, flat, places = _diagonal_order(shape(input), offset, dim1, dim2)
    return Gather()(reshape(transpose(input, order), flat), vector_of(places), -1)


class MatrixDiagV3(Composed):
    """Matrices built from diagonals: `(x, k, num_rows, num_cols, padding_value)`; see `matrix_diag`.

    Args:
        align: how shorter diagonals lie in their rows, as for `matrix_diag_part`.

    Example:
        >>> print(ops.MatrixDiagV3()(Tensor([1, 2]), 1, -1, -1, Tensor(0)))
        [[0 1 0]
         [0 0 2]
         [0 0 0]]
    """

    @prim_attr_register
    def __init__(self, align: str = "RIGHT_LEFT") -> None:
        self.init_prim_io_names(inputs=["x", "k", "num_rows", "num_cols", "padding_value"], outputs=["y"])

    def __call__(self, x: Tensor, k: Any, num_rows: Any, num_cols: Any, padding_value: Any) -> Tensor:
        """Build the matrices."""
        return matrix_diag(x, k, num_rows, num_cols, padding_value, self.align)
