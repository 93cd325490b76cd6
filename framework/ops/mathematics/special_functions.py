"""The error function and its inverse, the log-gamma function and its derivatives."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Final

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels import error_function, special
from framework.ops.arrays import Array, ArrayModule
from framework.ops.elementwise import FloatUnary, as_float
from framework.ops.gradients import gradient
from framework.ops.mathematics.exponential import exp
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "Digamma",
    "Erf",
    "Erfc",
    "Erfinv",
    "Lgamma",
    "Polygamma",
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "lgamma",
    "polygamma",
]


class Erf(FloatUnary):
    """The error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x.

    Inputs: a tensor of any shape; integers are converted to Float32. Output: a tensor of its shape and floating-point
    type.

    Example:
        >>> print(ops.Erf()(Tensor([0.0, 0.5, -3.0])).asnumpy().round(3))
        [ 0.    0.52 -1.  ]
    """

    takes = MappingProxyType({0: (mstype.bool_, *mstype.real_type)})

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return error_function.erf(xp, x)


erf = Erf()

#: The slope of the error function at 0.
ERF_SLOPE: Final = 2 / math.sqrt(math.pi)


@gradient(Erf)
def erf_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """2 / sqrt(pi) exp(-x x)."""
    return dout * (ERF_SLOPE * exp(-(x * x)))


class Erfc(FloatUnary):
    """1 - erf(x), accurate where that is small.

    Inputs: a tensor of any shape; integers are converted to Float32. Output: a tensor of its shape and floating-point
    type.

    Example:
        >>> print(ops.Erfc()(Tensor([0.0, 0.5, -3.0])).asnumpy().round(3))
        [1.   0.48 2.  ]
    """

    takes = MappingProxyType({0: (mstype.bool_, *mstype.real_type)})

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return special.erfc(xp, x)


erfc = Erfc()


@gradient(Erfc)
def erfc_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """-2 / sqrt(pi) exp(-x x)."""
    return dout * (-ERF_SLOPE * exp(-(x * x)))


class Lgamma(FloatUnary):
    """log |gamma(x)|.

    For an integer n from 1 on gamma(n) is the factorial of n - 1.

    Inputs: a tensor of real numbers, of any shape; integers are converted to Float32. Output: a tensor of its shape and
    floating-point type.

    Example:
        >>> print(ops.Lgamma()(Tensor([1.0, 2.0, 4.0])).asnumpy().round(3), np.log(6.0).round(3))
        [0.    0.    1.792] 1.792
    """

    takes = MappingProxyType({0: (mstype.bool_, *mstype.real_type)})

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return special.lgamma(xp, x)


lgamma = Lgamma()


@gradient(Lgamma)
def lgamma_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The polygamma function of the next order."""
    return dout * digamma(x)


class Digamma(FloatUnary):
    """The derivative of log gamma(x).

    At 1 it is minus Euler's constant; digamma(x + 1) = digamma(x) + 1 / x.

    Inputs: a tensor of real numbers, of any shape; integers are converted to Float32. Output: a tensor of its shape and
    floating-point type.

    Example:
        >>> print(ops.Digamma()(Tensor([1.0, 2.0])).asnumpy().round(3))
        [-0.577  0.423]
    """

    takes = MappingProxyType({0: (mstype.bool_, *mstype.real_type)})

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return special.polygamma(xp, 0, x)


digamma = Digamma()


@gradient(Digamma)
def digamma_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The polygamma function of the next order."""
    return dout * polygamma(1, x)


class Polygamma(PrimitiveWithInfer):
    """The derivative of order a + 1 of log gamma(x): `(a, x)`, with an int a.

    For a = 0 it is the same as `Digamma`; for a = 1 and x = 1 it is pi * pi / 6.

    Inputs: the order a, an int of at least 0 that is known at compile time; a tensor of real numbers, of any shape,
    integers converted to Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Polygamma()(1, Tensor([1.0, 2.0])).asnumpy().round(3))
        [1.645 0.645]
    """

    arguments = ("n", "input")
    takes = MappingProxyType({1: (mstype.bool_, *mstype.real_type)})
    value_inputs = (0,)
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["a", "x"], outputs=["y"])

    def infer_shape(self, a: int, x: Dims) -> Dims:
        return x

    def infer_dtype(self, a: object, x: DType) -> DType:
        return x if x.is_floating_point else mstype.float32

    def compute(self, xp: ArrayModule, a: int, x: Array) -> Array:
        return special.polygamma(xp, int(a), as_float(xp, x))


polygamma = Polygamma()


@gradient(Polygamma)
def polygamma_gradient(a: int, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """The polygamma function of the next order."""
    return None, dout * polygamma(a + 1, x)


class Erfinv(FloatUnary):
    """The inverse of the error function, for x between -1 and 1.

    Inputs: a tensor of real numbers, of any shape; integers are converted to Float32. Output: a tensor of its shape and
    floating-point type.

    Example:
        >>> x = ops.Erfinv()(Tensor([0.0, 0.5, -0.5]))
        >>> print(x.asnumpy().round(3), ops.Erf()(x).asnumpy().round(3))
        [ 0.     0.477 -0.477] [ 0.   0.5 -0.5]
    """

    takes = MappingProxyType({0: (mstype.bool_, *mstype.real_type)})

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return special.erfinv(xp, x)


#: The slope of the inverse of the error function at 0.
ERFINV_SLOPE: Final = math.sqrt(math.pi) / 2

erfinv = Erfinv()


@gradient(Erfinv)
def erfinv_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """sqrt(pi) / 2 exp(y y) with y the output."""
    return dout * (ERFINV_SLOPE * exp(out * out))
