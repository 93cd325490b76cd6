"""Convolution of volumes and its transpose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.nn.annotations import Initial
from framework.nn.layer.conv.conv_1d_2d import ConvCell, FromOutputs, Windows
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.shapes import each

__all__ = ["Conv3d", "Conv3dTranspose"]


class Conv3d(ConvCell):
    """The convolution of volumes (N, in_channels, D, H, W) with a weight.

    The weight's shape is (out_channels, in_channels / group, KD, KH, KW).

    Args:
        in_channels: number of input channels.
        out_channels: number of output channels.
        kernel_size: depth, height and width of the window.
        stride: distance between windows.
        pad_mode: "same", "valid" or "pad".
        padding: for pad_mode "pad", elements on all sides, or front, back, top, bottom, left and right.
        dilation: distance between the elements of a window.
        group: number of groups that channels are divided into.
        has_bias: add a bias.
        weight_init: initializer of the weight; by default He's uniform distribution within 1 / sqrt(fan_in).
        bias_init: initializer of the bias; by default uniform within 1 / sqrt(fan_in).
        data_format: "NCDHW".
        dtype: element type of the parameters.

    Example:
        >>> print(nn.Conv3d(3, 4, 2, pad_mode="valid")(ops.ones((1, 3, 4, 5, 6))).shape)
        (1, 4, 3, 4, 5)

    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int, int],
        stride: int | tuple[int, int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, int, int] = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Initial = None,
        bias_init: Initial = None,
        data_format: str = "NCDHW",
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        sizes = (each(kernel_size, 3), each(stride, 3), each(dilation, 3))
        windows = Windows(sizes[0], sizes[1], pad_mode, padding, sizes[2], group, data_format)
        self._begin((in_channels, out_channels), windows, has_bias, (weight_init, bias_init), dtype)
        self.conv3d = P.Conv3D(out_channels, kernel_size, 1, pad_mode, padding, stride, dilation, group, data_format)

    def construct(self, x: Tensor) -> Tensor:
        """Map (N, in_channels, D, H, W) to (N, out_channels) and the number of windows along each dimension."""
        x = self.conv3d(x, self.weight)
        if self.has_bias:
            x = self.bias_add(x, self.bias)
        return x


@constexpr
def _size_before(
    of: Sequence[int], channels: int, conv: tuple[Any, ...], pad_mode: str, pads: tuple[int, ...], more: tuple[int, ...]
) -> tuple[int, ...]:
    """The input shape for which a convolution has this output shape."""
    sizes = []
    for side, (kernel, stride, dilation) in enumerate(zip(*conv, strict=True)):
        reach = dilation * (kernel - 1) + 1
        size = of[2 + side] * stride
        if pad_mode != "same":
            size += max(reach - stride, 0) if pad_mode == "valid" else reach - stride
        sizes.append(size - sum(pads[2 * side : 2 * side + 2]) + more[side])
    return (of[0], channels, *sizes)


class Conv3dTranspose(FromOutputs):
    """The transposed convolution of volumes (N, in_channels, D, H, W).

    Args:
        in_channels: number of input channels.
        out_channels: number of output channels.
        kernel_size: depth, height and width of the window.
        stride: distance between windows of the convolution.
        pad_mode: "same": the output is stride times as large; "valid" or "pad".
        padding: for pad_mode "pad", elements that the output lacks on all sides, or front, back, top, bottom, left and
            right.
        dilation: distance between the elements of a window.
        group: number of groups that channels are divided into.
        output_padding: for pad_mode "pad", extra size of the output over the smallest that fits.
        has_bias: add a bias.
        weight_init: initializer of the weight (in_channels, out_channels / group, KD, KH, KW).
        bias_init: initializer of the bias.
        data_format: "NCDHW".
        dtype: element type of the parameters.

    Raises:
        ValueError: `output_padding` is given without pad_mode "pad", or is not less than stride or dilation.

    Example:
        >>> print(nn.Conv3dTranspose(3, 4, 2, stride=2)(ops.ones((1, 3, 2, 3, 4))).shape)
        (1, 4, 4, 6, 8)

    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int, int],
        stride: int | tuple[int, int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, int, int] = 1,
        group: int = 1,
        output_padding: int | tuple[int, int, int] = 0,
        has_bias: bool = False,
        weight_init: Initial = None,
        bias_init: Initial = None,
        data_format: str = "NCDHW",
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        self._window = (each(kernel_size, 3), each(stride, 3), each(dilation, 3))
        self.output_padding = each(output_padding, 3)
        if pad_mode != "pad" and any(self.output_padding):
            raise ValueError(f"Conv3dTranspose: output_padding={output_padding} needs pad_mode='pad', not {pad_mode!r}")
        if any(extra >= max(s, d) for extra, s, d in zip(self.output_padding, *self._window[1:], strict=True)):
            raise ValueError(f"Conv3dTranspose: output_padding={output_padding} must be less than stride or dilation")
        self._pads = (padding,) * 6 if isinstance(padding, int) else tuple(padding)
        kernel, strides, dilations = self._window
        windows = Windows(kernel, strides, pad_mode, padding, dilations, group, data_format)
        self._begin((in_channels, out_channels), windows, has_bias, (weight_init, bias_init), dtype)
        self.conv3d = P.Conv3DBackpropInput(
            in_channels, kernel_size, pad_mode, self._pads, 1, strides, dilations, group, data_format
        )

    def construct(self, x: Tensor) -> Tensor:
        """Map (N, in_channels, D, H, W) to (N, out_channels) and the size before the convolution."""
        size = _size_before(F.shape(x), self.out_channels, self._window, self.pad_mode, self._pads, self.output_padding)
        x = self.conv3d(x, self.weight, size)
        if self.has_bias:
            x = self.bias_add(x, self.bias)
        return x
