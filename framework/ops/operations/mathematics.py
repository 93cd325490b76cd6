"""Functions of one number, applied to each element."""

from __future__ import annotations

from typing import Any

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
    """-x."""

    ufunc = "negative"


class Abs(Unary):
    """The absolute value."""

    ufunc = "absolute"


class Sign(Unary):
    """-1, 0 or 1."""

    ufunc = "sign"


class Square(Unary):
    """x * x."""

    ufunc = "square"


class Floor(Unary):
    """The largest integer not above x."""

    ufunc = "floor"


class Ceil(Unary):
    """The smallest integer not below x."""

    ufunc = "ceil"


class Trunc(Unary):
    """x without its fraction."""

    ufunc = "trunc"


class Rint(Unary):
    """The nearest integer, the even one of two equally near."""

    ufunc = "rint"


class Round(Rint):
    """The nearest integer, the even one of two equally near."""


class Exp(FloatUnary):
    """e to the power of x."""

    ufunc = "exp"


class Expm1(FloatUnary):
    """exp(x) - 1, exact near 0."""

    ufunc = "expm1"


class Log(FloatUnary):
    """The natural logarithm."""

    ufunc = "log"


class Log1p(FloatUnary):
    """log(1 + x), exact near 0."""

    ufunc = "log1p"


class Sqrt(FloatUnary):
    """The square root."""

    ufunc = "sqrt"


class Rsqrt(FloatUnary):
    """1 / sqrt(x)."""

    def of_float(self, xp: Any, x: Any) -> Any:
        return xp.reciprocal(xp.sqrt(x))


class Reciprocal(FloatUnary):
    """1 / x."""

    ufunc = "reciprocal"


class Inv(Reciprocal):
    """1 / x."""


class Sin(FloatUnary):
    """The sine."""

    ufunc = "sin"


class Cos(FloatUnary):
    """The cosine."""

    ufunc = "cos"


class Tan(FloatUnary):
    """The tangent."""

    ufunc = "tan"


class Asin(FloatUnary):
    """The inverse sine."""

    ufunc = "arcsin"


class ACos(FloatUnary):
    """The inverse cosine."""

    ufunc = "arccos"


class Atan(FloatUnary):
    """The inverse tangent."""

    ufunc = "arctan"


class Sinh(FloatUnary):
    """The hyperbolic sine."""

    ufunc = "sinh"


class Cosh(FloatUnary):
    """The hyperbolic cosine."""

    ufunc = "cosh"


class Tanh(FloatUnary):
    """The hyperbolic tangent."""

    ufunc = "tanh"


class Asinh(FloatUnary):
    """The inverse hyperbolic sine."""

    ufunc = "arcsinh"


class Acosh(FloatUnary):
    """The inverse hyperbolic cosine."""

    ufunc = "arccosh"


class Atanh(FloatUnary):
    """The inverse hyperbolic tangent."""

    ufunc = "arctanh"


class Erf(FloatUnary):
    """The error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x."""

    def of_float(self, xp: Any, x: Any) -> Any:
        return special.erf(xp, x)


class Erfc(FloatUnary):
    """1 - erf(x), exact where that is small."""

    def of_float(self, xp: Any, x: Any) -> Any:
        return special.erfc(xp, x)
