"""Windows that slide over the last two dimensions of an array: their geometry, and views of what they see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Window"]


@dataclass(frozen=True, slots=True)
class Window:
    """A window over height and width.

    Attributes:
        kernel: its height and width.
        stride: how far it moves down and right.
        pads: rows above and below and columns left and right that are added around the array; a number of rows that is
            left out with `same` depends on the array's size.
        dilation: distance of its rows and of its columns.
        same: add as many rows and columns as make the output ceil(size / stride) long, the odd one behind.
        ceil: let the last window hang over the edge.
    """

    kernel: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilation: tuple[int, int] = (1, 1)
    same: bool = False
    ceil: bool = False

    def pads_for(self, height: int, width: int) -> tuple[int, int, int, int]:
        """Rows above and below and columns left and right for an array of this size."""
        if not self.same:
            return self.pads
        top, bottom = self._same(height, 0)
        left, right = self._same(width, 1)
        return top, bottom, left, right

    def _same(self, size: int, side: int) -> tuple[int, int]:
        out = -(-size // self.stride[side])
        total = max(0, (out - 1) * self.stride[side] + self._reach(side) - size)
        return total // 2, total - total // 2

    def _reach(self, side: int) -> int:
        """How many rows or columns it spans."""
        return (self.kernel[side] - 1) * self.dilation[side] + 1

    def out_size(self, size: int, side: int) -> int:
        """How many windows fit along height (side 0) or width (1).

        Raises:
            ValueError: not a single one.

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

    def out_sizes(self, height: int, width: int) -> tuple[int, int]:
        """How many windows fit along height and width."""
        return self.out_size(height, 0), self.out_size(width, 1)

    def padded(self, xp: Any, x: Any, value: Any = 0) -> Any:
        """The array with what is added around it."""
        height, width = x.shape[-2:]
        top, bottom, left, right = self.pads_for(height, width)
        if self.ceil:
            rows, columns = self.out_sizes(height, width)
            bottom = max(bottom, (rows - 1) * self.stride[0] + self._reach(0) - height - top)
            right = max(right, (columns - 1) * self.stride[1] + self._reach(1) - width - left)
        if not (top or bottom or left or right):
            return x
        around = ((0, 0),) * (x.ndim - 2) + ((top, bottom), (left, right))
        return xp.pad(x, around, constant_values=value)

    def inner(self, padded: Any, height: int, width: int) -> Any:
        """The part of a padded array that is no padding."""
        top, _, left, _ = self.pads_for(height, width)
        return padded[..., top : top + height, left : left + width]

    def positions(self, padded: Any, rows: int, columns: int) -> Iterator[Any]:
        """For each place in the window, row by row, what all windows see there: a view of [..., rows, columns]."""
        for i in range(self.kernel[0]):
            for j in range(self.kernel[1]):
                top, left = i * self.dilation[0], j * self.dilation[1]
                yield padded[
                    ...,
                    top : top + (rows - 1) * self.stride[0] + 1 : self.stride[0],
                    left : left + (columns - 1) * self.stride[1] + 1 : self.stride[1],
                ]

    def columns(self, xp: Any, padded: Any, rows: int, columns: int) -> Any:
        """What each window sees, as a matrix per image (im2col): [N, C * kernel, rows * columns].

        Args:
            xp: the array module.
            padded: [N, C, H, W].
            rows: number of windows along the height.
            columns: number of windows along the width.

        """
        n, c = padded.shape[:2]
        s = padded.strides
        view = xp.lib.stride_tricks.as_strided(
            padded,
            (n, c, *self.kernel, rows, columns),
            (
                s[0],
                s[1],
                s[2] * self.dilation[0],
                s[3] * self.dilation[1],
                s[2] * self.stride[0],
                s[3] * self.stride[1],
            ),
        )
        return view.reshape(n, c * self.kernel[0] * self.kernel[1], rows * columns)
