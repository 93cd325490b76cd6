"""Converts the inputs of `mindspore.numpy`: tensors, numbers and lists of them. Also determines the element types of
results.

Whole numbers of Python become Int32 and others Float32, unless they meet a tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias, Union

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr

__all__ = ["ArrayLike", "Shape", "TypeLike", "as_floats", "as_type", "operands", "result_type_of", "to_tensor", "typed"]

ArrayLike: TypeAlias = Union[Tensor, float, Sequence["ArrayLike"]]  # noqa: UP007 - the name is not known yet
Shape: TypeAlias = int | Sequence[int]
TypeLike: TypeAlias = DType | type | str | None

_DEFAULTS: Final = {bool: mstype.bool_, int: mstype.int32, float: mstype.float32}


@constexpr
def as_type(dtype: Any) -> DType:
    """The element type for a Python type, a name such as "float32", or an element type.

    Raises:
        TypeError: there is no such element type.
    """
    if isinstance(dtype, DType):
        return dtype
    if dtype in (bool, int, float):
        return _DEFAULTS[dtype]
    names = {"bool": "bool_", "int": "int32", "float": "float32"}
    found = getattr(mstype, names.get(dtype, dtype), None) if isinstance(dtype, str) else None
    return found if isinstance(found, DType) else mstype.type_of_python(dtype)


def typed(out: Tensor, dtype: TypeLike = None) -> Tensor:
    """A result, converted to the requested element type, if any."""
    return out if dtype is None else F.cast(out, as_type(dtype))


def to_tensor(x: Any, dtype: TypeLike = None) -> Tensor:
    """Convert a number, a list, or a list of tensors to a tensor; a tensor is returned unchanged.

    Args:
        x: an array-like value.
        dtype: the element type; by default that of the value.
    """
    if isinstance(x, Tensor):
        return typed(x, dtype)
    if has_tensors(x):
        return typed(F.stack([to_tensor(item) for item in x]), dtype)
    out = Tensor(x)
    if dtype is None and out.dtype == mstype.int64:
        return F.cast(out, mstype.int32)
    return typed(out, dtype)


def has_tensors(x: Any) -> bool:
    """Whether a list contains tensors, at any depth."""
    if not isinstance(x, list | tuple):
        return False
    return any([isinstance(item, Tensor) or has_tensors(item) for item in x])  # noqa: C419 - compiled functions


def operands(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Both inputs of an operator. A number beside a tensor stays a number, so that the tensor's type decides."""
    if isinstance(x1, Tensor):
        return x1, _beside(x2, x1)
    if isinstance(x2, Tensor):
        return _beside(x1, x2), x2
    return to_tensor(x1), to_tensor(x2)


def _beside(x: Any, other: Tensor) -> Any:
    return to_tensor(x) if isinstance(x, list | tuple) or other.dtype == mstype.bool_ else x


def as_floats(x: Any) -> Tensor:
    """Convert a tensor to floating point: Float32 for other types."""
    out = to_tensor(x)
    return out if out.dtype.is_floating_point else F.cast(out, mstype.float32)


@constexpr
def result_type_of(first: DType, second: DType) -> DType:
    """The element type of the result of two inputs."""
    return mstype.promote(first, second)
