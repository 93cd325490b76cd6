"""The element types and constants of `mindspore.numpy`; `int_` and `float_` have 32 bits."""

from __future__ import annotations

import math
from typing import Any, Final

from framework.common import dtype as mstype
from framework.common.dtype import (
    DType,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from framework.common.tensor import Tensor
from framework.numpy.array_likes import as_type, result_type_of

__all__ = [
    "bool_", "e", "float16", "float32", "float64", "float_", "inf", "int8", "int16", "int32", "int64", "int_", "nan",
    "numeric_types", "pi", "promote_types", "result_type", "uint8", "uint16", "uint32", "uint64",
]  # fmt: skip

int_: Final = int32
float_: Final = float32
inf: Final = math.inf
nan: Final = math.nan
pi: Final = math.pi
e: Final = math.e
numeric_types: Final = (int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64)


def promote_types(type1: Any, type2: Any) -> DType:
    """The result type of two element types."""
    return result_type_of(as_type(type1), as_type(type2))


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The result type of tensors, numbers and element types."""
    out = None
    for item in arrays_and_dtypes:
        kind = item.dtype if isinstance(item, Tensor) else _type_of(item)
        out = kind if out is None else result_type_of(out, kind)
    if out is None:
        raise ValueError("result_type: at least one tensor, number or element type is needed")
    return out


def _type_of(item: Any) -> DType:
    if isinstance(item, bool):
        return mstype.bool_
    if isinstance(item, int):
        return mstype.int32
    return mstype.float32 if isinstance(item, float) else as_type(item)
