"""Checks the element types of an operator's inputs: inference and PyNative mode do so before a kernel runs.

Kernels know no BFloat16. When a program first uses it, the kernels of all primitives are wrapped: they compute such
inputs as Float32, and what is BFloat16 by inference is rounded once. Programs without BFloat16 run as ever.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.arrays import converted

__all__ = ["check_element_types", "codes", "computing_bfloat16"]


def check_element_types(primitive: Any, operands: Sequence[Any]) -> None:
    """Raise an error if the primitive does not accept the element types of its operands.

    Args:
        primitive: an operator. Its `takes` holds the accepted types of each input. If it `promotes`, the common type
            of the operands is checked.
        operands: the inputs, each as an array or an element type; a number or any other value is not checked.

    Raises:
        TypeError: an operand has another type; the message names it and the accepted types.

    """
    types = {
        place: mstype.of(operands[place].dtype) if hasattr(operands[place], "dtype") else operands[place]
        for place in primitive.takes
        if place < len(operands)
    }
    if primitive.promotes and len(types) > 1:
        common = functools.reduce(mstype.result_type, types.values())
        types = dict.fromkeys(types, common)
    for place, found in types.items():
        allowed = primitive.takes[place]
        if isinstance(found, DType) and found not in allowed:
            names = primitive.attrs.get("input_names", ())
            name = names[place] if place < len(names) else f"input {place}"
            raise TypeError(f"{name} must be {_one_of(allowed)}, not {found}")


def codes(allowed: Sequence[DType]) -> str:
    """Numpy's type codes of element types, in one string."""
    return "".join(dtype.char for dtype in allowed)


def _one_of(allowed: Sequence[DType]) -> str:
    *most, last = map(str, allowed)
    return f"{', '.join(most)} or {last}" if most else last


def computing_bfloat16(compute: Callable[..., Any], bfloat16: np.dtype[Any]) -> Callable[..., Any]:
    """A kernel that computes BFloat16 inputs as Float32, and rounds outputs that inference types as BFloat16 once.

    Args:
        compute: `Primitive.compute` of a class.
        bfloat16: numpy's type.
    """

    @functools.wraps(compute)
    def computed(self: Any, xp: Any, *inputs: Any, **named: Any) -> Any:
        for item in inputs:
            if getattr(item, "dtype", None) is bfloat16 or (type(item) is tuple and _holds(item, bfloat16)):
                return _rounded(self, compute, xp, inputs, named)
        return compute(self, xp, *inputs, **named)

    return computed


def _holds(items: tuple[Any, ...], bfloat16: np.dtype[Any]) -> bool:
    return any(getattr(item, "dtype", None) is bfloat16 for item in items)


def _rounded(primitive: Any, compute: Any, xp: Any, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    if "out" in named:  # The arrays to write into are of BFloat16.
        out = named.pop("out")
        named.update({"out": (None,) * len(out)} if type(out) is tuple else {})
    made = compute(primitive, xp, *map(_wide, inputs), **named)
    try:
        dtype = primitive.infer_dtype(*map(_dtype_of, inputs))
    except NotImplementedError:
        # An operator that infers as a whole, such as `Depend`, passes an input on.
        dtype = mstype.bfloat16 if getattr(made, "dtype", None) == np.float32 else None
    return _as_inferred(made, dtype)


def _wide(item: Any) -> Any:
    if type(item) is tuple:
        return tuple(map(_wide, item))
    is_narrow = getattr(item, "dtype", None) == mstype.bfloat16.numpy
    return converted(np.asarray(item), np.float32) if is_narrow and not isinstance(item, DType) else item


def _dtype_of(item: Any) -> Any:
    """An input as `infer_dtype` takes it."""
    if type(item) is tuple and item and all(isinstance(part, np.ndarray) for part in item):
        return tuple(map(_dtype_of, item))
    return mstype.of(item.dtype) if isinstance(item, np.ndarray | np.generic) else item


def _as_inferred(made: Any, dtype: Any) -> Any:
    if type(made) is tuple:
        dtypes = dtype if isinstance(dtype, tuple) else (dtype,) * len(made)
        return tuple(_as_inferred(item, of_item) for item, of_item in zip(made, dtypes, strict=True))
    if dtype is not mstype.bfloat16 or not hasattr(made, "dtype"):
        return made
    return converted(np.asarray(made), dtype.numpy)
