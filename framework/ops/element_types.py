"""Which element types an operator takes: one rule, asked by inference and by PyNative mode before a kernel runs."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType

__all__ = ["check_element_types", "codes"]


def check_element_types(primitive: Any, operands: Sequence[Any]) -> None:
    """Refuse operands whose element types the primitive does not take.

    Args:
        primitive: an operator; `takes` says the types, input by input. If it `promotes`, the type counts in which the
            operands meet.
        operands: for each input its element type or an array of it; anything else, numbers among them, as it is.

    Raises:
        TypeError: an operand is of another type; the message says of which, and which ones there could be.

    """
    types = {
        place: mstype.of(operands[place].dtype) if hasattr(operands[place], "dtype") else operands[place]
        for place in primitive.takes
        if place < len(operands)
    }
    if primitive.promotes and len(types) > 1:
        met = functools.reduce(mstype.result_type, types.values())
        types = dict.fromkeys(types, met)
    for place, found in types.items():
        allowed = primitive.takes[place]
        if isinstance(found, DType) and found not in allowed:
            names = primitive.attrs.get("input_names", ())
            name = names[place] if place < len(names) else f"input {place}"
            raise TypeError(f"{name} must be {_one_of(allowed)}, not {found}")


def codes(allowed: Sequence[DType]) -> str:
    """The letters that numpy knows element types by, in one word."""
    return "".join(dtype.numpy.char for dtype in allowed)


def _one_of(allowed: Sequence[DType]) -> str:
    *most, last = map(str, allowed)
    return f"{', '.join(most)} or {last}" if most else last
