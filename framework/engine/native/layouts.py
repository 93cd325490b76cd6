"""Layout of a segment's values in memory: only the address is left to run time.

Plain data. Segments record calls with it, and `machine_code` turns it into addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np

__all__ = [
    "ARGUMENT",
    "CONSTANT",
    "OUTPUT",
    "PLACE",
    "SCRATCH",
    "WEIGHT",
    "Base",
    "Call",
    "ClusterCall",
    "Layout",
    "Layouts",
    "contiguous_strides",
]

ARGUMENT: Final = "argument"
WEIGHT: Final = "weight"
CONSTANT: Final = "constant"
OUTPUT: Final = "output"
PLACE: Final = "place"
SCRATCH: Final = "scratch"


@dataclass(frozen=True, slots=True)
class Base:
    """A piece of memory.

    Attributes:
        kind: ARGUMENT: an array that the segment is given; WEIGHT: the array of a Parameter; CONSTANT: an array that
            never changes; OUTPUT: a new array that the segment is given; PLACE: a place of the memory plan; SCRATCH:
            scratch memory of the segment.
        number: its number among those of its kind; for a constant its address.
    """

    kind: str
    number: int


@dataclass(frozen=True, slots=True)
class Layout:
    """An array in memory.

    Attributes:
        base: the memory that it is in.
        shape: its shape.
        dtype: its element type.
        strides: the bytes from one element to the next along each axis.
        offset: the bytes from the beginning of the base to the first element.
    """

    base: Base
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    strides: tuple[int, ...]
    offset: int = 0

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of the elements."""
        return self.size * int(self.dtype.itemsize)

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements are contiguous, row by row."""
        wanted = contiguous_strides(self.shape, self.dtype.itemsize)
        return all(one == other for size, one, other in zip(self.shape, self.strides, wanted, strict=True) if size > 1)

    def view(self, look: Callable[[Any], Any]) -> Layout | None:
        """The view that a function of numpy makes of the array; None if it copies elements or a stride is negative."""
        reach = self.dtype.itemsize + sum(
            (size - 1) * abs(stride) for size, stride in zip(self.shape, self.strides, strict=True)
        )
        if any(stride < 0 for stride in self.strides):
            return None
        array: np.ndarray[Any, Any] = np.ndarray(self.shape, self.dtype, np.empty(reach, np.uint8), 0, self.strides)
        seen = look(array)
        if not isinstance(seen, np.ndarray) or seen.dtype != self.dtype or not np.may_share_memory(seen, array):
            return None
        moved = seen.__array_interface__["data"][0] - array.__array_interface__["data"][0]
        if any(stride < 0 for stride in seen.strides):
            return None
        return replace(self, shape=seen.shape, strides=seen.strides, offset=self.offset + moved)


Layouts: TypeAlias = "Layout | tuple[Layouts, ...]"
"""The layout of a value: of a tensor, or of each element of a tuple."""


def contiguous_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The strides of a contiguous array."""
    strides: tuple[int, ...] = ()
    step = itemsize
    for size in reversed(shape):
        strides, step = (step, *strides), step * size
    return strides


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function in C.

    Attributes:
        name: the name of the function, for people.
        address: the address of the function.
        arguments: layouts for pointers; ints, and floats of single precision.
        returns_status: whether it returns 0 if it failed.
        work: the approximate number of arithmetic operations.
    """

    name: str
    address: int
    arguments: tuple[Layout | int | float, ...]
    returns_status: bool = False
    work: float = 0


@dataclass(frozen=True, slots=True)
class ClusterCall:
    """A call of the loops of a generated kernel (`framework.kernels.fused.spreading.write_spread`).

    Attributes:
        name: the names of its operators, for people.
        address: the address of the loops.
        arrays: the arrays that they read, then those that they write.
        strides: the strides that the loops take from their table.
        length: the length of the outermost loop.
        elements: the number of elements that are computed.
    """

    name: str
    address: int
    arrays: tuple[Layout, ...]
    strides: tuple[int, ...]
    length: int
    elements: int

    @property
    def work(self) -> float:
        """The approximate number of arithmetic operations."""
        return 10.0 * self.elements
