"""Activation functions that cut an interval: they shrink small elements to 0, or limit large ones."""

from __future__ import annotations

from framework.common.tensor import Tensor
from framework.ops.arithmetic.combined import clip_by_value
from framework.ops.array.casting import Cast
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import greater
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.elementwise import FloatUnary
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.indexing.selecting import select
from framework.ops.mathematics.rounding import absolute
from framework.ops.primitive import cached, prim_attr_register

__all__ = [
    "HShrink",
    "SoftShrink",
    "hardshrink",
    "hardtanh",
    "soft_shrink",
    "softshrink",
    "threshold",
]

zeros_like = ZerosLike()
cast = Cast()


class HShrink(FloatUnary):
    """x where |x| > lambd, else 0.

    Inputs: x, a tensor of any shape; integers are taken as Float32.

    Output: a tensor of the shape and floating-point type of x.

    Args:
        lambd: the bound, 0 or more.

    Example:
        >>> print(ops.HShrink(lambd=1.0)(Tensor([-2.0, -0.5, 1.0, 3.0], ms.float32)))
        [-2.  0.  0.  3.]
    """

    @prim_attr_register
    def __init__(self, lambd: float = 0.5) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return xp.where(xp.absolute(x) > self.lambd, x, x.dtype.type(0))


@bprop_getters.register(HShrink)
def get_bprop_shrink(self: HShrink) -> Bprop:
    """1 outside the bounds, else 0."""
    bound = self.lambd

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (dout * cast(greater(absolute(x), bound), dtype_of(dout)),)

    return bprop


class SoftShrink(HShrink):
    """sign(x) * max(|x| - lambd, 0): x moved towards 0 by a bound.

    Inputs: x, a tensor of any shape; integers are taken as Float32.

    Output: a tensor of the shape and floating-point type of x.

    Args:
        lambd: the bound, 0 or more.

    Example:
        >>> print(ops.SoftShrink(lambd=1.0)(Tensor([-2.0, 0.5, 1.0, 3.0], ms.float32)))
        [-1.  0.  0.  2.]
    """

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return xp.sign(x) * xp.maximum(xp.absolute(x) - x.dtype.type(self.lambd), 0)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x where |x| > lambd, else 0.

    Args:
        input: a floating-point tensor of any shape.
        lambd: the bound, 0 or more.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.hardshrink(Tensor([-1.0, 0.2, 2.0])))
        [-1.  0.  2.]

    """
    return cached(HShrink, lambd)(input)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """sign(x) * max(|x| - lambd, 0): x moved towards 0 by `lambd`.

    Args:
        input: a floating-point tensor of any shape.
        lambd: the bound, 0 or more.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.softshrink(Tensor([-1.0, 0.2, 2.0])))
        [-0.5  0.   1.5]

    """
    return cached(SoftShrink, lambd)(input)


def threshold(input: Tensor, thr: float, value: float) -> Tensor:
    """x where x is above a threshold, a constant value elsewhere.

    Args:
        input: a tensor of any shape.
        thr: the threshold.
        value: the output where an element is not above the threshold.

    Returns:
        A tensor of the same shape, of the element type to which the operands are promoted.

    Example:
        >>> print(ops.threshold(Tensor([0.1, 0.6]), 0.5, -1.0))
        [-1.   0.6]

    """
    return select(greater(input, thr), input, zeros_like(input) + value)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """The elements limited to a range.

    Args:
        input: a tensor of any shape.
        min_val: the lower bound.
        max_val: the upper bound.

    Returns:
        A tensor of the same shape, of the element type to which the operands are promoted.

    Example:
        >>> print(ops.hardtanh(Tensor([-3.0, 0.2, 2.0])))
        [-1.   0.2  1. ]

    """
    return clip_by_value(input, min_val, max_val)


def soft_shrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """`softshrink` under its other name.

    Args:
        input: a floating-point tensor of any shape.
        lambd: the bound, 0 or more.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.soft_shrink(Tensor([-1.0, 0.2, 2.0])))
        [-0.5  0.   1.5]

    """
    return cached(SoftShrink, lambd)(input)
