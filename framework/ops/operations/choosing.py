"""Operators that choose between tensors element by element, and one-hot rows."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.operations.elementwise import promoted
from framework.ops.operations.shapes import Dims, broadcast, normal_axis
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = ["MaskedFill", "OneHot", "Select"]


class Select(PrimitiveWithInfer):
    """x where a condition holds, y elsewhere.

    Inputs: the condition, a Bool tensor; x and y, tensors or numbers; their shapes broadcast. Output: a tensor of the
    broadcast shape, of the type that x and y promote to.

    Example:
        >>> x, y = Tensor([1.0, 2.0, 3.0]), Tensor([-1.0, -2.0, -3.0])
        >>> print(ops.Select()(Tensor([True, False, True]), x, y))
        [ 1. -2.  3.]
    """

    arguments = ("condition", "input", "other")

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["condition", "x", "y"], outputs=["output"])

    def infer_shape(self, condition: Any, x: Any, y: Any) -> Dims:
        return broadcast(condition, x, y)

    def infer_dtype(self, condition: Any, x: Any, y: Any) -> DType:
        return mstype.result_type(x, y)

    def compute(self, xp: Any, condition: Any, x: Any, y: Any) -> Any:
        return xp.where(condition, *promoted(xp, x, y))


class MaskedFill(PrimitiveWithInfer):
    """x with one value where a mask holds.

    Inputs: the tensor x; the mask, a Bool tensor; the value, a number or a scalar tensor, brought to the type of x; the
    shapes of x and the mask broadcast. Output: a tensor of the broadcast shape and the type of x.

    Example:
        >>> print(ops.MaskedFill()(Tensor([1.0, 2.0, 3.0]), Tensor([True, False, True]), 0.5))
        [0.5 2.  0.5]
    """

    arguments = ("input_x", "mask", "value")

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["input", "mask", "value"], outputs=["output"])

    def infer_shape(self, x: Dims, mask: Dims, value: Any) -> Dims:
        return broadcast(x, mask)

    def infer_dtype(self, x: DType, mask: DType, value: Any) -> DType:
        return x

    def compute(self, xp: Any, x: Any, mask: Any, value: Any) -> Any:
        return xp.where(mask, xp.asarray(value, x.dtype), x)


class OneHot(PrimitiveWithInfer):
    """A new axis of length `depth` with `on_value` at the index and `off_value` elsewhere.

    An index out of range gives a row of `off_value`.

    Inputs: indices, integers of any shape; the depth, an int; `on_value` and `off_value`, scalar tensors or numbers.
    Output: a tensor of the shape of the indices with the new axis, of the type that both values promote to.

    Args:
        axis: where the new axis is, -1 for the last.

    Example:
        >>> print(ops.OneHot()(Tensor([0, 2, 5]), 3, Tensor(1.0), Tensor(0.0)))
        [[1. 0. 0.]
         [0. 0. 1.]
         [0. 0. 0.]]
    """

    value_inputs = (1,)

    @prim_attr_register
    def __init__(self, axis: int = -1) -> None:
        self.init_prim_io_names(inputs=["indices", "depth", "on_value", "off_value"], outputs=["output"])

    def infer_shape(self, indices: Dims, depth: int, on_value: Any, off_value: Any) -> Dims:
        axis = normal_axis(self.axis, len(indices) + 1)
        return (*indices[:axis], depth, *indices[axis:])

    def infer_dtype(self, indices: DType, depth: int, on_value: Any, off_value: Any) -> DType:
        if not isinstance(on_value, DType) and not isinstance(off_value, DType):
            return mstype.pytype_to_dtype(type(on_value))
        return mstype.result_type(on_value, off_value)

    def compute(self, xp: Any, indices: Any, depth: int, on_value: Any, off_value: Any) -> Any:
        axis = normal_axis(self.axis, indices.ndim + 1)
        classes = xp.arange(depth).reshape(-1, *(1,) * (indices.ndim - axis))
        return xp.where(xp.expand_dims(indices, axis) == classes, *promoted(xp, on_value, off_value))
