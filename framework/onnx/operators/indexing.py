"""Operators that take or put elements at indices, search, sort, and draw."""

from __future__ import annotations

import numpy as np

from framework import ops
from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ir.model_values import ModelError
from framework.onnx.operators.elementwise import seeded
from framework.onnx.operators.operator_table import ElementType, Ints, Known, onnx
from framework.onnx.operators.values import affordable, axis_of, ints, tensor_of, type_of
from framework.ops.constexpr import constexpr

__all__: list[str] = []


def _counted_forward(indices: Tensor, length: int) -> Tensor:
    """Indices as Int64, negative ones counted from the front."""
    places = ops.cast(indices, mstype.int64)
    return ops.where(ops.less(places, 0), places + length, places)


@onnx("Gather")
def gather(x: Tensor, indices: Tensor, *, axis: int = 0) -> Tensor:
    along = axis_of(axis, len(x.shape))
    return ops.gather(x, _counted_forward(indices, x.shape[along]), along)


@onnx("GatherElements", since=11)
def gather_elements(x: Tensor, indices: Tensor, *, axis: int = 0) -> Tensor:
    along = axis_of(axis, len(x.shape))
    return ops.gather_elements(x, along, _counted_forward(indices, x.shape[along]))


@onnx("GatherND", since=11)
def gather_nd(x: Tensor, indices: Tensor, *, batch_dims: int = 0) -> Tensor:
    count = indices.shape[-1]
    places = _each_forward(indices, _lengths(x.shape, batch_dims, count))
    if batch_dims > 0:
        places = ops.concat((_batches(indices.shape, batch_dims), places), -1)
    return ops.gather_nd(x, places)


def _each_forward(indices: Tensor, lengths: Tensor) -> Tensor:
    places = ops.cast(indices, mstype.int64)
    return ops.where(ops.less(places, 0), places + lengths, places)


@constexpr
def _lengths(dims: tuple[int, ...], first: int, count: int) -> Tensor:
    return Tensor(np.asarray(dims[first : first + count], np.int64))


@constexpr
def _batches(dims: tuple[int, ...], count: int) -> Tensor:
    """The coordinates of each index in the first dimensions."""
    places = np.stack([*np.indices(dims[:count])], -1).reshape(*dims[:count], *(1,) * (len(dims) - 1 - count), count)
    return Tensor(np.ascontiguousarray(np.broadcast_to(places, (*dims[:-1], count))))


@onnx("ScatterND", since=11)
def scatter_nd(x: Tensor, indices: Tensor, updates: Tensor, *, reduction: str = "none") -> Tensor:
    return _put(x, _each_forward(indices, _lengths(x.shape, 0, indices.shape[-1])), updates, reduction)


@onnx("Scatter", since=9)
def scatter(x: Tensor, indices: Tensor, updates: Tensor, *, axis: int = 0) -> Tensor:
    return scatter_elements(x, indices, updates, axis=axis)


@onnx("ScatterElements", since=11)
def scatter_elements(x: Tensor, indices: Tensor, updates: Tensor, *, axis: int = 0, reduction: str = "none") -> Tensor:
    along = axis_of(axis, len(x.shape))
    places = ops.expand_dims(_counted_forward(indices, x.shape[along]), -1)
    before, behind = _others(indices.shape, along)
    return _put(x, ops.concat((before, places, behind), -1), updates, reduction)


@constexpr
def _others(dims: tuple[int, ...], axis: int) -> tuple[Tensor, Tensor]:
    """The coordinates of each element along the axes before one, and along those behind it."""
    places = np.stack([*np.indices(dims)], -1)
    return Tensor(places[..., :axis]), Tensor(places[..., axis + 1 :])


def _put(x: Tensor, places: Tensor, updates: Tensor, reduction: str) -> Tensor:
    if reduction == "add":
        return ops.tensor_scatter_add(x, places, updates)
    if reduction == "mul":
        return ops.tensor_scatter_mul(x, places, updates)
    if reduction == "max":
        return ops.tensor_scatter_max(x, places, updates)
    if reduction == "min":
        return ops.tensor_scatter_min(x, places, updates)
    return ops.tensor_scatter_update(x, places, updates)


@onnx("TensorScatter", since=24)
def tensor_scatter(
    cache: Tensor, update: Tensor, first: Tensor | None = None, *, axis: int = -2, mode: str = "linear"
) -> Tensor:
    along, rank = axis_of(axis, len(cache.shape)), len(cache.shape)
    length, count = cache.shape[along], update.shape[along]
    begin = tensor_of((0,), mstype.int64) if first is None else ops.cast(first, mstype.int64)
    behind = _counted(rank, along, length) - ops.reshape(begin, _column(rank))
    if mode == "circular":
        behind = ops.floor_mod(behind, length)
    is_new = ops.logical_and(ops.greater_equal(behind, 0), ops.less(behind, count))
    places = ops.broadcast_to(ops.minimum(ops.maximum(behind, 0), count - 1), cache.shape)
    return ops.where(is_new, ops.gather_elements(update, along, places), cache)


@constexpr
def _counted(rank: int, axis: int, length: int) -> Tensor:
    view = [1] * rank
    view[axis] = length
    return Tensor(np.arange(length).reshape(view))


@constexpr
def _column(rank: int) -> Ints:
    return (-1, *(1,) * (rank - 1))


@onnx("OneHot", since=9)
def one_hot(indices: Tensor, depth: Known, values: Tensor, *, axis: int = -1, memory: int = 0) -> Tensor:
    classes = ints(depth)[0]
    rank = len(indices.shape) + 1
    along = axis_of(axis, rank)
    affordable(_with(indices.shape, classes), values.dtype, memory)
    places = ops.expand_dims(_counted_forward(indices, classes), along)
    is_on = ops.equal(places, _counted(rank, along, classes))
    return ops.where(is_on, ops.gather(values, tensor_of(1, mstype.int64), 0), values[0])


@constexpr
def _with(dims: tuple[int, ...], more: int) -> tuple[int, ...]:
    return (*dims, more)


@onnx("NonZero", since=9)
def non_zero(x: Tensor) -> Tensor:
    return _nonzero(x)


@constexpr
def _nonzero(x: Tensor) -> Tensor:
    return Tensor(np.stack(np.nonzero(np.atleast_1d(x.asnumpy()))).astype(np.int64))


@onnx("Compress", since=9)
def compress(x: Tensor, condition: Tensor, *, axis: int | None = None) -> Tensor:
    if axis is None:
        return ops.gather(ops.reshape(x, (-1,)), _where(condition), 0)
    return ops.gather(x, _where(condition), axis_of(axis, len(x.shape)))


@constexpr
def _where(condition: Tensor) -> Tensor:
    return Tensor(np.flatnonzero(condition.asnumpy()).astype(np.int64))


@onnx("Unique", since=11)
def unique(x: Tensor, *, axis: int | None = None, sorted: int = 1) -> tuple[Tensor, ...]:  # noqa: A002 - ONNX's name
    return _unique(x, axis, sorted)


@constexpr
def _unique(x: Tensor, axis: int | None, is_sorted: int) -> tuple[Tensor, ...]:
    found, first, inverse, counts = np.unique(
        x.asnumpy(), return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    inverse = inverse.reshape(-1)
    if not is_sorted:
        order = np.argsort(first, kind="stable")
        found = np.take(found, order, axis or 0)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        first, counts, inverse = first[order], counts[order], back[inverse]
    return Tensor(found), Tensor(first), Tensor(inverse), Tensor(counts)


@onnx("TopK", since=1)
def top_attribute(x: Tensor, *, k: int, axis: int = -1) -> tuple[Tensor, Tensor]:
    return _top(x, k, axis, 1)


@onnx("TopK", since=10)
def top(
    x: Tensor,
    k: Known,
    *,
    axis: int = -1,
    largest: int = 1,
    sorted: int = 1,  # noqa: A002 - ONNX's name
) -> tuple[Tensor, Tensor]:
    return _top(x, ints(k)[0], axis, largest)


def _top(x: Tensor, count: int, axis: int, largest: int) -> tuple[Tensor, Tensor]:
    """The first elements in order; of equal ones those with lower indices come first."""
    along = axis_of(axis, len(x.shape))
    if count > x.shape[along]:
        raise ModelError(f"k is {count}, and the axis has only {x.shape[along]} elements")
    if largest != 0:
        # Descending and stable: the reversed ascending order of the reversed elements.
        places = x.shape[along] - 1 - ops.flip(_ascending(ops.flip(x, (along,)), along), (along,))
    else:
        places = _ascending(x, along)
    chosen = ops.narrow(places, along, 0, count)
    return ops.gather_elements(x, along, chosen), chosen


def _ascending(x: Tensor, axis: int) -> Tensor:
    return ops.cast(ops.argsort(x, axis), mstype.int64)


@onnx("RandomNormal")
def random_normal(
    *,
    shape: Ints,
    dtype: ElementType = 1,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: float | None = None,
    memory: int = 0,
) -> Tensor:
    affordable(shape, mstype.float64, memory)
    return ops.cast(ops.randn(*shape) * scale + mean, type_of(dtype))


@onnx("RandomNormalLike")
def random_normal_like(
    x: Tensor, *, dtype: ElementType | None = None, mean: float = 0.0, scale: float = 1.0, seed: float | None = None
) -> Tensor:
    return ops.cast(ops.randn(*x.shape) * scale + mean, x.dtype if dtype is None else type_of(dtype))


@onnx("RandomUniform")
def random_uniform(
    *,
    shape: Ints,
    dtype: ElementType = 1,
    low: float = 0.0,
    high: float = 1.0,
    seed: float | None = None,
    memory: int = 0,
) -> Tensor:
    affordable(shape, mstype.float64, memory)
    drawn = ops.rand(*shape) if seed is None else seeded(shape, int(seed))
    return ops.cast(drawn * (high - low) + low, type_of(dtype))


@onnx("RandomUniformLike")
def random_uniform_like(
    x: Tensor, *, dtype: ElementType | None = None, low: float = 0.0, high: float = 1.0, seed: float | None = None
) -> Tensor:
    drawn = ops.rand(*x.shape) if seed is None else seeded(x.shape, int(seed))
    return ops.cast(drawn * (high - low) + low, x.dtype if dtype is None else type_of(dtype))


@onnx("Bernoulli", since=15)
def bernoulli(x: Tensor, *, dtype: ElementType | None = None, seed: float | None = None) -> Tensor:
    drawn = ops.less(ops.rand(*x.shape), x) if seed is None else _drawn(x, seed)
    return ops.cast(drawn, x.dtype if dtype is None else type_of(dtype))


@constexpr
def _drawn(x: Tensor, seed: float) -> Tensor:
    return Tensor(np.random.RandomState(int(seed) % (1 << 32)).binomial(1, x.asnumpy()))


@onnx("Multinomial", since=7)
def multinomial(x: Tensor, *, sample_size: int = 1, dtype: ElementType = 6, seed: float | None = None) -> Tensor:
    return ops.cast(ops.multinomial(ops.softmax(x, -1), sample_size, True), type_of(dtype))
