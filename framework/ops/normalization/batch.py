"""Batch normalization, its gradient, and the second-order gradients that layer normalization shares."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.accelerated import batch_norm as batch_norm_kernel
from framework.kernels.accelerated import batch_norm_grad
from framework.ops.array.broadcasting import SumLike
from framework.ops.array.properties import rank as rank_of
from framework.ops.array.reshaping import reshape
from framework.ops.arrays import Array, ArrayModule, converted
from framework.ops.constexpr import constexpr
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.mathematics.exponential import sqrt
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.reduction.totals import ReduceMean, ReduceSum
from framework.ops.shapes import Dims, all_but

__all__ = [
    "BatchNorm",
    "BatchNormGrad",
    "batch_norm",
]

reduce_sum = ReduceSum()
sum_like = SumLike()
zeros_like = ZerosLike()
mean_kept = ReduceMean(True)


class BatchNorm(PrimitiveWithInfer):
    """Batch normalization (Ioffe and Szegedy 2015): (x - mean) / sqrt(variance + epsilon) * scale + bias per channel.

    Channels are the second dimension. In training, mean and variance are those of the batch, with the biased variance.
    The moving mean and variance become (1 - momentum) * moving + momentum * batch, with the unbiased variance. Outside
    of training the moving mean and variance are used and stay the same.

    Inputs: x of shape (N, C, ...), of a floating-point type; scale, bias, moving mean and moving variance, each of
    shape (C,). In training the last two are Parameters.

    Output: five tensors. The normalized tensor has the shape and element type of x. The others have shape (C,): the
    moving mean and variance, updated in training, and the mean and variance that were used.

    Args:
        is_training: use the mean and variance of the batch, and update the moving ones.
        epsilon: number added to the variance.
        momentum: weight of the batch in the moving mean and variance.
        data_format: "NCHW".

    Example:
        >>> x = Tensor([[1.0, 10.0], [3.0, 30.0]], ms.float32)
        >>> one, zero = Tensor([1.0, 1.0], ms.float32), Tensor([0.0, 0.0], ms.float32)
        >>> print(ops.BatchNorm(epsilon=0.0)(x, one, zero, Tensor([2.0, 20.0], ms.float32), one)[0])
        [[ -1. -10.]
         [  1.  10.]]
    """

    writes = MappingProxyType({3: 1, 4: 2})

    @prim_attr_register
    def __init__(
        self, is_training: bool = False, epsilon: float = 1e-5, momentum: float = 0.1, data_format: str = "NCHW"
    ) -> None:
        self.init_prim_io_names(
            inputs=["x", "scale", "offset", "mean", "variance"],
            outputs=["y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"],
        )
        if data_format != "NCHW":
            raise ValueError(f"BatchNorm: data_format must be 'NCHW', not {data_format!r}: transpose the input")
        if not is_training:
            self.writes = MappingProxyType({})
        self.side_effect = is_training
        self.fresh = is_training

    def infer_shape(self, x: Dims, scale: Dims, bias: Dims, mean: Dims, variance: Dims) -> tuple[Dims, ...]:
        if len(x) < 2 or (x[1] is not None and scale != (x[1],)):
            raise ValueError(
                f"BatchNorm: a scale of shape {scale} does not match the channels of an input of shape {x}"
            )
        return (x, mean, mean, mean, mean)

    def infer_dtype(self, x: DType, scale: DType, bias: DType, mean: DType, variance: DType) -> tuple[DType, ...]:
        return (x, mean, mean, mean, mean)

    def compute(
        self,
        xp: ArrayModule,
        x: Array,
        scale: Array,
        bias: Array,
        mean: Array,
        variance: Array,
        *,
        out: tuple[Any, ...] = (None,) * 5,
    ) -> tuple[Array, ...]:
        if not self.is_training:
            channels = (1, -1, *(1,) * (x.ndim - 2))
            factor = scale / xp.sqrt(variance + x.dtype.type(self.epsilon))
            shift = bias - mean * factor
            normalized = x * factor.reshape(channels) + shift.reshape(channels)
            return normalized.astype(x.dtype, copy=False), mean, variance, mean, variance
        normalized, used_mean, used_variance = batch_norm_kernel(xp, x, scale, bias, self.epsilon)
        count = x.size // x.shape[1]
        share = mean.dtype.type(self.momentum)
        unbiased = used_variance * used_variance.dtype.type(count / max(count - 1, 1))
        mean = _moving_average(xp, mean, used_mean, share, out[1])
        variance = _moving_average(xp, variance, unbiased, share, out[2])
        used = converted(used_mean, mean.dtype), converted(used_variance, mean.dtype)
        return converted(normalized, x.dtype), mean, variance, *used


def _moving_average(xp: Any, moving: Any, batch: Any, share: Any, out: Any) -> Array:
    """(1 - share) * moving + share * batch, written into `out` if given, which may be `moving`."""
    average = xp.add(xp.multiply(1 - share, moving, out=out), share * batch, out=out)
    return average.astype(moving.dtype, copy=False)


def batch_norm(
    input_x: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor, bias: Tensor, training: bool = False,
    momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Batch normalization (Ioffe and Szegedy 2015): (x - mean) / sqrt(var + eps) * weight + bias per channel.

    Args:
        input_x: tensor of shape (N, C, ...), of a floating-point type.
        running_mean: running means of shape (C,).
        running_var: running variances of shape (C,).
        weight: factors of shape (C,).
        bias: biases of shape (C,).
        training: use the mean and variance of the batch, and update the running ones, which must be Parameters then.
        momentum: weight of the batch in the running mean and variance.
        eps: number added to the variance.

    Returns:
        A tensor of the shape and type of `input_x`.

    Example:
        >>> x, one, zero = Tensor([[1.0, 2.0], [3.0, 6.0]]), ops.ones((2,)), ops.zeros((2,))
        >>> print(ops.batch_norm(x, zero, one, one, zero, training=True).asnumpy().round(2))
        [[-1. -1.]
         [ 1.  1.]]

    """
    return cached(BatchNorm, training, eps, momentum, "NCHW")(input_x, weight, bias, running_mean, running_var)[0]


@constexpr
def _channel_shape(rank: int) -> tuple[int, ...]:
    """The shape in which a vector of channels broadcasts with (N, C, ...)."""
    return (1, -1, *(1,) * (rank - 2))


@bprop_getters.register(BatchNorm)
def get_bprop_batch_norm(self: BatchNorm) -> Bprop:
    """In training `BatchNormGrad`; otherwise, with the normalized n and r = 1 / sqrt(variance + epsilon):

    dx = scale r dout, dscale = sum(dout n), dbias = sum(dout). The moving mean and variance get no gradient.
    """
    is_training = self.is_training
    epsilon = self.epsilon
    grad = cached(BatchNormGrad, True, epsilon, self.data_format)

    def bprop(
        x: Tensor,
        scale: Tensor,
        bias: Tensor,
        mean: Tensor,
        variance: Tensor,
        out: tuple[Tensor, ...],
        dout: tuple[Tensor, ...],
    ) -> tuple[Tensor, ...]:
        gradient = dout[0]
        if is_training:
            dx, dscale, dbias = grad(gradient, x, scale, out[3], out[4])
        else:
            axes = all_but(1, rank_of(x))
            channels = _channel_shape(rank_of(x))
            r = 1 / sqrt(reshape(variance, channels) + epsilon)
            dx = reshape(scale, channels) * r * gradient
            dscale = reduce_sum(gradient * ((x - reshape(mean, channels)) * r), axes)
            dbias = reduce_sum(gradient, axes)
        return sum_like(dx, x), sum_like(dscale, scale), sum_like(dbias, bias), zeros_like(mean), zeros_like(variance)

    return bprop


class BatchNormGrad(PrimitiveWithInfer):
    """The gradients of `BatchNorm` in training: `(dy, x, scale, mean, variance)`.

    Inputs: dy, the gradient with respect to the normalized tensor, of its shape; x and scale, the inputs of
    `BatchNorm`; mean and variance of the batch, its last two outputs. Differentiation treats mean and variance as
    functions of x.

    Output: the gradients with respect to x, scale and bias, of the shapes and element types of x and scale.

    Args:
        is_training: True.
        epsilon: as for `BatchNorm`.
        data_format: "NCHW".

    Example:
        >>> x, dy = Tensor([[1.0], [3.0]]), Tensor([[1.0], [0.0]])
        >>> dx, dscale, dbias = ops.BatchNormGrad(epsilon=0.0)(dy, x, Tensor([1.0]), Tensor([2.0]), Tensor([1.0]))
        >>> print(dx.asnumpy().tolist(), dscale, dbias)
        [[0.0], [0.0]] [-1.] [1.]
    """

    takes = MappingProxyType(dict.fromkeys(range(5), mstype.float_type))
    fresh = True

    @prim_attr_register
    def __init__(self, is_training: bool = True, epsilon: float = 1e-5, data_format: str = "NCHW") -> None:
        self.init_prim_io_names(
            inputs=["dy", "x", "scale", "save_mean", "save_variance"], outputs=["dx", "dscale", "dbias"]
        )
        if not is_training or data_format != "NCHW":
            raise ValueError("BatchNormGrad: is_training must be True and data_format 'NCHW'")

    def infer_shape(self, dy: Dims, x: Dims, scale: Dims, mean: Dims, variance: Dims) -> tuple[Dims, Dims, Dims]:
        return x, scale, scale

    def infer_dtype(self, dy: DType, x: DType, scale: DType, mean: DType, variance: DType) -> tuple[DType, ...]:
        return x, scale, scale

    def compute(
        self, xp: ArrayModule, dy: Array, x: Array, scale: Array, mean: Array, variance: Array
    ) -> tuple[Array, ...]:
        dx, dscale, dbias = batch_norm_grad(xp, dy, x, scale, mean, variance, self.epsilon)
        return converted(dx, x.dtype), converted(dscale, scale.dtype), converted(dbias, scale.dtype)


def _across(g: Tensor, n: Tensor, axes: Any) -> Tensor:
    """The part of g that changes neither the mean nor the variance of the normalized n."""
    return g - mean_kept(g, axes) - n * mean_kept(g * n, axes)


def normalization_grads(
    x: Tensor, dy: Tensor, n: Tensor, r: Tensor, gamma: Tensor, dout: Sequence[Tensor], axes: Any
) -> tuple[Tensor, ...]:
    """The gradients of `LayerNormGrad` and `BatchNormGrad` with respect to x, dy and dy gamma.

    Let g = dy gamma, N the number of elements that are normalized together and A(g) = g - mean(g) - n mean(g n). Then
    dx = r A(g), dgamma = sum(dy n) and dbeta = sum(dy). Let u, v and w be the gradients with respect to those three. A
    is symmetric, so the gradient of g is r A(u). The gradient of n is v dy - r (g mean(u n) + u mean(g n)), and that of
    r is sum(u A(g)). From n = r (x - mean(x)) they lead to x: n by r A, and r by dr/dx = -r r n / N.
    """
    u, v, w = dout
    g = dy * gamma
    dg = r * _across(u, n, axes)
    dn = v * dy - r * (g * mean_kept(u * n, axes) + u * mean_kept(g * n, axes))
    dx = r * _across(dn, n, axes) - r * r * n * mean_kept(u * _across(g, n, axes), axes)
    return sum_like(dx, x), sum_like(dg * gamma + v * n + w, dy), dg


@bprop_getters.register(BatchNormGrad)
def get_bprop_batch_norm_grad(self: BatchNormGrad) -> Bprop:
    """See `normalization_grads`; mean and variance are those of x."""
    epsilon = self.epsilon

    def bprop(
        dy: Tensor,
        x: Tensor,
        scale: Tensor,
        mean: Tensor,
        variance: Tensor,
        out: tuple[Tensor, ...],
        dout: tuple[Tensor, ...],
    ) -> tuple[Tensor, ...]:
        axes = all_but(1, rank_of(x))
        channels = _channel_shape(rank_of(x))
        r = 1 / sqrt(reshape(variance, channels) + epsilon)
        n = (x - reshape(mean, channels)) * r
        gradients = (dout[0], reshape(dout[1], channels), reshape(dout[2], channels))
        dx, ddy, dg = normalization_grads(x, dy, n, r, reshape(scale, channels), gradients, axes)
        dscale = sum_like(reduce_sum(dg * dy, axes), scale)
        return ddy, dx, dscale, zeros_like(mean), zeros_like(variance)

    return bprop
