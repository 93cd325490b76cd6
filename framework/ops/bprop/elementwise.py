"""Backward functions of functions of one number: the derivative at x times `dout`."""

from __future__ import annotations

import math
from typing import Any, Final

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.gradients import Bprop, bprop_getters, gradient

exp = P.Exp()
tanh = P.Tanh()
sigmoid = P.Sigmoid()
absolute = P.Abs()
relu_grad = P.ReluGrad()
zeros_like = P.ZerosLike()
ones_like = P.OnesLike()
select = P.Select()
cast = P.Cast()
dtype_of = P.DTypeOf()
logical_and = P.LogicalAnd()
greater = P.Greater()
less = P.Less()
less_equal = P.LessEqual()
minimum = P.Minimum()


#: The slope at 0 of the argument of the hyperbolic tangent in GeLU.
GELU_SLOPE: Final = math.sqrt(2 / math.pi)


@gradient(P.ReLU)
def relu_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 where x is positive; 0 at 0."""
    return relu_grad(dout, out)


@gradient(P.ReluGrad)
def relu_grad_gradient(gradient: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Linear in `dout`, constant in the output between jumps."""
    return relu_grad(dout, y), zeros_like(y)


@gradient(P.ReLU6)
def relu6_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 between 0 and 6; 0 at 0, 1 at 6."""
    return dout * cast(logical_and(greater(x, 0), less_equal(x, 6)), dtype_of(dout))


@gradient(P.Sigmoid)
def sigmoid_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """s (1 - s)."""
    return dout * (out - out * out)


@gradient(P.SiLU)
def silu_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """s + x s (1 - s) with s = sigmoid(x)."""
    s = sigmoid(x)
    return dout * (s + out * (1 - s))


@gradient(P.Softplus)
def softplus_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """sigmoid(x)."""
    return dout * sigmoid(x)


@gradient(P.Softsign)
def softsign_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 / (1 + |x|) ** 2."""
    width = absolute(x) + 1
    return dout / (width * width)


@gradient(P.HSigmoid)
def hsigmoid_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 / 6 between -3 and 3."""
    inside = cast(logical_and(greater(x, -3), less(x, 3)), dtype_of(dout))
    return dout * inside / 6


@gradient(P.HSwish)
def hswish_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """0 below -3, (2 x + 3) / 6 up to 3, then 1."""
    slope = select(less(x, 3), (x + x + 3) / 6, ones_like(x))
    return dout * select(less_equal(x, -3), zeros_like(x), slope)


@bprop_getters.register(P.Elu)
def get_bprop_elu(self: P.Elu) -> Bprop:
    """1 where x is positive, else alpha exp(x)."""
    alpha = self.alpha

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        below = alpha * exp(minimum(x, zeros_like(x)))
        return (dout * select(greater(x, 0), ones_like(x), below),)

    return bprop


@gradient(P.GeLU)
def gelu_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Of x (1 + tanh(u)) / 2 with u = c (x + 0.044715 x ** 3): (1 + t) / 2 + x (1 - t t) u' / 2."""
    square = x * x
    t = tanh(GELU_SLOPE * (x + 0.044715 * (square * x)))
    slope = GELU_SLOPE * (1 + 0.134145 * square)
    return dout * (0.5 * (1 + t) + 0.5 * (x * (1 - t * t) * slope))
