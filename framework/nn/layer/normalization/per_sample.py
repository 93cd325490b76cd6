"""Normalization within each sample: layer, group and instance normalization."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import initializer
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.annotations import Initial
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr

__all__ = ["GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LayerNorm"]


class LayerNorm(Cell):
    """Layer normalization (Ba et al. 2016) over the dimensions from `begin_norm_axis` on.

    Args:
        normalized_shape: shape of gamma and beta, the last dimensions of the input.
        begin_norm_axis: first dimension that mean and variance are taken over.
        begin_params_axis: first dimension of gamma and beta.
        gamma_init: initializer of the factor.
        beta_init: initializer of the shift.
        epsilon: number added to the variance.
        dtype: element type of the parameters.

    Example:
        >>> print(nn.LayerNorm((2,))(Tensor([[1.0, 3.0], [2.0, 8.0]])).asnumpy().round(2))
        [[-1.  1.]
         [-1.  1.]]

    """

    def __init__(
        self,
        normalized_shape: tuple[int, ...] | list[int],
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: Initial = "ones",
        beta_init: Initial = "zeros",
        epsilon: float = 1e-7,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        self.normalized_shape, self.epsilon = normalized_shape, epsilon
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis
        self.gamma = Parameter(initializer(gamma_init, tuple(normalized_shape), dtype), name="gamma")
        self.beta = Parameter(initializer(beta_init, tuple(normalized_shape), dtype), name="beta")
        self.layer_norm = P.LayerNorm(begin_norm_axis, begin_params_axis, epsilon)

    def construct(self, x: Tensor) -> Any:
        """Normalize a tensor whose last dimensions are the normalized ones."""
        return self.layer_norm(x, self.gamma, self.beta)[0]

    def extend_repr(self) -> str:
        """The shape and epsilon."""
        return f"normalized_shape={self.normalized_shape}, epsilon={self.epsilon}"


@constexpr
def _along_channels(rank: int) -> tuple[int, ...]:
    """The shape in which a vector of channels broadcasts."""
    return (1, -1, *(1,) * (rank - 2))


class _PerSample(Cell):
    """Base class of normalization within each sample over groups of channels."""

    def _begin(self, channels: int, affine: bool, inits: tuple[Any, Any], dtype: DType) -> None:
        gamma_init, beta_init = inits
        self.gamma = Parameter(initializer(gamma_init, (channels,), dtype), name="gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, (channels,), dtype), name="beta", requires_grad=affine)

    def normalized(self, x: Tensor, groups: int, eps: float) -> Any:
        """(x - mean) / sqrt(variance + eps) * gamma + beta, with mean and variance of each group of channels."""
        shape = F.shape(x)
        grouped = F.reshape(x, (shape[0], groups, -1))
        centred = grouped - F.mean(grouped, -1, True)
        grouped = centred * F.rsqrt(F.mean(F.square(centred), -1, True) + eps)
        channels = _along_channels(len(shape))
        return F.reshape(grouped, shape) * F.reshape(self.gamma, channels) + F.reshape(self.beta, channels)


class GroupNorm(_PerSample):
    """Group normalization (Wu and He 2018): each sample is normalized over groups of channels.

    Args:
        num_groups: number of groups.
        num_channels: number of channels, a multiple of `num_groups`.
        eps: number added to the variance.
        affine: train gamma and beta.
        gamma_init: initializer of the factor.
        beta_init: initializer of the shift.
        dtype: element type of the parameters.

    Example:
        >>> print(nn.GroupNorm(2, 4)(Tensor([[[[1.0]], [[3.0]], [[5.0]], [[9.0]]]])).asnumpy().ravel().round(2))
        [-1.  1. -1.  1.]

    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        gamma_init: Initial = "ones",
        beta_init: Initial = "zeros",
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"GroupNorm: {num_channels} channels cannot be divided into {num_groups} groups")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._begin(num_channels, affine, (gamma_init, beta_init), dtype)

    def construct(self, x: Tensor) -> Any:
        """Normalize a tensor of shape (N, num_channels, ...)."""
        return self.normalized(x, self.num_groups, self.eps)

    def extend_repr(self) -> str:
        """The groups and channels."""
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}, eps={self.eps}"


class _InstanceNorm(_PerSample):
    """Base class of instance normalization of `rank` dimensions. The arguments are those of `InstanceNorm2d`."""

    rank = 0

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        gamma_init: Initial = "ones",
        beta_init: Initial = "zeros",
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self._begin(num_features, affine, (gamma_init, beta_init), dtype)

    def construct(self, x: Tensor) -> Any:
        """Normalize a tensor of shape (N, num_features, ...)."""
        if len(x.shape) != self.rank:
            raise ValueError("instance norm: the input has the wrong number of dimensions for this Cell")
        return self.normalized(x, self.num_features, self.eps)

    def extend_repr(self) -> str:
        """The channels and epsilon."""
        return f"num_features={self.num_features}, eps={self.eps}"


class InstanceNorm1d(_InstanceNorm):
    """Instance normalization of (N, C, L): each channel of each sample.

    The arguments are those of `InstanceNorm2d`.

    Example:
        >>> print(nn.InstanceNorm1d(1).set_train()(Tensor([[[1.0, 3.0]]])).asnumpy().round(2))
        [[[-1.  1.]]]

    """

    rank = 3


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization of (N, C, H, W): each channel of each sample (Ulyanov et al. 2016).

    Args:
        num_features: number of channels.
        eps: number added to the variance.
        momentum: accepted for compatibility; there are no moving values here.
        affine: train gamma and beta.
        gamma_init: initializer of the factor.
        beta_init: initializer of the shift.
        dtype: element type of the parameters.

    Example:
        >>> print(nn.InstanceNorm2d(1).set_train()(Tensor([[[[1.0, 3.0]]]])).asnumpy().round(2))
        [[[[-1.  1.]]]]

    """

    rank = 4


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization of (N, C, D, H, W): each channel of each sample.

    The arguments are those of `InstanceNorm2d`.

    Example:
        >>> print(nn.InstanceNorm3d(1).set_train()(Tensor([[[[[1.0, 3.0]]]]])).asnumpy().round(2))
        [[[[[-1.  1.]]]]]

    """

    rank = 5
