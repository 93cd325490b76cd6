"""Convolutions of sequences and images, their transposes, and the base class of all convolutions."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import HeUniform, Uniform, initializer
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.common.validator import check_bool, check_positive_int, check_string, check_type
from framework.nn.annotations import Initial
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.shapes import pair

__all__ = ["Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dTranspose"]


class Windows(NamedTuple):
    """The window parameters of a convolution, in the form of its attributes.

    Args:
        kernel_size: size of the window.
        stride: distance between windows.
        pad_mode: "same", "valid" or "pad".
        padding: padding of the input, as it was given.
        dilation: distance between the elements of a window.
        group: number of groups that channels are divided into.
        data_format: order of the dimensions.
    """

    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    pad_mode: str
    padding: int | tuple[int, ...]
    dilation: tuple[int, ...]
    group: int
    data_format: str = "NCHW"


class ConvCell(Cell):
    """Base class of convolutions: it keeps the arguments as attributes and creates the weight and the bias."""

    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    pad_mode: str
    padding: int | tuple[int, ...]
    dilation: tuple[int, ...]
    group: int
    data_format: str

    def _begin(
        self, channels: tuple[int, int], windows: Windows, has_bias: bool, inits: tuple[Any, Any], dtype: DType
    ) -> None:
        name = type(self).__name__
        self.in_channels = check_positive_int(channels[0], f"{name}: in_channels")
        self.out_channels = check_positive_int(channels[1], f"{name}: out_channels")
        check_positive_int(windows.group, f"{name}: group")
        check_string(windows.pad_mode, ("same", "valid", "pad"), f"{name}: pad_mode")
        for argument in ("kernel_size", "stride", "dilation"):
            for number in getattr(windows, argument):
                check_positive_int(number, f"{name}: {argument}")
        check_bool(has_bias, f"{name}: has_bias")
        self.__dict__.update(windows._asdict())
        group = windows.group
        if self.in_channels % group or self.out_channels % group:
            raise ValueError(
                f"{type(self).__name__}: {self.in_channels} and {self.out_channels} channels cannot be "
                f"divided into {group} groups"
            )
        outer, inner = channels if isinstance(self, FromOutputs) else channels[::-1]
        shape = (outer, inner // group, *windows.kernel_size)
        weight_init, bias_init = inits
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(self.weight_init, shape, dtype), name="weight")
        self.has_bias, self.bias_init, self.bias = has_bias, bias_init, None
        if has_bias:
            self.bias_init = Uniform(1 / math.sqrt(math.prod(shape[1:]))) if bias_init is None else bias_init
            self.bias = Parameter(initializer(self.bias_init, (self.out_channels,), dtype), name="bias")
        self.bias_add = P.BiasAdd()

    def extend_repr(self) -> str:
        """The channels, the window and the bias."""
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}"
        )


class FromOutputs(ConvCell):
    """Base class of transposed convolutions, whose weights begin with the input's channels."""


class Conv2d(ConvCell):
    """The convolution of images (N, in_channels, H, W) with a weight (out_channels, in_channels / group, KH, KW).

    Args:
        in_channels: number of input channels.
        out_channels: number of output channels.
        kernel_size: height and width of the window.
        stride: distance between windows.
        pad_mode: "same", "valid" or "pad".
        padding: for pad_mode "pad", rows and columns on all sides, or top, bottom, left and right.
        dilation: distance between the rows and columns of a window.
        group: number of groups that channels are divided into.
        has_bias: add a bias.
        weight_init: initializer of the weight; by default He's uniform distribution within 1 / sqrt(fan_in).
        bias_init: initializer of the bias; by default uniform within 1 / sqrt(fan_in).
        data_format: "NCHW".
        dtype: element type of the parameters.

    Example:
        >>> net = nn.Conv2d(1, 1, 2, pad_mode="valid", weight_init="ones")
        >>> print(net(Tensor(np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3))))
        [[[[ 8. 12.]
           [20. 24.]]]]

    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, int] = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Initial = None,
        bias_init: Initial = None,
        data_format: str = "NCHW",
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        check_type(f"{type(self).__name__}: kernel_size", kernel_size, (int, tuple, list))
        windows = Windows(pair(kernel_size), pair(stride), pad_mode, padding, pair(dilation), group, data_format)
        self._begin((in_channels, out_channels), windows, has_bias, (weight_init, bias_init), dtype)
        self.conv2d = P.Conv2D(out_channels, kernel_size, 1, pad_mode, padding, stride, dilation, group, data_format)

    def construct(self, x: Tensor) -> Tensor:
        """Map (N, in_channels, H, W) to (N, out_channels, rows, columns)."""
        x = self.conv2d(x, self.weight)
        if self.has_bias:
            x = self.bias_add(x, self.bias)
        return x


class Conv1d(ConvCell):
    """The convolution of sequences (N, in_channels, L) with a weight (out_channels, in_channels / group, 1, K).

    Args:
        in_channels: number of input channels.
        out_channels: number of output channels.
        kernel_size: length of the window.
        stride: distance between windows.
        pad_mode: "same", "valid" or "pad".
        padding: for pad_mode "pad", elements at each end.
        dilation: distance between the elements of a window.
        group: number of groups that channels are divided into.
        has_bias: add a bias.
        weight_init: initializer of the weight; by default He's uniform distribution within 1 / sqrt(fan_in).
        bias_init: initializer of the bias; by default uniform within 1 / sqrt(fan_in).
        dtype: element type of the parameters.

    Example:
        >>> print(nn.Conv1d(3, 4, 2, pad_mode="valid")(ops.ones((1, 3, 8))).shape)
        (1, 4, 7)

    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        pad_mode: str = "same",
        padding: int = 0,
        dilation: int = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Initial = None,
        bias_init: Initial = None,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        pads = (0, 0, padding, padding)
        windows = Windows((1, kernel_size), (1, stride), pad_mode, pads, (1, dilation), group)
        self._begin((in_channels, out_channels), windows, has_bias, (weight_init, bias_init), dtype)
        self.conv2d = P.Conv2D(out_channels, (1, kernel_size), 1, pad_mode, pads, (1, stride), (1, dilation), group)

    def construct(self, x: Tensor) -> Any:
        """Map (N, in_channels, L) to (N, out_channels, windows)."""
        x = self.conv2d(F.expand_dims(x, 2), self.weight)
        if self.has_bias:
            x = self.bias_add(x, self.bias)
        return F.squeeze(x, 2)


class _Transposed(FromOutputs):
    """Base class of transposed convolutions: the gradient of a convolution with respect to its images."""

    def _transpose(self, windows: Windows, more: tuple[int, int]) -> None:
        """Store the attributes that determine the size of the output.

        Args:
            windows: how the convolution moves over its images.
            more: rows and columns of zeros that are added at the bottom and on the right.
        """
        kernel, stride, pad_mode, padding, dilation, group, _ = windows
        pads = (padding,) * 4 if isinstance(padding, int) else tuple(padding)
        self.is_valid, self.is_same, self.is_pad = (pad_mode == mode for mode in ("valid", "same", "pad"))
        if pad_mode != "pad" and any(more):
            raise ValueError(f"{type(self).__name__}: output_padding={more} needs pad_mode='pad', not {pad_mode!r}")
        if any(extra >= max(s, d) for extra, s, d in zip(more, stride, dilation, strict=True)):
            raise ValueError(f"{type(self).__name__}: output_padding={more} must be less than stride or dilation")
        self.conv2d = P.Conv2DTranspose(
            self.in_channels, (kernel[0], kernel[1]), pad_mode, pads, None, 1, stride, dilation, group
        )
        self._more = more

    def transposed(self, x: Tensor) -> Tensor:
        """Map (N, in_channels, H, W) to (N, out_channels, rows, columns)."""
        conv = self.conv2d
        size = _size_before(
            F.shape(x), self.out_channels, conv.kernel_size, conv.stride, conv.dilation, conv.pad_mode, conv.pad,
        )  # fmt: skip
        x = conv(x, self.weight, size)
        if self.has_bias:
            x = self.bias_add(x, self.bias)
        down, right = self._more
        return F.pad(x, (0, right, 0, down)) if down or right else x


@constexpr
def _size_before(
    shape: tuple[int, ...],
    channels: int,
    kernel: tuple[int, int],
    stride: tuple[int, int],
    dilation: tuple[int, int],
    mode: str,
    pads: tuple[int, ...],
) -> tuple[int, ...]:
    """The input shape for which a convolution has this output shape."""
    sizes = []
    for side in (0, 1):
        reach = (kernel[side] - 1) * dilation[side] + 1
        size = shape[2 + side] * stride[side]
        if mode != "same":
            size += max(reach - stride[side], 0) if mode == "valid" else reach - stride[side]
        sizes.append(size - sum(pads[2 * side : 2 * side + 2]))
    return (shape[0], channels, *sizes)


class Conv2dTranspose(_Transposed):
    """The transposed convolution of images (N, in_channels, H, W).

    Args:
        in_channels: number of input channels.
        out_channels: number of output channels.
        kernel_size: height and width of the window.
        stride: distance between windows of the convolution.
        pad_mode: "same" for an output that is stride times as large; "valid" or "pad".
        padding: for pad_mode "pad", rows and columns that the output lacks on all sides, or top, bottom, left and
            right.
        output_padding: for pad_mode "pad", rows and columns of zeros added at the bottom and on the right, as in
            MindSpore.
        dilation: distance between the rows and columns of a window.
        group: number of groups that channels are divided into.
        has_bias: add a bias.
        weight_init: initializer of the weight (in_channels, out_channels / group, KH, KW).
        bias_init: initializer of the bias.
        dtype: element type of the parameters.

    Example:
        >>> net = nn.Conv2dTranspose(1, 1, 2, pad_mode="valid", weight_init="ones")
        >>> print(net(Tensor([[[[1.0, 2.0]]]])))
        [[[[1. 3. 2.]
           [1. 3. 2.]]]]

    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, int] = 0,
        dilation: int | tuple[int, int] = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Initial = None,
        bias_init: Initial = None,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        check_type(f"{type(self).__name__}: kernel_size", kernel_size, (int, tuple, list))
        windows = Windows(pair(kernel_size), pair(stride), pad_mode, padding, pair(dilation), group)
        self._begin((in_channels, out_channels), windows, has_bias, (weight_init, bias_init), dtype)
        self.output_padding = output_padding
        self._transpose(windows, pair(output_padding))
        self.padding_top, self.padding_bottom, self.padding_left, self.padding_right = self.conv2d.pad

    def construct(self, x: Tensor) -> Tensor:
        """Map (N, in_channels, H, W) to (N, out_channels, rows, columns)."""
        return self.transposed(x)


class Conv1dTranspose(_Transposed):
    """The transposed convolution of sequences (N, in_channels, L).

    Args:
        in_channels: number of input channels.
        out_channels: number of output channels.
        kernel_size: length of the window.
        stride: distance between windows of the convolution.
        pad_mode: "same" for an output that is stride times as long; "valid" or "pad".
        padding: for pad_mode "pad", elements that the output lacks at each end.
        dilation: distance between the elements of a window.
        group: number of groups that channels are divided into.
        has_bias: add a bias.
        weight_init: initializer of the weight (in_channels, out_channels / group, 1, K).
        bias_init: initializer of the bias.
        dtype: element type of the parameters.

    Example:
        >>> print(nn.Conv1dTranspose(3, 4, 2, stride=2)(ops.ones((1, 3, 8))).shape)
        (1, 4, 16)

    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        pad_mode: str = "same",
        padding: int = 0,
        dilation: int = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Initial = None,
        bias_init: Initial = None,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        windows = Windows((1, kernel_size), (1, stride), pad_mode, (0, 0, padding, padding), (1, dilation), group)
        self._begin((in_channels, out_channels), windows, has_bias, (weight_init, bias_init), dtype)
        self._transpose(windows, (0, 0))

    def construct(self, x: Tensor) -> Any:
        """Map (N, in_channels, L) to (N, out_channels, length)."""
        return F.squeeze(self.transposed(F.expand_dims(x, 2)), 2)
