"""`mint.linalg`: inverses, norms and the QR factorization."""

# ruff: noqa: A002 - MindSpore's names
from __future__ import annotations

from typing import Any

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.mint.functions import norm as norm_of_elements
from framework.ops.functional import inverse as inv
from framework.ops.functional import norm as norm_of_matrices
from framework.ops.functional import qr

__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]


def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """The vector norm of the elements.

    Args:
        x: a tensor of floating point.
        ord: inf, -inf, 0 or another power.
        dim: a dimension, several, or None for all.
        keepdim: keep them with length 1.
        dtype: the element type to compute in.

    """
    return norm_of_elements(x, ord, dim, keepdim, dtype=dtype)


def matrix_norm(
    A: Tensor,  # noqa: N803 - MindSpore's name
    ord: Any = "fro",
    dim: tuple[int, int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """The matrix norm over two dimensions.

    Args:
        A: a tensor of floating point, of two dimensions or more.
        ord: "fro", "nuc", inf, -inf, 1, -1, 2 or -2.
        dim: the dimensions of the rows and columns.
        keepdim: keep them with length 1.
        dtype: the element type to compute in.

    """
    return norm_of_matrices(A, ord, dim, keepdim, dtype=dtype)


def norm(
    A: Tensor,  # noqa: N803 - MindSpore's name
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """The norm of vectors or matrices.

    Args:
        A: a tensor of floating point.
        ord: as in `vector_norm`, or as in `matrix_norm`; None for the root of the sum of squares.
        dim: one dimension for vectors, two for matrices. None takes all dimensions: of a tensor of one or two
            dimensions with `ord`, else of all elements in a row.
        keepdim: keep them with length 1.
        dtype: the element type to compute in.

    """
    return norm_of_matrices(A, ord, dim, keepdim, dtype=dtype)
