"""Operators that have a Python number as an operand, on tensors and on numbers, and those on shapes and tuples."""

from __future__ import annotations

from typing import Any

from framework import ops
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.mindir.operators.meanings import dtype_of, mindspore
from framework.ops.constexpr import constexpr

__all__: list[str] = []


@mindspore("Divs", "ScalarDiv")
def divided(x: Any, y: Any) -> Any:
    return x / y


@mindspore("Muls", "ScalarMul", "ScalarMulWithTensor")
def multiplied(x: Any, y: Any) -> Any:
    return x * y


@mindspore("ScalarAdd")
def plus(x: Any, y: Any) -> Any:
    return x + y


@mindspore("ScalarSub")
def minus(x: Any, y: Any) -> Any:
    return x - y


@mindspore("AddScalar", "AddExt", "InplaceAddExt", "InplaceAddsExt")
def added(x: Any, y: Any, factor: Any = 1) -> Any:
    return x + y if factor == 1 else x + y * factor


@mindspore("SubScalar", "SubExt", "InplaceSubExt", "InplaceSubScalar")
def subtracted(x: Any, y: Any, factor: Any = 1) -> Any:
    return x - y if factor == 1 else x - y * factor


@mindspore("InplaceMul", "InplaceMuls")
def multiplied_in_place(x: Any, y: Any) -> Any:
    return x * y


@mindspore("InplaceDiv", "InplaceDivs")
def divided_in_place(x: Any, y: Any) -> Any:
    return x / y


@mindspore("FloorDivScalar", "ScalarFloorDiv", "InplaceFloorDivide", "InplaceFloorDivides")
def floor_divided(x: Any, y: Any) -> Any:
    return x // y


@mindspore("RemainderTensorScalar", "RemainderScalarTensor", "RemainderTensorTensor", "ScalarMod")
def remainder(x: Any, y: Any) -> Any:
    return x % y


@mindspore("PowTensorScalar", "PowScalarTensor", "ScalarPow")
def power(x: Any, y: Any) -> Any:
    return x**y


@mindspore("LessScalar", "ScalarLt")
def less(x: Any, y: Any) -> Any:
    return x < y


@mindspore("LessEqualScalar", "ScalarLe")
def less_or_equal(x: Any, y: Any) -> Any:
    return x <= y


@mindspore("GreaterScalar", "ScalarGt")
def greater(x: Any, y: Any) -> Any:
    return x > y


@mindspore("GreaterEqualScalar", "ScalarGe")
def greater_or_equal(x: Any, y: Any) -> Any:
    return x >= y


@mindspore("EqualScalar", "ScalarEq")
def equal(x: Any, y: Any) -> Any:
    return x == y


@mindspore("NotEqualScalar", "ScalarNe")
def unequal(x: Any, y: Any) -> Any:
    return x != y


@mindspore("ScalarUsub", "ScalarNeg")
def negative(x: Any) -> Any:
    return -x


@mindspore("BoolNot")
def negated(x: Any) -> bool:
    return not x


@mindspore("ScalarBool", "ScalarToBool")
def truth(x: Any) -> bool:
    return bool(x)


@mindspore("ScalarMax")
def larger(x: Any, y: Any) -> Any:
    return max(x, y)


@mindspore("ScalarMin")
def smaller(x: Any, y: Any) -> Any:
    return min(x, y)


@mindspore("ScalarCast")
def converted(x: Any, number: int) -> Any:
    return _python_number(x, dtype_of(number))


@constexpr
def _python_number(x: Any, dtype: DType) -> Any:
    if dtype.kind == "bool":
        return bool(x)
    return float(x) if dtype.kind == "float" else int(x)


@mindspore("ScalarToTensor")
def scalar_to_tensor(x: Any, number: int | None = None) -> Tensor:
    return ops.scalar_to_tensor(x) if number is None else ops.scalar_to_tensor(x, dtype_of(number))


@mindspore("TensorToScalar")
def number_of(x: Tensor) -> Tensor:
    return x


@mindspore("Shape")
def shape(x: Tensor) -> tuple[int, ...]:
    return x.shape


@mindspore("Rank")
def rank(x: Tensor) -> int:
    return len(x.shape)


@mindspore("Size")
def size(x: Tensor) -> int:
    return x.size


@mindspore("TensorShape", "DynamicShape")
def shape_as_tensor(x: Tensor) -> Tensor:
    return ops.TensorShape()(x)


@mindspore("sequence_len", "SequenceLen")
def length(x: Any) -> int:
    return len(x)


@mindspore("Cast")
def cast(x: Any, number: int) -> Tensor:
    return ops.cast(x, dtype_of(number))
