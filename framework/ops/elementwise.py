"""Base classes of element-wise operators with one or two operands."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.arrays import Array, ArrayModule
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims, broadcast

__all__ = [
    "Binary",
    "FloatUnary",
    "FreshLikeFirst",
    "LikeFirst",
    "Unary",
    "as_float",
    "promoted",
]


class LikeFirst(PrimitiveWithInfer):
    """An operator whose output has the element type of its first input."""

    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return x


class FreshLikeFirst(LikeFirst):
    """As `LikeFirst`; the output never shares memory with an input."""

    fresh = True


class Unary(PrimitiveWithInfer):
    """An operator on one tensor; the output has its shape and element type."""

    arguments = ("input",)
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> Dims:
        return x

    def infer_dtype(self, x: DType) -> DType:
        return x

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return getattr(xp, str(self.ufunc))(x)


class FloatUnary(Unary):
    """An operator on one tensor; the output has its shape. Integers are converted to Float32."""

    floats = True

    def infer_dtype(self, x: DType) -> DType:
        return x if x.is_floating_point else mstype.float32

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return self.of_float(xp, as_float(xp, x))

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        """The kernel, for an array of a floating-point type."""
        return getattr(xp, str(self.ufunc))(x)


class Binary(PrimitiveWithInfer):
    """An operator on two tensors or Python numbers whose shapes broadcast; their element types are promoted to one."""

    arguments = ("input", "other")
    promotes = True
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "y"], outputs=["output"])

    def infer_shape(self, x: Dims | float, y: Dims | float) -> Dims:
        return broadcast(x, y)

    def infer_dtype(self, x: DType | float, y: DType | float) -> DType:
        return mstype.result_type(x, y)

    def compute(self, xp: ArrayModule, x: Array | float, y: Array | float) -> Array:
        return self.of_same(xp, *promoted(xp, x, y))

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        """The kernel, for arrays of the same element type."""
        return getattr(xp, str(self.ufunc))(x, y)


def as_float(xp: ArrayModule, x: Array) -> Array:
    """The array if it has a floating-point type; an array of integers as Float32."""
    array = xp.asarray(x)
    return array if array.dtype.kind in "fc" else array.astype(xp.float32)


def promoted(xp: ArrayModule, *operands: Array | bool | float) -> tuple[Any, ...]:
    """Arrays and Python numbers as arrays of one element type, promoted by MindSpore's rules."""
    kinds = [mstype.of(item.dtype) if hasattr(item, "dtype") else item for item in operands]
    met: Any = kinds[0]
    for kind in kinds[1:]:
        met = mstype.result_type(met, kind)
    dtype = met.numpy if isinstance(met, DType) else mstype.type_of_python(type(met)).numpy
    return tuple(xp.asarray(item, dtype) for item in operands)
