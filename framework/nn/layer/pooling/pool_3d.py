"""Pooling of volumes."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.nn.annotations import Size
from framework.nn.cell import Cell
from framework.nn.layer.pooling.pool_1d_2d import LargestPool, Pool
from framework.ops import functional as F  # noqa: N812
from framework.ops.pooling.rows_and_volumes import (
    pools_of_largest,
    pools_of_means,
    volumes_pooled,
    volumes_pooled_with_places,
)
from framework.ops.shapes import each

__all__ = ["AdaptiveAvgPool3d", "AdaptiveMaxPool3d", "AvgPool3d", "MaxPool3d"]


class MaxPool3d(LargestPool):
    """The maximum of each window over (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size: depth, height and width of a window, or one number for all.
        stride: distance between windows.
        pad_mode: "valid", "same" or "pad".
        padding: for pad_mode "pad", elements on each side; they never are the maximum.
        dilation: for pad_mode "pad", distance between the elements of a window.
        return_indices: for pad_mode "pad", return the indices of the maxima too.
        ceil_mode: with "pad", allow the last windows to reach over the edge.

    Raises:
        ValueError: `dilation` or `return_indices` are given without pad_mode "pad".

    Example:
        >>> print(nn.MaxPool3d(2)(Tensor(np.arange(8.0).reshape(1, 1, 2, 2, 2))))
        [[[[[7.]]]]]

    """

    rank = 3

    def __init__(
        self,
        kernel_size: Size = 1,
        stride: Size = 1,
        pad_mode: str = "valid",
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, dilation, return_indices)
        sizes = (each(kernel_size, 3), each(stride, 3), each(padding, 3), each(dilation, 3))
        self.planes, self.depth = pools_of_largest(*sizes, ceil_mode, self.with_places, pad_mode)

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, D, H, W) to (N, C) and the number of windows along each dimension."""
        if not self.with_places:
            return volumes_pooled(x, self.planes, self.depth)
        values, places = volumes_pooled_with_places(x, self.planes, self.depth)
        return (values, places) if self.return_indices else values


class AvgPool3d(Pool):
    """The mean of each window over (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size: depth, height and width of a window, or one number for all.
        stride: distance between windows.
        pad_mode: "valid", "same" or "pad".
        padding: for pad_mode "pad", zeros on each side.
        ceil_mode: with "pad", allow the last windows to reach over the edge.
        count_include_pad: for pad_mode "pad", count the padding as elements.
        divisor_override: divisor of the sums; None for the number of elements.

    Example:
        >>> print(nn.AvgPool3d(2)(Tensor(np.arange(8.0).reshape(1, 1, 2, 2, 2))))
        [[[[[3.5]]]]]

    """

    def __init__(
        self,
        kernel_size: Size = 1,
        stride: Size = 1,
        pad_mode: str = "valid",
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode)
        sizes = (each(kernel_size, 3), each(stride, 3), each(padding, 3))
        self.planes, self.depth = pools_of_means(*sizes, ceil_mode, count_include_pad, divisor_override, pad_mode)

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, D, H, W) to (N, C) and the number of windows along each dimension."""
        return volumes_pooled(x, self.planes, self.depth)


class AdaptiveAvgPool3d(Cell):
    """Adaptive average pooling: the means of a given number of parts along depth, height and width.

    Args:
        output_size: number of parts, one number for all dimensions or three; None keeps a dimension as it is.

    Example:
        >>> print(nn.AdaptiveAvgPool3d((1, 1, 2))(Tensor(np.arange(8.0).reshape(1, 1, 2, 2, 2))))
        [[[[[3. 4.]]]]]

    """

    def __init__(self, output_size: Size) -> None:
        super().__init__()
        self.output_size = output_size

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, D, H, W) to (N, C, *output_size)."""
        return F.adaptive_avg_pool3d(x, self.output_size)


class AdaptiveMaxPool3d(Cell):
    """Adaptive max pooling: the maxima of a given number of parts along depth, height and width.

    Args:
        output_size: number of parts, one number for all dimensions or three; None keeps a dimension as it is.
        return_indices: return the indices of the maxima too.

    Example:
        >>> print(nn.AdaptiveMaxPool3d((1, 1, 2))(Tensor(np.arange(8.0).reshape(1, 1, 2, 2, 2))))
        [[[[[6. 7.]]]]]

    """

    def __init__(self, output_size: Size, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, D, H, W) to (N, C, *output_size)."""
        return F.adaptive_max_pool3d(x, self.output_size, self.return_indices)
