"""What a compiled program must know of values: the elements of shapes and axes, element types, sizes.

Operators call these functions. Within a compiled program they run while it is compiled; if an argument is not known
then, the program runs line by line.
"""

from __future__ import annotations

from math import prod
from typing import overload

import numpy as np

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ir.model_values import ModelError
from framework.onnx.limits import ASKED_FROM
from framework.onnx.reader.tensors import element_type
from framework.ops.constexpr import constexpr

__all__ = [
    "affordable",
    "axis_of",
    "before_and_behind",
    "floats",
    "highest",
    "ints",
    "is_float",
    "lowest",
    "number",
    "permutation",
    "size_of",
    "tensor_of",
    "type_of",
    "whole_axes",
]


@overload
def ints(t: Tensor) -> tuple[int, ...]: ...
@overload
def ints(t: None) -> None: ...
@constexpr
def ints(t: Tensor | None) -> tuple[int, ...] | None:
    """The elements of a tensor of integers; None for a tensor that is not there."""
    return None if t is None else tuple(int(item) for item in t.asnumpy().reshape(-1))


@constexpr
def floats(t: Tensor | None) -> tuple[float, ...] | None:
    """The elements of a tensor as floats; None for a tensor that is not there."""
    return None if t is None else tuple(float(item) for item in t.asnumpy().reshape(-1))


@constexpr
def number(t: Tensor) -> float:
    """The only element of a tensor, as a Python number."""
    found: float = t.asnumpy().reshape(-1)[0].item()
    return found


@constexpr
def type_of(code: int) -> DType:
    """The element type with a number of the format."""
    return element_type(code)


@constexpr
def is_float(dtype: DType) -> bool:
    """Whether elements of this type are floating-point numbers."""
    return dtype.kind == "float"


@constexpr
def tensor_of(values: object, dtype: DType) -> Tensor:
    """A tensor with these elements."""
    return Tensor(np.asarray(values, dtype.numpy))


@constexpr
def lowest(dtype: DType) -> float:
    """The lowest number of an element type, minus infinity for floats."""
    if dtype.kind == "bool":
        return 0
    return float("-inf") if dtype.kind == "float" else int(np.iinfo(dtype.numpy).min)


@constexpr
def highest(dtype: DType) -> float:
    """The highest number of an element type, infinity for floats."""
    if dtype.kind == "bool":
        return 1
    return float("inf") if dtype.kind == "float" else int(np.iinfo(dtype.numpy).max)


@constexpr
def size_of(shape: tuple[int, ...]) -> int:
    """The number of elements of a tensor of this shape."""
    return prod(shape)


@constexpr
def axis_of(axis: int, rank: int) -> int:
    """An axis counted from the front.

    Raises:
        ValueError: there is no such axis.
    """
    if not -rank <= axis < max(rank, 1):
        raise ValueError(f"there is no axis {axis} among {rank}")
    return axis + rank if axis < 0 else axis


@constexpr
def whole_axes(axes: tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    """Axes counted from the front; all of them for None.

    Raises:
        ValueError: there is no such axis, or one is given twice.
    """
    if axes is None:
        return tuple(range(rank))
    counted = tuple(axis + rank if axis < 0 else axis for axis in axes)
    if any(not 0 <= axis < rank for axis in counted) or len(set(counted)) < len(counted):
        raise ValueError(f"the axes {list(axes)} do not fit a tensor of {rank} dimensions")
    return counted


@constexpr
def permutation(rank: int, axis: int, to: int) -> tuple[int, ...]:
    """The permutation that moves one axis to another place."""
    order = [place for place in range(rank) if place != axis % rank]
    order.insert(to % rank, axis % rank)
    return tuple(order)


@constexpr
def before_and_behind(shape: tuple[int, ...], axis: int) -> tuple[int, int]:
    """The number of elements along the dimensions before an axis, and along the axis and those behind it."""
    place = axis + len(shape) if axis < 0 else axis
    return prod(shape[:place]), prod(shape[place:])


@constexpr
def affordable(shape: tuple[int, ...], dtype: DType, memory: int) -> tuple[int, ...]:
    """A shape, if a tensor of this shape is within the budget.

    Raises:
        ModelError: it is not, or a dimension is negative.
    """
    if any(length < 0 for length in shape):
        raise ModelError(f"its shape {list(shape)} has a negative dimension")
    nbytes = prod(shape) * dtype.itemsize
    if nbytes > ASKED_FROM and nbytes > memory:
        raise ModelError(
            f"a tensor of shape {list(shape)} needs {nbytes:,} bytes, and a value of this model may have {memory:,}: "
            "pass limits=Limits(memory=...) if it is meant"
        )
    return tuple(shape)
