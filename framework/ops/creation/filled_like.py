"""Zeros and ones in the shape and element type of a tensor."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.casting import Cast
from framework.ops.arrays import Array
from framework.ops.gradients import gradient
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "OnesLike",
    "ZerosLike",
    "ones_like",
    "zeros_like",
]

_cast = Cast()


class ZerosLike(PrimitiveWithInfer):
    """Zeros of a tensor's shape and element type.

    Inputs: x, a tensor, or a number, which counts as a tensor of shape ().
    Output: a tensor of x's shape and element type.

    Example:
        >>> print(ops.ZerosLike()(Tensor([[1, 2], [3, 4]])))
        [[0 0]
         [0 0]]
    """

    arguments = ("input",)
    value = 0

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims | float) -> Dims:
        return x if isinstance(x, tuple) else ()

    def infer_dtype(self, x: DType | float) -> DType:
        return x if isinstance(x, DType) else mstype.type_of_python(type(x))

    def compute(self, xp: Any, x: Any) -> Array:
        array = x if hasattr(x, "shape") else xp.asarray(x)
        made = xp.empty(array.shape, array.dtype)
        made.fill(self.value)
        return made


_zeros_like = ZerosLike()


def zeros_like(input: Tensor, *, dtype: DType | None = None) -> Tensor:
    """Zeros of a tensor's shape, by default of its element type.

    Args:
        input: a tensor of any shape.
        dtype: the element type; by default that of `input`.

    Returns:
        A tensor of the same shape.

    Example:
        >>> print(ops.zeros_like(Tensor([[1, 2]])), ops.zeros_like(Tensor([1, 2]), dtype=ms.float32))
        [[0 0]] [0. 0.]

    """
    return _zeros_like(input) if dtype is None else _cast(_zeros_like(input), dtype)


@gradient(ZerosLike)
def zeros_like_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The output is constant."""
    return _zeros_like(x)


class OnesLike(ZerosLike):
    """Ones of a tensor's shape and element type.

    Inputs: x, a tensor, or a number, which counts as a tensor of shape ().
    Output: a tensor of x's shape and element type.

    Example:
        >>> print(ops.OnesLike()(Tensor([0.5, 7.0])))
        [1. 1.]
    """

    arguments = ("input",)
    value = 1


_ones_like = OnesLike()


def ones_like(input: Tensor, *, dtype: DType | None = None) -> Tensor:
    """Ones of a tensor's shape, by default of its element type.

    Args:
        input: a tensor of any shape.
        dtype: the element type; by default that of `input`.

    Returns:
        A tensor of the same shape.

    Example:
        >>> print(ops.ones_like(Tensor([[0.5, 2.0]])))
        [[1. 1.]]

    """
    return _ones_like(input) if dtype is None else _cast(_ones_like(input), dtype)
