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
    """log(exp(x) + exp(y)), computed without overflow.

    Args:
        input: x, a floating-point tensor.
        other: y, a tensor or a number; the shapes broadcast.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(ops.logaddexp(Tensor([0.0, 90.0]), Tensor([0.0, 0.0])).asnumpy().round(3))
        [ 0.693 90.   ]

    """
    largest = maximum(input, other)
    return largest + log1p(exp(-abs(input - other)))


def logaddexp2(input: Tensor, other: Tensor | float) -> Tensor:
    """log2(2^x + 2^y), computed without overflow.

    Args:
        input: x, a floating-point tensor.
        other: y, a tensor or a number; the shapes broadcast.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(ops.logaddexp2(Tensor([3.0]), Tensor([3.0])).asnumpy().round(3))
        [4.]

    """
    largest = maximum(input, other)
    return largest + log2(1 + pow(2.0, -abs(input - other)))


def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)), the inverse of the sigmoid.

    Args:
        input: x, a floating-point tensor.
        eps: limit that x is clipped to, from eps to 1 - eps; None for no clipping.

    Returns:
        A tensor of the same shape and type.

    Example:
        >>> print(ops.logit(Tensor([0.5, 0.9])).asnumpy().round(3))
        [0.    2.197]

    """
    x = input if eps is None else clip_by_value(input, eps, 1 - eps)
    return log(x / (1 - x))


def float_power(input: Tensor, exponent: int) -> Tensor:
    """x to the power of y in Float64.

    Args:
        input: x, a tensor of real numbers.
        exponent: y, a number or a tensor; the shapes broadcast.

    Returns:
        A Float64 tensor of the broadcast shape.

    Example:
        >>> print(ops.float_power(Tensor([1, 2, 3]), 2))
        [1. 4. 9.]

    """
    return pow(_cast(input, mstype.float64), exponent)


def ldexp(x: Tensor, other: Tensor | float) -> Tensor:
    """x * 2^y.

    Args:
        x: floating-point tensor.
        other: y, a tensor or a number; the shapes broadcast.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(ops.ldexp(Tensor([1.0, 3.0]), Tensor([2, 1])))
        [4. 6.]

    """
    return x * pow(2.0, other)


def logcumsumexp(input: Tensor, axis: int) -> Tensor:
    """The logarithm of the running sum of exp(x) along an axis, computed without overflow.

    The sums are computed by doubling: of 1, 2, 4, ... neighbours (Hillis and Steele 1986).

    Args:
        input: floating-point tensor.
        axis: axis of the sum.

    Returns:
        A tensor of the same shape and type.

    Example:
        >>> print(ops.logcumsumexp(Tensor([0.0, 0.0, 90.0]), 0).asnumpy().round(3))
        [ 0.     0.693 90.   ]

    """
    out = swapaxes(input, axis, -1)
    for reach in _powers_of_two(shape(out)[-1]):
        out = concat((out[..., :reach], logaddexp(out[..., reach:], out[..., :-reach])), -1)
    return swapaxes(out, axis, -1)


@constexpr
def _powers_of_two(length: int) -> tuple[int, ...]:
    """The powers of two below a length: 1, 2, 4, ..."""
    return tuple(1 << power for power in range(max(length - 1, 0).bit_length()))
