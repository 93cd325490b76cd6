"""Special functions computed by series: Bessel's i0, the multivariate log-gamma and Hurwitz's zeta function."""

from __future__ import annotations

import math

import numpy as np

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import pow
from framework.ops.array.reshaping import expand_dims
from framework.ops.constexpr import constexpr
from framework.ops.creation.filled_like import zeros_like
from framework.ops.mathematics.exponential import exp
from framework.ops.mathematics.special_functions import lgamma
from framework.ops.reduction.totals import mean

__all__ = [
    "bessel_i0",
    "i0",
    "mvlgamma",
    "zeta",
]


def i0(input: Tensor) -> Tensor:
    """The modified Bessel function of order 0: the mean of exp(x cos t) over t from 0 to pi.

    The mean over 128 angles is accurate to the last digits, as far as Float64 reaches.

    Args:
        input: floating-point tensor of any shape.

    Returns:
        A tensor of the same shape and type.

    Example:
        >>> print(ops.i0(Tensor([0.0, 1.0, 2.0])).asnumpy().round(3))
        [1.    1.266 2.28 ]

    """
    return mean(exp(expand_dims(input, -1) * _cosines(input.dtype)), -1)


@constexpr
def _cosines(dtype: DType) -> Tensor:
    """The cosines of the 128 midpoints of equal parts of 0 to pi."""
    return Tensor(np.cos((np.arange(128) + 0.5) * (math.pi / 128)), dtype)


def bessel_i0(x: Tensor) -> Tensor:
    """The modified Bessel function of order 0: another name of `i0`.

    Args:
        x: floating-point tensor of any shape.

    Returns:
        A tensor of the same shape and type.

    Example:
        >>> print(ops.bessel_i0(Tensor([1.0])).asnumpy().round(3))
        [1.266]

    """
    return i0(x)


def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The multivariate log-gamma function: p (p - 1) / 4 log(pi) + the sum of lgamma(x - i / 2) over i from 0 to p - 1.

    Args:
        input: x, a floating-point tensor with elements above (p - 1) / 2.
        p: dimension, at least 1.

    Returns:
        A tensor of the same shape and type.

    Raises:
        ValueError: p is less than 1.

    Example:
        >>> print(ops.mvlgamma(Tensor([3.0]), 2).asnumpy().round(3))
        [1.55]

    """
    out = zeros_like(input) + _pi_part(p)
    for part in range(p):
        out = out + lgamma(input - part / 2)
    return out


@constexpr
def _pi_part(p: int) -> float:
    if p < 1:
        raise ValueError(f"mvlgamma: p must be at least 1, not {p}")
    return p * (p - 1) / 4 * math.log(math.pi)


#: (2 k)! / B_2k for k = 1, 2, ..., B the Bernoulli numbers.
_COEFFICIENTS = (12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1307674368000 / 691, 74724249600.0,
                 -10670622842880000 / 3617)  # fmt: skip


def zeta(input: Tensor, other: Tensor | float) -> Tensor:
    """Hurwitz's zeta function: the sum of (q + n)^-x over n = 0, 1, ..., by the Euler-Maclaurin formula.

    Args:
        input: x, a floating-point tensor with elements above 1.
        other: q, a floating-point tensor or a number above 0; the shapes broadcast.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(ops.zeta(Tensor([2.0]), Tensor([1.0])).asnumpy().round(3))
        [1.645]

    """
    total = pow(other, -input)
    for number in range(1, 10):
        total = total + pow(other + number, -input)
    start = other + 10
    power = pow(start, -input)
    total = total + power * start / (input - 1) + 0.5 * power
    rising = input
    power = power / start
    for number in range(8):
        total = total + rising * power / _COEFFICIENTS[number]
        rising = rising * (input + 2 * number + 1) * (input + 2 * number + 2)
        power = power / start / start
    return total
