"""`mint.linalg`: inverses, norms and the QR factorization."""

# ruff: noqa: A002 - MindSpore's names
from __future__ import annotations

from typing import Any

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.mint.functions import norm as norm_of_elements
from framework.ops.functional import inverse as inv
from framework.ops.functional import qr

__all__ = ["inv", "qr", "vector_norm"]


def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """The norm of the elements as a vector.

    Args:
        x: a tensor of floating point.
        ord: inf, -inf, 0 or another power.
        dim: a dimension, several, or None for all.
        keepdim: keep them with length 1.
        dtype: the element type to compute in.

    """
    return norm_of_elements(x, ord, dim, keepdim, dtype=dtype)
