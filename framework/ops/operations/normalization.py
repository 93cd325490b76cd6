"""Normalization over a batch or over features."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.kernels.accelerated import batch_norm, batch_norm_grad, layer_norm, layer_norm_grad
from framework.ops.operations.shapes import Dims, normal_axis
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = ["BatchNorm", "BatchNormGrad", "LayerNorm", "LayerNormGrad"]


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
