"""Windows of a plane of numbers: the values, or blocks of values with extremes, mean and counts of NaN and infinities.

A plane of 100 million elements is shown by tiles of 128 x 128 blocks. Level k has blocks of 2^k x 2^k elements. Levels
from 3 on are made once for the whole plane, each from the level below. Called by `views.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from struct import Struct

import numpy as np
import numpy.typing as npt

from mindinsight.tensors.arrays.elements import PORTION, Array, real, wide

TILE = 128
"""Number of rows and of columns of a tile."""
BASE = 3
"""The first level that is made for the whole plane at once."""
DTYPES = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
"""The element types of tiles, by number."""
VERSION = 1
_HEADER = Struct("<8I")


class ArrayPlane:
    """A view with at most two axes as rows and columns.

    Args:
        view: the elements. A single axis makes one row.
        swapped: whether rows and columns are swapped.
    """

    def __init__(self, view: Array, swapped: bool = False) -> None:
        if view.ndim > 2:
            raise ValueError(f"a plane has two axes; this view has {view.ndim}")
        flat = view.reshape((1,) * (2 - view.ndim) + view.shape)
        self._view = flat.T if swapped else flat
        self.rows, self.columns = self._view.shape
        self.dtype = self._view.dtype

    def read(self, rows: slice, columns: slice) -> Array:
        """Returns a window."""
        return self._view[rows, columns]


class DifferencePlane:
    """The difference of two planes of the same shape, as float64."""

    dtype = np.dtype(np.float64)

    def __init__(self, one: ArrayPlane, other: ArrayPlane) -> None:
        self._one, self._other = one, other
        self.rows, self.columns = one.rows, one.columns

    def read(self, rows: slice, columns: slice) -> Array:
        """Returns a window."""
        with np.errstate(all="ignore"):
            return wide(self._one.read(rows, columns)) - wide(self._other.read(rows, columns))


Plane = ArrayPlane | DifferencePlane


@dataclass(frozen=True)
class Blocks:
    """Blocks of a plane. Each attribute has the shape (rows, columns).

    Attributes:
        low: the lowest finite element; +Inf if there is none.
        high: the highest finite element; -Inf if there is none.
        total: sum of the finite elements.
        finite: number of finite elements.
        nan: number of NaN; the infinities are analogous.
    """

    low: Array
    high: Array
    total: npt.NDArray[np.float64]
    finite: npt.NDArray[np.uint32]
    nan: npt.NDArray[np.uint32]
    pos_inf: npt.NDArray[np.uint32]
    neg_inf: npt.NDArray[np.uint32]

    @property
    def columns(self) -> tuple[Array, ...]:
        """All arrays, in the order of the attributes."""
        return self.low, self.high, self.total, self.finite, self.nan, self.pos_inf, self.neg_inf

    @cached_property
    def nbytes(self) -> int:
        """Size in bytes."""
        return sum(column.nbytes for column in self.columns)


_GATHER = (np.minimum, np.maximum, np.add, np.add, np.add, np.add, np.add)


def coarser(blocks: Blocks, factor: int = 2) -> Blocks:
    """Merges `factor` x `factor` blocks into one. Blocks at the edges are smaller."""
    return Blocks(*(_gathered(column, factor, gather) for column, gather in zip(blocks.columns, _GATHER, strict=True)))


def _gathered(values: Array, factor: int, gather: np.ufunc) -> Array:
    rows, columns = values.shape
    if factor == 1 or not values.size:
        return values
    by_rows: Array = gather.reduceat(values, np.arange(0, rows, factor), axis=0, dtype=values.dtype)
    across: Array = gather.reduceat(by_rows, np.arange(0, columns, factor), axis=1, dtype=values.dtype)
    return across


def blocks_of(window: Array, factor: int) -> Blocks:
    """Returns a summary of each `factor` x `factor` block of a window."""
    values = real(window)
    values = values.astype(np.float64 if values.dtype.itemsize > 4 or values.dtype.kind in "iu" else np.float32)
    finite = np.isfinite(values)
    if finite.all():
        rows, columns = (-(-size // factor) for size in values.shape)
        tall, broad = (_sizes(size, factor) for size in values.shape)
        none = np.zeros((rows, columns), np.uint32)
        low, high = _gathered(values, factor, np.minimum), _gathered(values, factor, np.maximum)
        total = _gathered(values.astype(np.float64), factor, np.add)
        return Blocks(low, high, total, np.outer(tall, broad).astype(np.uint32), none, none, none)
    odd = [finite, np.isnan(values), values == np.inf, values == -np.inf]
    counts = [_gathered(mask.astype(np.uint32), factor, np.add) for mask in odd]
    low = _gathered(np.where(finite, values, values.dtype.type(np.inf)), factor, np.minimum)
    high = _gathered(np.where(finite, values, values.dtype.type(-np.inf)), factor, np.maximum)
    total = _gathered(np.where(finite, values, 0).astype(np.float64), factor, np.add)
    return Blocks(low, high, total, *counts)


def _sizes(size: int, factor: int) -> npt.NDArray[np.int64]:
    starts = np.arange(0, size, factor)
    return np.minimum(factor, size - starts)


class Pyramid:
    """The levels of a plane, from `BASE` to the one that fits into a single tile."""

    def __init__(self, plane: Plane) -> None:
        step = 1 << BASE
        broad = min(max(step, plane.columns), PORTION)
        high = max(step, PORTION // broad // step * step)
        bands = [
            [
                blocks_of(plane.read(slice(row, row + high), slice(column, column + broad)), step)
                for column in range(0, plane.columns, broad)
            ]
            for row in range(0, plane.rows, high)
        ]
        levels = [_joined([_joined(band, axis=1) for band in bands], axis=0)]
        while max(levels[-1].low.shape) > TILE:
            levels.append(coarser(levels[-1]))
        self._levels = levels

    def window(self, level: int, rows: slice, columns: slice) -> Blocks:
        """Returns a window of a level. Above the top level, the window is made from the top level."""
        at = level - BASE
        top = self._levels[min(at, len(self._levels) - 1)]
        if at >= len(self._levels):
            top = coarser(top, 1 << (at - len(self._levels) + 1))
        return Blocks(*(column[rows, columns] for column in top.columns))

    @property
    def nbytes(self) -> int:
        """Size of all levels in bytes."""
        return sum(level.nbytes for level in self._levels)


def _joined(pieces: list[Blocks], axis: int) -> Blocks:
    columns = zip(*(piece.columns for piece in pieces), strict=True)
    return Blocks(*(np.concatenate(parts, axis=axis) for parts in columns))


def encode_values(plane: Plane, row: int, column: int) -> bytes:
    """Returns a tile of values: a header, and the elements row by row."""
    window = np.ascontiguousarray(plane.read(_span(row), _span(column)))
    little = window.astype(window.dtype.newbyteorder("<"), copy=False)
    return _header(0, window, DTYPES.index(window.dtype.name)) + little.tobytes()


def encode_blocks(plane: Plane, pyramid: Callable[[], Pyramid], level: int, row: int, column: int) -> bytes:
    """Returns a tile of blocks: a header, then min, max and mean, then the counts of NaN, +Inf and -Inf."""
    if not plane.rows or not plane.columns:
        blocks = blocks_of(np.empty((0, 0), plane.dtype), 1)
    elif level >= BASE:
        blocks = pyramid().window(level, _span(row), _span(column))
    else:
        blocks = blocks_of(plane.read(_span(row, level), _span(column, level)), 1 << level)
    with np.errstate(all="ignore"):
        mean = (blocks.total / blocks.finite).astype(blocks.low.dtype)
    parts = (blocks.low, blocks.high, mean, blocks.nan, blocks.pos_inf, blocks.neg_inf)
    header = _header(level, blocks.low, DTYPES.index(blocks.low.dtype.name))
    return b"".join([header, *(np.ascontiguousarray(part).tobytes() for part in parts)])


def _span(number: int, level: int = 0) -> slice:
    size = TILE << level
    return slice(number * size, (number + 1) * size)


def _header(level: int, shown: Array, dtype: int) -> bytes:
    rows, columns = shown.shape
    return _HEADER.pack(VERSION, level, rows, columns, dtype, 0, 0, 0)
