"""Sums, products, powers and extremes of two operands whose shapes broadcast, and the sum of many.

`sum_like` sums the gradients over broadcast dimensions.
Ties of `Maximum` and `Minimum` share the gradient equally.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.division import xdivy
from framework.ops.array.broadcasting import SumLike
from framework.ops.array.casting import Cast
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import equal, greater, less, not_equal
from framework.ops.creation.filled_like import OnesLike, ZerosLike
from framework.ops.elementwise import Binary, promoted
from framework.ops.gradients import gradient
from framework.ops.indexing.selecting import select
from framework.ops.mathematics.exponential import log
from framework.ops.needed import is_needed
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims, broadcast

__all__ = [
    "Add",
    "AddN",
    "Atan2",
    "Maximum",
    "Minimum",
    "Mul",
    "Pow",
    "SquaredDifference",
    "Sub",
    "TensorAdd",
    "Xlogy",
    "add",
    "addn",
    "arctan2",
    "atan2",
    "maximum",
    "minimum",
    "mul",
    "multiply",
    "pow",
    "pows",
    "squared_difference",
    "sub",
    "subtract",
    "xlogy",
]

sum_like = SumLike()
ones_like = OnesLike()
zeros_like = ZerosLike()
cast = Cast()


class Add(Binary):
    """x + y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.Add()(Tensor([1, 2, 3]), Tensor([10, 20, 30])))
        [11 22 33]
        >>> print(ops.Add()(Tensor([[1], [2]]), Tensor([0.5, 1.5])))
        [[1.5 2.5]
         [2.5 3.5]]
    """

    ufunc = "add"


add = Add()


@gradient(Add)
def add_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """d(x + y) = dx + dy."""
    return sum_like(dout, x), sum_like(dout, y)


#: The name of `Add` in MindSpore 0.x.
TensorAdd = Add


class Sub(Binary):
    """x - y.

    For two Bool tensors it is their exclusive or.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.Sub()(Tensor([5, 7]), 2))
        [3 5]
    """

    ufunc = "subtract"

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        return xp.logical_xor(x, y) if x.dtype.kind == "b" else xp.subtract(x, y)


sub = Sub()


@gradient(Sub)
def sub_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """d(x - y) = dx - dy."""
    return sum_like(dout, x), sum_like(-dout, y)


class Mul(Binary):
    """x * y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.Mul()(Tensor([1, 2, 3]), Tensor([[1], [10]])))
        [[ 1  2  3]
         [10 20 30]]
    """

    ufunc = "multiply"


mul = Mul()
multiply = Mul()


@gradient(Mul)
def mul_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """d(x * y) = y dx + x dy."""
    dx = sum_like(dout * y, x) if is_needed(x) else None
    dy = sum_like(dout * x, y) if is_needed(y) else None
    return dx, dy


class Pow(Binary):
    """x to the power of y.

    An integer to a negative power is rounded towards zero.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.Pow()(Tensor([1.0, 2.0, 3.0]), 2))
        [1. 4. 9.]
    """

    arguments = ("input", "exponent")
    takes = MappingProxyType({0: mstype.number_type, 1: mstype.number_type})
    ufunc = "power"

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        if x.dtype.kind == "i" and bool((y < 0).any()):
            # numpy refuses integers to negative powers; MindSpore gives the integer part.
            return xp.trunc(xp.power(x.astype(xp.float64), y)).astype(x.dtype)
        return xp.power(x, y)


pow = Pow()
pows = pow


@gradient(Pow)
def pow_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
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


class Maximum(Binary):
    """The larger of x and y.

    NaN where x or y is NaN.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.Maximum()(Tensor([1, 5]), Tensor([4, 2])))
        [4 5]
    """

    ufunc = "maximum"


maximum = Maximum()


@gradient(Maximum)
def maximum_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """The gradient goes to the larger operand."""
    share = 0.5 * (cast(greater(x, y), dtype_of(dout)) + 1.0 - cast(less(x, y), dtype_of(dout)))
    return sum_like(dout * share, x), sum_like(dout * (1.0 - share), y)


class Minimum(Binary):
    """The smaller of x and y.

    NaN where x or y is NaN.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.Minimum()(Tensor([1, 5]), Tensor([4, 2])))
        [1 2]
    """

    ufunc = "minimum"


minimum = Minimum()


@gradient(Minimum)
def minimum_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """The gradient goes to the smaller operand."""
    share = 0.5 * (cast(less(x, y), dtype_of(dout)) + 1.0 - cast(greater(x, y), dtype_of(dout)))
    return sum_like(dout * share, x), sum_like(dout * (1.0 - share), y)


class Atan2(Binary):
    """The angle of the point with abscissa y and ordinate x: arctan(x / y), in the correct quadrant.

    Inputs: x and y, tensors of a floating-point type and of shapes that broadcast; one of them may be a number.
    Output: a tensor of the broadcast shape, of the wider of the two types.

    Example:
        >>> print(ops.Atan2()(Tensor([0.0, 1.0, 0.0]), Tensor([1.0, 0.0, -1.0])))
        [0.        1.5707964 3.1415927]
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type})
    ufunc = "arctan2"


atan2 = Atan2()
arctan2 = Atan2()


@gradient(Atan2)
def atan2_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """d(atan(x / y)) = (y dx - x dy) / (x * x + y * y)."""
    share = dout / (x * x + y * y)
    return sum_like(share * y, x), sum_like(-(share * x), y)


class SquaredDifference(Binary):
    """(x - y) squared.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.SquaredDifference()(Tensor([1.0, 5.0]), Tensor([3.0, 2.0])))
        [4. 9.]
    """

    takes = MappingProxyType({0: mstype.number_type, 1: mstype.number_type})

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        return xp.square(xp.subtract(x, y))


squared_difference = SquaredDifference()


@gradient(SquaredDifference)
def squared_difference_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """d((x - y) ** 2) = 2 (x - y) (dx - dy)."""
    dx = 2 * (dout * (x - y))
    return sum_like(dx, x), sum_like(-dx, y)


class Xlogy(Binary):
    """x * log(y), or 0 where x is 0.

    Inputs: x and y, tensors of a floating-point type and of shapes that broadcast; one of them may be a number.
    Output: a tensor of the broadcast shape, of the wider of the two types.

    Example:
        >>> print(ops.Xlogy()(Tensor([0.0, 2.0]), Tensor([0.0, 1.0])))
        [0. 0.]
    """

    takes = MappingProxyType({0: mstype.inexact_type, 1: mstype.inexact_type})

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        zero = x == 0
        return xp.where(zero, xp.zeros_like(x), x * xp.log(xp.where(zero, xp.ones_like(y), y)))


xlogy = Xlogy()


@gradient(Xlogy)
def xlogy_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """d(x log y) = log y dx + x / y dy, and 0 where x is 0."""
    counts = cast(not_equal(x, zeros_like(x)), dtype_of(out))
    return sum_like(xlogy(counts, y) * dout, x), sum_like(xdivy(x, y) * dout, y)


class AddN(PrimitiveWithInfer):
    """The sum of a tuple of tensors of one shape.

    Inputs: a tuple of tensors of one shape, or of shapes that broadcast.
    Output: a tensor of the broadcast shape, of the element type to which all are promoted.

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

    def compute(self, xp: ArrayModule, inputs: tuple[Any, ...]) -> Array:
        first, *others = promoted(xp, *inputs)
        if not others:
            return first
        total = first + others[0]
        for item in others[1:]:
            total = total + item
        return total


addn = AddN()


@gradient(AddN)
def add_n_gradient(inputs: tuple[Tensor, ...], out: Tensor, dout: Tensor) -> Any:
    """Each summand gets the gradient of the sum."""
    return ([sum_like(dout, x) for x in inputs],)


def subtract(input: Tensor, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """input - alpha * other.

    Args:
        input: a tensor; the shapes broadcast.
        other: a tensor, or a number; the shapes broadcast.
        alpha: the factor of `other`.

    Returns:
        A tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.subtract(Tensor([5.0, 6.0]), Tensor([1.0, 2.0]), alpha=2))
        [3. 2.]

    """
    return sub(input, other if alpha == 1 else mul(other, alpha))
