"""Backward functions of functions of one number: the derivative at x times `dout`."""

from __future__ import annotations

import math
from typing import Any, Final

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop.registry import Bprop, bprop_getters, gradient

cos = P.Cos()
cosh = P.Cosh()
exp = P.Exp()
sign = P.Sign()
sin = P.Sin()
sinh = P.Sinh()
sqrt = P.Sqrt()
tanh = P.Tanh()
sigmoid = P.Sigmoid()
absolute = P.Abs()
relu_grad = P.ReluGrad()
zeros_like = P.ZerosLike()
ones_like = P.OnesLike()
select = P.Select()
cast = P.Cast()
dtype_of = P.DTypeOf()
sum_like = P.SumLike()
logical_and = P.LogicalAnd()
greater = P.Greater()
less = P.Less()
less_equal = P.LessEqual()
minimum = P.Minimum()

#: The slope of the error function at 0.
ERF_SLOPE: Final = 2 / math.sqrt(math.pi)

#: The slope at 0 of the argument of the hyperbolic tangent in GeLU.
GELU_SLOPE: Final = math.sqrt(2 / math.pi)


@gradient(P.Neg)
def neg_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """-1."""
    return -dout


@gradient(P.Abs)
def abs_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """sign(x), which is 0 at 0."""
    return dout * sign(x)


@gradient(P.Sign, P.Floor, P.Ceil, P.Trunc, P.Rint)
def step_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Constant between jumps."""
    return zeros_like(x)


@gradient(P.Square)
def square_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """2 x."""
    return dout * (x + x)


@gradient(P.Exp)
def exp_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """exp(x)."""
    return dout * out


@gradient(P.Expm1)
def expm1_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """exp(x)."""
    return dout * exp(x)


@gradient(P.Log)
def log_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 / x."""
    return dout / x


@gradient(P.Log1p)
def log1p_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 / (1 + x)."""
    return dout / (x + 1)


@gradient(P.Sqrt)
def sqrt_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 / (2 sqrt(x))."""
    return dout / (out + out)


@gradient(P.Rsqrt)
def rsqrt_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """-1 / (2 x sqrt(x))."""
    return -0.5 * (dout * out * out * out)


@gradient(P.Reciprocal)
def reciprocal_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """-1 / (x x)."""
    return -(dout * out * out)


@gradient(P.Sin)
def sin_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """cos(x)."""
    return dout * cos(x)


@gradient(P.Cos)
def cos_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """-sin(x)."""
    return -(dout * sin(x))


@gradient(P.Tan)
def tan_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 + tan(x) ** 2."""
    return dout * (out * out + 1)


@gradient(P.Asin)
def asin_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 / sqrt(1 - x x)."""
    return dout / sqrt(1 - x * x)


@gradient(P.ACos)
def acos_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """-1 / sqrt(1 - x x)."""
    return -(dout / sqrt(1 - x * x))


@gradient(P.Atan)
def atan_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 / (1 + x x)."""
    return dout / (x * x + 1)


@gradient(P.Sinh)
def sinh_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """cosh(x)."""
    return dout * cosh(x)


@gradient(P.Cosh)
def cosh_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """sinh(x)."""
    return dout * sinh(x)


@gradient(P.Tanh)
def tanh_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 - tanh(x) ** 2."""
    return dout - dout * (out * out)


@gradient(P.Asinh)
def asinh_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 / sqrt(x x + 1)."""
    return dout / sqrt(x * x + 1)


@gradient(P.Acosh)
def acosh_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 / sqrt(x x - 1)."""
    return dout / sqrt(x * x - 1)


@gradient(P.Atanh)
def atanh_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """1 / (1 - x x)."""
    return dout / (1 - x * x)


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


@gradient(P.Erf)
def erf_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """2 / sqrt(pi) exp(-x x)."""
    return dout * (ERF_SLOPE * exp(-(x * x)))


@gradient(P.Erfc)
def erfc_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """-2 / sqrt(pi) exp(-x x)."""
    return dout * (-ERF_SLOPE * exp(-(x * x)))
