"""Norms, one-hot encoding, bilinear layers, and dropout of whole channels."""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import Uniform, initializer
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.annotations import Initial
from framework.nn.cell import Cell
from framework.nn.layer.activation import get_activation
from framework.nn.layer.basic import Dropout
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import Primitive

__all__ = ["BiDense", "ClipByNorm", "Dropout1d", "Dropout2d", "Dropout3d", "Norm", "OneHot"]


class Norm(Cell):
    """The Euclidean norm over axes.

    Args:
        axis: an axis or several; () for all.
        keep_dims: keep the reduced dimensions with length 1.

    Example:
        >>> print(nn.Norm(1)(Tensor([[3.0, 4.0], [6.0, 8.0]])))
        [ 5. 10.]

    """

    def __init__(self, axis: int | tuple[int, ...] = (), keep_dims: bool = False) -> None:
        super().__init__()
        self.axis, self.keep_dims = axis, keep_dims
        self.sum = P.ReduceSum(keep_dims)

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return F.sqrt(self.sum(F.square(x), self.axis))


class ClipByNorm(Cell):
    """x scaled down to a maximum norm: x * clip_norm / max(norm of x, clip_norm).

    Args:
        axis: axes of the norm; None for all.

    Example:
        >>> print(nn.ClipByNorm()(Tensor([3.0, 4.0]), Tensor(1.0)).asnumpy().round(3))
        [0.6 0.8]

    """

    def __init__(self, axis: int | tuple[int, ...] | None = None) -> None:
        super().__init__()
        self.axis = () if axis is None else axis
        self.sum = P.ReduceSum(True)

    def construct(self, x: Tensor, clip_norm: Tensor) -> Any:
        """Scale a tensor of any shape down to the norm `clip_norm`, above 0."""
        squares = self.sum(F.square(x), self.axis)
        # The norm has no derivative at 0, where nothing is scaled.
        some = F.greater(squares, 0)
        norm = F.select(some, F.sqrt(F.select(some, squares, F.ones_like(squares))), squares)
        return x * clip_norm / F.maximum(norm, clip_norm)


class OneHot(Cell):
    """One-hot encoding: a new axis with `on_value` at the index and `off_value` elsewhere.

    Args:
        axis: position of the new axis; -1 for the last.
        depth: length of the new axis.
        on_value: value at the index.
        off_value: value elsewhere.
        dtype: element type of the output.

    Example:
        >>> print(nn.OneHot(depth=3)(Tensor([0, 2])))
        [[1. 0. 0.]
         [0. 0. 1.]]

    """

    def __init__(
        self,
        axis: int = -1,
        depth: int = 1,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        self.one_hot, self.axis = P.OneHot(axis), axis
        self.depth, self.on_value, self.off_value, self.dtype = depth, on_value, off_value, dtype

    def construct(self, indices: Tensor) -> Any:
        """Encode integers of any shape."""
        return F.cast(self.one_hot(indices, self.depth, self.on_value, self.off_value), self.dtype)


class BiDense(Cell):
    """A bilinear layer: x1 W x2 + bias, with a matrix W for each output channel.

    Args:
        in1_channels: number of features of x1.
        in2_channels: number of features of x2.
        out_channels: number of output features.
        weight_init: initializer of the weight (out_channels, in1_channels, in2_channels); by default uniform within 1 /
            sqrt(in1_channels).
        bias_init: initializer of the bias (out_channels,); by default uniform within 1 / sqrt(in1_channels).
        has_bias: add a bias.
        activation: an activation's name such as "relu", a Cell or a primitive; None for none.
        dtype: element type of the parameters.

    Example:
        >>> print(nn.BiDense(2, 3, 4)(ops.ones((5, 2)), ops.ones((5, 3))).shape)
        (5, 4)

    """

    def __init__(
        self,
        in1_channels: int,
        in2_channels: int,
        out_channels: int,
        weight_init: Initial = None,
        bias_init: Initial = None,
        has_bias: bool = True,
        activation: str | Cell | Primitive | None = None,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        self.in1_channels, self.in2_channels = in1_channels, in2_channels
        self.out_channels, self.has_bias, self.bias = out_channels, has_bias, None
        init = Uniform(1 / math.sqrt(in1_channels))
        shape = (out_channels, in1_channels, in2_channels)
        self.weight = Parameter(initializer(init if weight_init is None else weight_init, shape, dtype), name="weight")
        if has_bias:
            bias_init = init if bias_init is None else bias_init
            self.bias = Parameter(initializer(bias_init, (out_channels,), dtype), name="bias")
        self.activation = get_activation(activation)

    def construct(self, x1: Tensor, x2: Tensor) -> Any:
        """Map (..., in1_channels) and (..., in2_channels) to (..., out_channels)."""
        out = F.bidense(x1, x2, self.weight, self.bias)
        return out if self.activation is None else self.activation(out)


class _ChannelDropout(Cell):
    """In training, whole channels set to 0 with probability p and the others divided by 1 - p.

    Args:
        p: probability that a channel is set to 0.
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"{type(self).__name__}: p must lie between 0 and 1, not {p}")
        self.p, self.keep_prob = p, 1 - p
        self.dropout = Dropout(p=p if p < 1 else 0.0)

    def construct(self, x: Tensor) -> Any:
        """Drop channels of a tensor of shape (N, C, ...)."""
        if not self.training or self.p == 0:
            return x
        if self.p == 1:
            return F.zeros_like(x)
        shape = F.shape(x)
        return x * self.dropout(F.ones(shape[:2] + (1,) * (len(shape) - 2), F.dtype(x)))

    def extend_repr(self) -> str:
        """The probability."""
        return f"p={self.p}"


class Dropout1d(_ChannelDropout):
    """In training, whole channels of (N, C, L) set to 0 with probability p and the others divided by 1 - p.

    Args:
        p: probability that a channel is set to 0.

    Example:
        >>> print(nn.Dropout1d()(ops.ones((2, 3, 4))).shape)
        (2, 3, 4)

    """


class Dropout2d(_ChannelDropout):
    """In training, whole channels of (N, C, H, W) set to 0 with probability p and the others divided by 1 - p.

    Args:
        p: probability that a channel is set to 0.

    Example:
        >>> print(nn.Dropout2d()(ops.ones((2, 3, 4, 4))).shape)
        (2, 3, 4, 4)

    """


class Dropout3d(_ChannelDropout):
    """In training, whole channels of (N, C, D, H, W) set to 0 with probability p and the others divided by 1 - p.

    Args:
        p: probability that a channel is set to 0.

    Example:
        >>> print(nn.Dropout3d()(ops.ones((2, 3, 4, 4, 4))).shape)
        (2, 3, 4, 4, 4)

    """
