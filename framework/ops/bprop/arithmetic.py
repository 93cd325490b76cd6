"""Backward functions of arithmetic on two operands.

What broadcasting repeated is summed up again by `sum_like`; ties of Maximum and Minimum share the gradient equally.
"""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop.registry import Bprop, bprop_getters
from framework.ops.needed import is_needed

sum_like = P.SumLike()
zeros_like = P.ZerosLike()
ones_like = P.OnesLike()
select = P.Select()
log = P.Log()
floor = P.Floor()
trunc = P.Trunc()
cast = P.Cast()
dtype_of = P.DTypeOf()
div_no_nan = P.DivNoNan()
xdivy = P.Xdivy()
xlogy = P.Xlogy()
equal = P.Equal()
greater = P.Greater()
less = P.Less()
not_equal = P.NotEqual()


@bprop_getters.register(P.Add)
def get_bprop_add(self: P.Add) -> Bprop:
    """d(x + y) = dx + dy."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        return sum_like(dout, x), sum_like(dout, y)

    return bprop


@bprop_getters.register(P.Sub)
def get_bprop_sub(self: P.Sub) -> Bprop:
    """d(x - y) = dx - dy."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        return sum_like(dout, x), sum_like(-dout, y)

    return bprop


@bprop_getters.register(P.Mul)
def get_bprop_mul(self: P.Mul) -> Bprop:
    """d(x * y) = y dx + x dy."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        dx = sum_like(dout * y, x) if is_needed(x) else None
        dy = sum_like(dout * x, y) if is_needed(y) else None
        return dx, dy

    return bprop


@bprop_getters.register(P.RealDiv, P.Div)
def get_bprop_real_div(self: P.RealDiv) -> Bprop:
    """d(x / y) = dx / y - (x / y) / y dy."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        dx = dout / y
        dy = sum_like(-(dx * out), y) if is_needed(y) else None
        return sum_like(dx, x), dy

    return bprop


@bprop_getters.register(P.DivNoNan)
def get_bprop_div_no_nan(self: P.DivNoNan) -> Bprop:
    """As of a quotient, and 0 where y is 0."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        dx = div_no_nan(dout, y)
        return sum_like(dx, x), sum_like(-(dx * out), y)

    return bprop


@bprop_getters.register(P.Xdivy)
def get_bprop_xdivy(self: P.Xdivy) -> Bprop:
    """As of a quotient, and 0 where x is 0."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        counts = cast(not_equal(x, zeros_like(x)), dtype_of(out))
        dx = xdivy(counts, y) * dout
        dy = xdivy(-x, y * y) * dout
        return sum_like(dx, x), sum_like(dy, y)

    return bprop


@bprop_getters.register(P.Xlogy)
def get_bprop_xlogy(self: P.Xlogy) -> Bprop:
    """d(x log y) = log y dx + x / y dy, and 0 where x is 0."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        counts = cast(not_equal(x, zeros_like(x)), dtype_of(out))
        return sum_like(xlogy(counts, y) * dout, x), sum_like(xdivy(x, y) * dout, y)

    return bprop


@bprop_getters.register(P.Pow)
def get_bprop_pow(self: P.Pow) -> Bprop:
    """d(x ** y) = y x ** (y - 1) dx + x ** y log x dy; where x is not positive the second term counts as 0."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        dx = None
        if is_needed(x):
            # x ** (y - 1) is infinite at x = 0, y = 0, where the derivative of 1 is 0.
            constant = equal(y, 0)
            dx = sum_like(dout * y * x ** select(constant, ones_like(y), y - 1), x)
        dy = None
        if is_needed(y):
            positive = greater(x, 0)
            logarithm = select(positive, log(select(positive, x, ones_like(x))), zeros_like(x))
            dy = sum_like(dout * out * logarithm, y)
        return dx, dy

    return bprop


@bprop_getters.register(P.Maximum)
def get_bprop_maximum(self: P.Maximum) -> Bprop:
    """The gradient goes to the larger operand."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        share = 0.5 * (cast(greater(x, y), dtype_of(dout)) + 1.0 - cast(less(x, y), dtype_of(dout)))
        return sum_like(dout * share, x), sum_like(dout * (1.0 - share), y)

    return bprop


@bprop_getters.register(P.Minimum)
def get_bprop_minimum(self: P.Minimum) -> Bprop:
    """The gradient goes to the smaller operand."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        share = 0.5 * (cast(less(x, y), dtype_of(dout)) + 1.0 - cast(greater(x, y), dtype_of(dout)))
        return sum_like(dout * share, x), sum_like(dout * (1.0 - share), y)

    return bprop


@bprop_getters.register(P.FloorDiv, P.TruncateDiv)
def get_bprop_floor_div(self: P.FloorDiv) -> Bprop:
    """Constant between jumps."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        return zeros_like(x), zeros_like(y)

    return bprop


@bprop_getters.register(P.FloorMod)
def get_bprop_floor_mod(self: P.FloorMod) -> Bprop:
    """x - floor(x / y) y, between jumps."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        return sum_like(dout, x), sum_like(-dout * floor(x / y), y)

    return bprop


@bprop_getters.register(P.Mod)
def get_bprop_mod(self: P.Mod) -> Bprop:
    """x - trunc(x / y) y, between jumps."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        return sum_like(dout, x), sum_like(-dout * trunc(x / y), y)

    return bprop


@bprop_getters.register(P.Atan2)
def get_bprop_atan2(self: P.Atan2) -> Bprop:
    """d(atan(x / y)) = (y dx - x dy) / (x * x + y * y)."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        share = dout / (x * x + y * y)
        return sum_like(share * y, x), sum_like(-(share * x), y)

    return bprop


@bprop_getters.register(P.SquaredDifference)
def get_bprop_squared_difference(self: P.SquaredDifference) -> Bprop:
    """d((x - y) ** 2) = 2 (x - y) (dx - dy)."""

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        dx = 2 * (dout * (x - y))
        return sum_like(dx, x), sum_like(-dx, y)

    return bprop


@bprop_getters.register(P.AddN)
def get_bprop_add_n(self: P.AddN) -> Bprop:
    """Each summand gets the gradient of the sum."""

    def bprop(inputs: tuple[Tensor, ...], out: Tensor, dout: Tensor) -> Any:
        return ([sum_like(dout, x) for x in inputs],)

    return bprop
