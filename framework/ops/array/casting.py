"""Conversion between element types."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.gradients import gradient
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "Cast",
    "cast",
]


class Cast(PrimitiveWithInfer):
    """The elements as another type; floats lose their fraction on the way to integers.

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

    def infer_shape(self, x: Any, dst_type: Any) -> Dims:
        return x if isinstance(x, tuple) else ()

    def infer_dtype(self, x: Any, dst_type: Any) -> DType:
        return mstype.pytype_to_dtype(dst_type)

    def compute(self, xp: Any, x: Any, dst_type: Any) -> Any:
        return xp.asarray(x).astype(mstype.pytype_to_dtype(dst_type).numpy, copy=False)


_cast = Cast()


def cast(input: Any, dtype: Any) -> Any:
    """The elements as another type.

    Example:
        >>> print(ops.cast(Tensor([1.7, -1.7]), ms.int32))
        [ 1 -1]

    """
    return _cast(input, dtype)


def cast_like(x: Any, like: Any) -> Any:
    """The elements as of another tensor's type."""
    return _cast(x, dtype_of(like))


@gradient(Cast)
def cast_gradient(x: Tensor, dst_type: Any, out: Tensor, dout: Tensor) -> Any:
    """Cast back."""
    return _cast(dout, dtype_of(x)), None
