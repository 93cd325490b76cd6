"""Element-wise choice between tensors, and one-hot encoding."""

from __future__ import annotations

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.broadcasting import SumLike
from framework.ops.arrays import Array, ArrayModule
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.elementwise import promoted
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims, broadcast, normal_axis

__all__ = [
    "MaskedFill",
    "OneHot",
    "Select",
    "masked_fill",
    "one_hot",
    "select",
    "where",
]

zeros_like = ZerosLike()
sum_like = SumLike()


class Select(PrimitiveWithInfer):
    """x where a condition is true, y elsewhere.

    Inputs: the condition, a Bool tensor; x and y, tensors or numbers. The three shapes broadcast.

    Output: a tensor of the broadcast shape and of the type that x and y promote to.

    Example:
        >>> x, y = Tensor([1.0, 2.0, 3.0]), Tensor([-1.0, -2.0, -3.0])
        >>> print(ops.Select()(Tensor([True, False, True]), x, y))
        [ 1. -2.  3.]
    """

    arguments = ("condition", "input", "other")

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["condition", "x", "y"], outputs=["output"])

    def infer_shape(self, condition: Dims, x: Dims, y: Dims | float) -> Dims:
        return broadcast(condition, x, y)

    def infer_dtype(self, condition: DType, x: DType, y: DType | float) -> DType:
        return mstype.result_type(x, y)

    def compute(self, xp: ArrayModule, condition: Array, x: Array, y: Array | float) -> Array:
        return xp.where(condition, *promoted(xp, x, y))


select = Select()


def where(condition: Tensor, input: Tensor | float, other: Tensor | float) -> Tensor:
    """`input` where a condition is true, `other` elsewhere.

    Args:
        condition: Bool tensor.
        input: tensor or number.
        other: tensor or number.

    Returns:
        A tensor of the shape that all three broadcast to and of the type that `input` and `other` promote to.

    Example:
        >>> print(ops.where(Tensor([True, False]), Tensor([1, 2]), Tensor([8, 9])))
        [1 9]

    """
    return select(condition, input, other)


@gradient(Select)
def select_gradient(condition: Tensor, x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """Each element's gradient goes to the input that the element came from."""
    zero = zeros_like(dout)
    return None, sum_like(select(condition, dout, zero), x), sum_like(select(condition, zero, dout), y)


class MaskedFill(PrimitiveWithInfer):
    """x with one value where a mask is true.

    Inputs: x, a tensor of any type; the mask, a Bool tensor; the value, a number or a scalar tensor, which is cast to
    the type of x. The shapes of x and the mask broadcast.

    Output: a tensor of the broadcast shape and the type of x.

    Example:
        >>> print(ops.MaskedFill()(Tensor([1.0, 2.0, 3.0]), Tensor([True, False, True]), 0.5))
        [0.5 2.  0.5]
    """

    arguments = ("input_x", "mask", "value")

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["input", "mask", "value"], outputs=["output"])

    def infer_shape(self, x: Dims, mask: Dims, value: Dims | float) -> Dims:
        return broadcast(x, mask)

    def infer_dtype(self, x: DType, mask: DType, value: DType | float | None) -> DType:
        return x

    def compute(self, xp: ArrayModule, x: Array, mask: Array, value: Array | float) -> Array:
        return xp.where(mask, xp.asarray(value, x.dtype), x)


masked_fill = MaskedFill()


@gradient(MaskedFill)
def masked_fill_gradient(
    x: Tensor, mask: Tensor, value: Tensor | float, out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """The value gets the gradient under the mask, x gets the rest."""
    under = select(mask, dout, zeros_like(dout))
    return sum_like(masked_fill(dout, mask, 0), x), None, sum_like(under, value)


class OneHot(PrimitiveWithInfer):
    """One-hot encoding: a new axis of length `depth` with `on_value` at the index and `off_value` elsewhere.

    An index out of range gives a row of `off_value`.

    Inputs: indices, integers of any shape; the depth, an int; `on_value` and `off_value`, scalar tensors or numbers.

    Output: a tensor of the shape of the indices with the new axis, of the type that both values promote to.

    Args:
        axis: position of the new axis; -1 for the last.

    Example:
        >>> print(ops.OneHot()(Tensor([0, 2, 5]), 3, Tensor(1.0), Tensor(0.0)))
        [[1. 0. 0.]
         [0. 0. 1.]
         [0. 0. 0.]]
    """

    value_inputs = (1,)

    @prim_attr_register
    def __init__(self, axis: int = -1) -> None:
        self.init_prim_io_names(inputs=["indices", "depth", "on_value", "off_value"], outputs=["output"])

    def infer_shape(
        self, indices: Dims, depth: int, on_value: Dims | bool | float, off_value: Dims | bool | float
    ) -> Dims:
        axis = normal_axis(self.axis, len(indices) + 1)
        return (*indices[:axis], depth, *indices[axis:])

    def infer_dtype(
        self, indices: DType, depth: int, on_value: DType | bool | float, off_value: DType | bool | float
    ) -> DType:
        if not isinstance(on_value, DType) and not isinstance(off_value, DType):
            return mstype.type_of_python(type(on_value))
        return mstype.result_type(on_value, off_value)

    def compute(
        self,
        xp: ArrayModule,
        indices: Array,
        depth: int,
        on_value: Array | bool | float,
        off_value: Array | bool | float,
    ) -> Array:
        axis = normal_axis(self.axis, indices.ndim + 1)
        classes = xp.arange(depth).reshape(-1, *(1,) * (indices.ndim - axis))
        return xp.where(xp.expand_dims(indices, axis) == classes, *promoted(xp, on_value, off_value))


def one_hot(indices: Tensor, depth: int, on_value: float = 1, off_value: float = 0, axis: int = -1) -> Tensor:
    """One-hot encoding: a new axis with `on_value` at the index and `off_value` elsewhere.

    Args:
        indices: integers of any shape.
        depth: length of the new axis.
        on_value: value at the index.
        off_value: value elsewhere.
        axis: position of the new axis; -1 for the last.

    Returns:
        A tensor of the shape of the indices with the new axis, of the type that both values promote to.

    Example:
        >>> print(ops.one_hot(Tensor([0, 2]), 3))
        [[1 0 0]
         [0 0 1]]

    """
    return cached(OneHot, axis)(indices, depth, on_value, off_value)


@bprop_getters.register(OneHot)
def get_bprop_one_hot(self: OneHot) -> Bprop:
    """Each value gets the sum of the gradients of its elements; the indices get none."""
    one_hot = cached(OneHot, self.axis)

    def bprop(
        indices: Tensor, depth: int, on_value: Tensor, off_value: Tensor, out: Tensor, dout: Tensor
    ) -> tuple[Tensor | None, ...]:
        is_on = one_hot(indices, depth, True, False)
        zero = zeros_like(dout)
        on, off = select(is_on, dout, zero), select(is_on, zero, dout)
        return None, None, sum_like(on, on_value), sum_like(off, off_value)

    return bprop
