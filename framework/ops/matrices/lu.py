"""Linear systems and factors from an LU factorization in LAPACK's form, with row exchanges."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops.array.casting import cast
from framework.ops.array.properties import shape
from framework.ops.array.reshaping import expand_dims
from framework.ops.array.triangles import tril, triu
from framework.ops.creation.filled_like import zeros_like
from framework.ops.creation.filling import eye
from framework.ops.creation.ranges import Range
from framework.ops.indexing.selecting import where
from framework.ops.matrices.inverses import inverse as _inverse
from framework.ops.matrices.products import matmul
from framework.ops.reduction.totals import sum

__all__ = [
    "lu_solve",
    "lu_unpack",
]


def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:  # noqa: N803 - MindSpore's
    """The solution x of A @ x = b, from the LU factors of A in LAPACK's form.

    Args:
        b: right-hand sides of shape (..., N, K).
        LU_data: factors of shape (..., N, N): U on and above the diagonal, L below it. The diagonal of L is all ones.
        LU_pivots: integers of shape (..., N): the row, counted from 1, that each row was exchanged with in turn.

    Returns:
        A tensor of shape (..., N, K).

    Example:
        >>> factors, pivots = Tensor([[2.0, 4.0], [0.5, 1.0]]), Tensor([2, 2], ms.int32)
        >>> print(ops.lu_solve(Tensor([[3.0], [6.0]]), factors, pivots))
        [[3.]
         [0.]]

    """
    size = shape(LU_data)[-1]
    order = cast(expand_dims(_row_order(LU_pivots, size), -1) == Range()(0, size, 1), LU_data.dtype)
    lower, upper = _parts(LU_data, size, size)
    return matmul(_inverse(upper), matmul(_inverse(lower), matmul(order, b)))


def _parts(factors: Any, rows: int, columns: int) -> tuple[Tensor, ...]:
    """L, with ones on the diagonal, and U."""
    lesser = rows if rows < columns else columns
    identity = eye(rows, lesser, factors.dtype)
    columns_of_lower = factors[..., :lesser]
    return tril(columns_of_lower) - columns_of_lower * identity + identity, triu(factors)[..., :lesser, :]


def _row_order(pivots: Tensor, rows: int) -> Tensor:
    """The row of the matrix that each row of the factors comes from, (..., rows)."""
    places = zeros_like(pivots[..., :1]) + Range()(0, rows, 1)
    for row in range(shape(pivots)[-1]):
        # LAPACK exchanged the rows one after the other.
        places = _exchanged(places, row, pivots[..., row : row + 1] - 1)
    return places


def _exchanged(places: Tensor, row: int, other: Tensor) -> Tensor:
    """Vectors (..., N) with the element at `row` and the element at `other` (..., 1) exchanged."""
    numbers = zeros_like(places) + Range()(0, shape(places)[-1], 1)
    at_row = places[..., row : row + 1]
    at_other = sum(where(numbers == other, places, zeros_like(places)), -1, True)
    moved = where(numbers == other, zeros_like(places) + at_row, places)
    return cast(where(numbers == row, zeros_like(places) + at_other, moved), places.dtype)


def lu_unpack(
    LU_data: Tensor,  # noqa: N803 - MindSpore's
    LU_pivots: Tensor,  # noqa: N803
    unpack_data: bool = True,
    unpack_pivots: bool = True,
) -> tuple[Tensor | None, ...]:
    """The matrices P, L and U with A = P @ L @ U, from the LU factors of A in LAPACK's form.

    Args:
        LU_data: factors of shape (..., M, N): U on and above the diagonal, L below it. The diagonal of L is all ones.
        LU_pivots: integers of shape (..., K), with K the smaller of M and N: the row, counted from 1, that each row was
            exchanged with in turn.
        unpack_data: return L and U; otherwise None for both.
        unpack_pivots: return P; otherwise None.

    Returns:
        P (..., M, M), L (..., M, K) and U (..., K, N).

    Example:
        >>> pivots, lower, upper = ops.lu_unpack(Tensor([[2.0, 4.0], [0.5, 1.0]]), Tensor([2, 2], ms.int32))
        >>> print(pivots @ lower @ upper)
        [[1. 3.]
         [2. 4.]]

    """
    rows, columns = shape(LU_data)[-2:]
    order = None
    if unpack_pivots:
        places = expand_dims(_row_order(LU_pivots, rows), -2)
        order = cast(expand_dims(Range()(0, rows, 1), -1) == places, LU_data.dtype)
    if not unpack_data:
        return order, None, None
    lower, upper = _parts(LU_data, rows, columns)
    return order, lower, upper
