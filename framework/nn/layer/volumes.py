"""Convolution over volumes as a Cell."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.nn.layer.conv import ConvCell
from framework.ops import operations as P  # noqa: N812
from framework.ops.operations.shapes import each

__all__ = ["Conv3d"]


class Conv3d(ConvCell):
    """The convolution of volumes (N, in_channels, D, H, W) with a weight.

    The weight's shape is (out_channels, in_channels / group, KD, KH, KW).

    Args:
        in_channels: number of channels that come in.
        out_channels: number of channels that go out.
        kernel_size: depth, height and width of the window.
        stride: how far it moves.
        pad_mode: "same", "valid" or "pad".
        padding: with "pad", what is added on all sides, or in front, behind, above, below, left and right.
        dilation: distance of the elements that the window sees.
        group: number of groups that channels are divided into.
        has_bias: whether there is a bias.
        weight_init: how the weight begins; by default He's uniform distribution within 1 / sqrt(fan_in).
        bias_init: how the bias begins; by default uniform within 1 / sqrt(fan_in).
        data_format: "NCDHW".
        dtype: element type of the parameters.

    Example:
        >>> print(nn.Conv3d(3, 4, 2, pad_mode="valid")(ops.ones((1, 3, 4, 5, 6))).shape)
        (1, 4, 3, 4, 5)

    """

    operator = "conv3d"

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
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCDHW",
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        shape = (out_channels, in_channels // group, *each(kernel_size, 3))
        self._begin((in_channels, out_channels), shape, group, has_bias, (weight_init, bias_init), dtype)
        self.conv3d = P.Conv3D(out_channels, kernel_size, 1, pad_mode, padding, stride, dilation, group, data_format)

    def construct(self, x: Any) -> Any:
        """From (N, in_channels, D, H, W) to (N, out_channels) and the number of windows along each dimension."""
        x = self.conv3d(x, self.weight)
        if self.has_bias:
            x = self.bias_add(x, self.bias)
        return x
