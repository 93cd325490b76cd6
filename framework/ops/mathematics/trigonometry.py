"""Trigonometric and hyperbolic functions and their inverses; angles are in radians."""

from __future__ import annotations

import math

from framework.common.tensor import Tensor
from framework.ops.comparison import equal
from framework.ops.creation.filled_like import OnesLike
from framework.ops.elementwise import FloatUnary
from framework.ops.gradients import gradient
from framework.ops.indexing.selecting import select
from framework.ops.mathematics.exponential import sqrt

__all__ = [
    "ACos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "Cos",
    "Cosh",
    "Sin",
    "Sinh",
    "Tan",
    "Tanh",
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "deg2rad",
    "rad2deg",
    "sin",
    "sinc",
    "sinh",
    "tan",
    "tanh",
]

_ones_like = OnesLike()


def sinc(input: Tensor) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0.

    Args:
        input: x, a floating-point tensor of any shape.

    Returns:
        A tensor of the same shape and type.

    Example:
        >>> print(ops.sinc(Tensor([0.0, 0.5])).asnumpy().round(3))
        [1.    0.637]

    """
    zero = equal(input, 0)
    angle = select(zero, _ones_like(input), input) * math.pi
    return select(zero, _ones_like(input), sin(angle) / angle)


class Sin(FloatUnary):
    """The sine of x, an angle in radians.

    Inputs: a tensor of any shape; integers are converted to Float32. Output: a tensor of its shape and floating-point
    type.

    Example:
        >>> print(ops.Sin()(Tensor([0.0, np.pi / 2, np.pi / 6])).asnumpy().round(3))
        [0.  1.  0.5]
    """

    ufunc = "sin"


sin = Sin()


@gradient(Sin)
def sin_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """cos(x)."""
    return dout * cos(x)


class Cos(FloatUnary):
    """The cosine of x, an angle in radians.

    Inputs: a tensor of any shape; integers are converted to Float32. Output: a tensor of its shape and floating-point
    type.

    Example:
        >>> print(ops.Cos()(Tensor([0.0, np.pi, np.pi / 3])).asnumpy().round(3))
        [ 1.  -1.   0.5]
    """

    ufunc = "cos"


cos = Cos()


@gradient(Cos)
def cos_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """-sin(x)."""
    return -(dout * sin(x))


class Tan(FloatUnary):
    """The tangent of x, an angle in radians: sin(x) / cos(x).

    Inputs: a tensor of any shape; integers are converted to Float32. Output: a tensor of its shape and floating-point
    type.

    Example:
        >>> print(ops.Tan()(Tensor([0.0, np.pi / 4, -np.pi / 4])).asnumpy().round(3))
        [ 0.  1. -1.]
    """

    ufunc = "tan"


tan = Tan()


@gradient(Tan)
def tan_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """1 + tan(x) ** 2."""
    return dout * (out * out + 1)


class Asin(FloatUnary):
    """The inverse sine: the angle from -pi / 2 to pi / 2 whose sine is x.

    Inputs: a tensor of any shape, with elements from -1 to 1; integers are converted to Float32. Output: a tensor of
    its shape and floating-point type.

    Example:
        >>> print(ops.Asin()(Tensor([0.0, 1.0, -0.5])).asnumpy().round(3))
        [ 0.     1.571 -0.524]
    """

    ufunc = "arcsin"


asin = Asin()


@gradient(Asin)
def asin_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """1 / sqrt(1 - x x)."""
    return dout / sqrt(1 - x * x)


class ACos(FloatUnary):
    """The inverse cosine: the angle from 0 to pi whose cosine is x.

    Inputs: a tensor of any shape, with elements from -1 to 1; integers are converted to Float32. Output: a tensor of
    its shape and floating-point type.

    Example:
        >>> print(ops.ACos()(Tensor([1.0, 0.0, -1.0])).asnumpy().round(3))
        [0.    1.571 3.142]
    """

    ufunc = "arccos"


acos = ACos()
arccos = ACos()


@gradient(ACos)
def acos_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """-1 / sqrt(1 - x x)."""
    return -(dout / sqrt(1 - x * x))


class Atan(FloatUnary):
    """The inverse tangent: the angle between -pi / 2 and pi / 2 whose tangent is x.

    Inputs: a tensor of any shape; integers are converted to Float32. Output: a tensor of its shape and floating-point
    type.

    Example:
        >>> print(ops.Atan()(Tensor([0.0, 1.0, -1.0])).asnumpy().round(3))
        [ 0.     0.785 -0.785]
    """

    ufunc = "arctan"


atan = Atan()
arctan = Atan()


@gradient(Atan)
def atan_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """1 / (1 + x x)."""
    return dout / (x * x + 1)


class Sinh(FloatUnary):
    """The hyperbolic sine: (exp(x) - exp(-x)) / 2.

    Inputs: a tensor of any shape; integers are converted to Float32. Output: a tensor of its shape and floating-point
    type.

    Example:
        >>> print(ops.Sinh()(Tensor([0.0, 1.0, -1.0])).asnumpy().round(3))
        [ 0.     1.175 -1.175]
    """

    ufunc = "sinh"


sinh = Sinh()


@gradient(Sinh)
def sinh_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """cosh(x)."""
    return dout * cosh(x)


class Cosh(FloatUnary):
    """The hyperbolic cosine: (exp(x) + exp(-x)) / 2.

    Inputs: a tensor of any shape; integers are converted to Float32. Output: a tensor of its shape and floating-point
    type.

    Example:
        >>> print(ops.Cosh()(Tensor([0.0, 1.0, -1.0])).asnumpy().round(3))
        [1.    1.543 1.543]
    """

    ufunc = "cosh"


cosh = Cosh()


@gradient(Cosh)
def cosh_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """sinh(x)."""
    return dout * sinh(x)


class Tanh(FloatUnary):
    """The hyperbolic tangent: sinh(x) / cosh(x), between -1 and 1.

    Inputs: a tensor of any shape; integers are converted to Float32. Output: a tensor of its shape and floating-point
    type.

    Example:
        >>> print(ops.Tanh()(Tensor([0.0, 1.0, -10.0])).asnumpy().round(3))
        [ 0.     0.762 -1.   ]
    """

    ufunc = "tanh"


tanh = Tanh()


@gradient(Tanh)
def tanh_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """1 - tanh(x) ** 2."""
    return dout - dout * (out * out)


class Asinh(FloatUnary):
    """The inverse hyperbolic sine: log(x + sqrt(x * x + 1)).

    Inputs: a tensor of any shape; integers are converted to Float32. Output: a tensor of its shape and floating-point
    type.

    Example:
        >>> print(ops.Asinh()(Tensor([0.0, 1.0, -1.0])).asnumpy().round(3))
        [ 0.     0.881 -0.881]
    """

    ufunc = "arcsinh"


asinh = Asinh()
arcsinh = Asinh()


@gradient(Asinh)
def asinh_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """1 / sqrt(x x + 1)."""
    return dout / sqrt(x * x + 1)


class Acosh(FloatUnary):
    """The inverse hyperbolic cosine: log(x + sqrt(x * x - 1)).

    Inputs: a tensor of any shape, with elements of at least 1; integers are converted to Float32. Output: a tensor of
    its shape and floating-point type.

    Example:
        >>> print(ops.Acosh()(Tensor([1.0, 2.0])).asnumpy().round(3))
        [0.    1.317]
    """

    ufunc = "arccosh"


acosh = Acosh()
arccosh = Acosh()


@gradient(Acosh)
def acosh_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """1 / sqrt(x x - 1)."""
    return dout / sqrt(x * x - 1)


class Atanh(FloatUnary):
    """The inverse hyperbolic tangent: log((1 + x) / (1 - x)) / 2.

    Inputs: a tensor of any shape, with elements between -1 and 1; integers are converted to Float32. Output: a tensor
    of its shape and floating-point type.

    Example:
        >>> print(ops.Atanh()(Tensor([0.0, 0.5, -0.5])).asnumpy().round(3))
        [ 0.     0.549 -0.549]
    """

    ufunc = "arctanh"


atanh = Atanh()
arctanh = Atanh()


@gradient(Atanh)
def atanh_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """1 / (1 - x x)."""
    return dout / (1 - x * x)


def arcsin(x: Tensor) -> Tensor:
    """The angle in radians whose sine is x: another name of `asin`.

    Args:
        x: tensor with elements from -1 to 1.

    Returns:
        A tensor of the same shape, with angles from -pi / 2 to pi / 2.

    Example:
        >>> print(ops.arcsin(Tensor([0.0, 1.0])).asnumpy().round(3))
        [0.    1.571]

    """
    return Asin()(x)


def deg2rad(x: Tensor) -> Tensor:
    """Angles converted from degrees to radians.

    Args:
        x: angles in degrees, a floating-point tensor.

    Returns:
        Angles in radians, a tensor of the same shape.

    Example:
        >>> print(ops.deg2rad(Tensor([0.0, 90.0, 180.0])).asnumpy().round(3))
        [0.    1.571 3.142]

    """
    return x * (math.pi / 180)


def rad2deg(x: Tensor) -> Tensor:
    """Angles converted from radians to degrees.

    Args:
        x: angles in radians, a floating-point tensor.

    Returns:
        Angles in degrees, a tensor of the same shape.

    Example:
        >>> print(ops.rad2deg(Tensor([0.0, np.pi])).asnumpy().round(3))
        [  0. 180.]

    """
    return x * (180 / math.pi)
