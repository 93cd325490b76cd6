"""Pooling as Cells."""

from __future__ import annotations

from typing import Any

from framework.nn.cell import Cell
from framework.ops import operations as P  # noqa: N812

__all__ = ["AvgPool2d", "MaxPool2d"]


class MaxPool2d(Cell):
    """The largest element of each window over (N, C, H, W).

    Args:
        kernel_size: height and width of the window.
        stride: how far it moves.
        pad_mode: "valid", "same" or "pad".
        padding: with "pad", rows and columns on both sides.
        ceil_mode: with "pad", let the last window hang over the edge.
        data_format: "NCHW".

    """

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        self.max_pool = P.MaxPool(kernel_size, stride, pad_mode, data_format, None, padding, ceil_mode)

    def construct(self, x: Any) -> Any:
        """From (N, C, H, W) to (N, C, rows, columns)."""
        return self.max_pool(x)

    def extend_repr(self) -> str:
        """The window."""
        pool = self.max_pool
        return f"kernel_size={pool.kernel_size}, stride={pool.strides}, pad_mode={pool.pad_mode}"


class AvgPool2d(Cell):
    """The mean of each window over (N, C, H, W).

    Args:
        kernel_size: height and width of the window.
        stride: how far it moves.
        pad_mode: "valid", "same" or "pad".
        padding: with "pad", rows and columns on both sides.
        ceil_mode: with "pad", let the last window hang over the edge.
        count_include_pad: with "pad", whether what is added counts as elements.
        divisor_override: what sums are divided by, in place of the number of elements.
        data_format: "NCHW".

    """

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        self.avg_pool = P.AvgPool(
            kernel_size, stride, pad_mode, data_format, None, padding, ceil_mode, count_include_pad, divisor_override
        )

    def construct(self, x: Any) -> Any:
        """From (N, C, H, W) to (N, C, rows, columns)."""
        return self.avg_pool(x)

    def extend_repr(self) -> str:
        """The window."""
        pool = self.avg_pool
        return f"kernel_size={pool.kernel_size}, stride={pool.strides}, pad_mode={pool.pad_mode}"
