"""Changes the shape or order of tensors: rearrange, join, split, repeat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.numpy.array_likes import ArrayLike, Shape, result_type_of, to_tensor, typed
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr

__all__ = [
    "append", "array_split", "array_str", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to",
    "column_stack", "concatenate", "dsplit", "dstack", "expand_dims", "flip", "fliplr", "flipud", "hsplit", "hstack",
    "moveaxis", "ravel", "repeat", "reshape", "roll", "rollaxis", "rot90", "size", "split", "squeeze", "stack",
    "swapaxes", "tile", "transpose", "vsplit", "vstack",
]  # fmt: skip

Places = int | Sequence[int]


def reshape(x: ArrayLike, new_shape: Shape) -> Tensor:
    """Reshape a tensor; one length may be -1."""
    return typed(F.reshape(to_tensor(x), _several(new_shape)))


def ravel(x: ArrayLike) -> Tensor:
    """Flatten a tensor to one dimension."""
    return typed(F.reshape(to_tensor(x), (-1,)))


def transpose(a: ArrayLike, axes: Sequence[int] | None = None) -> Tensor:
    """Permute the dimensions; the default reverses them."""
    x = to_tensor(a)
    return typed(F.transpose(x, _reverse(x.ndim) if axes is None else tuple(axes)))


def swapaxes(x: ArrayLike, axis1: int, axis2: int) -> Tensor:
    """Swap two dimensions."""
    return typed(F.swapaxes(to_tensor(x), axis1, axis2))


def moveaxis(a: ArrayLike, source: Places, destination: Places) -> Tensor:
    """Move dimensions to other positions; the others keep their order."""
    return typed(F.moveaxis(to_tensor(a), source, destination))


def rollaxis(x: ArrayLike, axis: int, start: int = 0) -> Tensor:
    """Move a dimension back until it is before dimension `start`."""
    tensor = to_tensor(x)
    return typed(F.transpose(tensor, _rolled(tensor.ndim, axis, start)))


def expand_dims(a: ArrayLike, axis: Places) -> Tensor:
    """Insert dimensions of length 1 at these positions of the result."""
    x = to_tensor(a)
    return typed(F.reshape(x, _expanded(x.shape, _several(axis))))


def squeeze(a: ArrayLike, axis: Places | None = None) -> Tensor:
    """Remove dimensions of length 1: all, or the named ones."""
    x = to_tensor(a)
    return F.squeeze(x) if axis is None else F.squeeze(x, _several(axis))


def atleast_1d(*arys: ArrayLike) -> Any:
    """Give tensors at least one dimension; returns a list for several."""
    out = [_at_least(to_tensor(item), 1) for item in arys]
    return out[0] if len(out) == 1 else out


def atleast_2d(*arys: ArrayLike) -> Any:
    """Give tensors at least two dimensions, new ones first; returns a list for several."""
    out = [_at_least(to_tensor(item), 2) for item in arys]
    return out[0] if len(out) == 1 else out


def atleast_3d(*arys: ArrayLike) -> Any:
    """Give tensors at least three dimensions; vectors become (1, N, 1), and matrices (N, M, 1). Returns a list for
    several."""
    out = [_at_least_three(to_tensor(item)) for item in arys]
    return out[0] if len(out) == 1 else out


def broadcast_to(array: ArrayLike, shape: Shape) -> Tensor:
    """Broadcast a tensor to a shape."""
    return F.broadcast_to(to_tensor(array), _several(shape))


def broadcast_arrays(*args: ArrayLike) -> list[Tensor]:
    """Broadcast tensors against each other."""
    tensors = [to_tensor(item) for item in args]
    shape = _common_shape([item.shape for item in tensors])
    return [F.broadcast_to(item, shape) for item in tensors]


def concatenate(arrays: Any, axis: int | None = 0) -> Tensor:
    """Concatenate tensors along a dimension; with None, flattened first. The result has their common element type."""
    tensors = _of_one_type([to_tensor(item) for item in arrays])
    if axis is None:
        return F.concat([ravel(item) for item in tensors], 0)
    return F.concat([_at_least(item, 1) for item in tensors], axis)


def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> Tensor:
    """Append values to a tensor along a dimension; with None, both are flattened first."""
    return concatenate((arr, values), axis)


def stack(arrays: Any, axis: int = 0) -> Tensor:
    """Stack tensors of one shape along a new dimension."""
    return F.stack(_of_one_type([to_tensor(item) for item in arrays]), axis)


def vstack(tup: Any) -> Tensor:
    """Stack tensors vertically; vectors become matrices with one row."""
    return concatenate([_at_least(to_tensor(item), 2) for item in tup], 0)


def hstack(tup: Any) -> Tensor:
    """Stack tensors horizontally: along the second dimension, vectors along the first."""
    tensors = [_at_least(to_tensor(item), 1) for item in tup]
    return concatenate(tensors, 0 if tensors[0].ndim == 1 else 1)


def dstack(tup: Any) -> Tensor:
    """Stack tensors along the third dimension."""
    return concatenate([_at_least_three(to_tensor(item)) for item in tup], 2)


def column_stack(tup: Any) -> Tensor:
    """Stack vectors as columns of a matrix, and matrices horizontally."""
    tensors = [to_tensor(item) for item in tup]
    return concatenate([item if item.ndim > 1 else F.reshape(item, (-1, 1)) for item in tensors], 1)


def split(x: ArrayLike, indices_or_sections: Places, axis: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor along a dimension: into a number of equal parts, or at indices."""
    return tuple(_parts(to_tensor(x), indices_or_sections, axis, "split"))


def array_split(x: ArrayLike, indices_or_sections: Places, axis: int = 0) -> tuple[Tensor, ...]:
    """Like `split`, but the length need not be a multiple of the number: the first parts are then longer by 1."""
    return tuple(_parts(to_tensor(x), indices_or_sections, axis, ""))


def hsplit(x: ArrayLike, indices_or_sections: Places) -> tuple[Tensor, ...]:
    """`split` along the second dimension, of vectors along the first."""
    tensor = to_tensor(x)
    return split(tensor, indices_or_sections, 0 if tensor.ndim == 1 else 1)


def vsplit(x: ArrayLike, indices_or_sections: Places) -> tuple[Tensor, ...]:
    """`split` along the first dimension."""
    return split(x, indices_or_sections, 0)


def dsplit(x: ArrayLike, indices_or_sections: Places) -> tuple[Tensor, ...]:
    """`split` along the third dimension."""
    return split(x, indices_or_sections, 2)


def tile(a: ArrayLike, reps: Places) -> Tensor:
    """Repeat a whole tensor along each dimension."""
    x, counts = to_tensor(a), _several(reps)
    return typed(F.tile(_at_least(x, len(counts)), _led_by_ones(counts, x.ndim)))


def repeat(a: ArrayLike, repeats: Places, axis: int | None = None) -> Tensor:
    """Repeat each element along a dimension, a common or an individual number of times; with None, flattened first."""
    x = to_tensor(a)
    counts = _several(repeats)
    if axis is None:
        x, axis = ravel(x), 0
    return typed(F.gather(x, _as_tensor(_sources(x.shape[axis], counts)), axis))


def flip(m: ArrayLike, axis: Places | None = None) -> Tensor:
    """Reverse the order of elements along dimensions; with None, along all."""
    x = to_tensor(m)
    return F.flip(x, _reverse(x.ndim) if axis is None else _several(axis))


def flipud(m: ArrayLike) -> Tensor:
    """Reverse the order of the rows."""
    return flip(m, 0)


def fliplr(m: ArrayLike) -> Tensor:
    """Reverse the order of the columns."""
    return flip(m, 1)


def roll(a: ArrayLike, shift: Places, axis: Places | None = None) -> Tensor:
    """Shift elements along dimensions; those shifted out at the end enter at the start. With None, flattened first."""
    x = to_tensor(a)
    if axis is None:
        return typed(F.reshape(F.roll(ravel(x), _several(shift), (0,)), x.shape))
    return F.roll(x, *_rolls(shift, axis))


def rot90(a: ArrayLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Tensor:
    """Rotate a tensor by 90 degrees, k times, in the plane of two dimensions, from the first towards the second."""
    return F.rot90(to_tensor(a), k, axes)


def size(a: ArrayLike, axis: int | None = None) -> int:
    """The number of elements, or the length of a dimension."""
    x = to_tensor(a)
    return int(x.size) if axis is None else int(x.shape[axis])


def array_str(a: ArrayLike) -> str:
    """The elements as a string."""
    return str(to_tensor(a))


def _several(value: Any) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)


def _at_least(x: Tensor, rank: int) -> Tensor:
    missing = rank - x.ndim
    return typed(F.reshape(x, (1,) * missing + x.shape)) if missing > 0 else x


def _at_least_three(x: Tensor) -> Tensor:
    if x.ndim >= 3:
        return x
    return typed(F.reshape(x, _at_least(x, 2).shape + (1,)))  # noqa: RUF005 - compiled functions


def _of_one_type(tensors: list[Tensor]) -> list[Tensor]:
    kind = tensors[0].dtype
    for item in tensors[1:]:
        kind = result_type_of(kind, item.dtype)
    return [F.cast(item, kind) for item in tensors]


def _parts(x: Tensor, places: Places, axis: int, caller: str) -> list[Tensor]:
    bounds = _bounds(x.shape[axis], places, caller)
    return [F.narrow(x, axis, start, length) for start, length in bounds]


def _as_tensor(places: tuple[int, ...]) -> Tensor:
    return Tensor(list(places), mstype.int32)


@constexpr
def _reverse(rank: int) -> tuple[int, ...]:
    return tuple(range(rank))[::-1]


@constexpr
def _rolled(rank: int, axis: int, start: int) -> tuple[int, ...]:
    axis, start = axis % rank, start + rank if start < 0 else start
    order = [place for place in range(rank) if place != axis]
    order.insert(start - 1 if start > axis else start, axis)
    return tuple(order)


@constexpr
def _expanded(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    rank = len(shape) + len(axes)
    new = {axis % rank for axis in axes}
    lengths = iter(shape)
    return tuple(1 if place in new else next(lengths) for place in range(rank))


@constexpr
def _common_shape(shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    rank = max(map(len, shapes))
    out = []
    for lengths in zip(*[(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes], strict=True):
        others = {length for length in lengths if length != 1}
        if len(others) > 1:
            raise ValueError(f"shapes {', '.join(map(str, map(tuple, shapes)))} cannot be broadcast together")
        out.append(others.pop() if others else 1)
    return tuple(out)


@constexpr
def _bounds(length: int, places: Any, caller: str) -> tuple[tuple[int, int], ...]:
    """Start and length of each part."""
    if isinstance(places, int):
        if caller and length % places:
            raise ValueError(f"{caller}: a length of {length} cannot be split into {places} equal parts")
        short, longer = divmod(length, places)
        ends = [short * part + min(part, longer) for part in range(1, places)]
    else:
        ends = [min(max(place + length if place < 0 else place, 0), length) for place in places]
    starts = [0, *ends]
    return tuple((start, max(end - start, 0)) for start, end in zip(starts, [*ends, length], strict=True))


@constexpr
def _led_by_ones(counts: Sequence[int], rank: int) -> tuple[int, ...]:
    return (1,) * (rank - len(counts)) + tuple(counts)


@constexpr
def _sources(length: int, counts: Sequence[int]) -> tuple[int, ...]:
    """The source index of each element of `repeat`."""
    each = tuple(counts) * length if len(counts) == 1 else tuple(counts)
    if len(each) != length:
        raise ValueError(f"repeat: {len(each)} numbers of repeats do not match {length} elements")
    return tuple(place for place, count in enumerate(each) for _ in range(count))


@constexpr
def _rolls(shift: Any, axis: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    shifts = (shift,) if isinstance(shift, int) else tuple(shift)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    count = max(len(shifts), len(axes))
    return shifts * count if len(shifts) == 1 else shifts, axes * count if len(axes) == 1 else axes
