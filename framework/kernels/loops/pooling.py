"""Pooling in two dimensions by the compiled loops; the same as in `framework.kernels.pooling`."""

from __future__ import annotations

import functools
from ctypes import byref

import numpy as np

from framework.common.device import Array
from framework.common.threads import threads_for
from framework.kernels import pooling as plain
from framework.kernels.loops.library import LOOPS, Pool, address, are_floats, delivered, ready
from framework.kernels.windows import Window

__all__ = ["avg_pool", "avg_pool_grad", "counts", "max_pool", "max_pool_grad", "pool_of"]


@functools.lru_cache(maxsize=1024)
def pool_of(shape: tuple[int, ...], window: Window) -> tuple[Pool | None, tuple[int, ...]]:
    """The window as the loops take it, and the shape of the output; None and () where the loops cannot take it."""
    if len(shape) != 4 or len(window.kernel) != 2 or window.dilation != (1, 1):
        return None, ()
    height, width = shape[2:]
    rows, columns = window.out_sizes(height, width)
    top, _, left, _ = window.pads_for(height, width)
    # The loops expect no window that begins behind the image.
    if min(rows, columns) < 1 or (columns - 1) * window.stride[1] >= left + width:
        return None, ()
    return Pool(height, width, rows, columns, *window.kernel, *window.stride, top, left), (
        *shape[:2],
        rows,
        columns,
    )


def _threads(x: Array, window: Window) -> int:
    return threads_for(x.size * max(1, window.kernel[0] * window.kernel[1] // (window.stride[0] * window.stride[1])))


def max_pool(x: Array, window: Window, out: Array | None = None) -> Array:
    """The largest element that each window sees, in `out` if there is one."""
    pool, shape = pool_of(x.shape, window)
    if pool is None or LOOPS is None or not are_floats(x):
        return NotImplemented
    x, made = np.ascontiguousarray(x), ready(out, shape)
    if not LOOPS.max_pool(address(x), address(made), byref(pool), shape[0] * shape[1], _threads(x, window)):
        raise MemoryError
    return delivered(made, out)


def max_pool_grad(x: Array, y: Array, dout: Array, window: Window, out: Array | None = None) -> Array:
    """The gradient with respect to x: `dout` goes to the first of the largest elements of each window."""
    pool, shape = pool_of(x.shape, window)
    if pool is None or LOOPS is None or not are_floats(x, y, dout):
        return NotImplemented
    x, y, dout = map(np.ascontiguousarray, (x, y, dout))
    made = ready(out, x.shape)
    given = (address(x), address(y), address(dout), address(made))
    if not LOOPS.max_pool_grad(*given, byref(pool), shape[0] * shape[1], _threads(x, window)):
        raise MemoryError
    return delivered(made, out)


def avg_pool(x: Array, window: Window, count_padding: bool, divisor: int | None = None) -> Array:
    """The mean of what each window sees."""
    pool, shape = pool_of(x.shape, window)
    if pool is None or LOOPS is None or not are_floats(x):
        return NotImplemented
    x, made = np.ascontiguousarray(x), np.empty(shape, np.float32)
    if not LOOPS.sum_pool(address(x), address(made), byref(pool), shape[0] * shape[1], _threads(x, window)):
        raise MemoryError
    made /= counts(x.shape, window, count_padding, divisor)
    return made


def avg_pool_grad(
    dout: Array, shape: tuple[int, ...], window: Window, count_padding: bool, divisor: int | None = None
) -> Array:
    """The gradient with respect to an array of a shape."""
    pool, seen = pool_of(shape, window)
    if pool is None or LOOPS is None or not are_floats(dout) or dout.shape != seen:
        return NotImplemented
    share = np.ascontiguousarray(dout / counts(shape, window, count_padding, divisor))
    made = np.empty(shape, np.float32)
    LOOPS.sum_pool_grad(address(share), address(made), byref(pool), shape[0] * shape[1], _threads(made, window))
    return made


@functools.lru_cache(maxsize=256)
def counts(shape: tuple[int, ...], window: Window, count_padding: bool, divisor: int | None) -> Array:
    """The divisors of the windows' sums, as in `framework.kernels.pooling`; kept."""
    return plain.counts(np, shape, np.dtype(np.float32), window, count_padding, divisor)
