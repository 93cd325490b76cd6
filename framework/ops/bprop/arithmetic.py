"""Backward functions of arithmetic on two operands.

What broadcasting repeated is summed up again by `sum_like`; ties of Maximum and Minimum share the gradient equally.
"""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop.registry import gradient
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


@gradient(P.Add)
def add_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """d(x + y) = dx + dy."""
    return sum_like(dout, x), sum_like(dout, y)


@gradient(P.Sub)
def sub_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """d(x - y) = dx - dy."""
    return sum_like(dout, x), sum_like(-dout, y)


@gradient(P.Mul)
def mul_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """d(x * y) = y dx + x dy."""
    dx = sum_like(dout * y, x) if is_needed(x) else None
    dy = sum_like(dout * x, y) if is_needed(y) else None
    return dx, dy


@gradient(P.RealDiv, P.Div)
def real_div_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """d(x / y) = dx / y - (x / y) / y dy."""
    dx = dout / y
    dy = sum_like(-(dx * out), y) if is_needed(y) else None
    return sum_like(dx, x), dy


@gradient(P.DivNoNan)
def div_no_nan_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """As of a quotient, and 0 where y is 0."""
    dx = div_no_nan(dout, y)
    return sum_like(dx, x), sum_like(-(dx * out), y)


@gradient(P.Xdivy)
def xdivy_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """As of a quotient, and 0 where x is 0."""
    counts = cast(not_equal(x, zeros_like(x)), dtype_of(out))
    dx = xdivy(counts, y) * dout
    dy = xdivy(-x, y * y) * dout
    return sum_like(dx, x), sum_like(dy, y)


@gradient(P.Xlogy)
def xlogy_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """d(x log y) = log y dx + x / y dy, and 0 where x is 0."""
    counts = cast(not_equal(x, zeros_like(x)), dtype_of(out))
    return sum_like(xlogy(counts, y) * dout, x), sum_like(xdivy(x, y) * dout, y)


@gradient(P.Pow)
def pow_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """d(x ** y) = y x ** (y - 1) dx + x ** y log x dy; where x is not positive the second term counts as 0."""
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


@gradient(P.Maximum)
def maximum_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """The gradient goes to the larger operand."""
    share = 0.5 * (cast(greater(x, y), dtype_of(dout)) + 1.0 - cast(less(x, y), dtype_of(dout)))
    return sum_like(dout * share, x), sum_like(dout * (1.0 - share), y)


@gradient(P.Minimum)
def minimum_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """The gradient goes to the smaller operand."""
    share = 0.5 * (cast(less(x, y), dtype_of(dout)) + 1.0 - cast(greater(x, y), dtype_of(dout)))
    return sum_like(dout * share, x), sum_like(dout * (1.0 - share), y)


@gradient(P.FloorDiv, P.TruncateDiv)
def floor_div_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Constant between jumps."""
    return zeros_like(x), zeros_like(y)


@gradient(P.FloorMod)
def floor_mod_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """x - floor(x / y) y, between jumps."""
    return sum_like(dout, x), sum_like(-dout * floor(x / y), y)


@gradient(P.Mod)
def mod_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """x - trunc(x / y) y, between jumps."""
    return sum_like(dout, x), sum_like(-dout * trunc(x / y), y)


@gradient(P.Atan2)
def atan2_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """d(atan(x / y)) = (y dx - x dy) / (x * x + y * y)."""
    share = dout / (x * x + y * y)
    return sum_like(share * y, x), sum_like(-(share * x), y)


@gradient(P.SquaredDifference)
def squared_difference_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """d((x - y) ** 2) = 2 (x - y) (dx - dy)."""
    dx = 2 * (dout * (x - y))
    return sum_like(dx, x), sum_like(-dx, y)


@gradient(P.AddN)
def add_n_gradient(inputs: tuple[Tensor, ...], out: Tensor, dout: Tensor) -> Any:
    """Each summand gets the gradient of the sum."""
    return ([sum_like(dout, x) for x in inputs],)
