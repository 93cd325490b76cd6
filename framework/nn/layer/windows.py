"""Windows as Cells: norms over them, what puts them back in their places, neighbouring channels."""

from __future__ import annotations

from typing import Any

from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["LRN", "Fold", "LPPool1d", "LPPool2d", "LocalResponseNorm", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]


class LPPool1d(Cell):
    """The norm of each window over (N, C, L) or (C, L): (sum of x^p)^(1/p).

    Args:
        norm_type: p, not 0.
        kernel_size: length of a window.
        stride: how far it moves; its length where it is left out.
        ceil_mode: let the last window hang over the end.

    Example:
        >>> print(nn.LPPool1d(2, 2)(Tensor([[[3.0, 4.0, 6.0, 8.0]]])))
        [[[ 5. 10.]]]

    """

    def __init__(self, norm_type: Any, kernel_size: int, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def construct(self, x: Any) -> Any:
        """From (N, C, L) to (N, C, windows)."""
        return F.lp_pool1d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(Cell):
    """The norm of each window over (N, C, H, W): (sum of x^p)^(1/p).

    Args:
        norm_type: p, not 0.
        kernel_size: height and width of a window, or one number for both.
        stride: how far it moves; its size where it is left out.
        ceil_mode: let the last windows hang over the edge.

    Example:
        >>> print(nn.LPPool2d(2, 2)(ops.ones((1, 1, 2, 4))))
        [[[[2. 2.]]]]

    """

    def __init__(self, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def construct(self, x: Any) -> Any:
        """From (N, C, H, W) to (N, C, rows, columns)."""
        return F.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LRN(Cell):
    """x / (bias + alpha * sum of squares of neighbouring channels)^beta (Krizhevsky et al. 2012).

    Args:
        depth_radius: how many channels on both sides are neighbours.
        bias: what is added to the sum.
        alpha: by what the sum is multiplied.
        beta: the exponent.
        norm_region: "ACROSS_CHANNELS".

    Example:
        >>> x = Tensor(np.array([3.0, 4.0, 0.0], np.float32).reshape(1, 3, 1, 1))
        >>> print(nn.LRN(1, 0.0)(x).asnumpy().ravel().round(3))
        [0.6 0.8 0. ]

    """

    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        super().__init__()
        self.local_response_norm = P.LRN(depth_radius, bias, alpha, beta, norm_region)

    def construct(self, input_x: Any) -> Any:
        """Of images (N, C, H, W)."""
        return self.local_response_norm(input_x)


LocalResponseNorm = LRN


class Fold(Cell):
    """What windows hold as columns, added up at their places in images: what `Unfold` is in reverse.

    Args:
        output_size: height and width of the images.
        kernel_size: height and width of the windows.
        dilation: the distance of the rows and columns that a window sees.
        padding: rows and columns on both sides that do not come back.
        stride: how far windows move.

    Example:
        >>> print(nn.Fold((2, 3), 2)(ops.ones((1, 4, 2))))
        [[[[1. 2. 1.]
           [1. 2. 1.]]]]

    """

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.output_size, self.kernel_size, self.dilation = output_size, kernel_size, dilation
        self.padding, self.stride = padding, stride

    def construct(self, x: Any) -> Any:
        """From (N, C * kernel height * kernel width, windows) to (N, C, H, W)."""
        return F.fold(x, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)


class _Unpool(Cell):
    """Holds the windows that a pooling had."""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
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

    def construct(self, x: Any, indices: Any, output_size: Any = None) -> Any:
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

    def construct(self, x: Any, indices: Any, output_size: Any = None) -> Any:
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

    def construct(self, x: Any, indices: Any, output_size: Any = None) -> Any:
        """From elements and places (N, C, D, H, W) to volumes of the size before."""
        return F.max_unpool3d(x, indices, self.kernel_size, self.stride, self.padding, output_size)
