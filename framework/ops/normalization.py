"""Batch and layer normalization with their gradients."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.accelerated import batch_norm, batch_norm_grad, layer_norm, layer_norm_grad
from framework.ops.bprop.shapes import all_but
from framework.ops.constexpr import constexpr
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.mathematics.exponential import sqrt
from framework.ops.operations.array import Reshape
from framework.ops.operations.creation import Rank, SumLike, ZerosLike
from framework.ops.operations.shapes import Dims, normal_axis
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.reduction.totals import ReduceMean, ReduceSum

__all__ = [
    "BatchNorm",
    "BatchNormGrad",
    "LayerNorm",
    "LayerNormGrad",
]

rank_of = Rank()
reshape = Reshape()
reduce_sum = ReduceSum()
sum_like = SumLike()
zeros_like = ZerosLike()
mean_kept = ReduceMean(True)


class BatchNorm(PrimitiveWithInfer):
    """(x - mean) / sqrt(variance + epsilon) * scale + bias per channel, the second dimension (Ioffe and Szegedy 2015).

    In training, mean and variance are the batch's (the biased variance), and the moving mean and variance that came in
    become (1 - momentum) * moving + momentum * batch, with the unbiased variance. Else those that came in are used.

    Inputs: x of shape (N, C, ...), of a floating-point type; scale, bias, moving mean and moving variance, each of
    shape (C,). In training the last two are Parameters.

    Output: five tensors. The normalized one, of the shape and element type of x; moving mean and variance, new in
    training; mean and variance that were used. All but the first have shape (C,).

    Args:
        is_training: which mean and variance are used.
        epsilon: added to the variance.
        momentum: the share of the batch in the moving values.
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
            raise ValueError(f"BatchNorm: data_format must be NCHW, not {data_format}: transpose the input")
        if not is_training:
            self.writes = MappingProxyType({})
        self.side_effect = is_training
        self.fresh = is_training

    def infer_shape(self, x: Dims, scale: Dims, bias: Dims, mean: Dims, variance: Dims) -> tuple[Dims, ...]:
        if len(x) < 2 or (x[1] is not None and scale != (x[1],)):
            raise ValueError(f"BatchNorm: a scale of shape {scale} does not fit the channels of shape {x}")
        return (x, mean, mean, mean, mean)

    def infer_dtype(self, x: DType, scale: DType, bias: DType, mean: DType, variance: DType) -> tuple[DType, ...]:
        return (x, mean, mean, mean, mean)

    def compute(
        self,
        xp: Any,
        x: Any,
        scale: Any,
        bias: Any,
        mean: Any,
        variance: Any,
        *,
        out: tuple[Any, ...] = (None,) * 5,
    ) -> Any:
        if not self.is_training:
            channels = (1, -1, *(1,) * (x.ndim - 2))
            factor = scale / xp.sqrt(variance + x.dtype.type(self.epsilon))
            shift = bias - mean * factor
            made = x * factor.reshape(channels) + shift.reshape(channels)
            return made.astype(x.dtype, copy=False), mean, variance, mean, variance
        normalized, used_mean, used_variance = batch_norm(xp, x, scale, bias, self.epsilon)
        count = x.size // x.shape[1]
        share = x.dtype.type(self.momentum)
        unbiased = used_variance * x.dtype.type(count / max(count - 1, 1))
        mean = _moved(xp, mean, used_mean, share, out[1])
        variance = _moved(xp, variance, unbiased, share, out[2])
        return normalized, mean, variance, used_mean, used_variance


@constexpr
def _channel_shape(rank: int) -> tuple[int, ...]:
    """The shape in which a vector broadcasts along the channels."""
    return (1, -1, *(1,) * (rank - 2))


@bprop_getters.register(BatchNorm)
def get_bprop_batch_norm(self: BatchNorm) -> Bprop:
    """In training `BatchNormGrad`; else, with n the normalized x and r = 1 / sqrt(variance + epsilon):

    d x = scale r dout, d scale = sum(dout n), d bias = sum(dout). The moving values get no gradient.
    """
    is_training = self.is_training
    epsilon = self.epsilon
    grad = cached(BatchNormGrad, True, epsilon, self.data_format)

    def bprop(
        x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, variance: Tensor, out: Any, dout: tuple[Tensor, ...]
    ) -> Any:
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


def _moved(xp: Any, moving: Any, batch: Any, share: Any, out: Any) -> Any:
    """(1 - share) * moving + share * batch, in `out` if there is one, which may be `moving`."""
    made = xp.add(xp.multiply(1 - share, moving, out=out), share * batch, out=out)
    return made.astype(moving.dtype, copy=False)


class BatchNormGrad(PrimitiveWithInfer):
    """The gradients of a `BatchNorm` in training: `(dy, x, scale, mean, variance)`.

    Inputs: dy, the gradient with respect to the normalized tensor, of its shape; x and scale, as `BatchNorm` got them;
    mean and variance of the batch, its last two outputs. They count as what they are of x: the gradient with respect to
    x of second order has their part.
    Output: three tensors: the gradients with respect to x, scale and bias, of the shapes and element types of x and
    scale.

    Args:
        is_training: True; recorded.
        epsilon: as of `BatchNorm`.
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
            raise ValueError("BatchNormGrad: is_training must be True and data_format NCHW")

    def infer_shape(self, dy: Dims, x: Dims, scale: Dims, mean: Dims, variance: Dims) -> tuple[Dims, Dims, Dims]:
        return x, scale, scale

    def infer_dtype(self, dy: DType, x: DType, scale: DType, mean: DType, variance: DType) -> tuple[DType, ...]:
        return x, scale, scale

    def compute(self, xp: Any, dy: Any, x: Any, scale: Any, mean: Any, variance: Any) -> Any:
        dx, dscale, dbias = batch_norm_grad(xp, dy, x, scale, mean, variance, self.epsilon)
        return dx, dscale.astype(scale.dtype, copy=False), dbias.astype(scale.dtype, copy=False)


def _across(g: Tensor, n: Tensor, axes: Any) -> Any:
    """What of g changes neither the mean nor the variance of the normalized n."""
    return g - mean_kept(g, axes) - n * mean_kept(g * n, axes)


def _normalization_grads(x: Tensor, dy: Tensor, n: Tensor, r: Tensor, gamma: Tensor, dout: Any, axes: Any) -> Any:
    """The gradients with respect to x, dy and dy gamma of what `LayerNormGrad` and `BatchNormGrad` compute.

    With g = dy gamma, N the elements that are normalized together and A(g) = g - mean(g) - n mean(g n), those are
    dx = r A(g), dgamma = sum(dy n) and dbeta = sum(dy). Let u, v and w be the gradients with respect to them. A is
    symmetric, so that of g is r A(u); that of n is v dy - r (g mean(u n) + u mean(g n)); that of r is sum(u A(g)).
    And n = r (x - mean(x)) leads to x by r A, r by dr/dx = -r r n / N.
    """
    u, v, w = dout
    g = dy * gamma
    dg = r * _across(u, n, axes)
    dn = v * dy - r * (g * mean_kept(u * n, axes) + u * mean_kept(g * n, axes))
    dx = r * _across(dn, n, axes) - r * r * n * mean_kept(u * _across(g, n, axes), axes)
    return sum_like(dx, x), sum_like(dg * gamma + v * n + w, dy), dg


@bprop_getters.register(BatchNormGrad)
def get_bprop_batch_norm_grad(self: BatchNormGrad) -> Bprop:
    """See `_normalization_grads`; mean and variance are x's."""
    epsilon = self.epsilon

    def bprop(
        dy: Tensor, x: Tensor, scale: Tensor, mean: Tensor, variance: Tensor, out: Any, dout: tuple[Tensor, ...]
    ) -> Any:
        axes = all_but(1, rank_of(x))
        channels = _channel_shape(rank_of(x))
        r = 1 / sqrt(reshape(variance, channels) + epsilon)
        n = (x - reshape(mean, channels)) * r
        given = (dout[0], reshape(dout[1], channels), reshape(dout[2], channels))
        dx, ddy, dg = _normalization_grads(x, dy, n, r, reshape(scale, channels), given, axes)
        dscale = sum_like(reduce_sum(dg * dy, axes), scale)
        return ddy, dx, dscale, zeros_like(mean), zeros_like(variance)

    return bprop


class LayerNorm(PrimitiveWithInfer):
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta over the dimensions from one on (Ba et al. 2016).

    Inputs: x, of a floating-point type; gamma and beta, both of the shape that x has from `begin_params_axis` on.

    Output: three tensors of the element type of x. The normalized one, of the shape of x; mean and variance, with
    length 1 in the normalized dimensions.

    Args:
        begin_norm_axis: the first dimension that mean and variance are taken over.
        begin_params_axis: the first dimension that gamma and beta have.
        epsilon: added to the variance.

    Example:
        >>> x = Tensor([[1.0, 3.0], [10.0, 30.0]], ms.float32)
        >>> y, mean, variance = ops.LayerNorm()(x, Tensor([1.0, 2.0], ms.float32), Tensor([0.0, 0.0], ms.float32))
        >>> print(y, mean.shape, variance.asnumpy().tolist())
        [[-1.  2.]
         [-1.  2.]] (2, 1) [[1.0], [100.0]]
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type, 2: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(self, begin_norm_axis: int = 1, begin_params_axis: int = 1, epsilon: float = 1e-7) -> None:
        self.init_prim_io_names(inputs=["x", "gamma", "beta"], outputs=["y", "mean", "variance"])

    def infer_shape(self, x: Dims, gamma: Dims, beta: Dims) -> tuple[Dims, Dims, Dims]:
        begin = normal_axis(self.begin_params_axis, len(x))
        if tuple(gamma) != tuple(x[begin:]) or gamma != beta:
            raise ValueError(f"LayerNorm: gamma {gamma} and beta {beta} must have shape {x[begin:]}, the end of {x}")
        axis = normal_axis(self.begin_norm_axis, len(x))
        kept = (*x[:axis], *(1,) * (len(x) - axis))
        return x, kept, kept

    def infer_dtype(self, x: DType, gamma: DType, beta: DType) -> tuple[DType, DType, DType]:
        return x, x, x

    def compute(self, xp: Any, x: Any, gamma: Any, beta: Any) -> Any:
        return layer_norm(xp, x, gamma, beta, normal_axis(self.begin_norm_axis, x.ndim), self.epsilon)


@bprop_getters.register(LayerNorm)
def get_bprop_layer_norm(self: LayerNorm) -> Bprop:
    """`LayerNormGrad`. Mean and variance that come out beside get no gradient."""
    grad = cached(LayerNormGrad, self.begin_norm_axis, self.begin_params_axis, self.epsilon)

    def bprop(x: Tensor, gamma: Tensor, beta: Tensor, out: Any, dout: tuple[Tensor, ...]) -> Any:
        dx, dgamma, dbeta = grad(x, dout[0], out[2], out[1], gamma)
        return sum_like(dx, x), sum_like(dgamma, gamma), sum_like(dbeta, beta)

    return bprop


class LayerNormGrad(PrimitiveWithInfer):
    """The gradients of `LayerNorm`: `(x, dy, variance, mean, gamma)`.

    Inputs: x and gamma, as `LayerNorm` got them; dy, the gradient with respect to the normalized tensor, of x's shape;
    variance and mean, its other outputs. They count as what they are of x: the gradient with respect to x of second
    order has their part.
    Output: three tensors: the gradients with respect to x, gamma and beta, of the shapes and element types of x and
    gamma.

    Args:
        begin_norm_axis: as of `LayerNorm`.
        begin_params_axis: as of `LayerNorm`.
        epsilon: as of `LayerNorm`.

    Example:
        >>> x, dy, one = Tensor([[1.0, 3.0]]), Tensor([[1.0, 0.0]]), Tensor([[1.0]])
        >>> dx, dgamma, dbeta = ops.LayerNormGrad(epsilon=0.0)(x, dy, one, 2 * one, Tensor([1.0, 1.0]))
        >>> print(dx, dgamma, dbeta)
        [[0. 0.]] [-1.  0.] [1. 0.]
    """

    takes = MappingProxyType(dict.fromkeys(range(5), mstype.float_type))
    fresh = True

    @prim_attr_register
    def __init__(self, begin_norm_axis: int = 1, begin_params_axis: int = 1, epsilon: float = 1e-7) -> None:
        self.init_prim_io_names(
            inputs=["x", "dy", "variance", "mean", "gamma"], outputs=["pd_x", "pd_gamma", "pd_beta"]
        )

    def infer_shape(self, x: Dims, dy: Dims, variance: Dims, mean: Dims, gamma: Dims) -> tuple[Dims, Dims, Dims]:
        return x, gamma, gamma

    def infer_dtype(self, x: DType, dy: DType, variance: DType, mean: DType, gamma: DType) -> tuple[DType, ...]:
        return x, gamma, gamma

    def compute(self, xp: Any, x: Any, dy: Any, variance: Any, mean: Any, gamma: Any) -> Any:
        begin = normal_axis(self.begin_norm_axis, x.ndim)
        dx, dgamma, dbeta = layer_norm_grad(xp, x, dy, variance, mean, gamma, begin, self.epsilon)
        return dx, dgamma.astype(gamma.dtype, copy=False), dbeta.astype(gamma.dtype, copy=False)


@constexpr
def _from(axis: int, rank: int) -> tuple[int, ...]:
    """The dimensions from one on."""
    return tuple(range(normal_axis(axis, rank), rank))


@bprop_getters.register(LayerNormGrad)
def get_bprop_layer_norm_grad(self: LayerNormGrad) -> Bprop:
    """See `_normalization_grads`; variance and mean are x's."""
    begin = self.begin_norm_axis
    epsilon = self.epsilon

    def bprop(
        x: Tensor, dy: Tensor, variance: Tensor, mean: Tensor, gamma: Tensor, out: Any, dout: tuple[Tensor, ...]
    ) -> Any:
        r = 1 / sqrt(variance + epsilon)
        dx, ddy, dg = _normalization_grads(x, dy, (x - mean) * r, r, gamma, dout, _from(begin, rank_of(x)))
        return dx, ddy, zeros_like(variance), zeros_like(mean), sum_like(dg * dy, gamma)

    return bprop
