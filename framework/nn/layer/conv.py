"""Convolutions as Cells."""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import HeUniform, Uniform, initializer
from framework.common.parameter import Parameter
from framework.nn.cell import Cell
from framework.ops import operations as P  # noqa: N812
from framework.ops.operations.shapes import pair

__all__ = ["Conv2d"]


class Conv2d(Cell):
    """The convolution of images (N, in_channels, H, W) with a weight (out_channels, in_channels / group, KH, KW).

    Args:
        in_channels: number of channels that come in.
        out_channels: number of channels that go out.
        kernel_size: height and width of the window.
        stride: how far it moves.
        pad_mode: "same", "valid" or "pad".
        padding: with "pad", rows and columns on all sides, or top, bottom, left and right.
        dilation: distance of the rows and columns that the window sees.
        group: number of groups that channels are divided into.
        has_bias: whether there is a bias.
        weight_init: how the weight begins; by default He's uniform distribution within 1 / sqrt(fan_in).
        bias_init: how the bias begins; by default uniform within 1 / sqrt(fan_in).
        data_format: "NCHW".
        dtype: element type of the parameters.

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
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCHW",
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        if in_channels % group or out_channels % group:
            raise ValueError(f"Conv2d: {in_channels} and {out_channels} channels do not divide into {group} groups")
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        self.conv2d = P.Conv2D(out_channels, kernel_size, 1, pad_mode, padding, stride, dilation, group, data_format)
        shape = (out_channels, in_channels // group, *pair(kernel_size))
        weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(weight_init, shape, dtype), name="weight")
        if has_bias:
            bias_init = Uniform(1 / math.sqrt(math.prod(shape[1:]))) if bias_init is None else bias_init
            self.bias = Parameter(initializer(bias_init, (out_channels,), dtype), name="bias")
        self.bias_add = P.BiasAdd()

    def construct(self, x: Any) -> Any:
        """From (N, in_channels, H, W) to (N, out_channels, rows, columns)."""
        x = self.conv2d(x, self.weight)
        if self.has_bias:
            x = self.bias_add(x, self.bias)
        return x

    def extend_repr(self) -> str:
        """Channels, window and bias."""
        conv = self.conv2d
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={conv.kernel_size}, "
            f"stride={conv.stride}, pad_mode={conv.pad_mode}, padding={conv.pad}, dilation={conv.dilation}, "
            f"group={conv.group}, has_bias={self.has_bias}"
        )
