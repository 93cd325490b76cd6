"""Running sums and products along an axis."""

from __future__ import annotations

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.casting import Cast
from framework.ops.arrays import Array, ArrayModule
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims, normal_axis

__all__ = [
    "CumProd",
    "CumSum",
    "cumprod",
    "cumsum",
]

_cast = Cast()


class CumSum(PrimitiveWithInfer):
    """The running sum along an axis: `CumSum()(x, axis)`.

    Inputs: x, a tensor; axis, an int.

    Output: a tensor of the shape and element type of x.

    Args:
        exclusive: sum only the elements before each element.
        reverse: start from the end.

    Example:
        >>> x = Tensor([1, 2, 3, 4])
        >>> print(ops.CumSum()(x, 0), ops.CumSum(exclusive=True)(x, 0), ops.CumSum(reverse=True)(x, 0))
        [ 1  3  6 10] [0 1 3 6] [10  9  7  4]
    """

    value_inputs = (1,)
    running = "cumsum"

    @prim_attr_register
    def __init__(self, exclusive: bool = False, reverse: bool = False) -> None:
        self.init_prim_io_names(inputs=["x", "axis"], outputs=["y"])

    def infer_shape(self, x: Dims, axis: int) -> Dims:
        normal_axis(axis, len(x))
        return x

    def infer_dtype(self, x: DType, axis: int) -> DType:
        return x

    def compute(self, xp: ArrayModule, x: Array, axis: int) -> Array:
        turned = xp.flip(x, axis) if self.reverse else x
        if self.exclusive:
            first = xp.full_like(turned.take([0], axis), 0 if self.running == "cumsum" else 1)
            rest = turned.take(range(turned.shape[axis] - 1), axis)
            turned = xp.concatenate((first, rest), axis)
        out = getattr(xp, self.running)(turned, axis=axis).astype(x.dtype, copy=False)
        return xp.flip(out, axis) if self.reverse else out


@bprop_getters.register(CumSum)
def get_bprop_cumsum(self: CumSum) -> Bprop:
    """The running sum of dout from the other end."""
    backwards = cached(CumSum, self.exclusive, not self.reverse)

    def bprop(x: Tensor, axis: int, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return backwards(dout, axis), None

    return bprop


class CumProd(CumSum):
    """The running product along an axis: `CumProd()(x, axis)`.

    Inputs: x, a tensor; axis, an int.

    Output: a tensor of the shape and element type of x.

    Args:
        exclusive: multiply only the elements before each element.
        reverse: start from the end.

    Example:
        >>> x = Tensor([1, 2, 3, 4])
        >>> print(ops.CumProd()(x, 0), ops.CumProd(exclusive=True)(x, 0), ops.CumProd(reverse=True)(x, 0))
        [ 1  2  6 24] [1 1 2 6] [24 24 12  4]
    """

    running = "cumprod"


products_before = CumProd(exclusive=True)
products_behind = CumProd(exclusive=True, reverse=True)


@bprop_getters.register(CumProd)
def get_bprop_cumprod(self: CumProd) -> Bprop:
    """The running sum of out * dout from the other end, divided by x; not finite where an element is 0."""
    backwards = cached(CumSum, self.exclusive, not self.reverse)

    def bprop(x: Tensor, axis: int, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return backwards(out * dout, axis) / x, None

    return bprop


def widened(x: Tensor) -> Tensor:
    """Integers as Int64, so that sums and products do not overflow."""
    return x if x.dtype.is_floating_point else _cast(x, mstype.int64)


def cumsum(x: Tensor, axis: int, dtype: DType | None = None) -> Tensor:
    """The running sum along an axis.

    Args:
        x: tensor of numbers.
        axis: axis of the sum.
        dtype: element type of the result; None for that of x.

    Returns:
        A tensor of the shape of x.

    Example:
        >>> print(ops.cumsum(Tensor([1, 2, 3, 4]), 0))
        [ 1  3  6 10]

    """
    return cached(CumSum, False, False)(x if dtype is None else _cast(x, dtype), axis)


def cumprod(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """The running product along an axis.

    Args:
        input: tensor of numbers.
        dim: axis of the product.
        dtype: element type of the result; None for that of `input`, Int64 for integers.

    Returns:
        A tensor of the shape of `input`.

    Example:
        >>> print(ops.cumprod(Tensor([1, 2, 3, 4]), 0))
        [ 1  2  6 24]

    """
    return cached(CumProd, False, False)(widened(input) if dtype is None else _cast(input, dtype), dim)
