"""Memory of one program instance as native segments see it: a table of addresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

__all__ = ["AddressTable", "aligned"]

_ALIGNMENT: Final = 64


class AddressTable(np.ndarray[Any, Any]):
    """The addresses of arrays, which live as long as it does."""

    _arrays: Sequence[Any]

    @classmethod
    def of(cls, arrays: Sequence[Any]) -> AddressTable:
        """The table of arrays."""
        made = np.array([array.ctypes.data for array in arrays], np.int64).view(cls)
        made._arrays = arrays
        return made


def aligned(nbytes: int) -> Any:
    """New memory that begins where a line of the cache does."""
    made = np.empty(nbytes + _ALIGNMENT, np.uint8)
    begin = -made.ctypes.data % _ALIGNMENT
    return made[begin : begin + nbytes]
