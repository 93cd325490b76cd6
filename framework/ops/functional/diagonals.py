"""Matrices made around a diagonal, and the places of the elements on one side of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.creation import arange, zeros_like
from framework.ops.functional.picking import where
from framework.ops.functional.primitives import expand_dims, rank, reshape, shape, transpose
from framework.ops.functional.shaping import concat
from framework.ops.primitive import cached

__all__ = ["block_diag", "diag_embed", "diagflat", "tril_indices", "triu_indices"]


def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
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
    return transpose(cached(P.Pad, paddings)(square), order)


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


def diagflat(input: Any, offset: int = 0) -> Any:
    """All elements, in order, on a diagonal of a matrix, zeros elsewhere.

    Example:
        >>> print(ops.diagflat(Tensor([[1, 2]])))
        [[1 0]
         [0 2]]

    """
    return diag_embed(reshape(input, (-1,)), offset)


def block_diag(*inputs: Any) -> Any:
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
        rows.append(cached(P.Pad, ((0, 0), (before, behind)))(item))
        before = before + shape(item)[1]
    return concat(tuple(rows), 0)


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = mstype.int64) -> Any:
    """Rows and columns, (2, count), of the elements on and below a diagonal of a matrix.

    Example:
        >>> print(ops.tril_indices(2, 2))
        [[0 1 1]
         [0 0 1]]

    """
    return _below(row, col, offset, dtype)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = mstype.int64) -> Any:
    """Rows and columns, (2, count), of the elements on and above a diagonal of a matrix.

    Example:
        >>> print(ops.triu_indices(2, 2))
        [[0 0 1]
         [0 1 1]]

    """
    return _above(row, col, offset, dtype)


@constexpr
def _below(row: int, col: int, offset: int, dtype: Any) -> Tensor:
    return Tensor(np.stack(np.tril_indices(row, offset, col)), dtype)


@constexpr
def _above(row: int, col: int, offset: int, dtype: Any) -> Tensor:
    return Tensor(np.stack(np.triu_indices(row, offset, col)), dtype)
