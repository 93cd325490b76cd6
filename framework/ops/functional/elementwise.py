"""Element-wise functions made of other ones, and further names of operators."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.arithmetic.binary import maximum, minimum
from framework.ops.comparison import equal, isinf, isnan, less, logical_and, logical_or
from framework.ops.functional.neural import clip_by_value
from framework.ops.functional.primitives import select
from framework.ops.mathematics.exponential import exp
from framework.ops.mathematics.rounding import abs, sign

__all__ = [
    "addcdiv",
    "addcmul",
    "clip",
    "copysign",
    "fast_gelu",
    "fmax",
    "fmin",
    "heaviside",
    "isneginf",
    "isposinf",
    "signbit",
]

_cast = P.Cast()
_zeros_like = P.ZerosLike()


def clip(input: Any, min: Any = None, max: Any = None) -> Any:
    """No element below one bound or above the other.

    Example:
        >>> print(ops.clip(Tensor([-2.0, 0.5, 3.0]), min=-1, max=1))
        [-1.   0.5  1. ]

    """
    return clip_by_value(input, min, max)


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
