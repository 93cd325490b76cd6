"""The memory of batches: taken from a few buffers that are used again, and filled where rows are computed.

A fresh array of megabytes costs the kernel more time than its contents cost the processor. So the memory of a batch
goes back to its pool when nobody holds the batch any more, nor a part of it: an array, a tensor, a view. Workers of a
Map in front of a Batch write each row into its place in the batch; the Batch checks that each row is where it belongs.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from framework.dataset.runtime.rows import Array

__all__ = ["Pool", "Slots"]

#: Smaller arrays are cheap.
_LEAST_BYTES = 1 << 16
#: Buffers of one size that wait to be used again.
_KEPT = 4


class Pool:
    """Memory that is used again."""

    def __init__(self) -> None:
        self._free: dict[int, list[Array]] = {}
        #: Shape and element type of the rows that workers last wrote.
        self.like: tuple[tuple[int, ...], np.dtype[Any]] | None = None

    def array(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """An array with any contents, whose memory comes back when it is no longer used."""
        size = prod(shape) * dtype.itemsize
        if size < _LEAST_BYTES or dtype.kind not in "biufc":
            return np.empty(shape, dtype)
        try:
            memory = self._free.setdefault(size, []).pop()
        except IndexError:
            memory = np.empty(size, np.uint8)
        return np.asarray(_Lease(self, memory, shape, dtype))

    def give_back(self, memory: Array) -> None:
        """Take memory that nobody uses."""
        free = self._free[memory.nbytes]
        if len(free) < _KEPT:
            free.append(memory)

    def stacked(self, values: Sequence[Array]) -> Array:
        """Values of one shape and element type along a new first axis."""
        out = self.array((len(values), *values[0].shape), values[0].dtype)
        return np.stack(values, out=out)


class _Lease:
    """Stands for memory while arrays use it: numpy keeps it as the base of an array, and so of all its views."""

    def __init__(self, pool: Pool, memory: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._pool = pool
        self._memory = memory
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": dtype.str,
            "data": (memory.ctypes.data, False),
        }

    def __del__(self) -> None:
        self._pool.give_back(self._memory)


class Slots:
    """The places of the rows of one pass in their batches.

    Args:
        pool: the memory.
        size: number of rows of a batch.
    """

    def __init__(self, pool: Pool, size: int) -> None:
        self._pool = pool
        self._size = size
        self._batches: dict[int, Array] = {}
        self._lock = threading.Lock()

    def slot(self, number: int) -> Array | None:
        """The place of a row; None while the shape of rows is unknown. Each row may ask once."""
        if self._pool.like is None:
            return None
        batch = number // self._size
        with self._lock:
            if batch not in self._batches:
                shape, dtype = self._pool.like
                self._batches[batch] = self._pool.array((self._size, *shape), dtype)
            place: Array = self._batches[batch][number % self._size]
        return place

    def learn(self, value: Array) -> None:
        """Take the shape and element type of a row for those that follow."""
        self._pool.like = value.shape, value.dtype

    def batch(self, number: int, values: Sequence[Array]) -> Array | None:
        """The memory of a batch; None if not all values are at their places in it."""
        with self._lock:
            memory = self._batches.pop(number, None)
        if memory is None or len(values) > len(memory):
            return None
        begin, step = memory.ctypes.data, memory.strides[0]
        for place, value in enumerate(values):
            here = value.ctypes.data == begin + place * step
            if not here or value.shape != memory.shape[1:] or value.dtype != memory.dtype or value.base is None:
                return None
        return memory[: len(values)]
