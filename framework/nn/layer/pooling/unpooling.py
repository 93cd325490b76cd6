"""Max unpooling, the inverse of max pooling."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.nn.annotations import Size
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812

__all__ = ["MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]


class _Unpool(Cell):
    """Base class of unpooling Cells. It holds the windows of the pooling."""

    def __init__(self, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> None:
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride


class MaxUnpool1d(_Unpool):
    """The inverse of max pooling: maxima at their positions, zeros elsewhere.

    Args:
        kernel_size: length of the windows.
        stride: distance between windows; None for their length.
        padding: padding of the pooling at each end.

    Example:
        >>> print(nn.MaxUnpool1d(2)(Tensor([[[5.0, 9.0]]]), Tensor([[[1, 2]]])))
        [[[0. 5. 9. 0.]]]

    """

    def construct(self, x: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None) -> Any:
        """Map maxima and indices (N, C, L) to sequences of the length before pooling."""
        return F.max_unpool1d(x, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_Unpool):
    """The inverse of max pooling: maxima at their positions, zeros elsewhere.

    Args:
        kernel_size: height and width of the windows, or one number for both.
        stride: distance between windows; None for their size.
        padding: padding of the pooling on each side.

    Example:
        >>> print(nn.MaxUnpool2d(2)(Tensor([[[[7.0]]]]), Tensor([[[[2]]]])))
        [[[[0. 0.]
           [7. 0.]]]]

    """

    def construct(self, x: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None) -> Any:
        """Map maxima and indices (N, C, H, W) to images of the size before pooling."""
        return F.max_unpool2d(x, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_Unpool):
    """The inverse of max pooling: maxima at their positions, zeros elsewhere.

    Args:
        kernel_size: depth, height and width of the windows, or one number for all.
        stride: distance between windows; None for their size.
        padding: padding of the pooling on each side.

    Example:
        >>> print(nn.MaxUnpool3d(2)(Tensor([[[[[5.0]]]]]), Tensor([[[[[6]]]]])).asnumpy().ravel())
        [0. 0. 0. 0. 0. 0. 5. 0.]

    """

    def construct(self, x: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None) -> Any:
        """Map maxima and indices (N, C, D, H, W) to volumes of the size before pooling."""
        return F.max_unpool3d(x, indices, self.kernel_size, self.stride, self.padding, output_size)
