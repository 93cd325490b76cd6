"""Element-wise functions made of other ones, and further names of operators."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.functional.neural import clip_by_value
from framework.ops.functional.primitives import (
    abs,
    equal,
    exp,
    isinf,
    isnan,
    less,
    logical_and,
    logical_or,
    maximum,
    minimum,
    mul,
    select,
    sign,
    sub,
    trunc,
)

__all__ = [
    "absolute", "addcdiv", "addcmul", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "clip", "copysign", "fast_gelu", "fmax", "fmin", "frac", "ge", "gt", "heaviside", "inv", "isneginf", "isposinf",
    "le", "lt", "multiply", "ne", "negative", "positive", "sgn", "signbit", "subtract",
]  # fmt: skip

_cast = P.Cast()
_ones_like = P.OnesLike()
_zeros_like = P.ZerosLike()
absolute = P.Abs()
arccos = P.ACos()
arccosh = P.Acosh()
arcsinh = P.Asinh()
arctan = P.Atan()
arctan2 = P.Atan2()
arctanh = P.Atanh()
ge = P.GreaterEqual()
gt = P.Greater()
le = P.LessEqual()
lt = P.Less()
multiply = P.Mul()
ne = P.NotEqual()
negative = P.Neg()
sgn = P.Sign()


def arcsin(x: Any) -> Any:
    """The angle in radians whose sine is x.

    Example:
        >>> print(ops.arcsin(Tensor([0.0, 1.0])).asnumpy().round(3))
        [0.    1.571]

    """
    return P.Asin()(x)


def inv(x: Any) -> Any:
    """1 / x.

    Example:
        >>> print(ops.inv(Tensor([2.0, 4.0])))
        [0.5  0.25]

    """
    return P.Reciprocal()(x)


def subtract(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input - alpha * other.

    Example:
        >>> print(ops.subtract(Tensor([5.0, 6.0]), Tensor([1.0, 2.0]), alpha=2))
        [3. 2.]

    """
    return sub(input, other if alpha == 1 else mul(other, alpha))


def positive(input: Any) -> Any:
    """+x.

    Example:
        >>> print(ops.positive(Tensor([-1.0, 2.0])))
        [-1.  2.]

    """
    return input


def clip(input: Any, min: Any = None, max: Any = None) -> Any:
    """No element below one bound or above the other.

    Example:
        >>> print(ops.clip(Tensor([-2.0, 0.5, 3.0]), min=-1, max=1))
        [-1.   0.5  1. ]

    """
    return clip_by_value(input, min, max)


def frac(x: Any) -> Any:
    """What is behind the point, with the sign of x.

    Example:
        >>> print(ops.frac(Tensor([1.75, -2.5])))
        [ 0.75 -0.5 ]

    """
    return x - trunc(x)


def fmax(input: Any, other: Any) -> Any:
    """The larger element, or the one that is not NaN.

    Example:
        >>> print(ops.fmax(Tensor([1.0, float("nan")]), Tensor([0.0, 5.0])))
        [1. 5.]

    """
    other = other + _zeros_like(input)
    return select(isnan(input), other, select(isnan(other), input, maximum(input, other)))


def fmin(input: Any, other: Any) -> Any:
    """The smaller element, or the one that is not NaN.

    Example:
        >>> print(ops.fmin(Tensor([1.0, float("nan")]), Tensor([0.0, 5.0])))
        [0. 5.]

    """
    other = other + _zeros_like(input)
    return select(isnan(input), other, select(isnan(other), input, minimum(input, other)))


def heaviside(input: Any, values: Any) -> Any:
    """0 below 0, 1 above, and a value at 0.

    Example:
        >>> print(ops.heaviside(Tensor([-3.0, 0.0, 3.0]), Tensor(0.5)))
        [0.  0.5 1. ]

    """
    return select(equal(input, 0), values + _zeros_like(input), _cast(P.Greater()(input, 0), input.dtype))


def signbit(input: Any) -> Any:
    """Whether a number is below 0, or -0.

    Example:
        >>> print(ops.signbit(Tensor([3.0, -2.0])))
        [False  True]

    """
    return logical_or(less(input, 0), less(1 / input, 0))


def copysign(x: Any, other: Any) -> Any:
    """The absolute value of x with the sign of another number.

    Example:
        >>> print(ops.copysign(Tensor([1.0, -2.0]), Tensor([-1.0, 4.0])))
        [-1.  2.]

    """
    return select(signbit(other + _zeros_like(x)), -abs(x), abs(x))


def isposinf(input: Any) -> Any:
    """Whether elements are infinite and above 0.

    Example:
        >>> print(ops.isposinf(Tensor([float("-inf"), 0.0, float("inf")])))
        [False False  True]

    """
    return logical_and(isinf(input), equal(sign(input), 1))


def isneginf(input: Any) -> Any:
    """Whether elements are infinite and below 0.

    Example:
        >>> print(ops.isneginf(Tensor([float("-inf"), 0.0, float("inf")])))
        [ True False False]

    """
    return logical_and(isinf(input), equal(sign(input), -1))


def addcmul(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """input + value * tensor1 * tensor2.

    Example:
        >>> print(ops.addcmul(Tensor([1.0, 1.0]), Tensor([1.0, 2.0]), Tensor([2.0, 4.0]), 10))
        [21. 81.]

    """
    return input + value * (tensor1 * tensor2)


def addcdiv(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """input + value * tensor1 / tensor2.

    Example:
        >>> print(ops.addcdiv(Tensor([1.0, 1.0]), Tensor([1.0, 2.0]), Tensor([2.0, 4.0]), 10))
        [6. 6.]

    """
    return input + value * (tensor1 / tensor2)


def fast_gelu(x: Any) -> Any:
    """x / (1 + exp(-1.702 |x|)) * exp(0.851 (x - |x|)): near to `gelu`.

    Example:
        >>> print(ops.fast_gelu(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3))
        [-0.154  0.     0.846]

    """
    return x / (1 + exp(-1.702 * abs(x))) * exp(0.851 * (x - abs(x)))
