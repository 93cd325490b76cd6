"""Tensors from Python's numbers and tuples of them, and what old programs of MindSpore ask about numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor, is_tensor
from framework.ir.abstract import Abstract, AbstractScalar
from framework.ops.array.casting import cast
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.creation.filling import scalar_cast
from framework.ops.primitive import Primitive, PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "ScalarCast",
    "ScalarToArray",
    "ScalarToTensor",
    "TupleToArray",
    "make_range",
    "mixed_precision_cast",
    "scalar_to_array",
    "tuple_len",
    "tuple_to_array",
]


def _type_of(number: object) -> DType:
    return mstype.int32 if isinstance(number, int) else mstype.float32


class TupleToArray(PrimitiveWithInfer):
    """The numbers of a tuple as a tensor.

    Inputs: input_x, a tuple of n numbers of one type, or a range, known at compile time.
    Output: a tensor of shape (n,); Int32 for ints, Float32 for floats.

    Raises:
        ValueError: the tuple is empty.
        TypeError: it is no tuple of numbers of one type.

    Example:
        >>> print(ops.TupleToArray()((1.0, 2.5)))
        [1.  2.5]
    """

    value_inputs = (0,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])

    def infer_shape(self, input_x: Sequence[float]) -> Dims:
        _type_of_all(input_x)
        return (len(input_x),)

    def infer_dtype(self, input_x: Sequence[float]) -> DType:
        return _type_of_all(input_x)

    def compute(self, xp: ArrayModule, input_x: Sequence[float]) -> Array:
        return xp.asarray(input_x, _type_of_all(input_x).numpy)


def _type_of_all(numbers: Sequence[float]) -> DType:
    if not isinstance(numbers, tuple | range) or not all(isinstance(item, int | float) for item in numbers):
        raise TypeError(f"TupleToArray: input_x must be a tuple of numbers or a range, not {numbers!r}")
    if not numbers:
        raise ValueError("TupleToArray: input_x must have a number at least")
    if any(type(item) is not type(numbers[0]) for item in numbers):
        raise TypeError(f"TupleToArray: the numbers must be of the same type, not {numbers!r}")
    return _type_of(numbers[0])


_to_array = TupleToArray()


def tuple_to_array(input_x: tuple[float, ...]) -> Tensor:
    """The numbers of a tuple as a tensor.

    Args:
        input_x: a tuple of n numbers of one type, or a range, known at compile time.

    Returns:
        A tensor of shape (n,); Int32 for ints, Float32 for floats.

    Example:
        >>> print(ops.tuple_to_array((1, 2, 3)))
        [1 2 3]

    """
    return _to_array(input_x)


class ScalarToTensor(PrimitiveWithInfer):
    """A number as a tensor.

    Inputs: input_scalar, a number; dtype, the element type, Float32 unless given.
    Output: a tensor of shape ().

    Example:
        >>> print(ops.ScalarToTensor()(3, ms.int32))
        3
    """

    value_inputs = (0, 1)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["input_scalar", "dtype"], outputs=["output"])

    def __call__(self, input_scalar: float, dtype: DType = mstype.float32) -> Tensor:
        return super().__call__(input_scalar, dtype)

    def infer_shape(self, input_scalar: float, dtype: DType = mstype.float32) -> Dims:
        return ()

    def infer_dtype(self, input_scalar: float, dtype: DType = mstype.float32) -> DType:
        return dtype

    def compute(self, xp: ArrayModule, input_scalar: float, dtype: DType = mstype.float32) -> Array:
        return xp.asarray(input_scalar, dtype.numpy)


class ScalarToArray(PrimitiveWithInfer):
    """A number as a tensor of its type.

    Inputs: input_scalar, a number.
    Output: a tensor of shape (); Int32 for an int, Float32 for a float.

    Example:
        >>> print(ops.ScalarToArray()(1.5))
        1.5
    """

    value_inputs = (0,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["input_scalar"], outputs=["output"])

    def infer_shape(self, input_scalar: float) -> Dims:
        return ()

    def infer_dtype(self, input_scalar: float) -> DType:
        return _type_of(input_scalar)

    def compute(self, xp: ArrayModule, input_scalar: float) -> Array:
        return xp.asarray(input_scalar, _type_of(input_scalar).numpy)


_scalar_to_array = ScalarToArray()


def scalar_to_array(input_x: float) -> Tensor:
    """A number as a tensor of its type.

    Args:
        input_x: a number.

    Returns:
        A tensor of shape (); Int32 for an int, Float32 for a float.

    Example:
        >>> print(ops.scalar_to_array(2))
        2

    """
    return _scalar_to_array(input_x)


class ScalarCast(Primitive):
    """A Python number converted to an element type.

    Inputs: input_scalar, a number that is known at compile time; input_type, the element type.
    Output: a number.

    Example:
        >>> print(ops.ScalarCast()(255.7, ms.int64))
        255
    """

    def __init__(self) -> None:
        super().__init__()
        self.init_prim_io_names(inputs=["input_scalar", "input_type"], outputs=["output"])

    def infer(self, input_scalar: Abstract, input_type: Abstract) -> Abstract:
        """The number, which is known."""
        return AbstractScalar(scalar_cast(input_scalar.value, input_type.value))  # type: ignore[attr-defined]

    def compute(self, xp: ArrayModule, input_scalar: float, input_type: DType) -> float:
        return scalar_cast(input_scalar, input_type)

    def __call__(self, input_scalar: float, input_type: DType) -> float:
        return scalar_cast(input_scalar, input_type)


@constexpr
def make_range(*limits: int) -> tuple[int, ...]:
    """The ints of Python's `range` as a tuple.

    Args:
        limits: the arguments of `range`, known at compile time.

    Returns:
        A tuple of ints.

    Example:
        >>> print(ops.make_range(1, 7, 2))
        (1, 3, 5)

    """
    return tuple(range(*limits))


def tuple_len(input_x: Sequence[Any]) -> int:
    """The number of elements of a tuple.

    Args:
        input_x: a tuple of anything.

    Returns:
        An int.

    Example:
        >>> print(ops.tuple_len((1, 2, 3)))
        3

    """
    return len(input_x)


def mixed_precision_cast(dst_type: DType, input: Any) -> Any:
    """Tensors of floats cast to an element type; other tensors as they are.

    Args:
        dst_type: the element type.
        input: a tensor of any shape, or a tuple or list of such.

    Returns:
        A tensor of the same shape, or a tuple of them, also for a list.

    Example:
        >>> print(ops.mixed_precision_cast(ms.float16, Tensor([1.0])).dtype)
        Float16

    """
    if isinstance(input, (tuple, list)):
        return tuple([mixed_precision_cast(dst_type, item) for item in input])
    if is_tensor(input) and input.dtype in mstype.float_type:
        return cast(input, dst_type)
    return input
