"""Functions of one number, applied to each element."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.kernels import special
from framework.ops.operations.elementwise import FloatUnary, Unary

__all__ = [
    "ACos",
    "Abs",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "Ceil",
    "Cos",
    "Cosh",
    "Erf",
    "Erfc",
    "Exp",
    "Expm1",
    "Floor",
    "Inv",
    "Log",
    "Log1p",
    "Neg",
    "Reciprocal",
    "Rint",
    "Round",
    "Rsqrt",
    "Sign",
    "Sin",
    "Sinh",
    "Sqrt",
    "Square",
    "Tan",
    "Tanh",
    "Trunc",
]


class Neg(Unary):
    """-x.

    Inputs: a tensor of numbers, of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Neg()(Tensor([1.0, -2.0, 0.5])))
        [-1.   2.  -0.5]
    """

    takes = MappingProxyType({0: mstype.number_type})
    ufunc = "negative"


class Abs(Unary):
    """The absolute value: x where x >= 0, -x elsewhere.

    Inputs: a tensor of any shape. Output: a tensor of its shape and element type; of Complex64 Float32, of Complex128
    Float64.

    Example:
        >>> print(ops.Abs()(Tensor([1.0, -2.0, -0.5])))
        [1.  2.  0.5]
    """

    ufunc = "absolute"

    def infer_dtype(self, x: DType) -> DType:
        if x.kind != "complex":
            return x
        return mstype.float32 if x is mstype.complex64 else mstype.float64


class Sign(Unary):
    """-1, 0 or 1: the sign of x.

    Inputs: a tensor of real numbers, of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Sign()(Tensor([-3.0, 0.0, 0.5])))
        [-1.  0.  1.]
    """

    takes = MappingProxyType({0: mstype.number_type})
    ufunc = "sign"


class Square(Unary):
    """x * x.

    Inputs: a tensor of numbers, of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Square()(Tensor([1.0, -2.0, 3.0])))
        [1. 4. 9.]
    """

    takes = MappingProxyType({0: mstype.number_type})
    ufunc = "square"


class Floor(Unary):
    """The largest integer not above x.

    Inputs: a tensor of real numbers, of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Floor()(Tensor([1.7, -1.2, 2.0])))
        [ 1. -2.  2.]
    """

    takes = MappingProxyType({0: mstype.real_type})
    ufunc = "floor"


class Ceil(Unary):
    """The smallest integer not below x.

    Inputs: a tensor of real numbers, of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Ceil()(Tensor([1.2, -1.7, 2.0])))
        [ 2. -1.  2.]
    """

    takes = MappingProxyType({0: mstype.real_type})
    ufunc = "ceil"


class Trunc(Unary):
    """x without its fraction: rounded towards 0.

    Inputs: a tensor of real numbers, of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Trunc()(Tensor([1.7, -1.7, 2.0])))
        [ 1. -1.  2.]
    """

    takes = MappingProxyType({0: mstype.real_type})
    ufunc = "trunc"


class Rint(Unary):
    """The nearest integer, the even one of two equally near.

    Inputs: a floating-point tensor of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Rint()(Tensor([0.5, 1.5, 1.7, -2.2])))
        [ 0.  2.  2. -2.]
    """

    takes = MappingProxyType({0: mstype.float_type})
    ufunc = "rint"


class Round(Rint):
    """The nearest integer, the even one of two equally near.

    Inputs: a floating-point tensor of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Round()(Tensor([0.5, 1.5, 1.7, -2.2])))
        [ 0.  2.  2. -2.]
    """


class Exp(FloatUnary):
    """e to the power of x: exp(x).

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Exp()(Tensor([0.0, 1.0, -1.0])).asnumpy().round(3))
        [1.    2.718 0.368]
    """

    ufunc = "exp"


class Expm1(FloatUnary):
    """exp(x) - 1, exact near 0.

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Expm1()(Tensor([0.0, 1.0, -1.0])).asnumpy().round(3))
        [ 0.     1.718 -0.632]
    """

    ufunc = "expm1"


class Log(FloatUnary):
    """The natural logarithm: log(x).

    Inputs: a tensor of any shape, with elements above 0; integers are taken as Float32. Output: a tensor of its shape
    and floating-point type.

    Example:
        >>> print(ops.Log()(Tensor([1.0, 10.0, 0.5])).asnumpy().round(3))
        [ 0.     2.303 -0.693]
    """

    ufunc = "log"


class Log1p(FloatUnary):
    """log(1 + x), exact near 0.

    Inputs: a tensor of any shape, with elements above -1; integers are taken as Float32. Output: a tensor of its shape
    and floating-point type.

    Example:
        >>> print(ops.Log1p()(Tensor([0.0, 9.0, -0.5])).asnumpy().round(3))
        [ 0.     2.303 -0.693]
    """

    ufunc = "log1p"


class Sqrt(FloatUnary):
    """The square root: the number of at least 0 whose square is x.

    Inputs: a tensor of any shape, with elements of at least 0; integers are taken as Float32. Output: a tensor of its
    shape and floating-point type.

    Example:
        >>> print(ops.Sqrt()(Tensor([4.0, 9.0, 0.25])))
        [2.  3.  0.5]
    """

    arguments = ("x",)
    ufunc = "sqrt"


class Rsqrt(FloatUnary):
    """1 / sqrt(x).

    Inputs: a tensor of any shape, with elements above 0; integers are taken as Float32. Output: a tensor of its shape
    and floating-point type.

    Example:
        >>> print(ops.Rsqrt()(Tensor([4.0, 1.0, 0.25])))
        [0.5 1.  2. ]
    """

    def of_float(self, xp: Any, x: Any) -> Any:
        return xp.reciprocal(xp.sqrt(x))


class Reciprocal(FloatUnary):
    """1 / x.

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Reciprocal()(Tensor([4.0, -2.0, 0.5])))
        [ 0.25 -0.5   2.  ]
    """

    ufunc = "reciprocal"


class Inv(Reciprocal):
    """1 / x.

    The same as `Reciprocal`.

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Inv()(Tensor([4.0, -2.0, 0.5])))
        [ 0.25 -0.5   2.  ]
    """


class Sin(FloatUnary):
    """The sine of x, an angle in radians.

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Sin()(Tensor([0.0, np.pi / 2, np.pi / 6])).asnumpy().round(3))
        [0.  1.  0.5]
    """

    ufunc = "sin"


class Cos(FloatUnary):
    """The cosine of x, an angle in radians.

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Cos()(Tensor([0.0, np.pi, np.pi / 3])).asnumpy().round(3))
        [ 1.  -1.   0.5]
    """

    ufunc = "cos"


class Tan(FloatUnary):
    """The tangent of x, an angle in radians: sin(x) / cos(x).

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Tan()(Tensor([0.0, np.pi / 4, -np.pi / 4])).asnumpy().round(3))
        [ 0.  1. -1.]
    """

    ufunc = "tan"


class Asin(FloatUnary):
    """The inverse sine: the angle from -pi / 2 to pi / 2 whose sine is x.

    Inputs: a tensor of any shape, with elements from -1 to 1; integers are taken as Float32. Output: a tensor of its
    shape and floating-point type.

    Example:
        >>> print(ops.Asin()(Tensor([0.0, 1.0, -0.5])).asnumpy().round(3))
        [ 0.     1.571 -0.524]
    """

    ufunc = "arcsin"


class ACos(FloatUnary):
    """The inverse cosine: the angle from 0 to pi whose cosine is x.

    Inputs: a tensor of any shape, with elements from -1 to 1; integers are taken as Float32. Output: a tensor of its
    shape and floating-point type.

    Example:
        >>> print(ops.ACos()(Tensor([1.0, 0.0, -1.0])).asnumpy().round(3))
        [0.    1.571 3.142]
    """

    ufunc = "arccos"


class Atan(FloatUnary):
    """The inverse tangent: the angle between -pi / 2 and pi / 2 whose tangent is x.

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Atan()(Tensor([0.0, 1.0, -1.0])).asnumpy().round(3))
        [ 0.     0.785 -0.785]
    """

    ufunc = "arctan"


class Sinh(FloatUnary):
    """The hyperbolic sine: (exp(x) - exp(-x)) / 2.

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Sinh()(Tensor([0.0, 1.0, -1.0])).asnumpy().round(3))
        [ 0.     1.175 -1.175]
    """

    ufunc = "sinh"


class Cosh(FloatUnary):
    """The hyperbolic cosine: (exp(x) + exp(-x)) / 2.

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Cosh()(Tensor([0.0, 1.0, -1.0])).asnumpy().round(3))
        [1.    1.543 1.543]
    """

    ufunc = "cosh"


class Tanh(FloatUnary):
    """The hyperbolic tangent: sinh(x) / cosh(x), between -1 and 1.

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Tanh()(Tensor([0.0, 1.0, -10.0])).asnumpy().round(3))
        [ 0.     0.762 -1.   ]
    """

    ufunc = "tanh"


class Asinh(FloatUnary):
    """The inverse hyperbolic sine: log(x + sqrt(x * x + 1)).

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Asinh()(Tensor([0.0, 1.0, -1.0])).asnumpy().round(3))
        [ 0.     0.881 -0.881]
    """

    ufunc = "arcsinh"


class Acosh(FloatUnary):
    """The inverse hyperbolic cosine: log(x + sqrt(x * x - 1)).

    Inputs: a tensor of any shape, with elements of at least 1; integers are taken as Float32. Output: a tensor of its
    shape and floating-point type.

    Example:
        >>> print(ops.Acosh()(Tensor([1.0, 2.0])).asnumpy().round(3))
        [0.    1.317]
    """

    ufunc = "arccosh"


class Atanh(FloatUnary):
    """The inverse hyperbolic tangent: log((1 + x) / (1 - x)) / 2.

    Inputs: a tensor of any shape, with elements between -1 and 1; integers are taken as Float32. Output: a tensor of
    its shape and floating-point type.

    Example:
        >>> print(ops.Atanh()(Tensor([0.0, 0.5, -0.5])).asnumpy().round(3))
        [ 0.     0.549 -0.549]
    """

    ufunc = "arctanh"


class Erf(FloatUnary):
    """The error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x.

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Erf()(Tensor([0.0, 0.5, -3.0])).asnumpy().round(3))
        [ 0.    0.52 -1.  ]
    """

    takes = MappingProxyType({0: (mstype.bool_, *mstype.real_type)})

    def of_float(self, xp: Any, x: Any) -> Any:
        return special.erf(xp, x)


class Erfc(FloatUnary):
    """1 - erf(x), exact where that is small.

    Inputs: a tensor of any shape; integers are taken as Float32. Output: a tensor of its shape and floating-point type.

    Example:
        >>> print(ops.Erfc()(Tensor([0.0, 0.5, -3.0])).asnumpy().round(3))
        [1.   0.48 2.  ]
    """

    takes = MappingProxyType({0: (mstype.bool_, *mstype.real_type)})

    def of_float(self, xp: Any, x: Any) -> Any:
        return special.erfc(xp, x)
