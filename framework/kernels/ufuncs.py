"""The addresses of the loops of numpy's functions. Machine code that calls them gets numpy's results to the bit."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from framework.common import abi

__all__ = ["loop_of"]


@functools.cache
def loop_of(name: str, dtype: npt.DTypeLike) -> tuple[int, int] | None:
    """The loop that computes a function of one array for an element type, and the data that the loop is given.

    Args:
        name: the name of the ufunc in numpy.
        dtype: the element type of the array and of the result.

    Returns:
        The addresses of `loop` and `data` for `loop(arrays, lengths, strides, data)`. None where numpy has no such
        loop, or where its ufuncs are laid out differently.
    """
    ufunc = getattr(np, name, None)
    if not isinstance(ufunc, np.ufunc) or (ufunc.nin, ufunc.nout) != (1, 1):
        return None
    try:
        abi.require(abi.UFUNC)
    except ImportError:
        return None
    found = abi.UfuncObject.from_address(id(ufunc))
    if not found.describes(ufunc):
        return None
    number = np.dtype(dtype).num
    for place in range(found.ntypes):
        if found.types[2 * place] == found.types[2 * place + 1] == number:
            address = found.functions[place]
            return (address, found.data[place] or 0) if address else None
    return None
