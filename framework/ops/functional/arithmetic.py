"""Quotients, remainders and rounding, with the options that MindSpore's functions have beside the operators."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.functional.primitives import floor

__all__ = ["div", "divide", "floor_divide", "fmod", "remainder", "round", "true_divide"]

_div = P.Div()
_floor_div = P.FloorDiv()
_floor_mod = P.FloorMod()
_round = P.Round()
_trunc = P.Trunc()
_truncate_mod = P.TruncateMod()


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """input / other, as it is, cut towards zero ("trunc") or rounded down ("floor").

    Args:
        input: a tensor of any shape, or a number.
        other: a tensor whose shape broadcasts with that of `input`, or a number.
        rounding_mode: None, "trunc" or "floor".

    Returns:
        A tensor of the broadcast shape, of the floating-point type in which the two meet, or Float32.

    Example:
        >>> print(ops.div(Tensor([7.0, -7.0]), 2), ops.div(Tensor([7.0, -7.0]), 2, rounding_mode="floor"))
        [ 3.5 -3.5] [ 3. -4.]

    """
    quotient = _div(input, other)
    if rounding_mode is None:
        return quotient
    if rounding_mode == "floor":
        return floor(quotient)
    if rounding_mode == "trunc":
        return _trunc(quotient)
    raise ValueError(f"div: rounding_mode must be None, 'floor' or 'trunc', not {rounding_mode!r}")


def divide(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """`div` under its other name.

    Example:
        >>> print(ops.divide(Tensor([7.0, -7.0]), 2.0), ops.divide(Tensor([7.0, -7.0]), 2.0, rounding_mode="floor"))
        [ 3.5 -3.5] [ 3. -4.]

    """
    return div(input, other, rounding_mode=rounding_mode)


def true_divide(dividend: Any, divisor: Any) -> Any:
    """dividend / divisor, of integers Float32.

    Example:
        >>> print(ops.true_divide(Tensor([7, 8]), 2))
        [3.5 4. ]

    """
    return _div(dividend, divisor)


def floor_divide(input: Any, other: Any) -> Any:
    """input / other rounded down.

    Example:
        >>> print(ops.floor_divide(Tensor([7, -7]), 2))
        [ 3 -4]

    """
    return _floor_div(input, other)


def fmod(input: Any, other: Any) -> Any:
    """The remainder of a division cut towards zero; it has the sign of `input`.

    Example:
        >>> print(ops.fmod(Tensor([7.0, -7.0]), 4.0))
        [ 3. -3.]

    """
    return _truncate_mod(input, other)


def remainder(input: Any, other: Any) -> Any:
    """The remainder of a division rounded down; it has the sign of `other`.

    Example:
        >>> print(ops.remainder(Tensor([7.0, -7.0]), 4.0))
        [3. 1.]

    """
    return _floor_mod(input, other)


def round(input: Any, *, decimals: int = 0) -> Any:
    """The nearest integer, the even one of two equally near; or the nearest number of so many decimals.

    Args:
        input: a floating-point tensor of any shape.
        decimals: how many digits stay behind the point; with a negative number those before it go too.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.round(Tensor([0.5, 1.5, -2.26])), ops.round(Tensor([1.26, -2.21]), decimals=1))
        [ 0.  2. -2.] [ 1.3 -2.2]

    """
    if decimals == 0:
        return _round(input)
    scale = 10.0**decimals
    return _round(input * scale) / scale
