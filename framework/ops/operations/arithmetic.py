"""Arithmetic on two operands, and the sum of many."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.operations.elementwise import Binary, promoted
from framework.ops.operations.shapes import Dims, broadcast
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "Add",
    "AddN",
    "Atan2",
    "Div",
    "DivNoNan",
    "FloorDiv",
    "FloorMod",
    "Maximum",
    "Minimum",
    "Mod",
    "Mul",
    "Pow",
    "RealDiv",
    "SquaredDifference",
    "Sub",
    "TensorAdd",
    "TruncateDiv",
    "TruncateMod",
    "Xdivy",
    "Xlogy",
]


class Add(Binary):
    """x + y."""

    ufunc = "add"


#: The name of `Add` in MindSpore 0.x.
TensorAdd = Add


class Sub(Binary):
    """x - y."""

    ufunc = "subtract"

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        return xp.logical_xor(x, y) if x.dtype.kind == "b" else xp.subtract(x, y)


class Mul(Binary):
    """x * y."""

    ufunc = "multiply"


class RealDiv(Binary):
    """x / y; the quotient of two integer tensors is cut towards zero and stays an integer, as in MindSpore."""

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        return _truncated_quotient(xp, x, y) if x.dtype.kind in "iu" else xp.true_divide(x, y)


class Div(Binary):
    """x / y; the quotient of two integer tensors is Float32."""

    def infer_dtype(self, x: Any, y: Any) -> DType:
        met = mstype.result_type(x, y)
        return met if met.is_floating_point else mstype.float32

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        if x.dtype.kind not in "fc":
            x, y = x.astype(xp.float32), y.astype(xp.float32)
        return xp.true_divide(x, y)


class DivNoNan(Binary):
    """x / y, and 0 where y is 0."""

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        return _where_divisible(xp, x, y, lambda safe: x / safe)


class Xdivy(Binary):
    """x / y, and 0 where x is 0."""

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        zero = x == 0
        return xp.where(zero, xp.zeros_like(x), x / xp.where(zero, xp.ones_like(y), y))


class Xlogy(Binary):
    """x * log(y), and 0 where x is 0."""

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        zero = x == 0
        return xp.where(zero, xp.zeros_like(x), x * xp.log(xp.where(zero, xp.ones_like(y), y)))


class FloorDiv(Binary):
    """x / y rounded towards minus infinity."""

    ufunc = "floor_divide"


class FloorMod(Binary):
    """The remainder of `FloorDiv`; it has the sign of y."""

    ufunc = "remainder"


class Mod(Binary):
    """The remainder of a quotient cut towards zero; it has the sign of x."""

    ufunc = "fmod"


class TruncateMod(Mod):
    """The remainder of `TruncateDiv`; it has the sign of x."""


class TruncateDiv(Binary):
    """x / y cut towards zero."""

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        return _truncated_quotient(xp, x, y) if x.dtype.kind in "iu" else xp.trunc(x / y)


class Pow(Binary):
    """x to the power of y."""

    ufunc = "power"

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        if x.dtype.kind == "i" and bool((y < 0).any()):
            # numpy refuses integers to negative powers; MindSpore gives the integer part.
            return xp.trunc(xp.power(x.astype(xp.float64), y)).astype(x.dtype)
        return xp.power(x, y)


class Maximum(Binary):
    """The larger of x and y."""

    ufunc = "maximum"


class Minimum(Binary):
    """The smaller of x and y."""

    ufunc = "minimum"


class Atan2(Binary):
    """The angle of the point (y, x): arctan(x / y) in the right quadrant, x being the ordinate."""

    ufunc = "arctan2"


class SquaredDifference(Binary):
    """(x - y) squared."""

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        return xp.square(xp.subtract(x, y))


class AddN(PrimitiveWithInfer):
    """The sum of a tuple of tensors of one shape."""

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["inputs"], outputs=["sum"])

    def infer_shape(self, inputs: tuple[Dims, ...]) -> Dims:
        return broadcast(*inputs)

    def infer_dtype(self, inputs: tuple[DType, ...]) -> DType:
        met = inputs[0]
        for dtype in inputs[1:]:
            met = mstype.promote(met, dtype)
        return met

    def compute(self, xp: Any, inputs: tuple[Any, ...]) -> Any:
        first, *others = promoted(xp, *inputs)
        if not others:
            return first
        total = first + others[0]
        for item in others[1:]:
            total = total + item
        return total


def _truncated_quotient(xp: Any, x: Any, y: Any) -> Any:
    quotient = xp.floor_divide(x, y)
    return quotient + ((quotient < 0) & (quotient * y != x)).astype(x.dtype)


def _where_divisible(xp: Any, x: Any, y: Any, quotient: Any) -> Any:
    zero = y == 0
    return xp.where(zero, xp.zeros_like(x), quotient(xp.where(zero, xp.ones_like(y), y)))
