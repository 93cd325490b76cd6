"""Power-average pooling: the p-norm of each window."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.nn.annotations import Size
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812

__all__ = ["LPPool1d", "LPPool2d"]


class LPPool1d(Cell):
    """The p-norm of each window over (N, C, L) or (C, L): (sum of x^p)^(1/p).

    Args:
        norm_type: p, not 0.
        kernel_size: length of a window.
        stride: distance between windows; None for their length.
        ceil_mode: allow the last window to reach over the end.

    Example:
        >>> print(nn.LPPool1d(2, 2)(Tensor([[[3.0, 4.0, 6.0, 8.0]]])))
        [[[ 5. 10.]]]

    """

    def __init__(self, norm_type: float, kernel_size: int, stride: Size | None = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, L) to (N, C, windows)."""
        return F.lp_pool1d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(Cell):
    """The p-norm of each window over (N, C, H, W): (sum of x^p)^(1/p).

    Args:
        norm_type: p, not 0.
        kernel_size: height and width of a window, or one number for both.
        stride: distance between windows; None for their size.
        ceil_mode: allow the last windows to reach over the edge.

    Example:
        >>> print(nn.LPPool2d(2, 2)(ops.ones((1, 1, 2, 4))))
        [[[[2. 2.]]]]

    """

    def __init__(
        self, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, H, W) to (N, C, rows, columns)."""
        return F.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)
