"""Arithmetic on two operands, and the sum of many."""

from __future__ import annotations

from types import MappingProxyType
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
    """x + y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.Add()(Tensor([1, 2, 3]), Tensor([10, 20, 30])))
        [11 22 33]
        >>> print(ops.Add()(Tensor([[1], [2]]), Tensor([0.5, 1.5])))
        [[1.5 2.5]
         [2.5 3.5]]
    """

    ufunc = "add"


#: The name of `Add` in MindSpore 0.x.
TensorAdd = Add


class Sub(Binary):
    """x - y.

    Of two Bool tensors it is whether exactly one of them holds.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.Sub()(Tensor([5, 7]), 2))
        [3 5]
    """

    ufunc = "subtract"

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        return xp.logical_xor(x, y) if x.dtype.kind == "b" else xp.subtract(x, y)


class Mul(Binary):
    """x * y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.Mul()(Tensor([1, 2, 3]), Tensor([[1], [10]])))
        [[ 1  2  3]
         [10 20 30]]
    """

    ufunc = "multiply"


class RealDiv(Binary):
    """x / y; the quotient of two integer tensors is cut towards zero and stays an integer, as in MindSpore.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.RealDiv()(Tensor([7.0, -7.0]), 2))
        [ 3.5 -3.5]
        >>> print(ops.RealDiv()(Tensor([7, -7]), Tensor([2, 2])))
        [ 3 -3]
    """

    takes = MappingProxyType({0: mstype.number_type, 1: mstype.number_type})

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        return _truncated_quotient(xp, x, y) if x.dtype.kind in "iu" else xp.true_divide(x, y)


class Div(Binary):
    """x / y; the quotient of two integer tensors is Float32.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the floating-point type in which the two meet, or Float32.

    Example:
        >>> print(ops.Div()(Tensor([7, -7]), Tensor([2, 2])))
        [ 3.5 -3.5]
    """

    def infer_dtype(self, x: Any, y: Any) -> DType:
        met = mstype.result_type(x, y)
        return met if met.is_floating_point else mstype.float32

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        if x.dtype.kind not in "fc":
            x, y = x.astype(xp.float32), y.astype(xp.float32)
        return xp.true_divide(x, y)


class DivNoNan(Binary):
    """x / y, and 0 where y is 0.

    Inputs: x and y, tensors of a floating-point type and of shapes that broadcast; one of them may be a number.
    Output: a tensor of the broadcast shape, of the wider type of the two.

    Example:
        >>> print(ops.DivNoNan()(Tensor([1.0, 3.0]), Tensor([0.0, 2.0])))
        [0.  1.5]
    """

    takes = MappingProxyType({0: mstype.inexact_type, 1: mstype.inexact_type})

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        return _where_divisible(xp, x, y, lambda safe: x / safe)


class Xdivy(Binary):
    """x / y, and 0 where x is 0.

    Inputs: x and y, tensors of a floating-point type and of shapes that broadcast; one of them may be a number.
    Output: a tensor of the broadcast shape, of the wider type of the two.

    Example:
        >>> print(ops.Xdivy()(Tensor([0.0, 3.0]), Tensor([0.0, 2.0])))
        [0.  1.5]
    """

    arguments = ("x", "y")
    takes = MappingProxyType({0: mstype.inexact_type, 1: mstype.inexact_type})

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        zero = x == 0
        return xp.where(zero, xp.zeros_like(x), x / xp.where(zero, xp.ones_like(y), y))


class Xlogy(Binary):
    """x * log(y), and 0 where x is 0.

    Inputs: x and y, tensors of a floating-point type and of shapes that broadcast; one of them may be a number.
    Output: a tensor of the broadcast shape, of the wider type of the two.

    Example:
        >>> print(ops.Xlogy()(Tensor([0.0, 2.0]), Tensor([0.0, 1.0])))
        [0. 0.]
    """

    takes = MappingProxyType({0: mstype.inexact_type, 1: mstype.inexact_type})

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        zero = x == 0
        return xp.where(zero, xp.zeros_like(x), x * xp.log(xp.where(zero, xp.ones_like(y), y)))


class FloorDiv(Binary):
    """x / y rounded towards minus infinity.

    floor(x / y).

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.FloorDiv()(Tensor([7, -7]), 2))
        [ 3 -4]
    """

    arguments = ("x", "y")
    takes = MappingProxyType({0: mstype.real_type, 1: mstype.real_type})
    ufunc = "floor_divide"


class FloorMod(Binary):
    """The remainder of `FloorDiv`; it has the sign of y.

    x - y * floor(x / y).

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.FloorMod()(Tensor([7, -7]), 3))
        [1 2]
    """

    arguments = ("x", "y")
    takes = MappingProxyType({0: mstype.real_type, 1: mstype.real_type})
    ufunc = "remainder"


class Mod(Binary):
    """The remainder of a quotient cut towards zero; it has the sign of x.

    x - y * trunc(x / y).

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.Mod()(Tensor([7, -7]), 3))
        [ 1 -1]
    """

    takes = MappingProxyType({0: mstype.real_type, 1: mstype.real_type})
    ufunc = "fmod"


class TruncateMod(Mod):
    """The remainder of `TruncateDiv`; it has the sign of x.

    x - y * trunc(x / y).

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.TruncateMod()(Tensor([7, -7]), Tensor([3, -3])))
        [ 1 -1]
    """

    arguments = ("x", "y")


class TruncateDiv(Binary):
    """x / y cut towards zero.

    trunc(x / y).

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.TruncateDiv()(Tensor([7, -7]), 2))
        [ 3 -3]
    """

    arguments = ("x", "y")
    takes = MappingProxyType({0: mstype.real_type, 1: mstype.real_type})

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        return _truncated_quotient(xp, x, y) if x.dtype.kind in "iu" else xp.trunc(x / y)


class Pow(Binary):
    """x to the power of y.

    An integer to a negative power is cut towards zero.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.Pow()(Tensor([1.0, 2.0, 3.0]), 2))
        [1. 4. 9.]
    """

    arguments = ("input", "exponent")
    takes = MappingProxyType({0: mstype.number_type, 1: mstype.number_type})
    ufunc = "power"

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        if x.dtype.kind == "i" and bool((y < 0).any()):
            # numpy refuses integers to negative powers; MindSpore gives the integer part.
            return xp.trunc(xp.power(x.astype(xp.float64), y)).astype(x.dtype)
        return xp.power(x, y)


class Maximum(Binary):
    """The larger of x and y.

    NaN where one of them is NaN.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.Maximum()(Tensor([1, 5]), Tensor([4, 2])))
        [4 5]
    """

    ufunc = "maximum"


class Minimum(Binary):
    """The smaller of x and y.

    NaN where one of them is NaN.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.Minimum()(Tensor([1, 5]), Tensor([4, 2])))
        [1 2]
    """

    ufunc = "minimum"


class Atan2(Binary):
    """The angle of the point (y, x): arctan(x / y) in the right quadrant, x being the ordinate.

    Inputs: x and y, tensors of a floating-point type and of shapes that broadcast; one of them may be a number.
    Output: a tensor of the broadcast shape, of the wider type of the two.

    Example:
        >>> print(ops.Atan2()(Tensor([0.0, 1.0, 0.0]), Tensor([1.0, 0.0, -1.0])))
        [0.        1.5707964 3.1415927]
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type})
    ufunc = "arctan2"


class SquaredDifference(Binary):
    """(x - y) squared.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.SquaredDifference()(Tensor([1.0, 5.0]), Tensor([3.0, 2.0])))
        [4. 9.]
    """

    takes = MappingProxyType({0: mstype.number_type, 1: mstype.number_type})

    def of_same(self, xp: Any, x: Any, y: Any) -> Any:
        return xp.square(xp.subtract(x, y))


class AddN(PrimitiveWithInfer):
    """The sum of a tuple of tensors of one shape.

    Inputs: a tuple of tensors of one shape, or of shapes that broadcast.
    Output: a tensor of the broadcast shape, of the element type in which all meet.

    Example:
        >>> print(ops.AddN()((Tensor([1, 2]), Tensor([10, 20]), Tensor([100, 200]))))
        [111 222]
    """

    arguments = ("x",)

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
