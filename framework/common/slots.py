"""Where tensors have what they consist of, for machine code that reads it: segments, and operators on small tensors."""

from __future__ import annotations

import ctypes
from typing import Final

from framework.common.tensor import Tensor

__all__ = ["slot_offset"]

_MEMBER_AT: Final = 40
_OFFSET_AT: Final = 16


def slot_offset(name: str) -> int:
    """Where a tensor has a slot, in bytes: what CPython's `PyMemberDescrObject` of it says.

    Args:
        name: of the slot.

    Raises:
        ImportError: it is not there, because this Python lays its objects out in another way.
    """
    described = Tensor.__dict__[name]
    member = ctypes.c_void_p.from_address(id(described) + _MEMBER_AT).value or 0
    offset = ctypes.c_ssize_t.from_address(member + _OFFSET_AT).value
    tensor = Tensor(1.0)
    if ctypes.c_void_p.from_address(id(tensor) + offset).value != id(described.__get__(tensor)):
        raise ImportError(f"machine code does not find {name} in tensors of this Python")
    return offset
