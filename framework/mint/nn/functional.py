"""Functions of `mint.nn.functional` with other arguments than in `framework.ops`, and the names of the others.

Where a function has `inplace`, the result is the same with it; the input itself stays as it is.
"""

# ruff: noqa: A002 - MindSpore's names
from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops import functional as F  # noqa: N812
from framework.ops.functional import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    cosine_embedding_loss,
    cross_entropy,
    gelu,
    group_norm,
    hardshrink,
    hardsigmoid,
    hardswish,
    interpolate,
    l1_loss,
    layer_norm,
    logsigmoid,
    max_unpool2d,
    mish,
    mse_loss,
    pixel_shuffle,
    prelu,
    selu,
    sigmoid,
    soft_margin_loss,
    softplus,
    softshrink,
    tanh,
    upsample,
)
from framework.ops.functional import dense as linear
from framework.ops.operations import Conv2DTranspose

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "conv1d", "conv2d", "conv3d", "conv_transpose2d", "cosine_embedding_loss", "cross_entropy", "dropout", "dropout2d",
    "elu", "embedding", "flatten", "fold", "gelu", "glu", "grid_sample", "group_norm", "hardshrink", "hardsigmoid",
    "hardswish", "hardtanh", "interpolate", "kl_div", "l1_loss", "layer_norm", "leaky_relu", "linear", "log_softmax",
    "logsigmoid", "max_pool2d", "max_unpool2d", "mish", "mse_loss", "nll_loss", "normalize", "one_hot", "pad",
    "pixel_shuffle", "prelu", "relu", "relu6", "selu", "sigmoid", "silu", "smooth_l1_loss", "soft_margin_loss",
    "softmax", "softplus", "softshrink", "tanh", "threshold", "unfold", "upsample",
]  # fmt: skip


def avg_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    """Average pooling in one dimension; by default, windows do not overlap."""
    step = kernel_size if stride is None else stride
    return F.avg_pool1d(input, _one(kernel_size), _one(step), _one(padding), ceil_mode, count_include_pad)


def avg_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """Average pooling in two dimensions; by default, windows do not overlap."""
    step = kernel_size if stride is None else stride
    return F.avg_pool2d(input, kernel_size, step, padding, ceil_mode, count_include_pad, divisor_override or 0)


def avg_pool3d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """Average pooling in three dimensions; by default, windows do not overlap."""
    step = kernel_size if stride is None else stride
    return F.avg_pool3d(input, kernel_size, step, padding, ceil_mode, count_include_pad, divisor_override or 0)


def max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # fmt: skip
    """Max pooling; by default, windows do not overlap. With `return_indices`, also the indices of the maxima."""
    return F.max_pool2d(input, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """A convolution in one dimension; `padding` is a width, "same" or "valid"."""
    mode, width = _padding(padding)
    return F.conv1d(input, weight, bias, stride, mode, width, dilation, groups)


def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """A convolution in two dimensions; `padding` is a width, one for each dimension, "same" or "valid"."""
    mode, width = _padding(padding)
    return F.conv2d(input, weight, bias, stride, mode, width, dilation, groups)


def conv3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """A convolution in three dimensions; `padding` is a width, "same" or "valid"."""
    mode, width = _padding(padding)
    return F.conv3d(input, weight, bias, stride, mode, width, dilation, groups)


def conv_transpose2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Tensor:  # fmt: skip
    """The transposed convolution in two dimensions.

    Args:
        input: planes of shape (N, C, H, W).
        weight: windows of shape (C, output channels / groups, KH, KW).
        bias: one number for each output channel.
        stride: the distance of windows in the result; one number, or one for each dimension, as the next three.
        padding: rows and columns that the result lacks on each side.
        output_padding: rows and columns that the result has more at the bottom and on the right; less than `stride`.
        groups: the number of groups of channels that do not meet.
        dilation: the distance of a window's elements.

    Returns:
        Planes of (H - 1) stride - 2 padding + dilation (KH - 1) + output_padding + 1 rows; columns likewise.

    """
    window, step, border, more, spread = (
        _two(weight.shape[2:]),
        _two(stride),
        _two(padding),
        _two(output_padding),
        _two(dilation),
    )
    sizes = [
        (input.shape[2 + i] - 1) * step[i] - 2 * border[i] + spread[i] * (window[i] - 1) + more[i] + 1 for i in (0, 1)
    ]
    channels = weight.shape[1] * groups
    transposed = Conv2DTranspose(
        input.shape[1], window, "pad", (border[0], border[0], border[1], border[1]), stride=step,
        dilation=spread, group=groups,
    )  # fmt: skip
    planes: Tensor = transposed(input, weight, (input.shape[0], channels, *sizes))
    return planes if bias is None else planes + F.reshape(bias, (1, -1, 1, 1))


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Combine windows (columns) into images; overlapping elements are added up."""
    return _tensor(F.fold(input, output_size, kernel_size, dilation, padding, stride))


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Extract windows of images, one in each column."""
    return _tensor(F.unfold(input, kernel_size, dilation, padding, stride))


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """The binary cross entropy of probabilities."""
    return F.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The binary cross entropy of logits."""
    return F.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean"
) -> Tensor:
    """The negative log likelihood of labels."""
    return F.nll_loss(input, target, weight, ignore_index, reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """d^2 / (2 beta) where the difference d is smaller than `beta`, else abs(d) - beta / 2."""
    return _tensor(F.smooth_l1_loss(input, target, beta, reduction))


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Batch normalization of (N, C, ...): (x - mean) / sqrt(variance + eps) * weight + bias for each channel.

    Args:
        input: a tensor of floating point.
        running_mean: the means to use out of training; in training they move towards the batch's. None for none.
        running_var: the variances, likewise. They move towards the batch's variance with n - 1 in the denominator.
        weight: factors of the channels; None for 1.
        bias: what is added to the channels; None for 0.
        training: use the mean and the variance of the batch.
        momentum: the weight of the batch in the running mean and variance.
        eps: a number added to the variance.

    Raises:
        ValueError: there are no running statistics, and `training` is False.

    """
    if not training and (running_mean is None or running_var is None):
        raise ValueError("batch_norm: running_mean and running_var are required if training is False")
    ones = F.ones((input.shape[1],), mstype.float32)
    scale = ones if weight is None else weight
    shift = F.zeros_like(ones) if bias is None else bias
    if running_mean is not None and running_var is not None:
        return F.batch_norm(input, running_mean, running_var, scale, shift, training, momentum, eps)
    axes = (0, *range(2, input.ndim))
    mean = F.mean(input, axes, True)
    variance = F.mean(F.square(input - mean), axes, True)
    along = (1, -1) + (1,) * (input.ndim - 2)
    return _tensor((input - mean) * F.rsqrt(variance + eps) * F.reshape(scale, along) + F.reshape(shift, along))


def kl_div(input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """The Kullback-Leibler divergence. The input is log-probabilities; the target is probabilities, or
    log-probabilities with `log_target`."""
    return F.kl_div(input, F.exp(target) if log_target else target, reduction)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout: set elements to 0 with probability p, and divide the others by 1 - p."""
    return F.dropout(input, p, training)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Channel dropout: set whole channels to 0 with probability p, and divide the others by 1 - p."""
    return F.dropout2d(input, p, training)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """ELU: x above 0, alpha (e^x - 1) below."""
    return F.elu(input, alpha)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Limit the elements to a range."""
    return F.hardtanh(input, min_val, max_val)


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Leaky ReLU: x above 0, and x times a slope below."""
    return F.leaky_relu(input, negative_slope)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """ReLU: x above 0, else 0."""
    return _tensor(F.relu(input))


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """ReLU6: limit the elements to the range from 0 to 6."""
    return _tensor(F.relu6(input))


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """SiLU: x times its sigmoid."""
    return _tensor(F.silu(input))


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x above a threshold, else a fixed value."""
    return F.threshold(input, threshold, value)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """GLU: the first half along a dimension times the sigmoid of the second half."""
    return F.glu(input, dim)


def softmax(input: Tensor, dim: int | None = None, dtype: DType | None = None) -> Tensor:
    """The softmax along a dimension. With None it is the second dimension, or the first for tensors with one or three
    dimensions."""
    return F.softmax(input, _default(input.ndim) if dim is None else dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """The logarithm of `softmax`."""
    x = input if dtype is None else F.cast(input, dtype)
    return F.log_softmax(x, _default(input.ndim) if dim is None else dim)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """The tensor divided by its norms along a dimension, with `eps` as the smallest divisor."""
    lengths = F.pow(F.sum(F.pow(F.abs(input), p), dim, True), 1 / p)
    return _tensor(input / F.maximum(lengths, eps))


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False,
) -> Tensor:  # fmt: skip
    """Look up rows of a matrix by index; row `padding_idx` gets no gradient.

    Raises:
        NotImplementedError: `max_norm` or `scale_grad_by_freq` is set.

    """
    if max_norm is not None or scale_grad_by_freq:
        raise NotImplementedError("embedding: max_norm and scale_grad_by_freq are not supported")
    rows = F.gather(weight, input, 0)
    if padding_idx is None:
        return rows
    is_padding = F.expand_dims(F.equal(input, padding_idx % weight.shape[0]), -1)
    return F.where(is_padding, F.stop_gradient(rows), rows)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """One-hot vectors: 1 at each index, 0 elsewhere, along a new last dimension: Int64.

    Args:
        tensor: whole numbers from 0.
        num_classes: the length of the dimension; -1 for what the largest number needs, not in compiled functions.

    """
    length = int(F.amax(tensor).item()) + 1 if num_classes == -1 else num_classes
    places = F.cast(F.arange(length), tensor.dtype)
    return F.cast(F.equal(F.expand_dims(tensor, -1), places), mstype.int64)


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Pad a tensor; the widths before and after each dimension begin with the last dimension."""
    return F.pad(input, pad, mode, value)


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """Sample images or volumes at the points of a grid."""
    return F.grid_sample(input, grid, mode, padding_mode, bool(align_corners))


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Flatten a range of dimensions into one."""
    return F.flatten(input, start_dim=start_dim, end_dim=end_dim)


def _tensor(out: Any) -> Tensor:
    result: Tensor = out
    return result


def _one(value: Any) -> Any:
    return value if isinstance(value, int) else value[0]


def _two(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (value[0], value[-1])


def _padding(padding: Any) -> tuple[str, Any]:
    return (padding, 0) if isinstance(padding, str) else ("pad", padding)


def _default(rank: int) -> int:
    return 0 if rank in (0, 1, 3) else 1
