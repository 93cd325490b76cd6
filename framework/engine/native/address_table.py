"""Memory of one program instance as native segments see it: a table of addresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

__all__ = ["AddressTable", "aligned"]

_ALIGNMENT: Final = 64
"""The bytes of a cache line."""


class AddressTable(np.ndarray[Any, Any]):
    """The addresses of arrays. The table keeps the arrays alive."""

    _arrays: Sequence[np.ndarray[Any, Any]]

    @classmethod
    def of(cls, arrays: Sequence[np.ndarray[Any, Any]]) -> AddressTable:
        """The table of these arrays."""
        made = np.array([array.ctypes.data for array in arrays], np.int64).view(cls)
        made._arrays = arrays
        return made


def aligned(nbytes: int) -> np.ndarray[Any, Any]:
    """New memory that begins at a cache line."""
    made = np.empty(nbytes + _ALIGNMENT, np.uint8)
    begin = -made.ctypes.data % _ALIGNMENT
    return made[begin : begin + nbytes]
