"""Divisors, multiples and bit operations of integers, and neighbours of floating-point numbers."""

from __future__ import annotations

from types import MappingProxyType

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.arrays import Array, ArrayModule
from framework.ops.elementwise import Binary, Unary

__all__ = [
    "Gcd",
    "Invert",
    "Lcm",
    "LeftShift",
    "NextAfter",
    "PopulationCount",
    "RightShift",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "gcd",
    "invert",
    "lcm",
    "nextafter",
    "population_count",
]


class Gcd(Binary):
    """The greatest common divisors; they are never negative.

    Inputs: x and y, tensors of integers; their shapes broadcast.
    Output: a tensor of the broadcast shape, of the type that both promote to.

    Example:
        >>> print(ops.Gcd()(Tensor([12, -7, 0]), Tensor([18, 14, 5])))
        [6 7 5]
    """

    ufunc = "gcd"


gcd = Gcd()


class Lcm(Binary):
    """The least common multiples; they are never negative, and 0 if an operand is 0.

    Inputs: x and y, tensors of integers; their shapes broadcast.
    Output: a tensor of the broadcast shape, of the type that both promote to.

    Example:
        >>> print(ops.Lcm()(Tensor([4, 7]), Tensor([6, 14])))
        [12 14]
    """

    ufunc = "lcm"


lcm = Lcm()


class PopulationCount(Unary):
    """The number of bits that are 1.

    Inputs: x, a tensor of integers; of a negative number the bits of its two's complement count.
    Output: a tensor of the shape of x, UInt8.

    Example:
        >>> print(ops.PopulationCount()(Tensor([0, 1, 3], ms.int16)))
        [0 1 2]
    """

    takes = MappingProxyType({0: mstype.int_type + mstype.uint_type})

    def infer_dtype(self, x: DType) -> DType:
        return mstype.uint8

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.bitwise_count(x.view(f"u{x.dtype.itemsize}"))


population_count = PopulationCount()


class LeftShift(Binary):
    """The bits of x shifted left by y places: x * 2^y.

    Inputs: x and y, tensors of integers; their shapes broadcast. y is not negative.
    Output: a tensor of the broadcast shape, of the type that both promote to.

    Example:
        >>> print(ops.LeftShift()(Tensor([1, 3]), Tensor([4, 1])))
        [16  6]
    """

    ufunc = "left_shift"


bitwise_left_shift = LeftShift()


class RightShift(Binary):
    """The bits of x shifted right by y places: floor(x / 2^y).

    Inputs: x and y, tensors of integers; their shapes broadcast. y is not negative.
    Output: a tensor of the broadcast shape, of the type that both promote to.

    Example:
        >>> print(ops.RightShift()(Tensor([16, -3]), Tensor([4, 1])))
        [ 1 -2]
    """

    ufunc = "right_shift"


bitwise_right_shift = RightShift()
_WHOLE = tuple(kind for kind in mstype.real_type if not kind.is_floating_point)


class Invert(Unary):
    """The bitwise complement: -x - 1 for integers.

    Inputs: a tensor of integers, of any shape. Output: a tensor of its shape and element type.

    Example:
        >>> print(ops.Invert()(Tensor([0, 7, -1])))
        [-1 -8  0]
    """

    arguments = ("x",)
    takes = MappingProxyType({0: _WHOLE})
    ufunc = "invert"


invert = Invert()


class NextAfter(Binary):
    """The next representable number after x in the direction of y.

    Inputs: x and y, tensors of Float32 or Float64; their shapes broadcast.
    Output: a tensor of the broadcast shape, of the type that both promote to.

    Example:
        >>> print(ops.NextAfter()(Tensor([1.0]), Tensor([2.0])).asnumpy() - 1 == 2.0**-23)
        [ True]
    """

    takes = MappingProxyType({0: (mstype.float32, mstype.float64), 1: (mstype.float32, mstype.float64)})
    ufunc = "nextafter"


nextafter = NextAfter()
