"""Smooth activation functions, built on the sigmoid, on tanh or on the error function."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Final

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels import accelerated
from framework.ops.array.casting import Cast
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.splitting import chunk
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import greater, less, less_equal, logical_and
from framework.ops.control.composed import Composed
from framework.ops.creation.filled_like import OnesLike, ZerosLike
from framework.ops.elementwise import FloatUnary
from framework.ops.gradients import gradient
from framework.ops.indexing.selecting import select
from framework.ops.mathematics.exponential import exp
from framework.ops.mathematics.rounding import abs, absolute
from framework.ops.mathematics.trigonometry import tanh
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "ErfGeLU",
    "ErfGeLUGrad",
    "FastGeLU",
    "GeLU",
    "HSigmoid",
    "HSwish",
    "Mish",
    "SiLU",
    "Sigmoid",
    "Softplus",
    "Softsign",
    "fast_gelu",
    "gelu",
    "glu",
    "hardsigmoid",
    "hardswish",
    "logsigmoid",
    "mish",
    "sigmoid",
    "silu",
    "softplus",
    "softsign",
    "tanhshrink",
]

cast = Cast()
ones_like = OnesLike()
zeros_like = ZerosLike()


class Sigmoid(FloatUnary):
    """1 / (1 + exp(-x)).

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.Sigmoid()(Tensor([-100.0, 0.0, 100.0])))
        [0.  0.5 1. ]
    """

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        # Computed with tanh, which does not overflow.
        half = x.dtype.type(0.5)
        return half * xp.tanh(half * x) + half


sigmoid = Sigmoid()


@gradient(Sigmoid)
def sigmoid_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """s (1 - s)."""
    return dout * (out - out * out)


class SiLU(Sigmoid):
    """x * sigmoid(x).

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.SiLU()(Tensor([0.0, 100.0])))
        [  0. 100.]
    """

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return x * super().of_float(xp, x)


silu = SiLU()


@gradient(SiLU)
def silu_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """s + x s (1 - s) with s = sigmoid(x)."""
    s = sigmoid(x)
    return dout * (s + out * (1 - s))


class Softplus(FloatUnary):
    """log(1 + exp(x)).

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.Softplus()(Tensor([-200.0, 200.0])))
        [  0. 200.]
    """

    takes = MappingProxyType({0: (mstype.bool_, *mstype.real_type)})

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return xp.logaddexp(x, x.dtype.type(0))


_softplus = Softplus()


@gradient(Softplus)
def softplus_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """sigmoid(x)."""
    return dout * sigmoid(x)


class Softsign(FloatUnary):
    """x / (1 + |x|).

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.Softsign()(Tensor([-1.0, 0.0, 3.0])))
        [-0.5   0.    0.75]
    """

    arguments = ("x",)

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return x / (1 + xp.absolute(x))


softsign = Softsign()


@gradient(Softsign)
def softsign_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """1 / (1 + |x|) ** 2."""
    width = absolute(x) + 1
    return dout / (width * width)


class HSigmoid(FloatUnary):
    """min(max(x + 3, 0), 6) / 6.

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.HSigmoid()(Tensor([-4.0, 0.0, 4.0])))
        [0.  0.5 1. ]
    """

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return xp.clip(x + 3, 0, 6) / 6


hardsigmoid = HSigmoid()


@gradient(HSigmoid)
def hsigmoid_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """1 / 6 between -3 and 3."""
    inside = cast(logical_and(greater(x, -3), less(x, 3)), dtype_of(dout))
    return dout * inside / 6


class HSwish(FloatUnary):
    """x * min(max(x + 3, 0), 6) / 6.

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.HSwish()(Tensor([-1.5, 0.0, 4.0])))
        [-0.375  0.     4.   ]
    """

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return x * xp.clip(x + 3, 0, 6) / 6


hardswish = HSwish()


@gradient(HSwish)
def hswish_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """0 below -3, (2 x + 3) / 6 up to 3, then 1."""
    slope = select(less(x, 3), (x + x + 3) / 6, ones_like(x))
    return dout * select(less_equal(x, -3), zeros_like(x), slope)


class GeLU(FloatUnary):
    """x times the standard normal distribution function of x, in the tanh form of Hendrycks and Gimpel, 2016.

    0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.GeLU()(Tensor([0.0, 10.0])))
        [ 0. 10.]
    """

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return 0.5 * x * (1 + xp.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


#: sqrt(2 / pi), the slope at 0 of the argument of tanh in GeLU.
GELU_SLOPE: Final = math.sqrt(2 / math.pi)


@gradient(GeLU)
def gelu_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """Of x (1 + tanh(u)) / 2 with u = c (x + 0.044715 x ** 3): (1 + t) / 2 + x (1 - t t) u' / 2."""
    square = x * x
    t = tanh(GELU_SLOPE * (x + 0.044715 * (square * x)))
    slope = GELU_SLOPE * (1 + 0.134145 * square)
    return dout * (0.5 * (1 + t) + 0.5 * (x * (1 - t * t) * slope))


class ErfGeLU(FloatUnary):
    """x times the standard normal distribution function of x, exactly: x (1 + erf(x / sqrt(2))) / 2.

    Hendrycks and Gimpel, 2016.

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.ErfGeLU()(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3))
        [-0.159  0.     0.841]
    """

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return accelerated.gelu(xp, x)


class ErfGeLUGrad(PrimitiveWithInfer):
    """The gradient of `ErfGeLU`: `(x, dout)`.

    Inputs: x, the input of `ErfGeLU`, of a floating-point type; dout, the gradient with respect to its output, of the
    same shape.
    Output: the gradient with respect to x, of x's shape and the element type of dout.

    Example:
        >>> print(ops.ErfGeLUGrad()(Tensor([-1.0, 0.0, 1.0]), Tensor([1.0, 1.0, 2.0])).asnumpy().round(3))
        [-0.083  0.5    2.167]
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "dout"], outputs=["dx"])

    def infer_shape(self, x: Dims, dout: Dims) -> Dims:
        return x

    def infer_dtype(self, x: DType, dout: DType) -> DType:
        return dout

    def compute(self, xp: ArrayModule, x: Array, dout: Array) -> Array:
        return accelerated.gelu_grad(xp, x, dout).astype(dout.dtype, copy=False)


erf_gelu_grad = ErfGeLUGrad()


@gradient(ErfGeLU)
def erf_gelu_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """`ErfGeLUGrad`."""
    return erf_gelu_grad(x, dout)


#: The density of the standard normal distribution at 0.
NORMAL_DENSITY: Final = 1 / math.sqrt(2 * math.pi)


@gradient(ErfGeLUGrad)
def erf_gelu_grad_gradient(x: Tensor, dx: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, Tensor]:
    """The slope's own slope is (2 - x x) times the density; it is linear in the gradient."""
    square = x * x
    return dout * dx * (NORMAL_DENSITY * ((2 - square) * exp(-0.5 * square))), erf_gelu_grad(x, dout)


class Mish(FloatUnary):
    """x * tanh(log(1 + exp(x))) (Misra 2019).

    Inputs: x, a tensor of any shape; integers are taken as Float32.

    Output: a tensor of the shape and floating-point type of x.

    Example:
        >>> print(ops.Mish()(Tensor([-1.0, 0.0, 20.0], ms.float32)).asnumpy().round(4))
        [-0.3034  0.     20.    ]
    """

    arguments = ("x",)
    takes = MappingProxyType({0: (mstype.bool_, *mstype.real_type)})

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return x * xp.tanh(xp.logaddexp(x, x.dtype.type(0)))


mish = Mish()


@gradient(Mish)
def mish_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """With t = tanh(softplus(x)): t + x (1 - t t) sigmoid(x)."""
    t = tanh(_softplus(x))
    return dout * (t + x * (1 - t * t) * sigmoid(x))


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """log(1 + exp(beta * x)) / beta; x where beta * x is above a threshold.

    Args:
        input: a floating-point tensor of any shape.
        beta: the sharpness of the bend at 0.
        threshold: where beta * input is larger, the output is `input`.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.softplus(Tensor([0.0, 2.0, 30.0])).asnumpy().round(3))
        [ 0.693  2.127 30.   ]

    """
    if beta == 1 and threshold == 20:
        return cached(Softplus)(input)
    scaled = input * beta
    return select(greater(scaled, threshold), input, cached(Softplus)(scaled) / beta)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x times the standard normal distribution function: exact ("none"), or in the tanh form ("tanh").

    Args:
        input: a floating-point tensor of any shape.
        approximate: "none" or "tanh".

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.gelu(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3))
        [-0.159  0.     0.841]

    """
    if approximate == "tanh":
        return cached(GeLU)(input)
    return cached(ErfGeLU)(input)


def logsigmoid(x: Tensor) -> Tensor:
    """log(sigmoid(x)).

    Args:
        x: a floating-point tensor of any shape.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.logsigmoid(Tensor([0.0, 100.0])).asnumpy().round(3))
        [-0.693 -0.   ]

    """
    return -softplus(-x)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x).

    Args:
        input: a floating-point tensor of any shape.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.tanhshrink(Tensor([0.0, 1.0])).asnumpy().round(3))
        [0.    0.238]

    """
    return input - tanh(input)


def glu(x: Tensor, axis: int = -1) -> Tensor:
    """The first half of x along an axis times the sigmoid of the second half (Dauphin et al. 2016).

    Args:
        x: a floating-point tensor whose length along the axis is even.
        axis: the axis that is halved.

    Returns:
        A tensor with half the length along the axis, of the element type of `x`.

    Example:
        >>> print(ops.glu(Tensor([1.0, 2.0, 0.0, 100.0])))
        [0.5 2. ]

    """
    value, gate = chunk(x, 2, axis)
    return value * sigmoid(gate)


def fast_gelu(x: Tensor) -> Tensor:
    """x / (1 + exp(-1.702 |x|)) * exp(0.851 (x - |x|)): an approximation of `gelu`.

    Args:
        x: a floating-point tensor of any shape.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.fast_gelu(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3))
        [-0.154  0.     0.846]

    """
    return x / (1 + exp(-1.702 * abs(x))) * exp(0.851 * (x - abs(x)))


class FastGeLU(Composed):
    """An approximation of `gelu`; see `fast_gelu`.

    Example:
        >>> print(ops.FastGeLU()(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3))
        [-0.154  0.     0.846]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def __call__(self, x: Tensor) -> Tensor:
        """Compute the activation."""
        return fast_gelu(x)
