"""Operators of neural network layers whose attributes have another form in MindSpore's files than here."""

from __future__ import annotations

from typing import Any

from framework import mint, ops
from framework.common.tensor import Tensor
from framework.mindir.operators.meanings import format_of, mindspore, padding_of, reduction_of
from framework.ops import operations
from framework.ops.constexpr import constexpr

__all__: list[str] = []


@mindspore("Conv2D")
def conv2d(
    x: Tensor, w: Tensor, *, out_channel: int, kernel_size: Any, pad_mode: str = "valid", pad: Any = 0,
    stride: Any = 1, dilation: Any = 1, group: int = 1, mode: int = 1, data_format: str = "NCHW",
) -> Tensor:  # fmt: skip
    return operations.Conv2D(
        out_channel, kernel_size, mode, padding_of(pad_mode), pad, _inner(stride), _inner(dilation), group,
        format_of(data_format),
    )(x, w)  # fmt: skip


@mindspore("Conv2DTranspose", "Conv2DBackpropInput")
def conv2d_transpose(
    x: Tensor, w: Tensor, shape: Any, *, out_channel: int, kernel_size: Any, pad_mode: str = "valid", pad: Any = 0,
    stride: Any = 1, dilation: Any = 1, group: int = 1, mode: int = 1, data_format: str = "NCHW",
) -> Tensor:  # fmt: skip
    return operations.Conv2DBackpropInput(
        out_channel, kernel_size, padding_of(pad_mode), pad, mode, _inner(stride), _inner(dilation), group,
        format_of(data_format),
    )(x, w, shape)  # fmt: skip


@mindspore("MaxPool")
def max_pool(
    x: Tensor, *, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW"
) -> Tensor:
    return operations.MaxPool(_inner(kernel_size), _inner(strides), padding_of(pad_mode), format_of(data_format))(x)


@mindspore("AvgPool")
def avg_pool(x: Tensor, kernel_size: Any, strides: Any, pad_mode: Any, data_format: Any) -> Tensor:
    return operations.AvgPool(
        _inner(kernel_size), _inner(strides), padding_of(pad_mode), format_of(data_format)
    )(x)  # fmt: skip


@mindspore("Conv3D")
def conv3d(
    x: Tensor, w: Tensor, *, out_channel: int, kernel_size: Any, pad_mode: str = "valid", pad: Any = 0,
    stride: Any = 1, dilation: Any = 1, group: int = 1, mode: int = 1,
) -> Tensor:  # fmt: skip
    return operations.Conv3D(
        out_channel, kernel_size, mode, padding_of(pad_mode), pad, _inner(stride), _inner(dilation), group
    )(x, w)


@mindspore("AvgPool3D")
def avg_pool3d(
    x: Tensor, *, kernel_size: Any, strides: Any, pad_mode: str = "valid", pad: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int = 0,
) -> Tensor:  # fmt: skip
    return operations.AvgPool3D(
        _inner(kernel_size), _inner(strides), padding_of(pad_mode), pad, ceil_mode, count_include_pad, divisor_override
    )(x)


@mindspore("MaxPool3D")
def max_pool3d(
    x: Tensor, *, kernel_size: Any, strides: Any, pad_mode: str = "VALID", pad_list: Any = 0, ceil_mode: Any = None
) -> Tensor:
    return operations.MaxPool3D(_inner(kernel_size), _inner(strides), pad_mode, pad_list, ceil_mode)(x)


@mindspore("MaxPool3DWithArgmax")
def max_pool3d_with_places(
    x: Tensor, *, ksize: Any, strides: Any, pads: Any, dilation: Any = (1, 1, 1), ceil_mode: bool = False
) -> tuple[Tensor, Tensor]:
    return operations.MaxPool3DWithArgmax(ksize, strides, pads, dilation, ceil_mode)(x)


@mindspore("MaxPoolWithArgmaxV2")
def max_pool_with_places(
    x: Tensor, *, kernel_size: Any, strides: Any, pads: Any = 0, dilation: Any = (1, 1), ceil_mode: bool = False
) -> tuple[Tensor, Tensor]:
    return operations.MaxPoolWithArgmaxV2(
        _inner(kernel_size), _inner(strides), _inner(pads), _inner(dilation), ceil_mode
    )(x)


@mindspore("Im2Col")
def patches(x: Tensor, *, ksizes: Any, strides: Any = 1, dilations: Any = 1, pads: Any = 0) -> Tensor:
    found = ops.unfold(x, ksizes, dilations, pads, strides)
    return found.reshape(_by_place(x.shape, found.shape))


@constexpr
def _by_place(shape: Any, columns: Any) -> tuple[int, ...]:
    """The shape (batch, channels, places in a patch, patches) of columns of shape (batch, the rest, patches)."""
    return (shape[0], shape[1], columns[1] // shape[1], columns[2])


@constexpr
def _inner(sizes: Any) -> Any:
    """The sizes without those of batch and channels, which files of the older primitives have too."""
    return tuple(sizes[2:]) if isinstance(sizes, tuple | list) and len(sizes) > 3 else sizes


@mindspore("Dense")
def dense(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    return ops.dense(x, weight, bias)


@mindspore("MatMulExt", "BatchMatMulExt", "BMMExt")
def product(x: Tensor, y: Tensor) -> Tensor:
    return ops.matmul(x, y)


@mindspore("GroupNorm")
def group_norm(
    x: Tensor, groups: int, weight: Tensor | None = None, bias: Tensor | None = None, epsilon: float = 1e-5
) -> tuple[Tensor]:
    return (ops.group_norm(x, groups, weight, bias, epsilon),)


@mindspore("LayerNormExt")
def layer_norm(
    x: Tensor, shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, epsilon: float = 1e-5
) -> tuple[Tensor]:
    return (mint.nn.functional.layer_norm(x, shape, weight, bias, epsilon),)


@mindspore("RmsNorm")
def rms_norm(x: Tensor, gamma: Tensor, epsilon: float = 1e-6) -> tuple[Tensor, Tensor]:
    scale = ops.rsqrt(ops.mean(ops.square(x), -1, True) + epsilon)
    return x * scale * gamma, scale


@mindspore("Embedding")
def embedding(indices: Tensor, weight: Tensor, *others: Any) -> Tensor:
    return ops.gather(weight, indices, 0)


@mindspore("MSELossExt")
def mean_squared(x: Tensor, target: Tensor, reduction: Any = "mean") -> Tensor:
    return ops.mse_loss(x, target, reduction_of(reduction))


@mindspore("L1LossExt")
def mean_distance(x: Tensor, target: Tensor, reduction: Any = "mean") -> Tensor:
    return ops.l1_loss(x, target, reduction_of(reduction))


@mindspore("DropoutExt")
def dropout(x: Tensor, rate: float, *random: Any) -> tuple[Tensor, Tensor]:
    return ops.dropout(x, rate), x


@mindspore("GeluExt")
def gelu(x: Tensor, approximate: Any = 0) -> Tensor:
    return ops.gelu(x, "tanh" if approximate in ("tanh", 10) else "none")


@mindspore("EluExt")
def elu(x: Tensor, alpha: float = 1.0) -> Tensor:
    return mint.nn.functional.elu(x, alpha)


@mindspore("LeakyReLUExt")
def leaky_relu(x: Tensor, slope: float = 0.01) -> Tensor:
    return mint.nn.functional.leaky_relu(x, slope)


@mindspore("SoftplusExt")
def softplus(x: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    return mint.nn.functional.softplus(x, beta, threshold)


@mindspore("MishExt")
def mish(x: Tensor) -> Tensor:
    return ops.mish(x)


@mindspore("LogSigmoid")
def log_sigmoid(x: Tensor) -> Tensor:
    return ops.logsigmoid(x)


@mindspore("Hardtanh")
def hard_tanh(x: Tensor, low: float = -1.0, high: float = 1.0) -> Tensor:
    return ops.clamp(x, low, high)
