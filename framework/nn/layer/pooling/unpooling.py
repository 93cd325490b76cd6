"""The inverse of pooling by the largest element, as Cells."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.nn.annotations import Size
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812

__all__ = ["MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]


class _Unpool(Cell):
    """Holds the windows that a pooling had."""

    def __init__(self, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding


class MaxUnpool1d(_Unpool):
    """Elements put where the largest of each window lay, zeros elsewhere.

    Args:
        kernel_size: length of the windows.
        stride: how far they moved; their length where it is left out.
        padding: what was added at both ends.

    Example:
        >>> print(nn.MaxUnpool1d(2)(Tensor([[[5.0, 9.0]]]), Tensor([[[1, 2]]])))
        [[[0. 5. 9. 0.]]]

    """

    def construct(self, x: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None) -> Any:
        """From elements and places (N, C, L) to (N, C, length before)."""
        return F.max_unpool1d(x, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_Unpool):
    """Elements put where the largest of each window lay, zeros elsewhere.

    Args:
        kernel_size: height and width of the windows, or one number for both.
        stride: how far they moved; their size where it is left out.
        padding: what was added on both sides.

    Example:
        >>> print(nn.MaxUnpool2d(2)(Tensor([[[[7.0]]]]), Tensor([[[[2]]]])))
        [[[[0. 0.]
           [7. 0.]]]]

    """

    def construct(self, x: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None) -> Any:
        """From elements and places (N, C, H, W) to images of the size before."""
        return F.max_unpool2d(x, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_Unpool):
    """Elements put where the largest of each box lay, zeros elsewhere.

    Args:
        kernel_size: depth, height and width of the boxes, or one number for all.
        stride: how far they moved; their size where it is left out.
        padding: what was added on both sides.

    Example:
        >>> print(nn.MaxUnpool3d(2)(Tensor([[[[[5.0]]]]]), Tensor([[[[[6]]]]])).asnumpy().ravel())
        [0. 0. 0. 0. 0. 0. 5. 0.]

    """

    def construct(self, x: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None) -> Any:
        """From elements and places (N, C, D, H, W) to volumes of the size before."""
        return F.max_unpool3d(x, indices, self.kernel_size, self.stride, self.padding, output_size)
