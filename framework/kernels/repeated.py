"""`ufunc.at` and `ufunc.accumulate` for array modules that lack them.

With cupy, `at` adds and keeps extremes, but does not multiply; `accumulate` knows sums and products only.
"""

from __future__ import annotations

import numpy as np

from framework.common.device import Array, ArrayModule

__all__ = ["accumulate", "at"]

_AT = ("add", "subtract", "maximum", "minimum")


def at(xp: ArrayModule, how: str, out: Array, index: Array | tuple[Array, ...], values: Array) -> None:
    """Combine values with elements of `out` in place. An element that is named several times is changed as often.

    Args:
        xp: the array module.
        how: the name of a ufunc.
        out: the array that changes.
        index: an array of integers, or a tuple of arrays that broadcast.
        values: an array of the shape of `out[index]`.

    """
    ufunc = getattr(xp, how)
    if xp is np or how in _AT:
        ufunc.at(out, index, values)
        return
    index = index if isinstance(index, tuple) else (index,)
    rows = np.broadcast_shapes(*(part.shape for part in index))
    flat = xp.zeros(rows, xp.int64)
    for part, size in zip(index, out.shape, strict=False):
        flat = flat * size + part % size
    flat = flat.ravel()
    # How often a place was named before. Places that were named equally often are all different.
    order = xp.argsort(flat, kind="stable")
    named = flat[order]
    before = xp.arange(named.size) - xp.searchsorted(named, named)
    parts = [xp.broadcast_to(part, rows).ravel()[order] for part in index]
    given = xp.broadcast_to(values, (*rows, *out.shape[len(index) :])).reshape(-1, *out.shape[len(index) :])[order]
    for turn in range(int(before.max()) + 1 if named.size else 0):
        chosen = before == turn
        places = tuple(part[chosen] for part in parts)
        out[places] = ufunc(out[places], given[chosen])


def accumulate(xp: ArrayModule, how: str, x: Array, axis: int) -> Array:
    """Apply a ufunc of two operands to all elements up to each one along an axis.

    Hillis and Steele, Data Parallel Algorithms, 1986: each step of the loop doubles the elements that one stands for.
    """
    ufunc = getattr(xp, how)
    if xp is np:
        return ufunc.accumulate(x, axis=axis)
    made = xp.moveaxis(x, axis, 0).copy()
    length = 1
    while length < made.shape[0]:
        made[length:] = ufunc(made[length:], made[:-length])
        length *= 2
    return xp.moveaxis(made, 0, axis)
