"""Operators that read shape, rank, size or element type of a tensor, but no elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType as ElementType
from framework.common.tensor import Tensor
from framework.ir.abstract import UNKNOWN, Abstract, AbstractConst, AbstractScalar, AbstractTensor, AbstractTuple
from framework.ops.arrays import Array, ArrayModule
from framework.ops.primitive import Primitive, PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "DType",
    "Rank",
    "Shape",
    "Size",
    "TensorShape",
    "dtype",
    "dyn_shape",
    "is_complex",
    "is_floating_point",
    "numel",
    "rank",
    "shape",
    "size",
]


class TensorShape(PrimitiveWithInfer):
    """The shape as an Int64 tensor.

    Inputs: x, a tensor of n dimensions.
    Output: an Int64 tensor of shape (n,).

    Example:
        >>> print(ops.TensorShape()(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])))
        [2 3]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> Dims:
        return (len(x),)

    def infer_dtype(self, x: ElementType) -> ElementType:
        return mstype.int64

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.asarray(x.shape, xp.int64)


_tensor_shape = TensorShape()


def dyn_shape(input_x: Tensor) -> Tensor:
    """The shape of a tensor as an Int64 vector.

    Args:
        input_x: a tensor of n dimensions.

    Returns:
        An Int64 tensor of shape (n,).

    Example:
        >>> print(ops.dyn_shape(ops.ones((2, 3))))
        [2 3]

    """
    return _tensor_shape(input_x)


class _Question(Primitive):
    """The base class of operators that return a Python value and read no elements; they take no time at run time."""

    def __init__(self) -> None:
        super().__init__()
        self.init_prim_io_names(inputs=["tensor"], outputs=["output"])

    def answer(self, shape: Sequence[int | None], dtype: Any) -> Any:
        """The result for a tensor of this shape and element type."""
        raise NotImplementedError

    def infer(self, x: Abstract) -> Abstract:
        """The result as a known value; an unknown dimension stays unknown."""
        shape = x.shape if isinstance(x, AbstractTensor) else ()
        dtype = x.dtype if isinstance(x, AbstractTensor) else getattr(x, "type", float)
        return _constant(self.answer(shape, dtype))

    def compute(self, xp: ArrayModule, x: Any) -> ElementType | int | tuple[int, ...]:
        return self.answer(getattr(x, "shape", ()), getattr(x, "dtype", type(x)))

    def __call__(self, x: Any) -> Any:
        array = getattr(x, "_data", x)
        return self.answer(getattr(array, "shape", ()), getattr(array, "dtype", type(array)))


def _constant(answer: Any) -> Abstract:
    if isinstance(answer, tuple):
        return AbstractTuple(tuple(_constant(item) for item in answer))
    if answer is None:
        return AbstractScalar(UNKNOWN, int)
    return AbstractScalar(answer) if isinstance(answer, int) else AbstractConst(answer)


class Shape(_Question):
    """The shape as a tuple of ints.

    Inputs: x, a tensor.
    Output: a tuple of ints; known at compile time, except for unknown dimensions.

    Example:
        >>> print(ops.Shape()(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])))
        (2, 3)
    """

    arguments = ("input_x",)

    def answer(self, shape: Sequence[int | None], dtype: Any) -> tuple[int | None, ...]:
        return tuple(shape)


shape = Shape()


class Rank(_Question):
    """The number of dimensions as an int.

    Inputs: x, a tensor.
    Output: an int, known at compile time.

    Example:
        >>> print(ops.Rank()(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])))
        2
    """

    arguments = ("input_x",)

    def answer(self, shape: Sequence[int | None], dtype: Any) -> int:
        return len(shape)


rank = Rank()


class Size(_Question):
    """The number of elements as an int.

    Inputs: x, a tensor.
    Output: an int, known at compile time.

    Example:
        >>> print(ops.Size()(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])))
        6
    """

    arguments = ("input_x",)

    def answer(self, shape: Sequence[int | None], dtype: Any) -> int:
        if None in shape:
            raise ValueError("Size: all dimensions must be known at compile time")
        return math.prod(size for size in shape if size is not None)


size = Size()


def numel(input: Tensor) -> int:
    """The number of elements as an int.

    Args:
        input: a tensor of any shape.

    Returns:
        An int.

    Example:
        >>> print(ops.numel(ops.ones((2, 3))))
        6

    """
    return size(input)


class DType(_Question):
    """The element type.

    Inputs: x, a tensor or a number.
    Output: the element type, such as `ms.float32`; known at compile time.

    Example:
        >>> print(ops.DType()(Tensor([1, 2])), ops.DType()(0.5))
        Int64 Float32
    """

    def answer(self, shape: Sequence[int | None], dtype: Any) -> ElementType:
        return mstype.type_of_python(dtype)


dtype = DType()


def is_floating_point(input: Tensor) -> bool:
    """Whether elements are of a floating-point type.

    Args:
        input: a tensor of any shape.

    Returns:
        A bool.

    Example:
        >>> print(ops.is_floating_point(Tensor([1.0])), ops.is_floating_point(Tensor([1])))
        True False

    """
    return bool(input.dtype in mstype.float_type)


def is_complex(input: Tensor) -> bool:
    """Whether elements are complex numbers.

    Args:
        input: a tensor of any shape.

    Returns:
        A bool.

    Example:
        >>> print(ops.is_complex(Tensor([1.0])), ops.is_complex(Tensor([1.0], ms.complex64)))
        False True

    """
    return bool(input.dtype in mstype.complex_type)
