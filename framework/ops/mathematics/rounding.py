"""Signs, absolute values and rounding of one operand."""

from __future__ import annotations

from types import MappingProxyType

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.elementwise import Unary
from framework.ops.gradients import gradient

__all__ = [
    "Abs",
    "Ceil",
    "Floor",
    "Neg",
    "Rint",
    "Round",
    "Sign",
    "Trunc",
    "abs",
    "absolute",
    "ceil",
    "floor",
    "frac",
    "neg",
    "negative",
    "positive",
    "rint",
    "round",
    "sgn",
    "sign",
    "trunc",
]

zeros_like = ZerosLike()


class Neg(Unary):
    """-x.

    Inputs: a tensor of numbers, of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Neg()(Tensor([1.0, -2.0, 0.5])))
        [-1.   2.  -0.5]
    """

    takes = MappingProxyType({0: mstype.number_type})
    ufunc = "negative"


neg = Neg()
negative = Neg()


@gradient(Neg)
def neg_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """-1."""
    return -dout


class Abs(Unary):
    """The absolute value of x.

    Inputs: a tensor of numbers, of any shape. Output: a tensor of its shape and element type; Float32 for Complex64 and
    Float64 for Complex128.

    Example:
        >>> print(ops.Abs()(Tensor([1.0, -2.0, -0.5])))
        [1.  2.  0.5]
    """

    ufunc = "absolute"

    def infer_dtype(self, x: DType) -> DType:
        if x.kind != "complex":
            return x
        return mstype.float32 if x is mstype.complex64 else mstype.float64


abs = Abs()
absolute = Abs()


@gradient(Abs)
def abs_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """sign(x), which is 0 at 0."""
    return dout * sign(x)


class Sign(Unary):
    """The sign of x: -1, 0 or 1.

    Inputs: a tensor of real numbers, of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Sign()(Tensor([-3.0, 0.0, 0.5])))
        [-1.  0.  1.]
    """

    takes = MappingProxyType({0: mstype.number_type})
    ufunc = "sign"


sign = Sign()
sgn = Sign()


class Floor(Unary):
    """The largest integer that is not above x.

    Inputs: a tensor of real numbers, of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Floor()(Tensor([1.7, -1.2, 2.0])))
        [ 1. -2.  2.]
    """

    takes = MappingProxyType({0: mstype.real_type})
    ufunc = "floor"


floor = Floor()


class Ceil(Unary):
    """The smallest integer that is not below x.

    Inputs: a tensor of real numbers, of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Ceil()(Tensor([1.2, -1.7, 2.0])))
        [ 2. -1.  2.]
    """

    takes = MappingProxyType({0: mstype.real_type})
    ufunc = "ceil"


ceil = Ceil()


class Trunc(Unary):
    """x rounded towards 0.

    Inputs: a tensor of real numbers, of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Trunc()(Tensor([1.7, -1.7, 2.0])))
        [ 1. -1.  2.]
    """

    takes = MappingProxyType({0: mstype.real_type})
    ufunc = "trunc"


trunc = Trunc()


class Rint(Unary):
    """The nearest integer; the even one of two equally near.

    Inputs: a floating-point tensor of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Rint()(Tensor([0.5, 1.5, 1.7, -2.2])))
        [ 0.  2.  2. -2.]
    """

    takes = MappingProxyType({0: mstype.float_type})
    ufunc = "rint"


rint = Rint()


@gradient(Sign, Floor, Ceil, Trunc, Rint)
def step_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """0: the functions are constant between jumps."""
    return zeros_like(x)


class Round(Rint):
    """The nearest integer; the even one of two equally near.

    Inputs: a floating-point tensor of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Round()(Tensor([0.5, 1.5, 1.7, -2.2])))
        [ 0.  2.  2. -2.]
    """


_round = Round()


def positive(input: Tensor) -> Tensor:
    """+x: the tensor itself.

    Args:
        input: tensor of numbers.

    Returns:
        A tensor of the same shape and type.

    Example:
        >>> print(ops.positive(Tensor([-1.0, 2.0])))
        [-1.  2.]

    """
    return input


def frac(x: Tensor) -> Tensor:
    """The fractional part of x, with the sign of x.

    Args:
        x: floating-point tensor of any shape.

    Returns:
        A tensor of the same shape and type.

    Example:
        >>> print(ops.frac(Tensor([1.75, -2.5])))
        [ 0.75 -0.5 ]

    """
    return x - trunc(x)


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """x rounded to a number of decimals; the even one of two equally near numbers.

    Args:
        input: floating-point tensor of any shape.
        decimals: number of digits after the decimal point; a negative number rounds digits before it.

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
