"""Pooling of sequences and images."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.common.validator import check_positive_int
from framework.nn.annotations import Size
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.shapes import each, pair

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "MaxPool1d",
    "MaxPool2d",
]


class Pool(Cell):
    """Base class of pooling with windows.

    Args:
        kernel_size: size of a window.
        stride: distance between windows.
        pad_mode: "valid", "same" or "pad"; the attribute is in capital letters.
    """

    def __init__(self, kernel_size: Size, stride: Size, pad_mode: str) -> None:
        super().__init__()
        name = type(self).__name__
        for argument, size in (("kernel_size", kernel_size), ("stride", stride)):
            for number in size if isinstance(size, tuple) else (size,):
                check_positive_int(number, f"{name}: {argument}")
        self.kernel_size, self.stride = kernel_size, stride
        self.pad_mode, self.format = pad_mode.upper(), "NCHW"

    def extend_repr(self) -> str:
        """The window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


class LargestPool(Pool):
    """Base class of max pooling of `rank` dimensions, which also can return the indices of the maxima.

    Args:
        kernel_size: size of a window.
        stride: distance between windows.
        pad_mode: "valid", "same" or "pad".
        dilation: distance between the elements of a window.
        return_indices: whether indices are returned.

    Raises:
        ValueError: `dilation` or `return_indices` are given without pad_mode "pad".
    """

    rank = 2

    def __init__(self, kernel_size: Size, stride: Size, pad_mode: str, dilation: Size, return_indices: bool) -> None:
        super().__init__(kernel_size, stride, pad_mode)
        self.return_indices, self.use_pad = return_indices, self.pad_mode == "PAD"
        self.with_places = return_indices or any(length != 1 for length in each(dilation, self.rank))
        if self.with_places and not self.use_pad:
            raise ValueError(f"{type(self).__name__}: dilation and return_indices need pad_mode='pad'")


class MaxPool2d(LargestPool):
    """The maximum of each window over (N, C, H, W).

    Args:
        kernel_size: height and width of the window.
        stride: distance between windows.
        pad_mode: "valid", "same" or "pad".
        padding: for pad_mode "pad", rows and columns on each side.
        dilation: for pad_mode "pad", distance between the rows and columns of a window.
        return_indices: for pad_mode "pad", return the indices of the maxima too.
        ceil_mode: for pad_mode "pad", allow the last window to reach over the edge.
        data_format: "NCHW".

    Example:
        >>> print(nn.MaxPool2d(2, 2)(Tensor([[[[1.0, 3.0], [5.0, 7.0]]]])))
        [[[[7.]]]]

    """

    def __init__(
        self,
        kernel_size: Size = 1,
        stride: Size = 1,
        pad_mode: str = "valid",
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, dilation, return_indices)
        self.pool: Any = P.MaxPool(kernel_size, stride, pad_mode, data_format, None, padding, ceil_mode)
        if self.use_pad:
            self.padding = (0, *pair(padding))
        if self.with_places:
            self.places = P.MaxPoolWithArgmaxV2(kernel_size, stride, padding, pair(dilation), ceil_mode)

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, H, W) to (N, C, rows, columns)."""
        if not self.with_places:
            return self.pool(x)
        values, places = self.places(x)
        return (values, places) if self.return_indices else values


class AvgPool2d(Pool):
    """The mean of each window over (N, C, H, W).

    Args:
        kernel_size: height and width of the window.
        stride: distance between windows.
        pad_mode: "valid", "same" or "pad".
        padding: for pad_mode "pad", rows and columns on each side.
        ceil_mode: for pad_mode "pad", allow the last window to reach over the edge.
        count_include_pad: for pad_mode "pad", count the padding as elements.
        divisor_override: divisor of the sums; None for the number of elements.
        data_format: "NCHW".

    Example:
        >>> print(nn.AvgPool2d(2, 2)(Tensor([[[[1.0, 3.0], [5.0, 7.0]]]])))
        [[[[4.]]]]

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
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode)
        self.pool = P.AvgPool(
            kernel_size, stride, pad_mode, data_format, None, padding, ceil_mode, count_include_pad, divisor_override
        )

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, H, W) to (N, C, rows, columns)."""
        return self.pool(x)


class MaxPool1d(LargestPool):
    """The maximum of each window over (N, C, L).

    Args:
        kernel_size: length of the window.
        stride: distance between windows.
        pad_mode: "valid", "same" or "pad".
        padding: for pad_mode "pad", elements at each end.
        dilation: for pad_mode "pad", distance between the elements of a window.
        return_indices: for pad_mode "pad", return the indices of the maxima too.
        ceil_mode: for pad_mode "pad", allow the last window to reach over the end.

    Raises:
        ValueError: `dilation` or `return_indices` are given without pad_mode "pad".

    Example:
        >>> print(nn.MaxPool1d(2, 2)(Tensor([[[1.0, 3.0, 5.0, 9.0]]])))
        [[[3. 9.]]]

    """

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: int = 0,
        dilation: int = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__((1, kernel_size), (1, stride), pad_mode, dilation, return_indices)
        if self.use_pad:  # MindSpore pools volumes then, and its attributes say so.
            self.kernel_size, self.stride, self.padding = (1, 1, kernel_size), (1, 1, stride), (0, 0, padding)
        sizes = ((1, kernel_size), (1, stride))
        self.pool: Any = P.MaxPool(*sizes, pad_mode, "NCHW", None, (0, padding), ceil_mode)
        if self.with_places:
            self.places = P.MaxPoolWithArgmaxV2(*sizes, (0, padding), (1, dilation), ceil_mode)

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, L) to (N, C, windows), and with `return_indices` also to the indices of that shape."""
        if not self.with_places:
            return F.squeeze(self.pool(F.expand_dims(x, 2)), 2)
        values, places = self.places(F.expand_dims(x, 2))
        return (F.squeeze(values, 2), F.squeeze(places, 2)) if self.return_indices else F.squeeze(values, 2)


class AvgPool1d(Pool):
    """The mean of each window over (N, C, L).

    Args:
        kernel_size: length of the window.
        stride: distance between windows.
        pad_mode: "valid", "same" or "pad".
        padding: for pad_mode "pad", elements at each end.
        ceil_mode: for pad_mode "pad", allow the last window to reach over the end.
        count_include_pad: for pad_mode "pad", count the padding as elements.

    Example:
        >>> print(nn.AvgPool1d(2, 2)(Tensor([[[1.0, 3.0, 5.0, 9.0]]])))
        [[[2. 7.]]]

    """

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: int = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__((1, kernel_size), (1, stride), pad_mode)
        if self.pad_mode == "PAD":
            self.kernel_size, self.stride = kernel_size, stride
        self.pool = P.AvgPool(
            (1, kernel_size), (1, stride), pad_mode, "NCHW", None, (0, padding), ceil_mode, count_include_pad
        )

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, L) to (N, C, windows)."""
        return F.squeeze(self.pool(F.expand_dims(x, 2)), 2)


class AdaptiveAvgPool2d(Cell):
    """Adaptive average pooling to a given height and width.

    Args:
        output_size: rows and columns, or one number for both; None keeps a side as it is.

    Example:
        >>> print(nn.AdaptiveAvgPool2d((1, 2))(Tensor([[[[1.0, 3.0], [5.0, 7.0]]]])))
        [[[[3. 5.]]]]

    """

    def __init__(self, output_size: Size) -> None:
        super().__init__()
        self.output_size = output_size
        self.pool = P.AdaptiveAvgPool2D(output_size)

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, H, W) to (N, C, rows, columns)."""
        return self.pool(x)


class _Adaptive1d(Cell):
    """Base class of adaptive pooling, which divides the last dimension into `output_size` parts."""

    def __init__(self, output_size: int) -> None:
        super().__init__()
        self.output_size = output_size


class AdaptiveAvgPool1d(_Adaptive1d):
    """Adaptive average pooling to a given length of the last dimension.

    Args:
        output_size: length of the result.

    Example:
        >>> print(nn.AdaptiveAvgPool1d(2)(Tensor([[[1.0, 3.0, 5.0, 7.0]]])))
        [[[2. 6.]]]

    """

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, L) to (N, C, output_size)."""
        return F.adaptive_avg_pool1d(x, self.output_size)


class AdaptiveMaxPool2d(Cell):
    """Adaptive max pooling to a given height and width.

    Args:
        output_size: rows and columns, or one number for both; None keeps a side as it is.
        return_indices: return the indices of the maxima too.

    Example:
        >>> print(nn.AdaptiveMaxPool2d((1, 2))(Tensor([[[[1.0, 3.0], [5.0, 7.0]]]])))
        [[[[5. 7.]]]]

    """

    def __init__(self, output_size: Size, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.pool = P.AdaptiveMaxPool2D(output_size)
        self.return_indices = return_indices

    def construct(self, x: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """Map (N, C, H, W) to (N, C, rows, columns)."""
        values, places = self.pool(x)
        return (values, places) if self.return_indices else values


class AdaptiveMaxPool1d(_Adaptive1d):
    """Adaptive max pooling to a given length of the last dimension.

    Args:
        output_size: length of the result.

    Example:
        >>> print(nn.AdaptiveMaxPool1d(2)(Tensor([[[1.0, 3.0, 5.0, 7.0]]])))
        [[[3. 7.]]]

    """

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, L) to (N, C, output_size)."""
        return F.adaptive_max_pool1d(x, self.output_size)
