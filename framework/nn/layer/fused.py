"""Layers followed by batch normalization and an activation."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.nn.annotations import Initial
from framework.nn.cell import Cell
from framework.nn.layer.activation import LeakyReLU, get_activation
from framework.nn.layer.basic import Dense
from framework.nn.layer.conv import Conv2d
from framework.nn.layer.normalization import BatchNorm1d, BatchNorm2d
from framework.ops.primitive import Primitive

__all__ = ["Conv2dBnAct", "DenseBnAct"]


class _Followed(Cell):
    """A layer followed by the operations that its arguments name."""

    def _follow(self, norm: Cell | None, activation: str | Cell | Primitive | None, alpha: float, fake: bool) -> None:
        self.has_bn, self.has_act, self.after_fake = norm is not None, activation is not None, fake
        if norm is not None:
            self.batchnorm = norm
        is_leaky = isinstance(activation, str) and activation.lower() == "leakyrelu"
        self.activation = LeakyReLU(alpha) if is_leaky else get_activation(activation)

    def behind(self, x: Tensor) -> Tensor:
        """Normalize and activate the layer's output."""
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


class Conv2dBnAct(_Followed):
    """A convolution of images, optionally followed by batch normalization and an activation.

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
        weight_init: initializer of the weight.
        bias_init: initializer of the bias.
        has_bn: normalize.
        momentum: weight of the old value in the moving mean and variance.
        eps: number added to the variance.
        activation: an activation's name such as "relu", a Cell or a primitive; None for none.
        alpha: slope of "leakyrelu" for negative numbers.
        after_fake: accepted for compatibility; has no effect, as nothing is quantized.

    Input: images (N, in_channels, H, W). Output: images (N, out_channels, rows, columns).

    Example:
        >>> net = nn.Conv2dBnAct(1, 2, 3, has_bn=True, activation="relu")
        >>> print([item.name for item in net.get_parameters()])
        ['conv.weight', 'batchnorm.moving_mean', 'batchnorm.moving_variance', 'batchnorm.gamma', 'batchnorm.beta']

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
        weight_init: Initial = "normal",
        bias_init: Initial = "zeros",
        has_bn: bool = False,
        momentum: float = 0.997,
        eps: float = 1e-5,
        activation: str | Cell | Primitive | None = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.conv = Conv2d(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init,
        )  # fmt: skip
        norm = BatchNorm2d(out_channels, eps, momentum) if has_bn else None
        self._follow(norm, activation, alpha, after_fake)

    def construct(self, x: Tensor) -> Any:
        """Convolve, normalize and activate."""
        return self.behind(self.conv(x))


class DenseBnAct(_Followed):
    """A dense layer, optionally followed by batch normalization and an activation.

    Args:
        in_channels: number of input features.
        out_channels: number of output features.
        weight_init: initializer of the weight (out_channels, in_channels).
        bias_init: initializer of the bias (out_channels,).
        has_bias: add a bias.
        has_bn: normalize.
        momentum: weight of the old value in the moving mean and variance.
        eps: number added to the variance.
        activation: an activation's name such as "relu", a Cell or a primitive; None for none.
        alpha: slope of "leakyrelu" for negative numbers.
        after_fake: accepted for compatibility; has no effect, as nothing is quantized.

    Input: a tensor (N, in_channels). Output: a tensor (N, out_channels).

    Example:
        >>> net = nn.DenseBnAct(1, 1, weight_init="ones", has_bn=True, activation="relu").set_train()
        >>> print(net(Tensor([[1.0], [3.0]])).asnumpy().round(3).ravel())
        [0. 1.]

    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Initial = "normal",
        bias_init: Initial = "zeros",
        has_bias: bool = True,
        has_bn: bool = False,
        momentum: float = 0.9,
        eps: float = 1e-5,
        activation: str | Cell | Primitive | None = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        self._follow(BatchNorm1d(out_channels, eps, momentum) if has_bn else None, activation, alpha, after_fake)

    def construct(self, x: Tensor) -> Any:
        """Multiply, normalize and activate."""
        return self.behind(self.dense(x))
