"""Operators that arrange elements: shapes, transpositions, concatenation, splitting, slicing, padding, filling."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from framework import ops
from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.onnx.operators.operator_table import ElementType, Floats, Ints, Known, onnx
from framework.onnx.operators.values import (
    affordable,
    before_and_behind,
    ints,
    tensor_of,
    type_of,
    whole_axes,
)
from framework.ops.constexpr import constexpr

__all__ = ["gathered_axis", "padded"]


@onnx("Constant", since=1)
def constant(
    *,
    value: Tensor | None = None,
    value_float: float | None = None,
    value_floats: Floats | None = None,
    value_int: int | None = None,
    value_ints: Ints | None = None,
) -> Tensor:
    if value is not None:
        return value
    if value_int is not None or value_ints is not None:
        return tensor_of(value_ints if value_int is None else value_int, mstype.int64)
    return tensor_of(value_floats if value_float is None else value_float, mstype.float32)


@onnx("ConstantOfShape", since=9)
def constant_of_shape(shape: Known, *, value: Tensor | None = None, memory: int = 0) -> Tensor:
    if value is None:
        return _filled(ints(shape), tensor_of((0,), mstype.float32), memory)
    return _filled(ints(shape), value, memory)


@constexpr
def _filled(shape: tuple[int, ...], value: Tensor, memory: int) -> Tensor:
    wanted = affordable(shape, value.dtype, memory)
    return Tensor(np.full(wanted, value.asnumpy().reshape(-1)[0], value.dtype.numpy))


@onnx("Shape")
def shape(x: Tensor, *, start: int = 0, end: int | None = None) -> Tensor:
    return tensor_of(_part_of(x.shape, start, end), mstype.int64)


@constexpr
def _part_of(dims: tuple[int, ...], start: int, end: int | None) -> tuple[int, ...]:
    return tuple(dims[start:end])


@onnx("Size")
def size(x: Tensor) -> Tensor:
    return tensor_of(_product(x.shape), mstype.int64)


@constexpr
def _product(dims: tuple[int, ...]) -> int:
    return prod(dims)


@onnx("Reshape", since=5)
def reshape(x: Tensor, shape: Known, *, allowzero: int = 0) -> Tensor:
    if _is_whole(ints(shape)):
        return ops.reshape(x, ints(shape))
    return ops.reshape(x, _wanted(ints(shape), x.shape, allowzero))


@constexpr
def _is_whole(wanted: tuple[int, ...]) -> bool:
    """Whether a shape refers to no dimension of the tensor, which may then be open."""
    return 0 not in wanted


@constexpr
def _wanted(wanted: tuple[int, ...], dims: tuple[int, ...], allowzero: int) -> tuple[int, ...]:
    kept = [dims[place] if item == 0 and not allowzero else item for place, item in enumerate(wanted)]
    if -1 in kept:
        place = kept.index(-1)
        known = prod(kept[:place] + kept[place + 1 :])
        if known <= 0 or prod(dims) % known:
            raise ValueError(f"{prod(dims)} elements of shape {list(dims)} cannot be arranged as {list(wanted)}")
        kept[place] = prod(dims) // known
    return tuple(kept)


@onnx("Flatten")
def flatten(x: Tensor, *, axis: int = 1) -> Tensor:
    if axis == 1 and len(x.shape) > 1:
        return ops.flatten(x)
    before, behind = before_and_behind(x.shape, axis)
    return ops.reshape(x, (before, behind))


@onnx("Squeeze")
def squeeze_attribute(x: Tensor, *, axes: Ints | None = None) -> Tensor:
    return ops.reshape(x, _without(x.shape, axes))


@onnx("Squeeze", since=13)
def squeeze(x: Tensor, axes: Known | None = None) -> Tensor:
    return ops.reshape(x, _without(x.shape, ints(axes)))


@constexpr
def _without(dims: tuple[int, ...], axes: tuple[int, ...] | None) -> tuple[int, ...]:
    if axes is None:
        return tuple(length for length in dims if length != 1)
    gone = whole_axes(axes, len(dims))
    if any(dims[axis] != 1 for axis in gone):
        raise ValueError(f"the axes {list(axes)} of shape {list(dims)} are not all of length 1")
    return tuple(length for axis, length in enumerate(dims) if axis not in gone)


@onnx("Unsqueeze")
def unsqueeze_attribute(x: Tensor, *, axes: Ints) -> Tensor:
    return ops.reshape(x, _with_ones(x.shape, axes))


@onnx("Unsqueeze", since=13)
def unsqueeze(x: Tensor, axes: Known) -> Tensor:
    return ops.reshape(x, _with_ones(x.shape, ints(axes)))


@constexpr
def _with_ones(dims: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    rank = len(dims) + len(axes)
    new = whole_axes(axes, rank)
    rest = iter(dims)
    return tuple(1 if axis in new else next(rest) for axis in range(rank))


@onnx("Transpose")
def transpose(x: Tensor, *, perm: Ints | None = None) -> Tensor:
    return ops.transpose(x, _reversed(len(x.shape)) if perm is None else perm)


@constexpr
def _reversed(rank: int) -> tuple[int, ...]:
    return tuple(range(rank))[::-1]


@onnx("Concat", since=4)
def concat(first: Tensor, *others: Tensor, axis: int) -> Tensor:
    return ops.concat((first, *others), axis) if len(others) > 0 else first


@onnx("Split", since=2)
def split_attribute(x: Tensor, *, axis: int = 0, split: Ints | None = None, outputs: int = 1) -> tuple[Tensor, ...]:
    return _split(x, _parts(x.shape[axis], split, outputs), axis)


@onnx("Split", since=13)
def split_input(x: Tensor, split: Known | None = None, *, axis: int = 0, outputs: int = 1) -> tuple[Tensor, ...]:
    return _split(x, _parts(x.shape[axis], ints(split), outputs), axis)


@onnx("Split", since=18)
def split_parts(
    x: Tensor, split: Known | None = None, *, axis: int = 0, num_outputs: int | None = None, outputs: int = 1
) -> tuple[Tensor, ...]:
    return _split(x, _parts(x.shape[axis], ints(split), outputs if num_outputs is None else num_outputs), axis)


@constexpr
def _parts(length: int, given: tuple[int, ...] | None, count: int) -> tuple[int, ...]:
    """The bounds of the parts that a length is divided into."""
    if given is None:
        part = -(-length // count)
        given = tuple(max(min(part, length - place * part), 0) for place in range(count))
    if sum(given) != length:
        raise ValueError(f"parts of {list(given)} do not fit the length {length}")
    return tuple(int(item) for item in np.cumsum([0, *given]))


def _split(x: Tensor, bounds: tuple[int, ...], axis: int) -> tuple[Tensor, ...]:
    return tuple([
        ops.narrow(x, axis, bounds[place], bounds[place + 1] - bounds[place]) for place in range(len(bounds) - 1)
    ])  # fmt: skip


@onnx("Slice")
def slice_attributes(x: Tensor, *, starts: Ints, ends: Ints, axes: Ints | None = None) -> Tensor:
    return x[_slices(x.shape, starts, ends, axes, None)]


@onnx("Slice", since=10)
def slice_inputs(
    x: Tensor, starts: Known, ends: Known, axes: Known | None = None, steps: Known | None = None
) -> Tensor:
    wanted = _slices(x.shape, ints(starts), ints(ends), ints(axes), ints(steps))
    flipped = _backwards(wanted)
    if len(flipped) > 0:
        return ops.flip(x[_forwards(wanted, x.shape)], flipped)
    return x[wanted]


@constexpr
def _slices(
    dims: tuple[int, ...], starts: Ints, ends: Ints, axes: Ints | None, steps: Ints | None
) -> tuple[slice, ...]:
    chosen = whole_axes(axes if axes is not None else tuple(range(len(starts))), len(dims))
    found = [slice(0, length, 1) for length in dims]
    for place, axis in enumerate(chosen):
        step = 1 if steps is None else steps[place]
        if step == 0:
            raise ValueError("a step of 0 leads nowhere")
        begin, end, step = slice(starts[place], ends[place], step).indices(dims[axis])
        found[axis] = slice(begin, max(begin, end) if step > 0 else min(begin, end), step)
    return tuple(found)


@constexpr
def _backwards(wanted: tuple[slice, ...]) -> tuple[int, ...]:
    return tuple(axis for axis, item in enumerate(wanted) if item.step < 0)


@constexpr
def _forwards(wanted: tuple[slice, ...], dims: tuple[int, ...]) -> tuple[slice, ...]:
    """The same elements in rising order."""
    found = []
    for item, length in zip(wanted, dims, strict=True):
        places = range(item.start, item.stop, item.step)
        if item.step < 0:
            rising = places[::-1]
            item = slice(rising.start, rising.stop, rising.step) if len(rising) else slice(length, length, 1)
        found.append(item)
    return tuple(found)


@onnx("Expand", since=8)
def expand(x: Tensor, shape: Known, *, memory: int = 0) -> Tensor:
    return ops.broadcast_to(x, _broadcast(x.shape, ints(shape), x.dtype, memory))


@constexpr
def _broadcast(dims: tuple[int, ...], wanted: tuple[int, ...], dtype: DType, memory: int) -> tuple[int, ...]:
    rank = max(len(dims), len(wanted))
    mine = (1,) * (rank - len(dims)) + tuple(dims)
    theirs = (1,) * (rank - len(wanted)) + tuple(wanted)
    for a, b in zip(mine, theirs, strict=True):
        if a != b and 1 not in (a, b):
            raise ValueError(f"shape {list(dims)} cannot be expanded to {list(wanted)}")
    return affordable(tuple(b if a == 1 else a for a, b in zip(mine, theirs, strict=True)), dtype, memory)


@onnx("Tile", since=6)
def tile(x: Tensor, repeats: Known, *, memory: int = 0) -> Tensor:
    return ops.tile(x, _repeats(x.shape, ints(repeats), x.dtype, memory))


@constexpr
def _repeats(dims: tuple[int, ...], repeats: tuple[int, ...], dtype: DType, memory: int) -> tuple[int, ...]:
    if len(repeats) != len(dims):
        raise ValueError(f"repeats {list(repeats)} do not fit a tensor of shape {list(dims)}")
    affordable(tuple(a * b for a, b in zip(dims, repeats, strict=True)), dtype, memory)
    return tuple(repeats)


@onnx("Pad", since=2)
def pad_attributes(x: Tensor, *, pads: Ints, mode: str = "constant", value: float = 0.0) -> Tensor:
    return padded(x, pads, mode, tensor_of(value, x.dtype))


@onnx("Pad", since=11)
def pad_inputs(
    x: Tensor,
    pads: Known,
    value: Tensor | None = None,
    axes: Known | None = None,
    *,
    mode: str = "constant",
    memory: int = 0,
) -> Tensor:
    sides = _sides(x.shape, ints(pads), ints(axes), x.dtype, memory)
    return padded(x, sides, mode, tensor_of(0, x.dtype) if value is None else ops.reshape(value, ()))


@constexpr
def _sides(dims: tuple[int, ...], pads: Ints, axes: Ints | None, dtype: DType, memory: int) -> Ints:
    """What is added before and behind each axis: all before, then all behind."""
    chosen = whole_axes(axes, len(dims))
    if len(pads) != 2 * len(chosen):
        raise ValueError(f"pads {list(pads)} do not fit {len(chosen)} axes")
    found = [0] * (2 * len(dims))
    for place, axis in enumerate(chosen):
        found[axis], found[len(dims) + axis] = pads[place], pads[len(chosen) + place]
    affordable(tuple(d + found[k] + found[len(dims) + k] for k, d in enumerate(dims)), dtype, memory)
    return tuple(found)


def padded(x: Tensor, sides: Ints, mode: str, value: Tensor) -> Tensor:
    """A tensor with more, or fewer, elements along its sides.

    Args:
        x: the tensor.
        sides: what is added before each axis, then behind each axis; negative numbers take away.
        mode: "constant", "reflect", "edge" or "wrap".
        value: what constant sides hold, a tensor of the same type without dimensions.
    """
    rank = len(x.shape)
    for axis in range(rank):
        before, behind = sides[axis], sides[rank + axis]
        if before == 0 and behind == 0:
            continue
        if mode != "constant":
            x = ops.gather(x, _places(x.shape[axis], before, behind, mode), axis)
            continue
        low, high = _inside(x.shape[axis], before, behind)
        x = ops.narrow(x, axis, low, high - low)
        parts = []
        if before > 0:
            parts.append(ops.broadcast_to(value, _side(x.shape, axis, before)))
        parts.append(x)
        if behind > 0:
            parts.append(ops.broadcast_to(value, _side(x.shape, axis, behind)))
        x = ops.concat(tuple(parts), axis) if len(parts) > 1 else x
    return x


@constexpr
def _inside(length: int, before: int, behind: int) -> tuple[int, int]:
    low = min(max(-before, 0), length)
    return low, max(length + min(behind, 0), low)


@constexpr
def _side(dims: tuple[int, ...], axis: int, length: int) -> tuple[int, ...]:
    return (*dims[:axis], length, *dims[axis + 1 :])


@constexpr
def _places(length: int, before: int, behind: int, mode: str) -> Tensor:
    """Where the elements of a padded axis come from."""
    names = {"reflect": "reflect", "edge": "edge", "wrap": "wrap"}
    if mode not in names:
        raise ValueError(f"there is no mode {mode!r}")
    places = np.pad(np.arange(length), (max(before, 0), max(behind, 0)), names[mode])  # type: ignore[call-overload]
    return Tensor(places[max(-before, 0) : len(places) - max(-behind, 0)])


@onnx("CenterCropPad", since=18)
def center_crop_pad(x: Tensor, shape: Known, *, axes: Ints | None = None, memory: int = 0) -> Tensor:
    sides = _centered(x.shape, ints(shape), axes, x.dtype, memory)
    return padded(x, sides, "constant", tensor_of(0, x.dtype))


@constexpr
def _centered(dims: tuple[int, ...], wanted: Ints, axes: Ints | None, dtype: DType, memory: int) -> Ints:
    before, behind = [0] * len(dims), [0] * len(dims)
    for axis, length in zip(whole_axes(axes, len(dims)), wanted, strict=True):
        more = length - dims[axis]
        before[axis] = more // 2 if more >= 0 else -(-more // 2)
        behind[axis] = more - before[axis]
    affordable(tuple(d + a + b for d, a, b in zip(dims, before, behind, strict=True)), dtype, memory)
    return (*before, *behind)


@onnx("Range", since=11)
def arithmetic_range(start: Known, limit: Known, delta: Known, *, memory: int = 0) -> Tensor:
    return _range(start, limit, delta, memory)


@constexpr
def _range(start: Tensor, limit: Tensor, delta: Tensor, memory: int) -> Tensor:
    first, last, step = (t.asnumpy().reshape(-1)[0].item() for t in (start, limit, delta))
    if step == 0 or any(item != item or item in (float("inf"), float("-inf")) for item in (first, last, step)):
        raise ValueError(f"there is no range from {first} to {last} by steps of {step}")
    count = max(int(np.ceil((last - first) / step)), 0)
    affordable((count,), start.dtype, memory)
    return Tensor((first + np.arange(count) * step).astype(start.dtype.numpy))


@onnx("EyeLike", since=9)
def eye_like(x: Tensor, *, dtype: ElementType | None = None, k: int = 0) -> Tensor:
    return _diagonal(x.shape, k, x.dtype if dtype is None else type_of(dtype))


@constexpr
def _diagonal(dims: tuple[int, ...], k: int, dtype: DType) -> Tensor:
    rows, columns = dims
    return Tensor(np.eye(rows, columns, k, dtype.numpy))


@onnx("Trilu", since=14)
def triangle(x: Tensor, k: Known | None = None, *, upper: int = 1) -> Tensor:
    offset = 0 if k is None else ints(k)[0]
    return ops.where(_triangle(x.shape, offset, upper), x, tensor_of(0, x.dtype))


@constexpr
def _triangle(dims: tuple[int, ...], offset: int, upper: int) -> Tensor:
    # Beyond the sides of the matrix all offsets are the same.
    offset = max(min(offset, dims[-1] + 1), -dims[-2] - 1)
    ones = np.ones(tuple(dims[-2:]), bool)
    return Tensor(np.triu(ones, offset) if upper else np.tril(ones, offset))


@onnx("DepthToSpace")
def depth_to_space(x: Tensor, *, blocksize: int, mode: str = "DCR") -> Tensor:
    n, c, h, w = x.shape
    b = blocksize
    if mode == "DCR":
        parts = ops.transpose(ops.reshape(x, (n, b, b, c // (b * b), h, w)), (0, 3, 4, 1, 5, 2))
    else:
        parts = ops.transpose(ops.reshape(x, (n, c // (b * b), b, b, h, w)), (0, 1, 4, 2, 5, 3))
    return ops.reshape(parts, (n, c // (b * b), h * b, w * b))


@onnx("SpaceToDepth")
def space_to_depth(x: Tensor, *, blocksize: int, mode: str = "DCR") -> Tensor:
    n, c, h, w = x.shape
    b = blocksize
    parts = ops.reshape(x, (n, c, h // b, b, w // b, b))
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return ops.reshape(ops.transpose(parts, order), (n, c * b * b, h // b, w // b))


@onnx("ReverseSequence", since=10)
def reverse_sequence(x: Tensor, lengths: Known, *, batch_axis: int = 1, time_axis: int = 0) -> Tensor:
    return ops.gather_elements(x, time_axis, _reversed_places(x.shape, ints(lengths), batch_axis, time_axis))


@constexpr
def _reversed_places(dims: tuple[int, ...], lengths: Ints, batch_axis: int, time_axis: int) -> Tensor:
    times = np.arange(dims[time_axis])[:, None]
    ends = np.asarray(lengths)[None, :]
    places = np.where(times < ends, ends - 1 - times, times)  # (time, batch)
    if batch_axis < time_axis:
        places = places.T
    view = [1] * len(dims)
    view[batch_axis], view[time_axis] = dims[batch_axis], dims[time_axis]
    return Tensor(np.ascontiguousarray(np.broadcast_to(places.reshape(view), dims)))


def gathered_axis(x: Tensor, places: Any, axis: int) -> Tensor:
    """The slices of a tensor at known places along an axis, in the shape of the places.

    Args:
        x: the tensor.
        places: nested tuples of integers that are known while compiling.
        axis: the axis.
    """
    return ops.gather(x, tensor_of(places, mstype.int64), axis)
