"""Maxima and minima over axes, and their indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import maximum, minimum
from framework.ops.array.casting import Cast
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import expand_dims, reshape
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import equal
from framework.ops.control.dependencies import stop_gradient
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.creation.filling import Zeros
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.indexing.gathering_elements import GatherDGrad
from framework.ops.indexing.selecting import select as _select
from framework.ops.mathematics.exponential import exp, log
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.reduction.totals import ReduceSum, Reduction
from framework.ops.shapes import Dims, axes, kept_shape, normal_axis

__all__ = [
    "ArgMaxWithValue",
    "ArgMinWithValue",
    "Argmax",
    "Argmin",
    "ReduceMax",
    "ReduceMin",
    "amax",
    "amin",
    "argmax",
    "argmin",
    "logsumexp",
    "max",
    "min",
    "reduce_max",
    "reduce_min",
]

cast = Cast()
sum_kept = ReduceSum(True)
gather_d_grad = GatherDGrad()
zeros_like = ZerosLike()
_zeros = Zeros()


class ReduceMax(Reduction):
    """The maximum over axes: `ReduceMax()(x, axis)`.

    Inputs: x, a tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a tensor of the element type of x, without the axes.

    Args:
        keep_dims: keep the reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[1, 9, 3], [4, 5, 6]])
        >>> print(ops.ReduceMax()(x), ops.ReduceMax()(x, 0))
        9 [4 9 6]
    """

    reduction = "max"


class ReduceMin(Reduction):
    """The minimum over axes: `ReduceMin()(x, axis)`.

    Inputs: x, a tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a tensor of the element type of x, without the axes.

    Args:
        keep_dims: keep the reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[1, 9, 3], [4, 5, 6]])
        >>> print(ops.ReduceMin()(x), ops.ReduceMin()(x, 0))
        1 [1 5 3]
    """

    reduction = "min"


@gradient(ReduceMax, ReduceMin)
def reduce_extreme_gradient(
    x: Tensor, axis: int | tuple[int, ...], out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """The elements that equal the extreme get its gradient in equal shares."""
    kept = kept_shape(shape_of(x), axis)
    extreme = cast(equal(x, reshape(out, kept)), dtype_of(x))
    return cast(extreme / sum_kept(extreme, axis) * reshape(dout, kept), dtype_of(x)), None


class Argmax(PrimitiveWithInfer):
    """The index of the maximum along an axis; the first of several.

    Inputs: x, a tensor.

    Output: a tensor of `output_type`, of the shape of x without the axis.

    Args:
        axis: axis that is reduced.
        output_type: element type of the index.

    Example:
        >>> print(ops.Argmax()(Tensor([[1, 9, 3], [7, 5, 7]])))
        [1 0]
    """

    reduction = "argmax"

    @prim_attr_register
    def __init__(self, axis: int = -1, output_type: DType = mstype.int32) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> Dims:
        axis = normal_axis(self.axis, len(x))
        return x[:axis] + x[axis + 1 :]

    def infer_dtype(self, x: DType) -> DType:
        return self.output_type

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.asarray(getattr(xp, self.reduction)(x, axis=self.axis)).astype(self.output_type.numpy)


class Argmin(Argmax):
    """The index of the minimum along an axis; the first of several.

    Inputs: x, a tensor.

    Output: a tensor of `output_type`, of the shape of x without the axis.

    Args:
        axis: axis that is reduced.
        output_type: element type of the index.

    Example:
        >>> print(ops.Argmin(axis=0)(Tensor([[1, 9, 3], [7, 5, 3]])))
        [0 1 0]
    """

    reduction = "argmin"


class ArgMaxWithValue(PrimitiveWithInfer):
    """The index and the value of the maximum along an axis.

    Inputs: x, a tensor.

    Output: the indices, Int64, and the values, of the element type of x; both of the shape of x without the axis.

    Args:
        axis: axis that is reduced.
        keep_dims: keep the axis with length 1.

    Example:
        >>> index, value = ops.ArgMaxWithValue(axis=1)(Tensor([[1, 9, 3], [7, 5, 6]]))
        >>> print(index, value)
        [1 0] [9 7]
    """

    index, value = "argmax", "max"

    @prim_attr_register
    def __init__(self, axis: int = 0, keep_dims: bool = False) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["index", "values"])

    def infer_shape(self, x: Dims) -> tuple[Dims, Dims]:
        axis = normal_axis(self.axis, len(x))
        out = (*x[:axis], *((1,) if self.keep_dims else ()), *x[axis + 1 :])
        return out, out

    def infer_dtype(self, x: DType) -> tuple[DType, DType]:
        return mstype.int64, x

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        index = xp.expand_dims(getattr(xp, self.index)(x, axis=self.axis), self.axis)
        value = xp.take_along_axis(x, index, self.axis)
        if not self.keep_dims:
            index, value = index.squeeze(self.axis), value.squeeze(self.axis)
        return index.astype(xp.int64), value


@bprop_getters.register(ArgMaxWithValue)
def get_bprop_arg_with_value(self: ArgMaxWithValue) -> Bprop:
    """The element at the index gets the gradient of the value."""
    axis = self.axis
    keep_dims = self.keep_dims

    def bprop(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> tuple[Tensor, ...]:
        index, gradient = out[0], dout[1]
        if not keep_dims:
            index = expand_dims(index, axis)
            gradient = expand_dims(gradient, axis)
        return (gather_d_grad(gradient, axis, index, shape_of(x)),)

    return bprop


class ArgMinWithValue(ArgMaxWithValue):
    """The index and the value of the minimum along an axis.

    Inputs: x, a tensor.

    Output: the indices, Int64, and the values, of the element type of x; both of the shape of x without the axis.

    Args:
        axis: axis that is reduced.
        keep_dims: keep the axis with length 1.

    Example:
        >>> index, value = ops.ArgMinWithValue(axis=1)(Tensor([[1, 9, 3], [7, 5, 6]]))
        >>> print(index, value)
        [0 1] [1 5]
    """

    index, value = "argmin", "min"


def _counted(input: Tensor, initial: Any, where: Any, largest: bool) -> Tensor:
    """The elements under the mask, with `initial` in place of the others and as one more element."""
    if where is not None:
        if initial is None:
            raise ValueError("amax and amin with `where` need `initial`, the result where no element counts")
        input = _select(where, input, zeros_like(input) + initial)
    if initial is None:
        return input
    return maximum(input, initial) if largest else minimum(input, initial)


def amax(
    input: Tensor,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    initial: float | None = None,
    where: Tensor | float | None = None,
) -> Tensor:
    """The maximum over axes.

    Args:
        input: a tensor of any shape.
        axis: an axis or several; None for all.
        keepdims: keep the axes with length 1.
        initial: a number that counts as one more element; None for none.
        where: Bool mask of the elements that count, which needs `initial`; None for all elements.

    Returns:
        A tensor of the element type of `input`, without the axes.

    Example:
        >>> print(ops.amax(Tensor([[1.0, 4.0], [3.0, 2.0]]), 1))
        [4. 3.]

    """
    return cached(ReduceMax, keepdims)(_counted(input, initial, where, True), axes(axis))


def amin(
    input: Tensor,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    initial: float | None = None,
    where: Tensor | float | None = None,
) -> Tensor:
    """The minimum over axes.

    Args:
        input: a tensor of any shape.
        axis: an axis or several; None for all.
        keepdims: keep the axes with length 1.
        initial: a number that counts as one more element; None for none.
        where: Bool mask of the elements that count, which needs `initial`; None for all elements.

    Returns:
        A tensor of the element type of `input`, without the axes.

    Example:
        >>> print(ops.amin(Tensor([[1.0, 4.0], [3.0, 2.0]]), 1))
        [1. 2.]

    """
    return cached(ReduceMin, keepdims)(_counted(input, initial, where, False), axes(axis))


def max(
    input: Tensor,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    initial: float | None = None,
    where: Tensor | float | None = None,
) -> tuple[Tensor, ...]:
    """The maximum along an axis and its index.

    Args:
        input: tensor of any shape.
        axis: axis that is reduced; None for all elements.
        keepdims: keep the axis with length 1.
        initial: a number that counts as one more element; None for none.
        where: Bool mask of the elements that count, which needs `initial`; None for all elements.

    Returns:
        The maxima and their Int64 indices. Without an axis, the index is 0.

    Example:
        >>> values, places = ops.max(Tensor([[1, 5, 2], [7, 3, 4]]), axis=1)
        >>> print(values, places)
        [5 7] [1 0]

    """
    input = _counted(input, initial, where, True)
    if axis is None:
        return cached(ReduceMax, False)(input, ()), _zeros((), mstype.int64)
    index, value = cached(ArgMaxWithValue, axis, keepdims)(input)
    return value, index


def min(
    input: Tensor,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    initial: float | None = None,
    where: Tensor | float | None = None,
) -> tuple[Tensor, ...]:
    """The minimum along an axis and its index.

    Args:
        input: tensor of any shape.
        axis: axis that is reduced; None for all elements.
        keepdims: keep the axis with length 1.
        initial: a number that counts as one more element; None for none.
        where: Bool mask of the elements that count, which needs `initial`; None for all elements.

    Returns:
        The minima and their Int64 indices. Without an axis, the index is 0.

    Example:
        >>> values, places = ops.min(Tensor([[1, 5, 2], [7, 3, 4]]), axis=1)
        >>> print(values, places)
        [1 3] [0 1]

    """
    input = _counted(input, initial, where, False)
    if axis is None:
        return cached(ReduceMin, False)(input, ()), _zeros((), mstype.int64)
    index, value = cached(ArgMinWithValue, axis, keepdims)(input)
    return value, index


def argmax(input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
    """The index of the maximum along an axis.

    Args:
        input: tensor of any shape.
        dim: axis that is reduced; None for the index in the flattened tensor.
        keepdim: keep the axis with length 1.

    Returns:
        An Int64 tensor of indices, of the shape of `input` without the axis.

    Example:
        >>> print(ops.argmax(Tensor([[1.0, 4.0], [3.0, 2.0]]), 1))
        [1 0]

    """
    if dim is None:
        return cached(Argmax, -1, mstype.int64)(reshape(input, (-1,)))
    index = cached(Argmax, dim, mstype.int64)(input)
    return expand_dims(index, dim) if keepdim else index


def argmin(input: Tensor, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The index of the minimum along an axis.

    Args:
        input: tensor of any shape.
        axis: axis that is reduced; None for the index in the flattened tensor.
        keepdims: keep the axis with length 1.

    Returns:
        An Int32 tensor of indices, of the shape of `input` without the axis.

    Example:
        >>> print(ops.argmin(Tensor([[1.0, 4.0], [3.0, 2.0]]), 1))
        [0 1]

    """
    if axis is None:
        return cached(Argmin, -1, mstype.int32)(reshape(input, (-1,)))
    index = cached(Argmin, axis, mstype.int32)(input)
    return expand_dims(index, axis) if keepdims else index


def logsumexp(input: Tensor, dim: int | Sequence[int], keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials over axes, computed without overflow.

    Args:
        input: tensor of a floating-point type.
        dim: an axis or several.
        keepdim: keep the axes with length 1.

    Returns:
        A tensor of the type of `input`, without the axes.

    Example:
        >>> print(ops.logsumexp(Tensor([90.0, 90.0]), 0).asnumpy().round(3))
        90.693

    """
    over = axes(dim)
    largest = stop_gradient(cached(ReduceMax, True)(input, over))
    total = log(cached(ReduceSum, True)(exp(input - largest), over)) + largest
    return total if keepdim else reshape(total, shape_of(cached(ReduceSum, False)(total, over)))


def reduce_max(x: Tensor, axis: int | Sequence[int] = (), keep_dims: bool = False) -> Tensor:
    """The maximum over axes.

    Args:
        x: tensor of any shape.
        axis: an axis or several; () for all.
        keep_dims: keep the axes with length 1.

    Returns:
        A tensor of the element type of x, without the axes.

    Example:
        >>> print(ops.reduce_max(Tensor([[1, 2], [3, 4]]), 0))
        [3 4]

    """
    return cached(ReduceMax, keep_dims)(x, axis)


def reduce_min(x: Tensor, axis: int | Sequence[int] = (), keep_dims: bool = False) -> Tensor:
    """The minimum over axes.

    Args:
        x: tensor of any shape.
        axis: an axis or several; () for all.
        keep_dims: keep the axes with length 1.

    Returns:
        A tensor of the element type of x, without the axes.

    Example:
        >>> print(ops.reduce_min(Tensor([[1, 2], [3, 4]]), 0))
        [1 2]

    """
    return cached(ReduceMin, keep_dims)(x, axis)
