"""Logarithms of sums of exponentials, powers and scaling by powers of two."""

from __future__ import annotations

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import maximum, pow
from framework.ops.arithmetic.combined import clip_by_value
from framework.ops.array.casting import Cast
from framework.ops.array.joining import concat
from framework.ops.array.properties import shape
from framework.ops.array.transposing import swapaxes
from framework.ops.constexpr import constexpr
from framework.ops.mathematics.exponential import exp, log, log1p, log2
from framework.ops.mathematics.rounding import abs

__all__ = [
    "float_power",
    "ldexp",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logit",
]

_cast = Cast()


def logaddexp(input: Tensor, other: Tensor | float) -> Tensor:
    """log(exp(x) + exp(y)), where neither exponential need fit.

    Example:
        >>> print(ops.logaddexp(Tensor([0.0, 90.0]), Tensor([0.0, 0.0])).asnumpy().round(3))
        [ 0.693 90.   ]

    """
    largest = maximum(input, other)
    return largest + log1p(exp(-abs(input - other)))


def logaddexp2(input: Tensor, other: Tensor | float) -> Tensor:
    """log2(2^x + 2^y), where neither power need fit.

    Example:
        >>> print(ops.logaddexp2(Tensor([3.0]), Tensor([3.0])).asnumpy().round(3))
        [4.]

    """
    largest = maximum(input, other)
    return largest + log2(1 + pow(2.0, -abs(input - other)))


def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)); x is kept between eps and 1 - eps where that is given.

    Example:
        >>> print(ops.logit(Tensor([0.5, 0.9])).asnumpy().round(3))
        [0.    2.197]

    """
    x = input if eps is None else clip_by_value(input, eps, 1 - eps)
    return log(x / (1 - x))


def float_power(input: Tensor, exponent: int) -> Tensor:
    """x to the power of y in Float64.

    Example:
        >>> print(ops.float_power(Tensor([1, 2, 3]), 2))
        [1. 4. 9.]

    """
    return pow(_cast(input, mstype.float64), exponent)


def ldexp(x: Tensor, other: Tensor | float) -> Tensor:
    """x * 2^y.

    Example:
        >>> print(ops.ldexp(Tensor([1.0, 3.0]), Tensor([2, 1])))
        [4. 6.]

    """
    return x * pow(2.0, other)


def logcumsumexp(input: Tensor, axis: int) -> Tensor:
    """log of the running sum of exp(x) along an axis, without overflow.

    Sums of 1, 2, 4, ... neighbours are doubled until all are in (Hillis and Steele 1986).

    Args:
        input: a floating-point tensor.
        axis: along which.

    Example:
        >>> print(ops.logcumsumexp(Tensor([0.0, 0.0, 90.0]), 0).asnumpy().round(3))
        [ 0.     0.693 90.   ]

    """
    out = swapaxes(input, axis, -1)
    for reach in _doubled(shape(out)[-1]):
        out = concat((out[..., :reach], logaddexp(out[..., reach:], out[..., :-reach])), -1)
    return swapaxes(out, axis, -1)


@constexpr
def _doubled(length: int) -> tuple[int, ...]:
    """1, 2, 4, ... below a length."""
    return tuple(1 << power for power in range(max(length - 1, 0).bit_length()))
