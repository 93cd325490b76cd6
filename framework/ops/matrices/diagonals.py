"""Diagonals of matrices: made, taken and replaced."""

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
from framework.ops.creation.filled_like import zeros_like
from framework.ops.creation.ranges import arange
from framework.ops.indexing.gathering_elements import Gather, gather
from framework.ops.indexing.selecting import masked_fill, where
from framework.ops.primitive import cached
from framework.ops.shapes import normal_axis

__all__ = [
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
def _range(k: Any) -> tuple[int, int]:
    """The lowest and the highest diagonal."""
    low, high = (k, k) if isinstance(k, int) else (k[0], k[-1])
    if low > high:
        raise ValueError(f"k is a diagonal, or the lowest and the highest one, not {k}")
    return low, high


_ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


def _positions(rows: int, columns: int, low: int, high: int, align: str) -> np.ndarray:
    """Which element of a flat matrix each element of the diagonals is, -1 for none; the highest diagonal first."""
    if align not in _ALIGNMENTS:
        raise ValueError(f"align is one of {', '.join(_ALIGNMENTS)}, not {align!r}")
    if not -rows < low <= high < columns:
        raise ValueError(f"a matrix of {rows} x {columns} elements has no diagonals {low} to {high}")
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
def _taken(of: Sequence[int], low: int, high: int, align: str) -> tuple[Tensor, Tensor, tuple[int, ...]]:
    """Which elements of flat matrices make the diagonals, which are missing, and the shape of the diagonals."""
    places = _positions(of[-2], of[-1], low, high, align)
    made = places.shape[1:] if low == high else places.shape
    missing = Tensor((places < 0).reshape(made))
    return Tensor(places.clip(0).ravel(), mstype.int32), missing, (*of[:-2], *made)


def matrix_diag_part(x: Tensor, k: int | Sequence[int], padding_value: float, align: str = "RIGHT_LEFT") -> Tensor:
    """Diagonals of matrices.

    Args:
        x: (..., M, N).
        k: which diagonal, above the main one or below where it is negative; or the lowest and the highest of several.
        padding_value: a number for the ends of those that are shorter than the longest, length L.
        align: on which side diagonals above and below the main one begin: "LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT" or
            "RIGHT_RIGHT".

    Returns:
        (..., L), of several (..., count, L), the highest first.

    Raises:
        ValueError: there is no such diagonal, or no such alignment.

    Example:
        >>> print(ops.matrix_diag_part(Tensor([[1, 2], [3, 4]]), (-1, 0), 9))
        [[1 4]
         [3 9]]

    """
    low, high = _range(k)
    places, missing, made = _taken(shape(x), low, high, align)
    rows, columns = shape(x)[-2:]
    picked = gather(reshape(x, (-1, rows * columns)), places, 1)
    return masked_fill(reshape(picked, made), missing, cast(padding_value, x.dtype))


@constexpr
def _put(rows: int, columns: int, low: int, high: int, align: str) -> tuple[Tensor, Tensor]:
    """Which element of flat diagonals each element of a matrix is, and which are none."""
    places = _positions(rows, columns, low, high, align).ravel()
    source = np.full(rows * columns, -1)
    source[places[places >= 0]] = np.nonzero(places >= 0)[0]
    return Tensor(source.clip(0), mstype.int32), Tensor((source < 0).reshape(rows, columns))


def matrix_diag(
    x: Tensor, k: Any = 0, num_rows: int = -1, num_cols: int = -1, padding_value: float = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Matrices of diagonals, what `matrix_diag_part` is in reverse.

    Args:
        x: (..., L), or for several diagonals (..., count, L), the highest first.
        k: which diagonal, or the lowest and the highest one.
        num_rows: rows of the matrices; -1 for as few as do.
        num_cols: columns of the matrices; -1 for as few as do.
        padding_value: a number for all other elements.
        align: as of `matrix_diag_part`.

    Returns:
        (..., rows, columns).

    Example:
        >>> print(ops.matrix_diag(Tensor([1, 2]), 1))
        [[0 1 0]
         [0 0 2]
         [0 0 0]]

    """
    low, high = _range(k)
    made, length = _size(shape(x), low, high, num_rows, num_cols)
    source, others = _put(made[-2], made[-1], low, high, align)
    put = gather(reshape(x, (-1, length)), source, 1)
    return masked_fill(reshape(put, made), others, cast(padding_value, x.dtype))


@constexpr
def _size(of: Sequence[int], low: int, high: int, rows: int, columns: int) -> tuple[tuple[int, ...], int]:
    """The shape of the matrices, and how many elements the diagonals of each have."""
    least_rows, least_columns = of[-1] - min(high, 0), of[-1] + max(low, 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows, columns = least_rows if rows == -1 else rows, least_columns if columns == -1 else columns
    count = high - low + 1
    if (count > 1 and (len(of) < 2 or of[-2] != count)) or min(rows + min(high, 0), columns - max(low, 0)) != of[-1]:
        raise ValueError(
            f"a tensor of shape {tuple(of)} does not hold diagonals {low} to {high} of a matrix of {rows} x {columns}"
        )
    return (*of[: -2 if count > 1 else -1], rows, columns), count * of[-1]


def matrix_set_diag(x: Tensor, diagonal: Tensor, k: Any = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Matrices with other diagonals.

    Args:
        x: (..., M, N).
        diagonal: (..., L), or for several (..., count, L), the highest first.
        k: which diagonal, or the lowest and the highest one.
        align: as of `matrix_diag_part`.

    Example:
        >>> print(ops.matrix_set_diag(ops.ones((2, 2)), Tensor([5.0, 6.0])))
        [[5. 1.]
         [1. 6.]]

    """
    low, high = _range(k)
    of = shape(x)
    length = _count(of, shape(diagonal), low, high)
    source, others = _put(of[-2], of[-1], low, high, align)
    put = reshape(gather(reshape(diagonal, (-1, length)), source, 1), of)
    return where(others, x, put)


@constexpr
def _count(of: Sequence[int], given: Sequence[int], low: int, high: int) -> int:
    """How many elements the diagonals of a matrix have."""
    longest = min(of[-2] + min(high, 0), of[-1] - max(low, 0))
    wanted = (*of[:-2], longest) if low == high else (*of[:-2], high - low + 1, longest)
    if tuple(given) != wanted:
        raise ValueError(
            f"diagonals {low} to {high} of a tensor of shape {tuple(of)} have shape {wanted}, not {tuple(given)}"
        )
    return longest * (high - low + 1)


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy whose diagonal over two dimensions is another tensor.

    Args:
        input: a tensor of two dimensions or more.
        src: of the shape of that diagonal: the other dimensions, then its length.
        offset: which diagonal, above the main one, or below where it is negative.
        dim1, dim2: which dimensions are rows and columns.

    Example:
        >>> print(ops.diagonal_scatter(ops.zeros((2, 2)), Tensor([1.0, 2.0])))
        [[1. 0.]
         [0. 2.]]

    """
    turned = movedim(input, (dim1, dim2), (-2, -1))
    return movedim(matrix_set_diag(turned, src, offset), (-2, -1), (dim1, dim2))


def fill_diagonal(input: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """A copy with a number on the main diagonal.

    Args:
        input: two dimensions, or more of one length, whose elements [i, i, ...] are meant.
        fill_value: the number.
        wrap: in tall matrices, begin anew one row below where the diagonal ended.

    Example:
        >>> print(ops.fill_diagonal(ops.zeros((2, 3)), 5.0))
        [[5. 0. 0.]
         [0. 5. 0.]]

    """
    return masked_fill(input, _diagonal_of(shape(input), wrap), cast(fill_value, input.dtype))


@constexpr
def _diagonal_of(of: Sequence[int], wrap: bool) -> Tensor:
    """Where the diagonal is."""
    mask = np.zeros(of, bool)
    np.fill_diagonal(mask, True, wrap)
    return Tensor(mask)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dimension as a diagonal of two dimensions, zeros elsewhere.

    Args:
        input: a tensor (..., L).
        offset: which diagonal: above the main one, or below where it is negative.
        dim1, dim2: which dimensions of the result are rows and columns, both of length L + |offset|.

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
    """The zeros around a square matrix, and the order that brings its dimensions to their places."""
    rows, columns = dim1 % dims, dim2 % dims
    if rows == columns or not all(-dims <= dim < dims for dim in (dim1, dim2)):
        raise ValueError(f"diag_embed: {dim1} and {dim2} are not two of {dims} dimensions")
    around = ((0, offset), (offset, 0)) if offset >= 0 else ((-offset, 0), (0, -offset))
    others = iter(range(dims - 2))
    order = tuple(dims - 2 if dim == rows else dims - 1 if dim == columns else next(others) for dim in range(dims))
    return ((0, 0),) * (dims - 2) + around, order


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """All elements, in order, on a diagonal of a matrix, zeros elsewhere.

    Example:
        >>> print(ops.diagflat(Tensor([[1, 2]])))
        [[1 0]
         [0 2]]

    """
    return diag_embed(reshape(input, (-1,)), offset)


def block_diag(*inputs: Tensor) -> Tensor:
    """Matrices one behind the other along the main diagonal, zeros elsewhere; a vector is a matrix of one row.

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
    """The order that puts two dimensions last, the shape with them as one, and where the diagonal lies in that."""
    first, second = normal_axis(dim1, len(shape)), normal_axis(dim2, len(shape))
    others = tuple(i for i in range(len(shape)) if i not in (first, second))
    rows, columns = shape[first], shape[second]
    begin = offset if offset >= 0 else -offset * columns
    count = min(rows + min(offset, 0), columns - max(offset, 0))
    places = [begin + i * (columns + 1) for i in range(max(count, 0))]
    return (*others, first, second), (*(shape[i] for i in others), rows * columns), places


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
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
    return Gather()(reshape(transpose(input, order), flat), vector_of(places), -1)
