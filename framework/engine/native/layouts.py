"""Layout of a segment's values in memory: the address is known at run time, all else when compiling.

Plain data. Segments record calls with it, and `machine_code` turns it into addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Final

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
    "contiguous_strides",
]

ARGUMENT: Final = "argument"
WEIGHT: Final = "weight"
CONSTANT: Final = "constant"
OUTPUT: Final = "output"
PLACE: Final = "place"
SCRATCH: Final = "room"


@dataclass(frozen=True, slots=True)
class Base:
    """Where memory comes from.

    Attributes:
        kind: ARGUMENT: an array that the segment is given; WEIGHT: the array of a Parameter; CONSTANT: one that never
            changes; OUTPUT: a new array that the segment is given; PLACE: a place of the memory plan; ROOM: memory that
            only the segment knows.
        number: which one.
    """

    kind: str
    number: int


@dataclass(frozen=True, slots=True)
class Layout:
    """An array in memory.

    Attributes:
        base: where its memory comes from.
        shape: its shape.
        dtype: its element type, numpy's.
        strides: bytes from element to element along each axis.
        offset: that of its first element, in bytes.
    """

    base: Base
    shape: tuple[int, ...]
    dtype: Any
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
        """Whether elements lie one behind the other."""
        wanted = contiguous_strides(self.shape, self.dtype.itemsize)
        return all(one == other for size, one, other in zip(self.shape, self.strides, wanted, strict=True) if size > 1)

    def view(self, look: Callable[[Any], Any]) -> Layout | None:
        """What a function of numpy makes of the array without touching elements; None where it copies them."""
        reach = self.dtype.itemsize + sum(
            (size - 1) * abs(stride) for size, stride in zip(self.shape, self.strides, strict=True)
        )
        if any(stride < 0 for stride in self.strides):
            return None
        array: Any = np.ndarray(self.shape, self.dtype, np.empty(reach, np.uint8), 0, self.strides)
        seen = look(array)
        if not isinstance(seen, np.ndarray) or seen.dtype != self.dtype or not np.may_share_memory(seen, array):
            return None
        moved = seen.__array_interface__["data"][0] - array.__array_interface__["data"][0]
        if any(stride < 0 for stride in seen.strides):
            return None
        return replace(self, shape=seen.shape, strides=seen.strides, offset=self.offset + moved)


def contiguous_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The strides of an array whose elements lie one behind the other."""
    strides: tuple[int, ...] = ()
    step = itemsize
    for size in reversed(shape):
        strides, step = (step, *strides), step * size
    return strides


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function in C.

    Attributes:
        name: as texts show it.
        address: of the function.
        arguments: arrays for pointers; ints, and floats of single precision.
        returns_status: whether it returns 0 where it failed.
        work: about how many arithmetic operations it does.
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
        name: as texts show it.
        address: of the loops.
        arrays: what they read, then what they write.
        strides: those that the loops take from their table.
        length: of the outermost loop.
        elements: that are computed.
    """

    name: str
    address: int
    arrays: tuple[Layout, ...]
    strides: tuple[int, ...]
    length: int
    elements: int

    @property
    def work(self) -> float:
        """About how many arithmetic operations it does."""
        return 10.0 * self.elements
