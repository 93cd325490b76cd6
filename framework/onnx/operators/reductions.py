"""Operators that reduce along axes: sums, extremes and their places, running sums, softmax and its kin."""

from __future__ import annotations

from framework import ops
from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.onnx.operators.operator_table import Ints, Known, onnx
from framework.onnx.operators.values import (
    axis_of,
    before_and_behind,
    highest,
    ints,
    is_float,
    lowest,
    tensor_of,
    whole_axes,
)
from framework.ops.constexpr import constexpr

__all__ = ["softmax"]


def _reduced(kind: str, x: Tensor, axes: Ints, keepdims: int) -> Tensor:
    """One of the reductions over axes that are counted from the front."""
    keep = keepdims != 0
    if len(axes) == 0:
        return _single(kind, x)
    if kind == "Sum":
        return _sum(x, axes, keep)
    if kind == "Mean":
        return ops.cast(ops.mean(_as_float(x), axes, keep), x.dtype)
    if kind == "Max":
        return _largest(x, axes, keep)
    if kind == "Min":
        return _smallest(x, axes, keep)
    if kind == "Prod":
        return ops.cast(_product(x, axes, keep), x.dtype)
    if kind == "L1":
        return _sum(ops.abs(x), axes, keep)
    if kind == "L2":
        return ops.cast(ops.sqrt(_as_float(_sum(x * x, axes, keep))), x.dtype)
    if kind == "SumSquare":
        return _sum(x * x, axes, keep)
    if kind == "LogSum":
        return ops.cast(ops.log(_as_float(_sum(x, axes, keep))), x.dtype)
    return _log_sum_exp(x, axes, keep)


def _single(kind: str, x: Tensor) -> Tensor:
    """A reduction over no axis: that of each element alone."""
    if kind == "L1" or kind == "L2":
        return ops.abs(x)
    if kind == "SumSquare":
        return x * x
    return ops.log(x) if kind == "LogSum" else x


def _as_float(x: Tensor) -> Tensor:
    return x if is_float(x.dtype) else ops.cast(x, mstype.float64)


def _sum(x: Tensor, axes: Ints, keep: bool) -> Tensor:
    return ops.cast(ops.sum(x, axes, keep), x.dtype)


def _product(x: Tensor, axes: Ints, keep: bool) -> Tensor:
    for axis in _last_first(axes):
        x = ops.prod(x, axis, keep)
    return x


def _largest(x: Tensor, axes: Ints, keep: bool) -> Tensor:
    if _has_none(x.shape, axes):
        return ops.broadcast_to(tensor_of(lowest(x.dtype), x.dtype), _rest(x.shape, axes, keep))
    if x.dtype == mstype.bool_:
        return ops.any(x, axes, keep)
    return ops.amax(x, axes, keep)


def _smallest(x: Tensor, axes: Ints, keep: bool) -> Tensor:
    if _has_none(x.shape, axes):
        return ops.broadcast_to(tensor_of(highest(x.dtype), x.dtype), _rest(x.shape, axes, keep))
    if x.dtype == mstype.bool_:
        return ops.all(x, axes, keep)
    return ops.amin(x, axes, keep)


def _log_sum_exp(x: Tensor, axes: Ints, keep: bool) -> Tensor:
    if _has_none(x.shape, axes):
        return ops.broadcast_to(tensor_of(float("-inf"), x.dtype), _rest(x.shape, axes, keep))
    numbers = _as_float(x)
    top = ops.stop_gradient(ops.amax(numbers, axes, True))
    top = ops.where(ops.isfinite(top), top, ops.zeros_like(top))
    total = ops.log(ops.sum(ops.exp(numbers - top), axes, True)) + top
    return ops.cast(total if keep else ops.reshape(total, _rest(x.shape, axes, False)), x.dtype)


@constexpr
def _last_first(axes: Ints) -> Ints:
    return tuple(sorted(axes, reverse=True))


@constexpr
def _has_none(dims: tuple[int, ...], axes: Ints) -> bool:
    return any(dims[axis] == 0 for axis in axes)


@constexpr
def _rest(dims: tuple[int, ...], axes: Ints, keep: bool) -> tuple[int, ...]:
    if keep:
        return tuple(1 if axis in axes else length for axis, length in enumerate(dims))
    return tuple(length for axis, length in enumerate(dims) if axis not in axes)


def _over(kind: str, x: Tensor, axes: Ints | None, keepdims: int, noop: int) -> Tensor:
    """A reduction whose axes may be missing: then over all, or over none."""
    if axes is None or len(axes) == 0:
        return _reduced(kind, x, () if noop != 0 else whole_axes(None, len(x.shape)), keepdims)
    return _reduced(kind, x, whole_axes(axes, len(x.shape)), keepdims)


@onnx("ReduceSum", since=1)
def reduce_sum_attribute(x: Tensor, *, axes: Ints | None = None, keepdims: int = 1) -> Tensor:
    return _over("Sum", x, axes, keepdims, 0)


@onnx("ReduceSum", since=13)
def reduce_sum(x: Tensor, axes: Known | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Tensor:
    return _over("Sum", x, ints(axes), keepdims, noop_with_empty_axes)


@onnx("ReduceMean", since=1)
def reduce_mean_attribute(x: Tensor, *, axes: Ints | None = None, keepdims: int = 1) -> Tensor:
    return _over("Mean", x, axes, keepdims, 0)


@onnx("ReduceMean", since=18)
def reduce_mean(x: Tensor, axes: Known | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Tensor:
    return _over("Mean", x, ints(axes), keepdims, noop_with_empty_axes)


@onnx("ReduceMax", since=1)
def reduce_max_attribute(x: Tensor, *, axes: Ints | None = None, keepdims: int = 1) -> Tensor:
    return _over("Max", x, axes, keepdims, 0)


@onnx("ReduceMax", since=18)
def reduce_max(x: Tensor, axes: Known | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Tensor:
    return _over("Max", x, ints(axes), keepdims, noop_with_empty_axes)


@onnx("ReduceMin", since=1)
def reduce_min_attribute(x: Tensor, *, axes: Ints | None = None, keepdims: int = 1) -> Tensor:
    return _over("Min", x, axes, keepdims, 0)


@onnx("ReduceMin", since=18)
def reduce_min(x: Tensor, axes: Known | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Tensor:
    return _over("Min", x, ints(axes), keepdims, noop_with_empty_axes)


@onnx("ReduceProd", since=1)
def reduce_prod_attribute(x: Tensor, *, axes: Ints | None = None, keepdims: int = 1) -> Tensor:
    return _over("Prod", x, axes, keepdims, 0)


@onnx("ReduceProd", since=18)
def reduce_prod(x: Tensor, axes: Known | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Tensor:
    return _over("Prod", x, ints(axes), keepdims, noop_with_empty_axes)


@onnx("ReduceL1", since=1)
def reduce_l1_attribute(x: Tensor, *, axes: Ints | None = None, keepdims: int = 1) -> Tensor:
    return _over("L1", x, axes, keepdims, 0)


@onnx("ReduceL1", since=18)
def reduce_l1(x: Tensor, axes: Known | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Tensor:
    return _over("L1", x, ints(axes), keepdims, noop_with_empty_axes)


@onnx("ReduceL2", since=1)
def reduce_l2_attribute(x: Tensor, *, axes: Ints | None = None, keepdims: int = 1) -> Tensor:
    return _over("L2", x, axes, keepdims, 0)


@onnx("ReduceL2", since=18)
def reduce_l2(x: Tensor, axes: Known | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Tensor:
    return _over("L2", x, ints(axes), keepdims, noop_with_empty_axes)


@onnx("ReduceSumSquare", since=1)
def reduce_sum_square_attribute(x: Tensor, *, axes: Ints | None = None, keepdims: int = 1) -> Tensor:
    return _over("SumSquare", x, axes, keepdims, 0)


@onnx("ReduceSumSquare", since=18)
def reduce_sum_square(
    x: Tensor, axes: Known | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Tensor:
    return _over("SumSquare", x, ints(axes), keepdims, noop_with_empty_axes)


@onnx("ReduceLogSum", since=1)
def reduce_log_sum_attribute(x: Tensor, *, axes: Ints | None = None, keepdims: int = 1) -> Tensor:
    return _over("LogSum", x, axes, keepdims, 0)


@onnx("ReduceLogSum", since=18)
def reduce_log_sum(x: Tensor, axes: Known | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Tensor:
    return _over("LogSum", x, ints(axes), keepdims, noop_with_empty_axes)


@onnx("ReduceLogSumExp", since=1)
def reduce_log_sum_exp_attribute(x: Tensor, *, axes: Ints | None = None, keepdims: int = 1) -> Tensor:
    return _over("LogSumExp", x, axes, keepdims, 0)


@onnx("ReduceLogSumExp", since=18)
def reduce_log_sum_exp(
    x: Tensor, axes: Known | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Tensor:
    return _over("LogSumExp", x, ints(axes), keepdims, noop_with_empty_axes)


@onnx("ArgMax")
def argmax(x: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Tensor:
    return _place_of(x, axis, keepdims, select_last_index, True)


@onnx("ArgMin")
def argmin(x: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Tensor:
    return _place_of(x, axis, keepdims, select_last_index, False)


def _place_of(x: Tensor, axis: int, keepdims: int, last: int, largest: bool) -> Tensor:
    along = axis_of(axis, len(x.shape))
    seen = ops.flip(x, (along,)) if last != 0 else x
    place = ops.argmax(seen, along, True) if largest else ops.argmin(seen, along, True)
    place = ops.cast(place, mstype.int64)
    if last != 0:
        place = x.shape[along] - 1 - place
    return place if keepdims != 0 else ops.squeeze(place, along)


@onnx("CumSum", since=11)
def cumulative_sum(x: Tensor, axis: Known, *, exclusive: int = 0, reverse: int = 0) -> Tensor:
    along = axis_of(ints(axis)[0], len(x.shape))
    seen = ops.flip(x, (along,)) if reverse != 0 else x
    sums = ops.cast(ops.cumsum(seen, along), x.dtype)
    if exclusive != 0:
        sums = _shifted(sums, along, 0)
    return ops.flip(sums, (along,)) if reverse != 0 else sums


@onnx("CumProd", since=26)
def cumulative_product(x: Tensor, axis: Known, *, exclusive: int = 0, reverse: int = 0) -> Tensor:
    along = axis_of(ints(axis)[0], len(x.shape))
    seen = ops.flip(x, (along,)) if reverse != 0 else x
    products = ops.cast(ops.cumprod(seen, along), x.dtype)
    if exclusive != 0:
        products = _shifted(products, along, 1)
    return ops.flip(products, (along,)) if reverse != 0 else products


def _shifted(x: Tensor, axis: int, first: int) -> Tensor:
    """The elements one place further along an axis, with another one in the first place."""
    head = ops.broadcast_to(tensor_of(first, x.dtype), _one(x.shape, axis))
    return ops.concat((head, ops.narrow(x, axis, 0, x.shape[axis] - 1)), axis)


@constexpr
def _one(dims: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*dims[:axis], 1, *dims[axis + 1 :])


@onnx("Softmax", since=1)
def softmax_of_rows(x: Tensor, *, axis: int = 1) -> Tensor:
    return ops.reshape(softmax(ops.reshape(x, before_and_behind(x.shape, axis)), axis=-1), x.shape)


@onnx("Softmax", since=13)
def softmax(x: Tensor, *, axis: int = -1) -> Tensor:
    """The softmax along an axis. For Float16 each step is rounded, as numpy does it and other runtimes too."""
    if x.dtype == mstype.float16:
        powers = ops.exp(x - ops.amax(x, axis, True))
        return powers / ops.cast(ops.sum(powers, axis, True), x.dtype)
    return ops.softmax(x, axis)


@onnx("LogSoftmax", since=1)
def log_softmax_of_rows(x: Tensor, *, axis: int = 1) -> Tensor:
    return ops.reshape(ops.log_softmax(ops.reshape(x, before_and_behind(x.shape, axis)), -1), x.shape)


@onnx("LogSoftmax", since=13)
def log_softmax(x: Tensor, *, axis: int = -1) -> Tensor:
    return ops.log_softmax(x, axis)


@onnx("Hardmax", since=1)
def hardmax_of_rows(x: Tensor, *, axis: int = 1) -> Tensor:
    return ops.reshape(hardmax(ops.reshape(x, before_and_behind(x.shape, axis)), axis=-1), x.shape)


@onnx("Hardmax", since=13)
def hardmax(x: Tensor, *, axis: int = -1) -> Tensor:
    along = axis_of(axis, len(x.shape))
    place = ops.argmax(x, along, True)
    return ops.cast(ops.equal(_counted(x.shape, along), ops.cast(place, mstype.int64)), x.dtype)


@constexpr
def _counted(dims: tuple[int, ...], axis: int) -> Tensor:
    view = [1] * len(dims)
    view[axis] = dims[axis]
    return ops.reshape(ops.arange(0, dims[axis], 1), tuple(view))


@onnx("LpNormalization", since=1)
def lp_normalization(x: Tensor, *, axis: int = -1, p: int = 2) -> Tensor:
    along = axis_of(axis, len(x.shape))
    length = ops.sum(ops.abs(x), along, True) if p == 1 else ops.sqrt(ops.sum(x * x, along, True))
    return ops.where(ops.equal(length, 0), ops.zeros_like(x), x / ops.where(ops.equal(length, 0), 1.0, length))
