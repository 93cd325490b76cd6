"""Windows that slide over the last dimensions of an array: their geometry, and views of what they see."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from types import EllipsisType

from framework.common.device import Array, ArrayModule

__all__ = ["Window"]


@dataclass(frozen=True, slots=True)
class Window:
    """A window over as many of an array's last dimensions as it has sizes: height and width, or depth before them.

    Attributes:
        kernel: the window's size along each dimension.
        stride: the distance of neighbouring windows along each dimension.
        pads: the padding before and behind the array along each dimension (above, below, left and right). With `same`
            it depends on the array's size.
        dilation: the distance of the window's elements along each dimension.
        same: pad so that the output is ceil(size / stride) long; an odd element goes behind.
        ceil: let the last window hang over the edge.
    """

    kernel: tuple[int, ...]
    stride: tuple[int, ...] = (1, 1)
    pads: tuple[int, ...] = (0, 0, 0, 0)
    dilation: tuple[int, ...] = (1, 1)
    same: bool = False
    ceil: bool = False

    def pads_for(self, *sizes: int) -> tuple[int, ...]:
        """The padding before and after each dimension of an array with these sizes."""
        if not self.same:
            return self.pads
        return tuple(pad for side, size in enumerate(sizes) for pad in self._same(size, side))

    def _same(self, size: int, side: int) -> tuple[int, int]:
        out = -(-size // self.stride[side])
        total = max(0, (out - 1) * self.stride[side] + self._reach(side) - size)
        return total // 2, total - total // 2

    def _reach(self, side: int) -> int:
        """The number of elements that the window spans along a dimension."""
        return (self.kernel[side] - 1) * self.dilation[side] + 1

    def out_size(self, size: int, side: int) -> int:
        """The number of windows that fit along a dimension; dimensions are counted from the window's first.

        Raises:
            ValueError: not a single window fits.

        """
        if self.same:
            return -(-size // self.stride[side])
        before, after = self.pads[2 * side : 2 * side + 2]
        room = size + before + after - self._reach(side)
        if room < 0:
            raise ValueError(f"a window of {self._reach(side)} does not fit into {size} + {before} + {after}")
        count = -(-room // self.stride[side]) + 1 if self.ceil else room // self.stride[side] + 1
        # A window that would begin behind the array and its padding in front sees nothing.
        if self.ceil and (count - 1) * self.stride[side] >= size + before:
            count -= 1
        return count

    def out_sizes(self, *sizes: int) -> tuple[int, ...]:
        """The number of windows that fit along each dimension."""
        return tuple(self.out_size(size, side) for side, size in enumerate(sizes))

    def padded(self, xp: ArrayModule, x: Array, value: float = 0) -> Array:
        """The array with its padding."""
        rank = len(self.kernel)
        sizes = x.shape[-rank:]
        pads = list(self.pads_for(*sizes))
        if self.ceil:
            for side, count in enumerate(self.out_sizes(*sizes)):
                seen = (count - 1) * self.stride[side] + self._reach(side)
                pads[2 * side + 1] = max(pads[2 * side + 1], seen - sizes[side] - pads[2 * side])
        if not any(pads):
            return x
        around = ((0, 0),) * (x.ndim - rank) + tuple(zip(pads[::2], pads[1::2], strict=True))
        return xp.pad(x, around, constant_values=value)

    def inner(self, padded: Array, *sizes: int) -> Array:
        """A padded array without its padding."""
        before = self.pads_for(*sizes)[::2]
        parts = [slice(first, first + size) for first, size in zip(before, sizes, strict=True)]
        return padded[_last(parts)]

    def positions(self, padded: Array, *counts: int) -> Iterator[Array]:
        """For each place in the window, row by row, a view [..., *counts] of what all windows see there."""
        for place in product(*map(range, self.kernel)):
            parts = []
            for at, distance, count, stride in zip(place, self.dilation, counts, self.stride, strict=True):
                parts.append(slice(at * distance, at * distance + (count - 1) * stride + 1, stride))
            yield padded[_last(parts)]

    def columns(self, xp: ArrayModule, padded: Array, *counts: int) -> Array:
        """What each window sees, as a matrix per image (im2col): [N, C * elements of the window, windows].

        Args:
            xp: the array module.
            padded: an array [N, C, ...] whose last dimensions the window slides over.
            counts: the number of windows along each of these dimensions.

        """
        n, c = padded.shape[:2]
        within = tuple(s * d for s, d in zip(padded.strides[2:], self.dilation, strict=True))
        between = tuple(s * d for s, d in zip(padded.strides[2:], self.stride, strict=True))
        view = xp.lib.stride_tricks.as_strided(
            padded, (n, c, *self.kernel, *counts), (*padded.strides[:2], *within, *between)
        )
        return view.reshape(n, c * math.prod(self.kernel), math.prod(counts))


def _last(parts: list[slice]) -> tuple[slice | EllipsisType, ...]:
    """The index of parts of the last dimensions."""
    return (..., *parts)
