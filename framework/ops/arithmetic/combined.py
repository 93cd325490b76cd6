"""Clipping, interpolation and other arithmetic made of several operators."""

from __future__ import annotations

from types import MappingProxyType

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import Maximum, Minimum, maximum, minimum
from framework.ops.array.broadcasting import SumLike
from framework.ops.array.casting import Cast
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import Greater, Less, equal, isnan, signbit
from framework.ops.comparison import isfinite as is_finite
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.elementwise import Binary, Unary, promoted
from framework.ops.gradients import gradient
from framework.ops.indexing.selecting import select
from framework.ops.mathematics.rounding import abs
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims, broadcast

__all__ = [
    "Lerp",
    "NanToNum",
    "addcdiv",
    "addcmul",
    "clamp",
    "clip",
    "clip_by_value",
    "copysign",
    "fmax",
    "fmin",
    "heaviside",
    "lerp",
    "nan_to_num",
]

cast = Cast()
sum_like = SumLike()
greater, less = Greater(), Less()
_zeros_like = ZerosLike()


class NanToNum(Unary):
    """x with NaN and infinite elements replaced by numbers.

    Inputs: x, a tensor.

    Output: a tensor of the shape and element type of x.

    Args:
        nan: the replacement of NaN.
        posinf: the replacement of infinity; the largest finite number by default.
        neginf: the replacement of minus infinity; the lowest finite number by default.

    Example:
        >>> x = Tensor([1.0, np.nan, np.inf, -np.inf], ms.float32)
        >>> print(ops.NanToNum(nan=0.0, posinf=9.0, neginf=-9.0)(x))
        [ 1.  0.  9. -9.]
    """

    @prim_attr_register
    def __init__(self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.nan_to_num(x, nan=self.nan or 0.0, posinf=self.posinf, neginf=self.neginf)


def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """The elements with NaN and infinities replaced by numbers.

    Args:
        input: a tensor of any shape.
        nan: the replacement of NaN; by default 0.
        posinf: the replacement of infinity; by default the largest finite number.
        neginf: the replacement of minus infinity; by default the lowest finite number.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.nan_to_num(Tensor([float("nan"), float("inf"), 1.0]), 0.0, 9.0))
        [0. 9. 1.]

    """
    return cached(NanToNum, 0.0 if nan is None else nan, posinf, neginf)(input)


@gradient(NanToNum)
def nan_to_num_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The gradient flows to the elements that were not replaced."""
    return dout * cast(is_finite(x), dtype_of(dout))


class Lerp(PrimitiveWithInfer):
    """start + weight * (end - start): `(start, end, weight)`, the weight a tensor or a number.

    Inputs: start, end and, if it is a tensor, weight, of floating-point types; they broadcast.

    Output: a tensor of the shape that they broadcast to and the element type of start and end.

    Example:
        >>> print(ops.Lerp()(Tensor([0.0, 10.0], ms.float32), Tensor([4.0, 20.0], ms.float32), 0.25))
        [ 1.  12.5]
    """

    arguments = ("input", "end", "weight")
    takes = MappingProxyType({0: mstype.number_type, 1: mstype.number_type})
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["start", "end", "weight"], outputs=["output"])

    def infer_shape(self, start: Dims, end: Dims, weight: Dims) -> Dims:
        return broadcast(start, end, weight)

    def infer_dtype(self, start: DType, end: DType, weight: DType) -> DType:
        return Binary().infer_dtype(start, end)

    def compute(self, xp: ArrayModule, start: Array, end: Array, weight: Array | float) -> Array:
        start, end = promoted(xp, start, end)
        return (start + weight * (end - start)).astype(start.dtype, copy=False)


lerp = Lerp()


@gradient(Lerp)
def lerp_gradient(start: Tensor, end: Tensor, weight: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """1 - weight, weight, and the difference."""
    towards = dout * weight
    return sum_like(dout - towards, start), sum_like(towards, end), sum_like(dout * (end - start), weight)


class AtLeast(Maximum):
    """The larger of x and a bound. At the bound the gradient goes to x."""

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "y"], outputs=["output"])
        self.name = "Maximum"  # It computes the same, so it is compiled as that.


class AtMost(Minimum):
    """The smaller of x and a bound. At the bound the gradient goes to x."""

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "y"], outputs=["output"])
        self.name = "Minimum"


_at_least = AtLeast()
_at_most = AtMost()


@gradient(AtLeast)
def at_least_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """The gradient goes to the bound where x is smaller, else to x."""
    bound = cast(less(x, y), dtype_of(dout))
    return sum_like(dout * (1.0 - bound), x), sum_like(dout * bound, y)


@gradient(AtMost)
def at_most_gradient(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """The gradient goes to the bound where x is larger, else to x."""
    bound = cast(greater(x, y), dtype_of(dout))
    return sum_like(dout * (1.0 - bound), x), sum_like(dout * bound, y)


def _limited(x: Tensor, low: Tensor | float | None, high: Tensor | float | None) -> Tensor:
    if low is not None:
        x = _at_least(x, low)
    if high is not None:
        x = _at_most(x, high)
    return x


def clip(input: Tensor, min: float | None = None, max: float | None = None) -> Tensor:
    """The elements limited to a range. At a bound the slope is 1, as in MindSpore; that of `clip_by_value` is 1/2.

    Args:
        input: a tensor of any shape.
        min: the lower bound, or None.
        max: the upper bound, or None.

    Returns:
        A tensor of the same shape, of the element type to which the operands are promoted.

    Example:
        >>> print(ops.clip(Tensor([-2.0, 0.5, 3.0]), min=-1, max=1))
        [-1.   0.5  1. ]

    """
    return _limited(input, min, max)


def fmax(input: Tensor, other: Tensor | float) -> Tensor:
    """The larger of two elements; if one of them is NaN, the other.

    Args:
        input: a tensor of any shape.
        other: a tensor, or a number; the shapes broadcast.

    Returns:
        A tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.fmax(Tensor([1.0, float("nan")]), Tensor([0.0, 5.0])))
        [1. 5.]

    """
    other = other + _zeros_like(input)
    return select(isnan(input), other, select(isnan(other), input, maximum(input, other)))


def fmin(input: Tensor, other: Tensor | float) -> Tensor:
    """The smaller of two elements; if one of them is NaN, the other.

    Args:
        input: a tensor of any shape.
        other: a tensor, or a number; the shapes broadcast.

    Returns:
        A tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.fmin(Tensor([1.0, float("nan")]), Tensor([0.0, 5.0])))
        [0. 5.]

    """
    other = other + _zeros_like(input)
    return select(isnan(input), other, select(isnan(other), input, minimum(input, other)))


def heaviside(input: Tensor, values: Tensor | float) -> Tensor:
    """0 for negative elements, 1 for positive ones, and `values` at 0.

    Args:
        input: a tensor of any shape.
        values: a tensor, or a number; the shapes broadcast.

    Returns:
        A tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.heaviside(Tensor([-3.0, 0.0, 3.0]), Tensor(0.5)))
        [0.  0.5 1. ]

    """
    return select(equal(input, 0), values + _zeros_like(input), cast(Greater()(input, 0), input.dtype))


def copysign(x: Tensor, other: Tensor | float) -> Tensor:
    """The absolute value of x with the sign of another number.

    Args:
        x: a tensor of any shape.
        other: a tensor, or a number; the shapes broadcast.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(ops.copysign(Tensor([1.0, -2.0]), Tensor([-1.0, 4.0])))
        [-1.  2.]

    """
    return select(signbit(other + _zeros_like(x)), -abs(x), abs(x))


def addcmul(input: Tensor, tensor1: Tensor | float, tensor2: Tensor | float, value: float = 1) -> Tensor:
    """input + value * tensor1 * tensor2.

    Args:
        input: a tensor of any shape.
        tensor1: a tensor, or a number; the shapes broadcast.
        tensor2: a tensor, or a number; the shapes broadcast.
        value: the factor of the product.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(ops.addcmul(Tensor([1.0, 1.0]), Tensor([1.0, 2.0]), Tensor([2.0, 4.0]), 10))
        [21. 81.]

    """
    return input + value * (tensor1 * tensor2)


def addcdiv(input: Tensor, tensor1: Tensor | float, tensor2: Tensor | float, value: float = 1) -> Tensor:
    """input + value * tensor1 / tensor2.

    Args:
        input: a tensor of any shape.
        tensor1: a tensor, or a number; the shapes broadcast.
        tensor2: a tensor, or a number; the shapes broadcast.
        value: the factor of the quotient.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(ops.addcdiv(Tensor([1.0, 1.0]), Tensor([1.0, 2.0]), Tensor([2.0, 4.0]), 10))
        [6. 6.]

    """
    return input + value * (tensor1 / tensor2)


def clip_by_value(
    x: Tensor, clip_value_min: Tensor | float | None = None, clip_value_max: Tensor | float | None = None
) -> Tensor:
    """The elements limited to a range.

    Args:
        x: a tensor of any shape.
        clip_value_min: the lower bound, a number or a tensor that broadcasts, or None.
        clip_value_max: the upper bound, in the same form.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(ops.clip_by_value(Tensor([-2.0, 0.5, 3.0]), 0.0))
        [0.  0.5 3. ]

    """
    if clip_value_min is not None:
        x = maximum(x, clip_value_min)
    if clip_value_max is not None:
        x = minimum(x, clip_value_max)
    return x


def clamp(input: Tensor, min: float | None = None, max: float | None = None) -> Tensor:
    """The elements limited to a range. At a bound the slope is 1, as in MindSpore; that of `clip_by_value` is 1/2.

    Args:
        input: a tensor of any shape.
        min: the lower bound, or None.
        max: the upper bound, or None.

    Returns:
        A tensor of the same shape, of the element type to which the operands are promoted.

    Example:
        >>> print(ops.clamp(Tensor([-2.0, 0.5, 3.0]), -1.0, 1.0))
        [-1.   0.5  1. ]

    """
    return _limited(input, min, max)
