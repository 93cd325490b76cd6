"""Element-wise mathematics.

Every function takes an array-like value `x`, or two that are broadcast against each other, and the element type of the
result, `dtype`; None leaves what the operator gives. Functions that make fractions give Float32 for whole numbers.
"""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.numpy.array_likes import ArrayLike, TypeLike, as_floats, operands, to_tensor, typed
from framework.ops import functional as F  # noqa: N812

__all__ = [
    "abs",
    "absolute",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "clip",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "divide",
    "divmod",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fix",
    "float_power",
    "floor",
    "floor_divide",
    "fmod",
    "gcd",
    "heaviside",
    "hypot",
    "invert",
    "lcm",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "negative",
    "positive",
    "power",
    "rad2deg",
    "radians",
    "reciprocal",
    "remainder",
    "rint",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
]  # fmt: skip


def abs(x: ArrayLike, dtype: TypeLike = None) -> Tensor:  # noqa: A001 - MindSpore's name
    """The absolute value."""
    return typed(F.abs(to_tensor(x)), dtype)


def arccos(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The inverse cosine, from 0 to pi."""
    return typed(F.acos(as_floats(x)), dtype)


def arccosh(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The inverse hyperbolic cosine."""
    return typed(F.acosh(as_floats(x)), dtype)


def arcsin(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The inverse sine, from -pi/2 to pi/2."""
    return typed(F.asin(as_floats(x)), dtype)


def arcsinh(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The inverse hyperbolic sine."""
    return typed(F.asinh(as_floats(x)), dtype)


def arctan(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The inverse tangent, from -pi/2 to pi/2."""
    return typed(F.atan(as_floats(x)), dtype)


def arctanh(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The inverse hyperbolic tangent."""
    return typed(F.atanh(as_floats(x)), dtype)


def bitwise_not(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The bitwise complement of integers."""
    return typed(F.invert(to_tensor(x)), dtype)


def cbrt(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The cube root, also of negative numbers."""
    return typed(_cube_root(as_floats(x)), dtype)


def ceil(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Round up to an integer."""
    return typed(F.ceil(as_floats(x)), dtype)


def cos(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The cosine."""
    return typed(F.cos(as_floats(x)), dtype)


def cosh(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The hyperbolic cosine."""
    return typed(F.cosh(as_floats(x)), dtype)


def deg2rad(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Convert degrees to radians."""
    return typed(F.mul(as_floats(x), math.pi / 180), dtype)


def exp(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The exponential function, e^x."""
    return typed(F.exp(as_floats(x)), dtype)


def exp2(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """2 to the power of x."""
    return typed(F.pow(2, to_tensor(x)), dtype)


def expm1(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """exp(x) - 1, precise near 0."""
    return typed(F.expm1(as_floats(x)), dtype)


def fabs(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The absolute value."""
    return typed(F.abs(to_tensor(x)), dtype)


def floor(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Round down to an integer."""
    return typed(F.floor(as_floats(x)), dtype)


def log(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The natural logarithm."""
    return typed(F.log(as_floats(x)), dtype)


def log10(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The logarithm to base 10."""
    return typed(F.log10(as_floats(x)), dtype)


def log1p(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """log(1 + x), precise near 0."""
    return typed(F.log1p(as_floats(x)), dtype)


def log2(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The logarithm to base 2."""
    return typed(F.log2(as_floats(x)), dtype)


def negative(a: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The negative, -x."""
    return typed(F.neg(to_tensor(a)), dtype)


def positive(a: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The number itself, +x."""
    return typed(F.identity(to_tensor(a)), dtype)


def rad2deg(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Convert radians to degrees."""
    return typed(F.mul(as_floats(x), 180 / math.pi), dtype)


def radians(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Convert degrees to radians."""
    return typed(F.mul(as_floats(x), math.pi / 180), dtype)


def reciprocal(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """1 / x; for integers, without the fraction."""
    return typed(_reciprocal(to_tensor(x)), dtype)


def rint(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Round to the nearest integer; halves to even."""
    return typed(F.rint(as_floats(x)), dtype)


def sign(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The sign: 1, 0 or -1."""
    return typed(F.sign(as_floats(x)), dtype)


def sin(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The sine."""
    return typed(F.sin(as_floats(x)), dtype)


def sinh(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The hyperbolic sine."""
    return typed(F.sinh(as_floats(x)), dtype)


def sqrt(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The square root."""
    return typed(F.sqrt(as_floats(x)), dtype)


def square(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The square."""
    return typed(F.square(to_tensor(x)), dtype)


def tan(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The tangent."""
    return typed(F.tan(as_floats(x)), dtype)


def tanh(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The hyperbolic tangent."""
    return typed(F.tanh(as_floats(x)), dtype)


def trunc(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Remove the fraction."""
    return typed(F.trunc(as_floats(x)), dtype)


absolute = abs
invert = bitwise_not


def add(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """x1 + x2."""
    first, second = operands(x1, x2)
    return typed(F.add(first, second), dtype)


def arctan2(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The angle of the point (x2, x1)."""
    return typed(F.atan2(as_floats(x1), as_floats(x2)), dtype)


def bitwise_and(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Bitwise and."""
    first, second = operands(x1, x2)
    return typed(F.bitwise_and(first, second), dtype)


def bitwise_or(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Bitwise or."""
    first, second = operands(x1, x2)
    return typed(F.bitwise_or(first, second), dtype)


def bitwise_xor(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Bitwise exclusive or."""
    first, second = operands(x1, x2)
    return typed(F.bitwise_xor(first, second), dtype)


def copysign(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """x1 with the sign of x2."""
    first, second = operands(x1, x2)
    return typed(F.copysign(first, second), dtype)


def divide(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """x1 / x2; for integers in Float32."""
    first, second = operands(x1, x2)
    return typed(F.div(first, second), dtype)


def floor_divide(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """x1 / x2, rounded down."""
    first, second = operands(x1, x2)
    return typed(F.floor_div(first, second), dtype)


def fmod(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The remainder with the sign of the dividend."""
    first, second = operands(x1, x2)
    return typed(F.fmod(first, second), dtype)


def gcd(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The greatest common divisor of integers."""
    first, second = operands(x1, x2)
    return typed(F.gcd(first, second), dtype)


def lcm(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The least common multiple of integers."""
    first, second = operands(x1, x2)
    return typed(F.lcm(first, second), dtype)


def maximum(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The element-wise maximum."""
    first, second = operands(x1, x2)
    return typed(F.maximum(first, second), dtype)


def minimum(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The element-wise minimum."""
    first, second = operands(x1, x2)
    return typed(F.minimum(first, second), dtype)


def mod(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The remainder with the sign of the divisor."""
    first, second = operands(x1, x2)
    return typed(F.floor_mod(first, second), dtype)


def multiply(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """x1 times x2."""
    first, second = operands(x1, x2)
    return typed(F.mul(first, second), dtype)


def power(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """x1 to the power of x2."""
    first, second = operands(x1, x2)
    return typed(F.pow(first, second), dtype)


def subtract(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """x1 - x2."""
    first, second = operands(x1, x2)
    return typed(F.sub(first, second), dtype)


remainder = mod
true_divide = divide


def divmod(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> tuple[Tensor, Tensor]:  # noqa: A001
    """The quotient, rounded down, and the remainder."""
    return floor_divide(x1, x2, dtype), mod(x1, x2, dtype)


def fix(x: ArrayLike) -> Tensor:
    """Remove the fraction."""
    return trunc(x)


def float_power(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """x1 to the power of x2, in floating point."""
    return typed(F.pow(as_floats(x1), as_floats(x2)), dtype)


def hypot(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The hypotenuse of a right triangle: sqrt(x1^2 + x2^2)."""
    return typed(F.hypot(as_floats(x1), as_floats(x2)), dtype)


def heaviside(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The Heaviside step function: 0 below 0, 1 above, and the second value at 0."""
    first = to_tensor(x1)
    at_zero = F.cast(to_tensor(x2), first.dtype)
    steps = F.cast(F.greater(first, 0), first.dtype)
    return typed(F.where(F.equal(first, 0), at_zero, steps), dtype)


def logaddexp(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """log(exp(x1) + exp(x2)), without overflow."""
    return typed(F.logaddexp(as_floats(x1), as_floats(x2)), dtype)


def logaddexp2(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """log2(2**x1 + 2**x2), without overflow."""
    return typed(F.logaddexp2(as_floats(x1), as_floats(x2)), dtype)


def clip(x: ArrayLike, xmin: ArrayLike | None, xmax: ArrayLike | None, dtype: TypeLike = None) -> Tensor:
    """Limit the elements to the range from `xmin` to `xmax`.

    Args:
        x: numbers.
        xmin: the lower limits, in the element type of `x`; None for none.
        xmax: the upper limits; None for none.
        dtype: the element type of the result; by default that of `x`.

    Raises:
        ValueError: there is neither limit.

    """
    if xmin is None and xmax is None:
        raise ValueError("clip: xmin and xmax are both None: give at least one limit")
    out = to_tensor(x)
    if xmin is not None:
        out = F.maximum(out, F.cast(to_tensor(xmin), out.dtype))
    if xmax is not None:
        out = F.minimum(out, F.cast(to_tensor(xmax), out.dtype))
    return typed(out, dtype)


def _cube_root(x: Tensor) -> Any:
    return F.sign(x) * F.pow(F.abs(x), 1 / 3)


def _reciprocal(x: Tensor) -> Any:
    if x.dtype.is_floating_point:
        return F.reciprocal(x)
    return F.cast(F.trunc(F.pow(as_floats(x), -1)), x.dtype if x.dtype != mstype.bool_ else mstype.int32)
