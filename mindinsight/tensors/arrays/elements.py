"""Iterates over the elements of a view in portions, without copying it. Used by functions that read all elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

PORTION = 1 << 18
"""Number of elements in a portion, which fits into a processor's caches."""


def portions(
    views: Sequence[Array], start: int = 0, stop: int | None = None
) -> Iterator[tuple[int, tuple[Array, ...]]]:
    """Yields portions of views of the same shape in C order, each with the number of its first element.

    Args:
        views: views that are read in parallel.
        start: number of the first element in C order.
        stop: number after the last element; default: the end.
    """
    end = views[0].size if stop is None else stop
    if start >= end:
        return
    flat = [_flat(view) for view in views]
    if all(one is not None for one in flat):
        for first in range(start, end, PORTION):
            yield first, tuple(one[first : min(end, first + PORTION)] for one in flat if one is not None)
        return
    walk = np.nditer(
        tuple(views), flags=["external_loop", "buffered", "ranged", "zerosize_ok"], order="C", buffersize=PORTION
    )
    for first in range(start, end, PORTION):
        walk.iterrange = (first, min(end, first + PORTION))  # type: ignore[misc]  # The stubs do not know the setter.
        done = first
        for parts in walk:
            taken = parts if isinstance(parts, tuple) else (parts,)
            yield done, taken
            done += len(taken[0])


def _flat(view: Array) -> Array | None:
    """The view with one axis, if that needs no copy."""
    return view.reshape(-1) if view.flags.c_contiguous else None


def real(values: Array) -> Array:
    """Comparable numbers: complex ones by their magnitude, booleans as 0 and 1."""
    if values.dtype.kind == "c":
        return np.abs(values)
    return values.view(np.uint8) if values.dtype.kind == "b" else values


def wide(values: Array) -> npt.NDArray[np.float64]:
    """The same as float64."""
    return real(values).astype(np.float64)
