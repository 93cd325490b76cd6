"""Backward functions of functions of one number: the derivative at x times `dout`."""

from __future__ import annotations

import math
from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop.registry import Bprop, bprop_getters

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


@bprop_getters.register(P.Neg)
def get_bprop_neg(self: P.Neg) -> Bprop:
    """-1."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (-dout,)

    return bprop


@bprop_getters.register(P.Abs)
def get_bprop_abs(self: P.Abs) -> Bprop:
    """sign(x), which is 0 at 0."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * sign(x),)

    return bprop


@bprop_getters.register(P.Sign, P.Floor, P.Ceil, P.Trunc, P.Rint)
def get_bprop_step(self: P.Sign) -> Bprop:
    """Constant between jumps."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (zeros_like(x),)

    return bprop


@bprop_getters.register(P.Square)
def get_bprop_square(self: P.Square) -> Bprop:
    """2 x."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * (x + x),)

    return bprop


@bprop_getters.register(P.Exp)
def get_bprop_exp(self: P.Exp) -> Bprop:
    """exp(x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * out,)

    return bprop


@bprop_getters.register(P.Expm1)
def get_bprop_expm1(self: P.Expm1) -> Bprop:
    """exp(x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * exp(x),)

    return bprop


@bprop_getters.register(P.Log)
def get_bprop_log(self: P.Log) -> Bprop:
    """1 / x."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout / x,)

    return bprop


@bprop_getters.register(P.Log1p)
def get_bprop_log1p(self: P.Log1p) -> Bprop:
    """1 / (1 + x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout / (x + 1),)

    return bprop


@bprop_getters.register(P.Sqrt)
def get_bprop_sqrt(self: P.Sqrt) -> Bprop:
    """1 / (2 sqrt(x))."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout / (out + out),)

    return bprop


@bprop_getters.register(P.Rsqrt)
def get_bprop_rsqrt(self: P.Rsqrt) -> Bprop:
    """-1 / (2 x sqrt(x))."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (-0.5 * (dout * out * out * out),)

    return bprop


@bprop_getters.register(P.Reciprocal)
def get_bprop_reciprocal(self: P.Reciprocal) -> Bprop:
    """-1 / (x x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (-(dout * out * out),)

    return bprop


@bprop_getters.register(P.Sin)
def get_bprop_sin(self: P.Sin) -> Bprop:
    """cos(x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * cos(x),)

    return bprop


@bprop_getters.register(P.Cos)
def get_bprop_cos(self: P.Cos) -> Bprop:
    """-sin(x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (-(dout * sin(x)),)

    return bprop


@bprop_getters.register(P.Tan)
def get_bprop_tan(self: P.Tan) -> Bprop:
    """1 + tan(x) ** 2."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * (out * out + 1),)

    return bprop


@bprop_getters.register(P.Asin)
def get_bprop_asin(self: P.Asin) -> Bprop:
    """1 / sqrt(1 - x x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout / sqrt(1 - x * x),)

    return bprop


@bprop_getters.register(P.ACos)
def get_bprop_acos(self: P.ACos) -> Bprop:
    """-1 / sqrt(1 - x x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (-(dout / sqrt(1 - x * x)),)

    return bprop


@bprop_getters.register(P.Atan)
def get_bprop_atan(self: P.Atan) -> Bprop:
    """1 / (1 + x x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout / (x * x + 1),)

    return bprop


@bprop_getters.register(P.Sinh)
def get_bprop_sinh(self: P.Sinh) -> Bprop:
    """cosh(x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * cosh(x),)

    return bprop


@bprop_getters.register(P.Cosh)
def get_bprop_cosh(self: P.Cosh) -> Bprop:
    """sinh(x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * sinh(x),)

    return bprop


@bprop_getters.register(P.Tanh)
def get_bprop_tanh(self: P.Tanh) -> Bprop:
    """1 - tanh(x) ** 2."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout - dout * (out * out),)

    return bprop


@bprop_getters.register(P.Asinh)
def get_bprop_asinh(self: P.Asinh) -> Bprop:
    """1 / sqrt(x x + 1)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout / sqrt(x * x + 1),)

    return bprop


@bprop_getters.register(P.Acosh)
def get_bprop_acosh(self: P.Acosh) -> Bprop:
    """1 / sqrt(x x - 1)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout / sqrt(x * x - 1),)

    return bprop


@bprop_getters.register(P.Atanh)
def get_bprop_atanh(self: P.Atanh) -> Bprop:
    """1 / (1 - x x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout / (1 - x * x),)

    return bprop


@bprop_getters.register(P.ReLU)
def get_bprop_relu(self: P.ReLU) -> Bprop:
    """1 where x is positive; 0 at 0."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (relu_grad(dout, out),)

    return bprop


@bprop_getters.register(P.ReluGrad)
def get_bprop_relu_grad(self: P.ReluGrad) -> Bprop:
    """Linear in `dout`, constant in the output between jumps."""

    def bprop(gradient: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        return relu_grad(dout, y), zeros_like(y)

    return bprop


@bprop_getters.register(P.ReLU6)
def get_bprop_relu6(self: P.ReLU6) -> Bprop:
    """1 between 0 and 6; 0 at 0, 1 at 6."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * cast(logical_and(greater(x, 0), less_equal(x, 6)), dtype_of(dout)),)

    return bprop


@bprop_getters.register(P.Sigmoid)
def get_bprop_sigmoid(self: P.Sigmoid) -> Bprop:
    """s (1 - s)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * (out - out * out),)

    return bprop


@bprop_getters.register(P.SiLU)
def get_bprop_silu(self: P.SiLU) -> Bprop:
    """s + x s (1 - s) with s = sigmoid(x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        s = sigmoid(x)
        return (dout * (s + out * (1 - s)),)

    return bprop


@bprop_getters.register(P.Softplus)
def get_bprop_softplus(self: P.Softplus) -> Bprop:
    """sigmoid(x)."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * sigmoid(x),)

    return bprop


@bprop_getters.register(P.Softsign)
def get_bprop_softsign(self: P.Softsign) -> Bprop:
    """1 / (1 + |x|) ** 2."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        width = absolute(x) + 1
        return (dout / (width * width),)

    return bprop


@bprop_getters.register(P.HSigmoid)
def get_bprop_hsigmoid(self: P.HSigmoid) -> Bprop:
    """1 / 6 between -3 and 3."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        inside = cast(logical_and(greater(x, -3), less(x, 3)), dtype_of(dout))
        return (dout * inside / 6,)

    return bprop


@bprop_getters.register(P.HSwish)
def get_bprop_hswish(self: P.HSwish) -> Bprop:
    """0 below -3, (2 x + 3) / 6 up to 3, then 1."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        slope = select(less(x, 3), (x + x + 3) / 6, ones_like(x))
        return (dout * select(less_equal(x, -3), zeros_like(x), slope),)

    return bprop


@bprop_getters.register(P.Elu)
def get_bprop_elu(self: P.Elu) -> Bprop:
    """1 where x is positive, else alpha exp(x)."""
    alpha = self.alpha

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        below = alpha * exp(minimum(x, zeros_like(x)))
        return (dout * select(greater(x, 0), ones_like(x), below),)

    return bprop


@bprop_getters.register(P.GeLU)
def get_bprop_gelu(self: P.GeLU) -> Bprop:
    """Of x (1 + tanh(u)) / 2 with u = c (x + 0.044715 x ** 3): (1 + t) / 2 + x (1 - t t) u' / 2."""
    c = math.sqrt(2 / math.pi)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        square = x * x
        t = tanh(c * (x + 0.044715 * (square * x)))
        slope = c * (1 + 0.134145 * square)
        return (dout * (0.5 * (1 + t) + 0.5 * (x * (1 - t * t) * slope)),)

    return bprop


@bprop_getters.register(P.Erf)
def get_bprop_erf(self: P.Erf) -> Bprop:
    """2 / sqrt(pi) exp(-x x)."""
    factor = 2 / math.sqrt(math.pi)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * (factor * exp(-(x * x))),)

    return bprop


@bprop_getters.register(P.Erfc)
def get_bprop_erfc(self: P.Erfc) -> Bprop:
    """-2 / sqrt(pi) exp(-x x)."""
    factor = -2 / math.sqrt(math.pi)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * (factor * exp(-(x * x))),)

    return bprop
