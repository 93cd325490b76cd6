"""The gradient of picking slices by the compiled loops; the same as in `framework.kernels.gathering`."""

from __future__ import annotations

from math import prod

import numpy as np

from framework.common.device import Array
from framework.kernels.loops.library import LOOPS, address, are_floats

__all__ = ["gather_grad"]


def gather_grad(dout: Array, indices: Array, at: int, shape: tuple[int, ...], batch: int) -> Array:
    """Add the slices of `dout` to zeros of a shape, at the places that the indices name."""
    if LOOPS is None or batch or not are_floats(dout) or indices.dtype not in (np.int32, np.int64):
        return NotImplemented
    dout, indices = np.ascontiguousarray(dout), np.ascontiguousarray(indices)
    rows, width, size = shape[at], prod(shape[at + 1 :]), indices.dtype.itemsize
    if not LOOPS.numbers_fit(address(indices), indices.size, -rows, rows, size):
        # Numpy tells which one does not fit.
        return NotImplemented
    out = np.empty(shape, np.float32)
    given = (address(dout), address(indices), address(out))
    LOOPS.add_rows(*given, prod(shape[:at]), rows, indices.size, width, size)
    return out
