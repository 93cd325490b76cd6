"""Products, moments and penalties as Cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812

__all__ = ["L1Regularizer", "MatMul", "Moments", "Range"]


class Range(Cell):
    """Numbers from `start` to `limit`, as in MindSpore 1.x; `ops.arange` gives them without a Cell.

    Args:
        start: the first number; where `limit` is left out, the first is 0 and this is the limit.
        limit: the number before which they end.
        delta: the distance between two.

    Raises:
        ValueError: `delta` is 0.

    Output: a tensor of one dimension; Int32 for ints, Float32 for floats.

    Example:
        >>> print(nn.Range(1, 8, 2)())
        [1 3 5 7]

    """

    def __init__(self, start: float, limit: float | None = None, delta: float = 1) -> None:
        super().__init__()
        if delta == 0:
            raise ValueError("Range: delta must not be 0")
        numbers = np.arange(start, limit, delta) if limit is not None else np.arange(0, start, delta)
        kind = mstype.float32 if numbers.dtype == np.float64 else mstype.int32
        self.result_tensor = Tensor(numbers, dtype=kind)

    def construct(self) -> Tensor:
        """The numbers."""
        return self.result_tensor


class MatMul(Cell):
    """The product of two tensors, of vectors, matrices or batches of matrices, which broadcast.

    Args:
        transpose_x1: transpose the last two dimensions of the first tensor.
        transpose_x2: transpose those of the second tensor.

    Inputs: two tensors of one element type. Output: their product.

    Example:
        >>> print(nn.MatMul(transpose_x1=True)(Tensor([[1.0], [2.0]]), Tensor([[3.0], [4.0]])))
        [[11.]]

    """

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False) -> None:
        super().__init__()
        self.transpose_x1, self.transpose_x2 = transpose_x1, transpose_x2

    def construct(self, x1: Tensor, x2: Tensor) -> Any:
        """Multiply two tensors."""
        if self.transpose_x1 and F.rank(x1) > 1:
            x1 = F.swapaxes(x1, -1, -2)
        if self.transpose_x2 and F.rank(x2) > 1:
            x2 = F.swapaxes(x2, -1, -2)
        return F.matmul(x1, x2)


class Moments(Cell):
    """Mean and variance over axes.

    Args:
        axis: an axis or several; None or () for all.
        keep_dims: keep the reduced dimensions with length 1; None for False.

    Input: a float16 or float32 tensor. Output: the mean, and the mean of the squared distances to it.

    Example:
        >>> mean, variance = nn.Moments(axis=0)(Tensor([[1.0, 2.0], [3.0, 6.0]]))
        >>> print(mean, variance)
        [2. 4.] [1. 4.]

    """

    def __init__(self, axis: int | tuple[int, ...] | None = None, keep_dims: bool | None = None) -> None:
        super().__init__()
        self.axis = () if axis is None else axis
        self.keep_dims = False if keep_dims is None else keep_dims

    def construct(self, x: Tensor) -> Any:
        """The mean and the variance; those of float16 are computed in float32."""
        dtype = F.dtype(x)
        wide = F.cast(x, mstype.float32) if dtype == mstype.float16 else x
        centre = F.mean(wide, self.axis, True)
        variance = F.mean(F.square(wide - centre), self.axis, self.keep_dims)
        mean = centre if self.keep_dims else F.mean(wide, self.axis, False)
        return F.cast(mean, dtype), F.cast(variance, dtype)


class L1Regularizer(Cell):
    """A penalty: scale times the sum of absolute values.

    Args:
        scale: factor, above 0.

    Raises:
        ValueError: `scale` is not above 0.

    Input: weights of any shape. Output: a scalar tensor.

    Example:
        >>> print(nn.L1Regularizer(0.5)(Tensor([1.0, -2.0])))
        1.5

    """

    def __init__(self, scale: float) -> None:
        super().__init__()
        if not 0 < scale < float("inf"):
            raise ValueError(f"L1Regularizer: scale must be a number above 0, not {scale}")
        self.scale = scale

    def construct(self, weights: Tensor) -> Any:
        """The penalty of the weights."""
        return F.reduce_sum(F.abs(weights)) * self.scale
