"""Sums, means and products over axes, variance, and the reductions all and any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.broadcasting import BroadcastLike
from framework.ops.array.casting import Cast
from framework.ops.array.properties import rank as rank_of
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import reshape
from framework.ops.array.transposing import transpose
from framework.ops.arrays import Array, ArrayModule, converted, without_halves
from framework.ops.creation.filled_like import OnesLike
from framework.ops.elementwise import as_float
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.mathematics.exponential import sqrt, square
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.reduction.cumulative import products_before, products_behind, widened
from framework.ops.shapes import (
    Dims,
    axes,
    axes_of,
    count_over,
    flat_shape,
    inverse_order,
    kept_shape,
    reduced_last,
)

__all__ = [
    "ReduceAll",
    "ReduceAny",
    "ReduceMean",
    "ReduceProd",
    "ReduceSum",
    "all",
    "any",
    "mean",
    "prod",
    "reduce_mean",
    "reduce_prod",
    "reduce_sum",
    "std",
    "sum",
    "var",
]

broadcast_like = BroadcastLike()
ones_like = OnesLike()
_cast = Cast()


class Reduction(PrimitiveWithInfer):
    """Base class of reductions over `axis`: an int, a tuple of ints, or () for all axes.

    Args:
        keep_dims: keep the reduced dimensions with length 1.
    """

    value_inputs = (1,)
    reduction = ""

    @prim_attr_register
    def __init__(self, keep_dims: bool = False) -> None:
        self.init_prim_io_names(inputs=["input_x", "axis"], outputs=["y"])

    def infer_shape(self, x: Dims, axis: Dims | int = ()) -> Dims:
        axes = axes_of(axis, len(x))
        if self.keep_dims:
            return tuple(1 if i in axes else size for i, size in enumerate(x))
        return tuple(size for i, size in enumerate(x) if i not in axes)

    def infer_dtype(self, x: DType, axis: Dims | int = ()) -> DType:
        return x

    def compute(
        self, xp: ArrayModule, x: Array, axis: int | tuple[int, ...] = (), *, out: Array | None = None
    ) -> Array:
        return self.over(xp, x, axes_of(axis, x.ndim), out)

    def over(self, xp: ArrayModule, x: Array, axes: tuple[int, ...], out: Array | None) -> Array:
        """The numpy reduction over `axes`, written into `out` if given."""
        return getattr(xp, self.reduction)(x, axis=axes, keepdims=self.keep_dims, out=out)


class ReduceSum(Reduction):
    """The sum over axes: `ReduceSum()(x, axis)`.

    Inputs: x, a tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a tensor of the element type of x, Int64 for Bool, without the axes.

    Args:
        keep_dims: keep the reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
        >>> print(ops.ReduceSum()(x), ops.ReduceSum()(x, 0), ops.ReduceSum(keep_dims=True)(x, 1).shape)
        21 [5 7 9] (2, 1)
    """

    def infer_dtype(self, x: DType, axis: Dims | int | None = ()) -> DType:
        return mstype.int64 if x is mstype.bool_ else x

    def over(self, xp: ArrayModule, x: Array, axes: tuple[int, ...], out: Array | None) -> Array:
        if x.dtype == xp.float16:
            return converted(xp.add.reduce(without_halves(x), axes, keepdims=self.keep_dims), x.dtype)
        dtype = xp.int64 if x.dtype.kind == "b" else x.dtype
        return xp.add.reduce(x, axes, dtype, out, self.keep_dims)

    def expression(self, x: Dims, axis: int | Sequence[int] = ()) -> str:
        return f"xp.add.reduce({{0}}, axis={axes_of(axis, len(x))}{{out}}, keepdims={self.keep_dims})"


_sum_kept = ReduceSum(True)
_sum = ReduceSum(False)


@gradient(ReduceSum)
def reduce_sum_gradient(x: Tensor, axis: int | tuple[int, ...], out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """Every element gets the gradient of its sum."""
    return broadcast_like(reshape(dout, kept_shape(shape_of(x), axis)), x), None


class ReduceMean(Reduction):
    """The mean over axes: `ReduceMean()(x, axis)`.

    Inputs: x, a tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a tensor of the element type of x, Float32 if that is not a floating-point type, without the axes.

    Args:
        keep_dims: keep the reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[1.0, 2.0], [3.0, 8.0]], ms.float32)
        >>> print(ops.ReduceMean()(x), ops.ReduceMean()(x, 1))
        3.5 [1.5 5.5]
    """

    def infer_dtype(self, x: DType, axis: Dims | int = ()) -> DType:
        return x if x.is_floating_point else mstype.float32

    def over(self, xp: ArrayModule, x: Array, axes: tuple[int, ...], out: Array | None) -> Array:
        if x.dtype == xp.float16:
            return converted(xp.mean(without_halves(x), axis=axes, keepdims=self.keep_dims), x.dtype)
        return xp.mean(as_float(xp, x), axis=axes, keepdims=self.keep_dims, out=out)


@bprop_getters.register(ReduceMean)
def get_bprop_reduce_mean(self: ReduceMean) -> Bprop:
    """Every element gets an equal share of the gradient."""
    counted = cached(ReduceSum, self.keep_dims)

    def bprop(x: Tensor, axis: int | tuple[int, ...], out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        count = count_over(shape_of(x), axis)
        share = dout / (counted(ones_like(x), axis) if count is None else count)
        return broadcast_like(reshape(share, kept_shape(shape_of(x), axis)), x), None

    return bprop


class ReduceProd(Reduction):
    """The product over axes: `ReduceProd()(x, axis)`.

    Inputs: x, a tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a tensor of the element type of x, without the axes.

    Args:
        keep_dims: keep the reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
        >>> print(ops.ReduceProd()(x), ops.ReduceProd()(x, 0))
        720 [ 4 10 18]
    """

    def over(self, xp: ArrayModule, x: Array, axes: tuple[int, ...], out: Array | None) -> Array:
        if x.dtype == xp.float16:
            return converted(xp.prod(without_halves(x), axis=axes, keepdims=self.keep_dims), x.dtype)
        return xp.prod(x, axis=axes, keepdims=self.keep_dims, dtype=x.dtype, out=out)


@gradient(ReduceProd)
def reduce_prod_gradient(
    x: Tensor, axis: int | tuple[int, ...], out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """Every element gets the product of the others; out / x would fail where an element is 0."""
    order = reduced_last(rank_of(x), axis)
    turned = transpose(x, order)
    flat = reshape(turned, flat_shape(shape_of(x), axis))
    others = products_before(flat, 1) * products_behind(flat, 1)
    back = transpose(reshape(others, shape_of(turned)), inverse_order(order))
    return back * reshape(dout, kept_shape(shape_of(x), axis)), None


class ReduceAll(Reduction):
    """Whether all elements are true, over axes: `ReduceAll()(x, axis)`.

    Inputs: x, a Bool tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a Bool tensor without the axes.

    Args:
        keep_dims: keep the reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[True, False], [True, True]])
        >>> print(ops.ReduceAll()(x), ops.ReduceAll()(x, 1))
        False [False  True]
    """

    reduction = "all"

    def infer_dtype(self, x: DType, axis: object = ()) -> DType:
        return mstype.bool_


class ReduceAny(Reduction):
    """Whether any element is true, over axes: `ReduceAny()(x, axis)`.

    Inputs: x, a Bool tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a Bool tensor without the axes.

    Args:
        keep_dims: keep the reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[True, False], [False, False]])
        >>> print(ops.ReduceAny()(x), ops.ReduceAny()(x, 1))
        True [ True False]
    """

    reduction = "any"

    def infer_dtype(self, x: DType, axis: object = ()) -> DType:
        return mstype.bool_


def sum(
    input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The sum over axes.

    Args:
        input: tensor of numbers or Bool; integers are summed as Int64.
        dim: an axis or several; None for all.
        keepdim: keep the axes with length 1.
        dtype: element type of the result; None for that of `input`, or Int64.

    Returns:
        A tensor without the axes.

    Example:
        >>> print(ops.sum(Tensor([[1, 2], [3, 4]]), 0))
        [4 6]

    """
    reduced = _sum_kept if keepdim else _sum
    return reduced(widened(input) if dtype is None else _cast(input, dtype), axes(dim))


def reduce_sum(x: Any, axis: Any = ()) -> Tensor:
    """The sum over axes.

    Args:
        x: tensor of numbers or Bool.
        axis: an axis or several; () for all.

    Returns:
        A tensor of the element type of x, Int64 for Bool, without the axes.

    Example:
        >>> print(ops.reduce_sum(Tensor([[1.0, 2.0], [3.0, 6.0]]), 0))
        [4. 8.]

    """
    return cached(ReduceSum, False)(x, axes(axis))


def mean(x: Tensor, axis: int | Sequence[int] | None = None, keep_dims: bool = False) -> Tensor:
    """The mean over axes.

    Args:
        x: tensor of numbers.
        axis: an axis or several; None for all.
        keep_dims: keep the axes with length 1.

    Returns:
        A tensor of a floating-point type, without the axes.

    Example:
        >>> print(ops.mean(Tensor([[1.0, 2.0], [3.0, 6.0]]), 1))
        [1.5 4.5]

    """
    return cached(ReduceMean, keep_dims)(x, axes(axis))


def reduce_mean(x: Tensor, axis: int | Sequence[int] = ()) -> Tensor:
    """The mean over axes.

    Args:
        x: tensor of numbers.
        axis: an axis or several; () for all.

    Returns:
        A tensor of a floating-point type, without the axes.

    Example:
        >>> print(ops.reduce_mean(Tensor([[1.0, 2.0], [3.0, 6.0]]), 0))
        [2. 4.]

    """
    return cached(ReduceMean, False)(x, axes(axis))


def prod(
    input: Tensor, axis: int | Sequence[int] | None = None, keep_dims: bool = False, dtype: DType | None = None
) -> Tensor:
    """The product over axes.

    Args:
        input: tensor of numbers; integers are multiplied as Int64.
        axis: an axis or several; None for all.
        keep_dims: keep the axes with length 1.
        dtype: element type of the result; None for that of `input`, or Int64.

    Returns:
        A tensor without the axes.

    Example:
        >>> print(ops.prod(Tensor([[1.0, 2.0], [3.0, 6.0]]), 1))
        [ 2. 18.]

    """
    return cached(ReduceProd, keep_dims)(widened(input) if dtype is None else _cast(input, dtype), axes(axis))


def all(input: Tensor, axis: int | Sequence[int] | None = None, keep_dims: bool = False) -> Tensor:
    """Whether all elements are true, over axes.

    Args:
        input: tensor; elements other than 0 are true.
        axis: an axis or several; None for all.
        keep_dims: keep the axes with length 1.

    Returns:
        A Bool tensor without the axes.

    Example:
        >>> print(ops.all(Tensor([[True, False], [True, True]]), 1))
        [False  True]

    """
    return cached(ReduceAll, keep_dims)(input, axes(axis))


def any(input: Tensor, axis: int | Sequence[int] | None = None, keep_dims: bool = False) -> Tensor:
    """Whether any element is true, over axes.

    Args:
        input: tensor; elements other than 0 are true.
        axis: an axis or several; None for all.
        keep_dims: keep the axes with length 1.

    Returns:
        A Bool tensor without the axes.

    Example:
        >>> print(ops.any(Tensor([[True, False], [False, False]]), 1))
        [ True False]

    """
    return cached(ReduceAny, keep_dims)(input, axes(axis))


def var(input: Tensor, axis: int | Sequence[int] | None = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The variance over axes: the sum of squared deviations divided by their number minus `ddof`.

    Args:
        input: tensor of a floating-point type.
        axis: an axis or several; None for all.
        ddof: number subtracted from the number of elements.
        keepdims: keep the axes with length 1.

    Returns:
        A tensor without the axes.

    Example:
        >>> print(ops.var(Tensor([1.0, 5.0])), ops.var(Tensor([1.0, 5.0]), ddof=1))
        4.0 8.0

    """
    over = axes(axis)
    squares = square(input - cached(ReduceMean, True)(input, over))
    total = cached(ReduceSum, keepdims)
    count = count_over(shape_of(input), over)
    return total(squares, over) / ((total(ones_like(squares), over) if count is None else count) - ddof)


def std(input: Tensor, axis: int | Sequence[int] | None = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The standard deviation over axes, the square root of `var`.

    Args:
        input: tensor of a floating-point type.
        axis: an axis or several; None for all.
        ddof: number subtracted from the number of elements.
        keepdims: keep the axes with length 1.

    Returns:
        A tensor without the axes.

    Example:
        >>> print(ops.std(Tensor([1.0, 3.0])))
        1.0

    """
    return sqrt(var(input, axis, ddof, keepdims))


def reduce_prod(x: Tensor, axis: int | Sequence[int] = (), keep_dims: bool = False) -> Tensor:
    """The product over axes.

    Args:
        x: tensor of numbers.
        axis: an axis or several; () for all.
        keep_dims: keep the axes with length 1.

    Returns:
        A tensor of the element type of x, without the axes.

    Example:
        >>> print(ops.reduce_prod(Tensor([[1, 2], [3, 4]]), 0))
        [3 8]

    """
    return cached(ReduceProd, keep_dims)(x, axis)
