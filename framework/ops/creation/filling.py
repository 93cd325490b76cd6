"""Tensors filled with one value, and identity matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.broadcasting import SumLike
from framework.ops.array.casting import Cast
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.properties import shape
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.gradients import gradient
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims, type_of_number

__all__ = [
    "Eye",
    "Fill",
    "FillV2",
    "Ones",
    "Zeros",
    "eye",
    "fill",
    "fills",
    "full",
    "full_like",
    "ones",
    "scalar_cast",
    "scalar_to_tensor",
    "zeros",
]

sum_like = SumLike()
_cast = Cast()


class Fill(PrimitiveWithInfer):
    """A tensor of one value: `Fill()(dtype, shape, value)`.

    Inputs: dtype, an element type such as `ms.int32`; shape, an int or a tuple of ints; value, a number.
    Output: a tensor of that shape and element type.

    Example:
        >>> print(ops.Fill()(ms.int32, (2, 3), 7))
        [[7 7 7]
         [7 7 7]]
    """

    arguments = ("type", "shape", "value")
    value_inputs = (0, 1, 2)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["type", "shape", "value"], outputs=["y"])

    def infer_shape(self, dtype: DType, shape: Any, value: float) -> Dims:
        return (shape,) if isinstance(shape, int) else tuple(shape)

    def infer_dtype(self, dtype: DType, shape: Dims, value: float) -> DType:
        return mstype.type_of_python(dtype)

    def compute(self, xp: ArrayModule, dtype: DType, shape: tuple[int, ...], value: float) -> Array:
        return xp.full(shape, value, mstype.type_of_python(dtype).numpy)


fill = Fill()


def full(size: int | Sequence[int], fill_value: float, *, dtype: DType | None = None) -> Tensor:
    """A tensor of a shape, filled with one value.

    Args:
        size: the shape, an int or several.
        fill_value: a number.
        dtype: the element type; by default that of the number.

    Returns:
        A tensor of that shape.

    Example:
        >>> print(ops.full((2, 2), 7))
        [[7 7]
         [7 7]]

    """
    return fill(type_of_number(fill_value) if dtype is None else dtype, size, fill_value)


def full_like(input: Tensor, fill_value: float, *, dtype: DType | None = None) -> Tensor:
    """A tensor filled with one value, in the shape and by default of the element type of another.

    Args:
        input: a tensor of any shape.
        fill_value: a number.
        dtype: the element type; by default that of `input`.

    Returns:
        A tensor of the shape of `input`.

    Example:
        >>> print(ops.full_like(Tensor([[1, 2]]), 7))
        [[7 7]]

    """
    return fill(dtype_of(input) if dtype is None else dtype, shape(input), fill_value)


class FillV2(PrimitiveWithInfer):
    """A tensor filled with the value of a tensor of shape (): `FillV2()(shape, value)`.

    Inputs: shape, an int or a tuple of ints; value, a tensor of shape (), or a number.
    Output: a tensor of that shape, of the value's element type.

    Example:
        >>> print(ops.FillV2()((2, 3), Tensor(7)))
        [[7 7 7]
         [7 7 7]]
    """

    value_inputs = (0,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["shape", "value"], outputs=["y"])

    def infer_shape(self, shape: Any, value: Dims) -> Dims:
        return (shape,) if isinstance(shape, int) else tuple(shape)

    def infer_dtype(self, shape: Dims, value: DType) -> DType:
        return value if isinstance(value, DType) else mstype.type_of_python(type(value))

    def compute(self, xp: ArrayModule, shape: tuple[int, ...], value: Array | int) -> Array:
        array = value if hasattr(value, "dtype") else xp.asarray(value, mstype.type_of_python(type(value)).numpy)
        return xp.broadcast_to(array, shape)


_fill_with = FillV2()


def scalar_to_tensor(input_x: int, dtype: DType | None = None) -> Tensor:
    """A tensor of shape () that holds a number.

    Args:
        input_x: a number.
        dtype: the element type; by default that of the number.

    Returns:
        A tensor of shape ().

    Example:
        >>> print(ops.scalar_to_tensor(3, ms.float32))
        3.0

    """
    return _fill_with((), input_x) if dtype is None else _cast(_fill_with((), input_x), dtype)


@gradient(FillV2)
def fill_gradient(shape: tuple[int, ...], value: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """The sum over all copies."""
    return None, sum_like(dout, value)


class Zeros(PrimitiveWithInfer):
    """A tensor of zeros: `Zeros()(shape, dtype)`.

    Inputs: shape, an int or a tuple of ints; dtype, an element type such as `ms.int32`.
    Output: a tensor of that shape and element type.

    Example:
        >>> print(ops.Zeros()((2, 3), ms.int32))
        [[0 0 0]
         [0 0 0]]
    """

    value_inputs = (0, 1)
    value = 0

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["shape", "type"], outputs=["y"])

    def infer_shape(self, shape: Dims | int, dtype: DType) -> Dims:
        return (shape,) if isinstance(shape, int) else tuple(shape)

    def infer_dtype(self, shape: Dims | int, dtype: DType) -> DType:
        return mstype.type_of_python(dtype)

    def compute(self, xp: Any, shape: Any, dtype: Any) -> Array:
        return xp.full(shape, self.value, mstype.type_of_python(dtype).numpy)


_zeros = Zeros()


def zeros(size: int | Sequence[int], dtype: DType | None = None) -> Any:
    """Zeros of a shape, by default Float32.

    Args:
        size: the shape, an int or several.
        dtype: the element type; by default Float32.

    Returns:
        A tensor of that shape.

    Example:
        >>> print(ops.zeros((2, 3)))
        [[0. 0. 0.]
         [0. 0. 0.]]

    """
    return _zeros(size, mstype.float32 if dtype is None else dtype)


class Ones(Zeros):
    """A tensor of ones: `Ones()(shape, dtype)`.

    Inputs: shape, an int or a tuple of ints; dtype, an element type such as `ms.int32`.
    Output: a tensor of that shape and element type.

    Example:
        >>> print(ops.Ones()(3, ms.float32))
        [1. 1. 1.]
    """

    value = 1


_ones = Ones()


def ones(shape: Any, dtype: Any = None) -> Tensor:
    """Ones of a shape, by default Float32.

    Args:
        shape: the shape, an int or several.
        dtype: the element type; by default Float32.

    Returns:
        A tensor of that shape.

    Example:
        >>> print(ops.ones((2,), ms.int32))
        [1 1]

    """
    return _ones(shape, mstype.float32 if dtype is None else dtype)


class Eye(PrimitiveWithInfer):
    """Ones on the diagonal of a matrix of `n` rows and `m` columns.

    Inputs: n and m, ints; t, an element type such as `ms.int32`.
    Output: a tensor of shape (n, m) and of that element type.

    Example:
        >>> print(ops.Eye()(2, 3, ms.int32))
        [[1 0 0]
         [0 1 0]]
    """

    value_inputs = (0, 1, 2)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["n", "m", "t"], outputs=["output"])

    def infer_shape(self, n: int, m: int, t: DType) -> Dims:
        return (n, m)

    def infer_dtype(self, n: int, m: int, t: DType) -> DType:
        return mstype.type_of_python(t)

    def compute(self, xp: ArrayModule, n: int, m: int, t: DType) -> Array:
        return xp.eye(n, m, dtype=mstype.type_of_python(t).numpy)


_eye = Eye()


def eye(n: int, m: int | None = None, dtype: DType | None = None) -> Tensor:
    """Ones on the diagonal of a matrix of n rows and m columns, by default n.

    Args:
        n: the number of rows.
        m: the number of columns, by default n.
        dtype: the element type; by default Float32.

    Returns:
        A tensor (n, m).

    Example:
        >>> print(ops.eye(2, 3))
        [[1. 0. 0.]
         [0. 1. 0.]]

    """
    return _eye(n, n if m is None else m, mstype.float32 if dtype is None else dtype)


def fills(x: Tensor, value: float) -> Tensor:
    """A tensor filled with one value, of the shape and element type of another.

    Args:
        x: a tensor of any shape.
        value: a number.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.fills(Tensor([1, 2]), 7))
        [7 7]

    """
    return full_like(x, value)


@constexpr
def scalar_cast(input_x: float, input_y: DType) -> float:
    """A Python number converted to an element type.

    Args:
        input_x: a number that is known at compile time.
        input_y: the element type.

    Returns:
        A number.

    Example:
        >>> print(ops.scalar_cast(255.7, ms.int64), ops.scalar_cast(3, ms.float32))
        255 3.0

    """
    return input_y.numpy.type(input_x).item()
