"""Normalization within each sample: layer, group and root mean square normalization."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.accelerated import layer_norm as layer_norm_kernel
from framework.kernels.accelerated import layer_norm_grad
from framework.ops.array.broadcasting import SumLike
from framework.ops.array.properties import rank, shape
from framework.ops.array.reshaping import reshape
from framework.ops.arrays import Array, ArrayModule, converted
from framework.ops.constexpr import constexpr
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.mathematics.exponential import rsqrt, sqrt, square
from framework.ops.normalization.batch import normalization_grads as _normalization_grads
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.reduction.totals import mean
from framework.ops.shapes import Dims, normal_axis

__all__ = [
    "LayerNorm",
    "LayerNormGrad",
    "group_norm",
    "layer_norm",
    "rms_norm",
]

sum_like = SumLike()
zeros_like = ZerosLike()


class LayerNorm(PrimitiveWithInfer):
    """Layer normalization (Ba et al. 2016): (x - mean) / sqrt(variance + epsilon) * gamma + beta.

    Mean and variance are taken over the dimensions from `begin_norm_axis` on.

    Inputs: x, of a floating-point type; gamma and beta, both of shape x.shape[begin_params_axis:].

    Output: three tensors of the element type of x: the normalized tensor, of the shape of x; mean and variance, with
    length 1 in the normalized dimensions.

    Args:
        begin_norm_axis: first dimension that mean and variance are taken over.
        begin_params_axis: first dimension of gamma and beta.
        epsilon: number added to the variance.

    Example:
        >>> x = Tensor([[1.0, 3.0], [10.0, 30.0]], ms.float32)
        >>> y, mean, variance = ops.LayerNorm()(x, Tensor([1.0, 2.0], ms.float32), Tensor([0.0, 0.0], ms.float32))
        >>> print(y, mean.shape, variance.asnumpy().tolist())
        [[-1.  2.]
         [-1.  2.]] (2, 1) [[1.0], [100.0]]
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type, 2: mstype.float_type})
    fresh = True
    unread_gradients = (1, 2)

    @prim_attr_register
    def __init__(self, begin_norm_axis: int = 1, begin_params_axis: int = 1, epsilon: float = 1e-7) -> None:
        self.init_prim_io_names(inputs=["x", "gamma", "beta"], outputs=["y", "mean", "variance"])

    def infer_shape(self, x: Dims, gamma: Dims, beta: Dims) -> tuple[Dims, Dims, Dims]:
        begin = normal_axis(self.begin_params_axis, len(x))
        if tuple(gamma) != tuple(x[begin:]) or gamma != beta:
            raise ValueError(
                f"LayerNorm: gamma {gamma} and beta {beta} must have shape {x[begin:]}, the last dimensions of {x}"
            )
        axis = normal_axis(self.begin_norm_axis, len(x))
        kept = (*x[:axis], *(1,) * (len(x) - axis))
        return x, kept, kept

    def infer_dtype(self, x: DType, gamma: DType, beta: DType) -> tuple[DType, DType, DType]:
        return x, x, x

    def compute(self, xp: ArrayModule, x: Array, gamma: Array, beta: Array) -> tuple[Array, ...]:
        made = layer_norm_kernel(xp, x, gamma, beta, normal_axis(self.begin_norm_axis, x.ndim), self.epsilon)
        return made if made[1].dtype is x.dtype else tuple(converted(item, x.dtype) for item in made)


@bprop_getters.register(LayerNorm)
def get_bprop_layer_norm(self: LayerNorm) -> Bprop:
    """`LayerNormGrad`. The outputs mean and variance have no gradient of their own."""
    grad = cached(LayerNormGrad, self.begin_norm_axis, self.begin_params_axis, self.epsilon)

    def bprop(
        x: Tensor, gamma: Tensor, beta: Tensor, out: tuple[Tensor, ...], dout: tuple[Tensor, ...]
    ) -> tuple[Tensor, ...]:
        dx, dgamma, dbeta = grad(x, dout[0], out[2], out[1], gamma)
        return sum_like(dx, x), sum_like(dgamma, gamma), sum_like(dbeta, beta)

    return bprop


class LayerNormGrad(PrimitiveWithInfer):
    """The gradients of `LayerNorm`: `(x, dy, variance, mean, gamma)`.

    Inputs: x and gamma, the inputs of `LayerNorm`; dy, the gradient with respect to the normalized tensor, of the shape
    of x; variance and mean, the other outputs of `LayerNorm`. Differentiation treats variance and mean as functions of
    x.

    Output: the gradients with respect to x, gamma and beta, of the shapes and element types of x and gamma.

    Args:
        begin_norm_axis: as for `LayerNorm`.
        begin_params_axis: as for `LayerNorm`.
        epsilon: as for `LayerNorm`.

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

    def compute(
        self, xp: ArrayModule, x: Array, dy: Array, variance: Array, mean: Array, gamma: Array
    ) -> tuple[Array, ...]:
        begin = normal_axis(self.begin_norm_axis, x.ndim)
        dx, dgamma, dbeta = layer_norm_grad(xp, x, dy, variance, mean, gamma, begin, self.epsilon)
        return converted(dx, x.dtype), converted(dgamma, gamma.dtype), converted(dbeta, gamma.dtype)


@constexpr
def _axes_from(axis: int, rank: int) -> tuple[int, ...]:
    """The dimensions from `axis` on."""
    return tuple(range(normal_axis(axis, rank), rank))


@bprop_getters.register(LayerNormGrad)
def get_bprop_layer_norm_grad(self: LayerNormGrad) -> Bprop:
    """See `normalization_grads`; variance and mean are those of x."""
    begin = self.begin_norm_axis
    epsilon = self.epsilon

    def bprop(
        x: Tensor,
        dy: Tensor,
        variance: Tensor,
        mean: Tensor,
        gamma: Tensor,
        out: tuple[Tensor, ...],
        dout: tuple[Tensor, ...],
    ) -> tuple[Tensor, ...]:
        r = 1 / sqrt(variance + epsilon)
        dx, ddy, dg = _normalization_grads(x, dy, (x - mean) * r, r, gamma, dout, _axes_from(begin, rank(x)))
        return dx, ddy, zeros_like(variance), zeros_like(mean), sum_like(dg * dy, gamma)

    return bprop


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | float | None = None,
    bias: Tensor | float | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Layer normalization (Ba et al. 2016): (x - mean) / sqrt(var + eps) * weight + bias over the last dimensions.

    Args:
        input: tensor of a floating-point type.
        normalized_shape: lengths of the last dimensions, which are normalized.
        weight: factors of that shape; None for 1.
        bias: biases of that shape; None for 0.
        eps: number added to the variance.

    Returns:
        A tensor of the shape and type of `input`.

    Example:
        >>> print(ops.layer_norm(Tensor([[1.0, 3.0]]), (2,)).asnumpy().round(3))
        [[-1.  1.]]

    """
    over = tuple(range(-len(normalized_shape), 0))
    centred = input - mean(input, over, True)
    out = centred * rsqrt(mean(square(centred), over, True) + eps)
    out = out if weight is None else out * weight
    return out if bias is None else out + bias


def rms_norm(x: Tensor, gamma: Tensor | float, epsilon: float = 1e-6) -> tuple[Tensor, ...]:
    """Root mean square normalization (Zhang and Sennrich 2019): x / sqrt(mean of x^2 + epsilon) * gamma.

    Args:
        x: tensor of a floating-point type.
        gamma: factors; their dimensions are the last ones of x, over which the mean is taken.
        epsilon: number added to the mean.

    Returns:
        The normalized tensor, of the shape of x, and 1 / sqrt(mean of x^2 + epsilon).

    Example:
        >>> print(ops.rms_norm(Tensor([[3.0, 4.0]]), Tensor([1.0, 2.0]))[0].asnumpy().round(3))
        [[0.849 2.263]]

    """
    root = rsqrt(mean(square(x), tuple(range(-rank(gamma), 0)), True) + epsilon)
    return x * root * gamma, root


@constexpr
def _channels(rank: int) -> tuple[int, ...]:
    """The shape in which a vector of channels broadcasts with (N, C, ...)."""
    return (1, -1, *(1,) * (rank - 2))


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | float | None = None,
    bias: Tensor | float | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Group normalization (Wu and He 2018): each sample is normalized over groups of channels.

    Args:
        input: tensor of shape (N, C, ...), of a floating-point type.
        num_groups: number of groups; it divides C.
        weight: factors of shape (C,); None for 1.
        bias: biases of shape (C,); None for 0.
        eps: number added to the variance.

    Returns:
        A tensor of the shape and type of `input`.

    Example:
        >>> print(ops.group_norm(Tensor([[[1.0], [3.0], [5.0], [9.0]]]), 2).asnumpy().ravel().round(2))
        [-1.  1. -1.  1.]

    """
    groups = reshape(input, (shape(input)[0], num_groups, -1))
    centred = groups - mean(groups, 2, True)
    out = reshape(centred * rsqrt(mean(square(centred), 2, True) + eps), shape(input))
    out = out if weight is None else out * reshape(weight, _channels(rank(input)))
    return out if bias is None else out + reshape(bias, _channels(rank(input)))
