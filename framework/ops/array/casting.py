"""Conversion between element types."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.arrays import Array, ArrayModule, converted
from framework.ops.gradients import gradient
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "Cast",
    "cast",
]


class Cast(PrimitiveWithInfer):
    """The elements converted to another type; floats are rounded towards zero when they become integers.

    Inputs: x, a tensor or a number; dst_type, an element type such as `ms.int32`.
    Output: a tensor of x's shape and of that element type.

    Example:
        >>> print(ops.Cast()(Tensor([1.7, -1.7, 3.0]), ms.int32))
        [ 1 -1  3]
    """

    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "dst_type"], outputs=["output"])

    def infer_shape(self, x: Dims | float, dst_type: DType) -> Dims:
        return x if isinstance(x, tuple) else ()

    def infer_dtype(self, x: DType | float, dst_type: DType | None) -> DType:
        return mstype.type_of_python(dst_type)

    def compute(self, xp: ArrayModule, x: Array | float, dst_type: DType) -> Array:
        return converted(xp.asarray(x), mstype.type_of_python(dst_type).numpy)


_cast = Cast()


def cast(input: Any, dtype: DType) -> Tensor:
    """The elements converted to another type.

    Args:
        input: a tensor of any shape, or a number.
        dtype: an element type such as `ms.int32`.

    Returns:
        A tensor of the same shape and of that element type.

    Example:
        >>> print(ops.cast(Tensor([1.7, -1.7]), ms.int32))
        [ 1 -1]

    """
    return _cast(input, dtype)


def cast_like(x: Tensor, like: Tensor | float) -> Tensor:
    """The elements converted to the element type of another tensor."""
    return _cast(x, dtype_of(like))


@gradient(Cast)
def cast_gradient(x: Tensor, dst_type: DType, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """The gradient converted back to the type of the input."""
    return _cast(dout, dtype_of(x)), None
