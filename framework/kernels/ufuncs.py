"""The loops of numpy's own functions, by their addresses: machine code that calls them computes numpy's bits.

A ufunc is an object whose layout is part of numpy's C interface (`PyUFuncObject` of `numpy/ufuncobject.h`).
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

__all__ = ["loop_of"]


class _Ufunc(ctypes.Structure):
    _fields_ = (
        ("references", ctypes.c_ssize_t),
        ("kind", ctypes.c_void_p),
        *((name, ctypes.c_int) for name in ("nin", "nout", "nargs", "identity")),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("types", ctypes.POINTER(ctypes.c_ubyte)),
    )


@functools.cache
def loop_of(name: str, dtype: Any) -> tuple[int, int] | None:
    """What computes a function of one array, of an element type: a loop and what it is given besides.

    Args:
        name: of the ufunc in numpy.
        dtype: the element type of the array and of the result.

    Returns:
        Addresses for `loop(arrays, lengths, strides, data)`; None where numpy has no such loop, or is another one.
    """
    ufunc = getattr(np, name, None)
    if not isinstance(ufunc, np.ufunc) or (ufunc.nin, ufunc.nout) != (1, 1):
        return None
    found = _Ufunc.from_address(id(ufunc))
    known = (found.nin, found.nout, found.nargs, found.ntypes)
    if known != (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes) or found.name != ufunc.__name__.encode():
        return None
    number = np.dtype(dtype).num
    for place in range(found.ntypes):
        if found.types[2 * place] == found.types[2 * place + 1] == number:
            address = found.functions[place]
            return (address, found.data[place] or 0) if address else None
    return None
