"""Operators that sort, or find the largest."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.operations.shapes import Dims
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = ["Sort", "TopK"]


class TopK(PrimitiveWithInfer):
    """The `k` largest elements along the last axis, the largest first, and their indices.

    Of equal elements the one with the lower index comes first.

    Inputs: a tensor of shape (..., N), of integers or floating-point numbers; k, an int of at most N. Outputs: the
    elements, (..., k), of its type; their indices, (..., k) Int32.

    Args:
        sorted: recorded; the elements always come sorted.

    Example:
        >>> values, indices = ops.TopK()(Tensor([3.0, 9.0, 1.0, 7.0]), 2)
        >>> print(values, indices)
        [9. 7.] [1 3]
    """

    value_inputs = (1,)

    @prim_attr_register
    def __init__(self, sorted: bool = True) -> None:  # noqa: A002 - MindSpore's name
        self.init_prim_io_names(inputs=["input", "k"], outputs=["values", "indices"])

    def infer_shape(self, x: Dims, k: int) -> tuple[Dims, Dims]:
        if x[-1] is not None and k > x[-1]:
            raise ValueError(f"TopK: there are no {k} elements along the last dimension of {x}")
        return (*x[:-1], k), (*x[:-1], k)

    def infer_dtype(self, x: DType, k: int) -> tuple[DType, DType]:
        return x, mstype.int32

    def compute(self, xp: Any, x: Any, k: int) -> Any:
        self.infer_shape(x.shape, k)
        order = xp.argsort(_opposite(x), axis=-1, kind="stable")[..., :k]
        return xp.take_along_axis(x, order, -1), order.astype(xp.int32)


class Sort(PrimitiveWithInfer):
    """The elements along an axis in order, and the indices where they were.

    Equal elements keep their order.

    Inputs: a tensor of any shape. Outputs: its elements, of its shape and type; the indices, of its shape, Int32.

    Args:
        axis: the axis.
        descending: the largest first.

    Example:
        >>> values, indices = ops.Sort(descending=True)(Tensor([3.0, 9.0, 1.0]))
        >>> print(values, indices)
        [9. 3. 1.] [1 0 2]
    """

    @prim_attr_register
    def __init__(self, axis: int = -1, descending: bool = False) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y1", "y2"])

    def infer_shape(self, x: Dims) -> tuple[Dims, Dims]:
        return x, x

    def infer_dtype(self, x: DType) -> tuple[DType, DType]:
        return x, mstype.int32

    def compute(self, xp: Any, x: Any) -> Any:
        order = xp.argsort(_opposite(x) if self.descending else x, axis=self.axis, kind="stable")
        return xp.take_along_axis(x, order, self.axis), order.astype(xp.int32)


def _opposite(x: Any) -> Any:
    """Numbers in the opposite order: of integers the complement, since the smallest has no negative."""
    return -x if x.dtype.kind in "fc" else ~x
