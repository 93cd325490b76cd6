"""Quotients and remainders of two operands whose shapes broadcast."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.broadcasting import SumLike
from framework.ops.array.casting import Cast
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import not_equal
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.elementwise import Binary
from framework.ops.gradients import gradient
from framework.ops.mathematics.rounding import floor, trunc
from framework.ops.needed import is_needed

__all__ = [
    "Div",
    "DivNoNan",
    "FloorDiv",
    "FloorMod",
    "Mod",
    "RealDiv",
    "TruncateDiv",
    "TruncateMod",
    "Xdivy",
    "div",
    "div_no_nan",
    "divide",
    "floor_div",
    "floor_divide",
    "floor_mod",
    "fmod",
    "real_div",
    "remainder",
    "true_divide",
    "truncate_div",
    "truncate_mod",
    "xdivy",
]

sum_like = SumLike()
cast = Cast()
zeros_like = ZerosLike()


class RealDiv(Binary):
    """x / y; the quotient of two integer tensors is rounded towards zero and stays an integer, as in MindSpore.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.RealDiv()(Tensor([7.0, -7.0]), 2))
        [ 3.5 -3.5]
        >>> print(ops.RealDiv()(Tensor([7, -7]), Tensor([2, 2])))
        [ 3 -3]
    """

    takes = MappingProxyType({0: mstype.number_type, 1: mstype.number_type})

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        return _truncated_quotient(xp, x, y) if x.dtype.kind in "iu" else xp.true_divide(x, y)


real_div = RealDiv()


class Div(Binary):
    """x / y; the quotient of two integer tensors is Float32.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the floating-point type to which both are promoted, or Float32.

    Example:
        >>> print(ops.Div()(Tensor([7, -7]), Tensor([2, 2])))
        [ 3.5 -3.5]
    """

    def infer_dtype(self, x: DType | float, y: DType | float) -> DType:
        met = mstype.result_type(x, y)
        return met if met.is_floating_point else mstype.float32

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        # BFloat16 is of the kind V: `x / y` of tensors computes in it.
        if x.dtype.kind not in "fcV":
            x, y = x.astype(xp.float32), y.astype(xp.float32)
        return xp.true_divide(x, y)


_div = Div()


@gradient(RealDiv, Div)
def real_div_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """d(x / y) = dx / y - (x / y) / y dy.

    Beside a number, the gradient keeps the quotient's element type: by an integer x, x / 2 has the gradient 0.5.
    """
    dx = dout / y
    dy = (sum_like(-(dx * out), y) if isinstance(x, Tensor) else -(dx * out)) if is_needed(y) else None
    return sum_like(dx, x) if isinstance(y, Tensor) else dx, dy


class DivNoNan(Binary):
    """x / y, or 0 where y is 0.

    Inputs: x and y, tensors of a floating-point type and of shapes that broadcast; one of them may be a number.
    Output: a tensor of the broadcast shape, of the wider of the two types.

    Example:
        >>> print(ops.DivNoNan()(Tensor([1.0, 3.0]), Tensor([0.0, 2.0])))
        [0.  1.5]
    """

    takes = MappingProxyType({0: mstype.inexact_type, 1: mstype.inexact_type})

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        return _where_divisible(xp, x, y, lambda safe: x / safe)


div_no_nan = DivNoNan()


@gradient(DivNoNan)
def div_no_nan_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """The gradient of the quotient, or 0 where y is 0."""
    dx = div_no_nan(dout, y)
    return sum_like(dx, x), sum_like(-(dx * out), y)


class Xdivy(Binary):
    """x / y, or 0 where x is 0.

    Inputs: x and y, tensors of a floating-point type and of shapes that broadcast; one of them may be a number.
    Output: a tensor of the broadcast shape, of the wider of the two types.

    Example:
        >>> print(ops.Xdivy()(Tensor([0.0, 3.0]), Tensor([0.0, 2.0])))
        [0.  1.5]
    """

    arguments = ("x", "y")
    takes = MappingProxyType({0: mstype.inexact_type, 1: mstype.inexact_type})

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        zero = x == 0
        return xp.where(zero, xp.zeros_like(x), x / xp.where(zero, xp.ones_like(y), y))


xdivy = Xdivy()


@gradient(Xdivy)
def xdivy_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """The gradient of the quotient, or 0 where x is 0."""
    counts = cast(not_equal(x, zeros_like(x)), dtype_of(out))
    dx = xdivy(counts, y) * dout
    dy = xdivy(-x, y * y) * dout
    return sum_like(dx, x), sum_like(dy, y)


class FloorDiv(Binary):
    """x / y rounded towards minus infinity.

    floor(x / y).

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.FloorDiv()(Tensor([7, -7]), 2))
        [ 3 -4]
    """

    arguments = ("x", "y")
    takes = MappingProxyType({0: mstype.real_type, 1: mstype.real_type})
    ufunc = "floor_divide"


floor_div = FloorDiv()


class FloorMod(Binary):
    """The remainder of `FloorDiv`; it has the sign of y.

    x - y * floor(x / y).

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.FloorMod()(Tensor([7, -7]), 3))
        [1 2]
    """

    arguments = ("x", "y")
    takes = MappingProxyType({0: mstype.real_type, 1: mstype.real_type})
    ufunc = "remainder"


floor_mod = FloorMod()


@gradient(FloorMod)
def floor_mod_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """The gradient of x - floor(x / y) y, with a constant floor."""
    return sum_like(dout, x), sum_like(-dout * floor(x / y), y)


class Mod(Binary):
    """The remainder of a division that rounds towards zero; it has the sign of x.

    x - y * trunc(x / y).

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.Mod()(Tensor([7, -7]), 3))
        [ 1 -1]
    """

    takes = MappingProxyType({0: mstype.real_type, 1: mstype.real_type})
    ufunc = "fmod"


@gradient(Mod)
def mod_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """The gradient of x - trunc(x / y) y, with a constant quotient."""
    return sum_like(dout, x), sum_like(-dout * trunc(x / y), y)


class TruncateMod(Mod):
    """The remainder of `TruncateDiv`; it has the sign of x.

    x - y * trunc(x / y).

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.TruncateMod()(Tensor([7, -7]), Tensor([3, -3])))
        [ 1 -1]
    """

    arguments = ("x", "y")


truncate_mod = TruncateMod()


class TruncateDiv(Binary):
    """x / y rounded towards zero.

    trunc(x / y).

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.TruncateDiv()(Tensor([7, -7]), 2))
        [ 3 -3]
    """

    arguments = ("x", "y")
    takes = MappingProxyType({0: mstype.real_type, 1: mstype.real_type})

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        return _truncated_quotient(xp, x, y) if x.dtype.kind in "iu" else xp.trunc(x / y)


truncate_div = TruncateDiv()


@gradient(FloorDiv, TruncateDiv)
def floor_div_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """The output is piecewise constant."""
    return zeros_like(x), zeros_like(y)


def _truncated_quotient(xp: ArrayModule, x: Array, y: Array) -> Array:
    quotient = xp.floor_divide(x, y)
    return quotient + ((quotient < 0) & (quotient * y != x)).astype(x.dtype)


def _where_divisible(xp: ArrayModule, x: Array, y: Array, quotient: Any) -> Array:
    zero = y == 0
    return xp.where(zero, xp.zeros_like(x), quotient(xp.where(zero, xp.ones_like(y), y)))


def div(input: Tensor, other: float, *, rounding_mode: str | None = None) -> Tensor:
    """input / other, not rounded (None), rounded towards zero ("trunc") or rounded down ("floor").

    Args:
        input: a tensor of any shape, or a number.
        other: a tensor whose shape broadcasts with that of `input`, or a number.
        rounding_mode: None, "trunc" or "floor".

    Returns:
        A tensor of the broadcast shape, of the floating-point type to which both are promoted, or Float32.

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
        return trunc(quotient)
    raise ValueError(f"div: rounding_mode must be None, 'floor' or 'trunc', not {rounding_mode!r}")


def divide(input: Tensor, other: float, *, rounding_mode: str | None = None) -> Tensor:
    """`div` under its other name.

    Args:
        input: a tensor of any shape.
        other: a tensor, or a number; the shapes broadcast.
        rounding_mode: None, "trunc" or "floor".

    Returns:
        As `div`.

    Example:
        >>> print(ops.divide(Tensor([7.0, -7.0]), 2.0), ops.divide(Tensor([7.0, -7.0]), 2.0, rounding_mode="floor"))
        [ 3.5 -3.5] [ 3. -4.]

    """
    return div(input, other, rounding_mode=rounding_mode)


def true_divide(dividend: Tensor, divisor: int) -> Tensor:
    """dividend / divisor; the quotient of integers is Float32.

    Args:
        dividend: a tensor of any shape.
        divisor: a tensor, or a number; the shapes broadcast.

    Returns:
        A tensor of the broadcast shape, of a floating-point type.

    Example:
        >>> print(ops.true_divide(Tensor([7, 8]), 2))
        [3.5 4. ]

    """
    return _div(dividend, divisor)


def floor_divide(input: Tensor, other: Tensor | int) -> Tensor:
    """input / other rounded down.

    Args:
        input: a tensor of any shape.
        other: a tensor, or a number; the shapes broadcast.

    Returns:
        A tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.floor_divide(Tensor([7, -7]), 2))
        [ 3 -4]

    """
    return floor_div(input, other)


def fmod(input: Tensor, other: Tensor | float) -> Tensor:
    """The remainder of a division that rounds towards zero; it has the sign of `input`.

    Args:
        input: a tensor of any shape.
        other: a tensor, or a number; the shapes broadcast.

    Returns:
        A tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.fmod(Tensor([7.0, -7.0]), 4.0))
        [ 3. -3.]

    """
    return truncate_mod(input, other)


def remainder(input: Tensor, other: Tensor | float) -> Tensor:
    """The remainder of a division that rounds down; it has the sign of `other`.

    Args:
        input: a tensor of any shape.
        other: a tensor, or a number; the shapes broadcast.

    Returns:
        A tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.remainder(Tensor([7.0, -7.0]), 4.0))
        [3. 1.]

    """
    return floor_mod(input, other)
