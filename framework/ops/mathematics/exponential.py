"""Exponentials, logarithms, squares and roots of one operand."""

from __future__ import annotations

import math
from types import MappingProxyType

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops.arrays import Array, ArrayModule
from framework.ops.elementwise import FloatUnary, Unary
from framework.ops.gradients import gradient

__all__ = [
    "Exp",
    "Expm1",
    "Inv",
    "Log",
    "Log1p",
    "Reciprocal",
    "Rsqrt",
    "Sqrt",
    "Square",
    "exp",
    "expm1",
    "hypot",
    "inv",
    "log",
    "log1p",
    "log2",
    "log10",
    "reciprocal",
    "rsqrt",
    "sqrt",
    "square",
]


class Square(Unary):
    """x * x.

    Inputs: a tensor of numbers, of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Square()(Tensor([1.0, -2.0, 3.0])))
        [1. 4. 9.]
    """

    takes = MappingProxyType({0: mstype.number_type})
    ufunc = "square"


square = Square()


@gradient(Square)
def square_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """2 x."""
    return dout * (x + x)


class Exp(FloatUnary):
    """The exponential function: e to the power of x.

    Inputs: a tensor of any shape; integers are converted to Float32. Output: a tensor of its shape and floating-point
    type.

    Example:
        >>> print(ops.Exp()(Tensor([0.0, 1.0, -1.0])).asnumpy().round(3))
        [1.    2.718 0.368]
    """

    ufunc = "exp"


exp = Exp()


@gradient(Exp)
def exp_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """exp(x)."""
    return dout * out


class Expm1(FloatUnary):
    """exp(x) - 1, accurate near 0.

    Inputs: a tensor of any shape; integers are converted to Float32. Output: a tensor of its shape and floating-point
    type.

    Example:
        >>> print(ops.Expm1()(Tensor([0.0, 1.0, -1.0])).asnumpy().round(3))
        [ 0.     1.718 -0.632]
    """

    ufunc = "expm1"


expm1 = Expm1()


@gradient(Expm1)
def expm1_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """exp(x)."""
    return dout * exp(x)


class Log(FloatUnary):
    """The natural logarithm: log(x).

    Inputs: a tensor of any shape, with elements above 0; integers are converted to Float32. Output: a tensor of its
    shape and floating-point type.

    Example:
        >>> print(ops.Log()(Tensor([1.0, 10.0, 0.5])).asnumpy().round(3))
        [ 0.     2.303 -0.693]
    """

    ufunc = "log"


log = Log()


@gradient(Log)
def log_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """1 / x."""
    return dout / x


class Log1p(FloatUnary):
    """log(1 + x), accurate near 0.

    Inputs: a tensor of any shape, with elements above -1; integers are converted to Float32. Output: a tensor of its
    shape and floating-point type.

    Example:
        >>> print(ops.Log1p()(Tensor([0.0, 9.0, -0.5])).asnumpy().round(3))
        [ 0.     2.303 -0.693]
    """

    ufunc = "log1p"


log1p = Log1p()


@gradient(Log1p)
def log1p_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """1 / (1 + x)."""
    return dout / (x + 1)


class Sqrt(FloatUnary):
    """The square root of x.

    Inputs: a tensor of any shape, with elements of at least 0; integers are converted to Float32. Output: a tensor of
    its
    shape and floating-point type.

    Example:
        >>> print(ops.Sqrt()(Tensor([4.0, 9.0, 0.25])))
        [2.  3.  0.5]
    """

    arguments = ("x",)
    ufunc = "sqrt"


sqrt = Sqrt()


@gradient(Sqrt)
def sqrt_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """1 / (2 sqrt(x))."""
    return dout / (out + out)


class Rsqrt(FloatUnary):
    """1 / sqrt(x).

    Inputs: a tensor of any shape, with elements above 0; integers are converted to Float32. Output: a tensor of its
    shape and floating-point type.

    Example:
        >>> print(ops.Rsqrt()(Tensor([4.0, 1.0, 0.25])))
        [0.5 1.  2. ]
    """

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return xp.reciprocal(xp.sqrt(x))


rsqrt = Rsqrt()


@gradient(Rsqrt)
def rsqrt_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """-1 / (2 x sqrt(x))."""
    return -0.5 * (dout * out * out * out)


class Reciprocal(FloatUnary):
    """1 / x.

    Inputs: a tensor of any shape; integers are converted to Float32. Output: a tensor of its shape and floating-point
    type.

    Example:
        >>> print(ops.Reciprocal()(Tensor([4.0, -2.0, 0.5])))
        [ 0.25 -0.5   2.  ]
    """

    ufunc = "reciprocal"


reciprocal = Reciprocal()


@gradient(Reciprocal)
def reciprocal_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """-1 / (x x)."""
    return -(dout * out * out)


class Inv(Unary):
    """1 / x, of integers rounded towards 0.

    Inputs: a tensor of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Inv()(Tensor([4.0, -2.0, 0.5])))
        [ 0.25 -0.5   2.  ]
        >>> print(ops.Inv()(Tensor([1, -1, 3])))
        [ 1 -1  0]
    """

    takes = MappingProxyType({0: mstype.number_type})
    ufunc = "reciprocal"


@gradient(Inv)
def inv_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """-1 / (x x)."""
    return -(dout * out * out)


_inv = Inv()


def inv(x: Tensor) -> Tensor:
    """1 / x, of integers rounded towards 0.

    Args:
        x: tensor of any shape.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.inv(Tensor([2.0, 4.0])))
        [0.5  0.25]

    """
    return _inv(x)


def log2(input: Tensor) -> Tensor:
    """The logarithm to base 2.

    Args:
        input: tensor of any shape, with elements above 0; integers are converted to Float32.

    Returns:
        A tensor of the same shape, of a floating-point type.

    Example:
        >>> print(ops.log2(Tensor([1.0, 8.0])).asnumpy().round(3))
        [0. 3.]

    """
    return log(input) * (1 / math.log(2))


def log10(input: Tensor) -> Tensor:
    """The logarithm to base 10.

    Args:
        input: tensor of any shape, with elements above 0; integers are converted to Float32.

    Returns:
        A tensor of the same shape, of a floating-point type.

    Example:
        >>> print(ops.log10(Tensor([1.0, 1000.0])).asnumpy().round(3))
        [0. 3.]

    """
    return log(input) * (1 / math.log(10))


def hypot(input: Tensor, other: Tensor | float) -> Tensor:
    """The length of the hypotenuse: sqrt(x^2 + y^2).

    Args:
        input: x, a floating-point tensor.
        other: y, a tensor or a number; the shapes broadcast.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(ops.hypot(Tensor([3.0]), Tensor([4.0])))
        [5.]

    """
    return sqrt(square(input) + square(other))
