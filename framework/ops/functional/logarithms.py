"""Logarithms, powers and angles, element by element."""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.arithmetic.binary import maximum, pow
from framework.ops.comparison import equal
from framework.ops.functional.neural import clip_by_value
from framework.ops.functional.primitives import select
from framework.ops.mathematics.exponential import exp, log, log1p, log2
from framework.ops.mathematics.rounding import abs
from framework.ops.mathematics.trigonometry import sin

__all__ = [
    "float_power",
    "ldexp",
    "logaddexp",
    "logaddexp2",
    "logit",
    "sinc",
]

_cast = P.Cast()
_ones_like = P.OnesLike()


def logaddexp(input: Any, other: Any) -> Any:
    """log(exp(x) + exp(y)), where neither exponential need fit.

    Example:
        >>> print(ops.logaddexp(Tensor([0.0, 90.0]), Tensor([0.0, 0.0])).asnumpy().round(3))
        [ 0.693 90.   ]

    """
    largest = maximum(input, other)
    return largest + log1p(exp(-abs(input - other)))


def logaddexp2(input: Any, other: Any) -> Any:
    """log2(2^x + 2^y), where neither power need fit.

    Example:
        >>> print(ops.logaddexp2(Tensor([3.0]), Tensor([3.0])).asnumpy().round(3))
        [4.]

    """
    largest = maximum(input, other)
    return largest + log2(1 + pow(2.0, -abs(input - other)))


def logit(input: Any, eps: Any = None) -> Any:
    """log(x / (1 - x)); x is kept between eps and 1 - eps where that is given.

    Example:
        >>> print(ops.logit(Tensor([0.5, 0.9])).asnumpy().round(3))
        [0.    2.197]

    """
    x = input if eps is None else clip_by_value(input, eps, 1 - eps)
    return log(x / (1 - x))


def float_power(input: Any, exponent: Any) -> Any:
    """x to the power of y in Float64.

    Example:
        >>> print(ops.float_power(Tensor([1, 2, 3]), 2))
        [1. 4. 9.]

    """
    return pow(_cast(input, mstype.float64), exponent)


def ldexp(x: Any, other: Any) -> Any:
    """x * 2^y.

    Example:
        >>> print(ops.ldexp(Tensor([1.0, 3.0]), Tensor([2, 1])))
        [4. 6.]

    """
    return x * pow(2.0, other)


def sinc(input: Any) -> Any:
    """sin(pi x) / (pi x), 1 at 0.

    Example:
        >>> print(ops.sinc(Tensor([0.0, 0.5])).asnumpy().round(3))
        [1.    0.637]

    """
    zero = equal(input, 0)
    angle = select(zero, _ones_like(input), input) * math.pi
    return select(zero, _ones_like(input), sin(angle) / angle)
