"""Checks the element types of an operator's inputs: inference and PyNative mode do so before a kernel runs."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType

__all__ = ["check_element_types", "codes"]


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
    return "".join(dtype.numpy.char for dtype in allowed)


def _one_of(allowed: Sequence[DType]) -> str:
    *most, last = map(str, allowed)
    return f"{', '.join(most)} or {last}" if most else last
