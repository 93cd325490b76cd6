"""Backward functions of activation functions that bend or cut one side of 0."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.operations.rectifiers import SELU_ALPHA, SELU_SCALE

absolute = P.Abs()
cast = P.Cast()
dtype_of = P.DTypeOf()
exp = P.Exp()
greater = P.Greater()
minimum = P.Minimum()
ones_like = P.OnesLike()
rank_of = P.Rank()
reshape = P.Reshape()
select = P.Select()
shape_of = P.Shape()
sigmoid = P.Sigmoid()
softplus = P.Softplus()
sum_like = P.SumLike()
tanh = P.Tanh()
zeros_like = P.ZerosLike()


@bprop_getters.register(P.CeLU)
def get_bprop_celu(self: P.CeLU) -> Bprop:
    """1 where x is positive, else exp(x / alpha)."""
    alpha = self.alpha

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        below = exp(minimum(x, zeros_like(x)) / alpha)
        return (dout * select(greater(x, 0), ones_like(x), below),)

    return bprop


@gradient(P.SeLU)
def selu_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """The scale where x is positive, else scale alpha exp(x)."""
    below = SELU_ALPHA * exp(minimum(x, zeros_like(x)))
    return SELU_SCALE * (dout * select(greater(x, 0), ones_like(x), below))


@gradient(P.Mish)
def mish_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """With t = tanh(softplus(x)): t + x (1 - t t) sigmoid(x)."""
    t = tanh(softplus(x))
    return dout * (t + x * (1 - t * t) * sigmoid(x))


@bprop_getters.register(P.HShrink)
def get_bprop_shrink(self: P.HShrink) -> Bprop:
    """1 outside of the bounds."""
    bound = self.lambd

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * cast(greater(absolute(x), bound), dtype_of(dout)),)

    return bprop


@constexpr
def _along_channels(rank: int) -> tuple[int, ...]:
    """The shape in which one weight for each channel broadcasts."""
    return (1, -1, *(1,) * (rank - 2)) if rank > 1 else (-1,)


@gradient(P.PReLU)
def prelu_gradient(x: Tensor, weight: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 where x is positive, else the weight; a weight gets what is negative of its channel."""
    spread = reshape(weight, _along_channels(rank_of(x)))
    positive = greater(x, 0)
    of_weight = sum_like(select(positive, zeros_like(x), x * dout), spread)
    return select(positive, dout, spread * dout), reshape(of_weight, shape_of(weight))
