"""Cells of `mint.nn` with other arguments than in `framework.nn`.

Weights are initialized as the Cells of `framework.nn` do, which is as in PyTorch.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import Uniform, initializer
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.mint.nn import functional as F  # noqa: N812
from framework.nn.cell import Cell
from framework.nn.layer.activation.element_wise import GELU as GELU_OF_NN
from framework.nn.layer.activation.element_wise import ReLU as ReLUOfNn
from framework.nn.layer.activation.element_wise import ReLU6 as ReLU6OfNn
from framework.nn.layer.activation.element_wise import SiLU as SiLUOfNn
from framework.nn.layer.activation.rectifiers import LeakyReLU as LeakyReLUOfNn
from framework.nn.layer.basic import Dense as DenseOfNn
from framework.nn.layer.basic import Dropout as DropoutOfNn
from framework.nn.layer.basic import Flatten as FlattenOfNn
from framework.nn.layer.conv.conv_1d_2d import Conv2d as Conv2dOfNn
from framework.nn.layer.conv.conv_3d import Conv3d as Conv3dOfNn

__all__ = [
    "GELU",
    "AvgPool2d",
    "BCEWithLogitsLoss",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "Dropout",
    "Flatten",
    "GroupNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MaxPool2d",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Softmax",
]  # fmt: skip


class Linear(DenseOfNn):
    """A linear layer: x times the transposed weight, plus a bias.

    Args:
        in_features: the length of the last dimension of x.
        out_features: the length of the last dimension of the result.
        bias: whether there is a bias.
        weight_init: the initializer of the weight, shape (out_features, in_features).
        bias_init: the initializer of the bias.
        dtype: the element type of both; None for Float32.

    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, weight_init: Any = None, bias_init: Any = None,
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_features, out_features, weight_init=weight_init, bias_init=bias_init, has_bias=bias, dtype=_type(dtype)
        )


class Conv1d(Cell):
    """A convolution in one dimension; arguments as of `Conv2d`. The weight has the shape (out, in / groups, length).

    The weight and the bias begin as in PyTorch: uniform, up to 1 / sqrt(input channels / groups * length).
    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        _check_padding_mode(padding_mode)
        self.options = (_number(stride), padding, _number(dilation), groups)
        shape = (out_channels, in_channels // groups, _number(kernel_size))
        limit = Uniform(1 / sqrt(shape[1] * shape[2]))
        self.weight = Parameter(initializer(limit, shape, _type(dtype)), name="weight")
        self.bias: Parameter | None = None
        if bias:
            self.bias = Parameter(initializer(limit, (out_channels,), _type(dtype)), name="bias")

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The sequences."""
        return F.conv1d(input, self.weight, self.bias, *self.options)


class Conv2d(Conv2dOfNn):
    """A convolution in two dimensions.

    Args:
        in_channels: the channels of the input.
        out_channels: the channels of the result.
        kernel_size: the size of the windows, one number or one for each dimension; so are the next three.
        stride: the distance of windows.
        padding: the width of the borders of zeros; also "same" or "valid".
        dilation: the distance of a window's elements.
        groups: the number of groups of channels that do not meet.
        bias: whether there is a bias.
        padding_mode: "zeros".
        dtype: the element type of the weight; None for Float32.

    Raises:
        ValueError: `padding_mode` is not "zeros".

    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", dtype: DType | None = None,
    ) -> None:  # fmt: skip
        _check_padding_mode(padding_mode)
        mode, width = _padding(padding, 2)
        super().__init__(
            in_channels, out_channels, kernel_size, stride, mode, width, dilation, groups, bias, dtype=_type(dtype)
        )


class Conv3d(Conv3dOfNn):
    """A convolution in three dimensions; arguments as of `Conv2d`."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", dtype: DType | None = None,
    ) -> None:  # fmt: skip
        _check_padding_mode(padding_mode)
        mode, width = _padding(padding, 3)
        super().__init__(
            in_channels, out_channels, kernel_size, stride, mode, width, dilation, groups, bias, dtype=_type(dtype)
        )


class GroupNorm(Cell):
    """Group normalization; see `framework.nn.GroupNorm`.

    Args:
        num_groups: the number of groups.
        num_channels: the number of channels.
        eps: a number added to the variance.
        affine: whether channels are then scaled and shifted, by the parameters `weight` and `bias`.
        dtype: the element type of both; None for Float32.

    """

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.num_groups, self.eps = num_groups, eps
        self.weight: Parameter | None = None
        self.bias: Parameter | None = None
        if affine:
            self.weight = _parameter(1.0, num_channels, "weight", dtype)
            self.bias = _parameter(0.0, num_channels, "bias", dtype)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The normalized tensor."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class AvgPool2d(Cell):
    """Average pooling in two dimensions; arguments as of `functional.avg_pool2d`."""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.options = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The means."""
        return F.avg_pool2d(input, *self.options)


class MaxPool2d(Cell):
    """Max pooling in two dimensions; arguments as of `functional.max_pool2d`."""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.options = (kernel_size, stride, padding, dilation, ceil_mode, return_indices)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The maxima."""
        return F.max_pool2d(input, *self.options)


class Dropout(DropoutOfNn):
    """Dropout in training, with probability p; see `framework.nn.Dropout`."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__(p=p)


class Flatten(FlattenOfNn):
    """Flattens a range of dimensions into one; see `framework.nn.Flatten`."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__(start_dim=start_dim, end_dim=end_dim)


class GELU(GELU_OF_NN):
    """GELU: x times the normal distribution function at x, exact or, with "tanh", approximate."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__(approximate=approximate == "tanh")


class LeakyReLU(LeakyReLUOfNn):
    """Leaky ReLU: x above 0, and x times a slope below."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(negative_slope)


class ReLU(ReLUOfNn):
    """ReLU: x above 0, else 0; the input itself is not changed."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()


class ReLU6(ReLU6OfNn):
    """ReLU6: limits the elements to the range from 0 to 6; the input itself is not changed."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()


class SiLU(SiLUOfNn):
    """SiLU: x times its sigmoid; the input itself is not changed."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()


class Softmax(Cell):
    """The softmax along a dimension; see `functional.softmax`."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The softmax."""
        return F.softmax(input, self.dim)


class LogSoftmax(Cell):
    """The logarithm of `Softmax`."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The logarithms."""
        return F.log_softmax(input, self.dim)


class BCEWithLogitsLoss(Cell):
    """The binary cross entropy of logits; see `functional.binary_cross_entropy_with_logits`."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean", pos_weight: Tensor | None = None) -> None:
        super().__init__()
        self.weight, self.reduction, self.pos_weight = weight, reduction, pos_weight

    def construct(self, input: Tensor, target: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The loss."""
        return F.binary_cross_entropy_with_logits(input, target, self.weight, self.reduction, self.pos_weight)


def _type(dtype: DType | None) -> DType:
    return mstype.float32 if dtype is None else dtype


def _parameter(value: float, length: int, name: str, dtype: DType | None) -> Parameter:
    return Parameter(Tensor([value] * length, _type(dtype)), name=name)


def _number(value: Any) -> int:
    return int(value[0]) if isinstance(value, tuple | list) else int(value)


def _padding(padding: Any, rank: int) -> tuple[str, Any]:
    """The padding mode and the widths before and after each dimension."""
    if isinstance(padding, str):
        return padding, 0
    if rank == 1 or isinstance(padding, int):
        return "pad", _number(padding)
    return "pad", tuple(width for width in padding for _ in range(2))


def _check_padding_mode(padding_mode: str) -> None:
    if padding_mode != "zeros":
        raise ValueError(f"padding_mode must be 'zeros', not {padding_mode!r}")
