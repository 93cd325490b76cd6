"""Rules for shapes, axes and counts that operators, functions and gradients share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.constexpr import constexpr, of_shapes

__all__ = [
    "Dims",
    "all_but",
    "are_known",
    "as_tuple",
    "axes",
    "axes_of",
    "broadcast",
    "chunk_size",
    "concat_parts",
    "count_over",
    "each",
    "flat_shape",
    "flattened_shape",
    "inverse_order",
    "is_last",
    "kept_shape",
    "normal_axis",
    "pair",
    "reduced_last",
    "repeated_axes",
    "repeated_shape",
    "rows",
    "split_parts",
    "swapped_order",
    "trailing_ones",
    "type_of_number",
]


@of_shapes
def kept_shape(shape: Sequence[int | None], axis: Any) -> tuple[int, ...]:
    """The shape with the reduced axes at length 1; -1 stands for an unknown dimension."""
    axes = axes_of(axis, len(shape))
    return tuple(1 if i in axes else -1 if size is None else size for i, size in enumerate(shape))


@constexpr
def flat_shape(shape: Sequence[int | None], axis: Any) -> tuple[int, int]:
    """Two dimensions: the product of those that a reduction keeps, and of those that it removes; -1 if unknown."""
    axes = axes_of(axis, len(shape))
    removed = [size for i, size in enumerate(shape) if i in axes and size is not None]
    remaining = [size for i, size in enumerate(shape) if i not in axes and size is not None]
    return (prod(remaining), -1) if None in [shape[i] for i in axes] else (-1, prod(removed))


@constexpr
def reduced_last(rank: int, axis: Any) -> tuple[int, ...]:
    """The order of dimensions that moves the reduced ones to the end."""
    axes = axes_of(axis, rank)
    return (*(i for i in range(rank) if i not in axes), *axes)


@constexpr
def inverse_order(order: Sequence[int]) -> tuple[int, ...]:
    """The order that undoes an order of dimensions."""
    rank = len(order)
    normal = [normal_axis(axis, rank) for axis in order]
    return tuple(normal.index(i) for i in range(rank))


@constexpr
def all_but(axis: int, rank: int) -> tuple[int, ...]:
    """All dimensions but one."""
    return tuple(i for i in range(rank) if i != axis % rank)


@of_shapes
def are_known(shapes: Sequence[Sequence[int | None]]) -> bool:
    """Whether all dimensions of several shapes are known while a graph is compiled."""
    return all(None not in shape for shape in shapes)


@constexpr
def concat_parts(axis: int, shapes: Sequence[Sequence[int]]) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """The offset and the size of each part of a concatenation, along all dimensions."""
    parts = []
    offset = 0
    for shape in shapes:
        at = normal_axis(axis, len(shape))
        parts.append((tuple(offset if i == at else 0 for i in range(len(shape))), tuple(shape)))
        offset += shape[at]
    return tuple(parts)


@of_shapes
def repeated_shape(shape: Sequence[int | None], multiples: Sequence[int]) -> tuple[int, ...]:
    """The shape of a tiled tensor with each repetition as a dimension in front of the repeated one; -1 if unknown."""
    rank = max(len(shape), len(multiples))
    sizes = (*(1,) * (rank - len(shape)), *(-1 if size is None else size for size in shape))
    times = (*(1,) * (rank - len(multiples)), *multiples)
    return tuple(number for pair in zip(times, sizes, strict=True) for number in pair)


@of_shapes
def repeated_axes(shape: Sequence[int | None], multiples: Sequence[int]) -> tuple[int, ...]:
    """Which dimensions of `repeated_shape` are repetitions."""
    return tuple(range(0, 2 * max(len(shape), len(multiples)), 2))


@constexpr
def trailing_ones(shape: Sequence[int], rank: int) -> tuple[int, ...]:
    """A shape extended to a rank by dimensions of length 1 at the end."""
    return (*shape, *(1,) * (rank - len(shape)))


@constexpr
def axes(axis: Any) -> Any:
    """Axes in the form that reductions take; `()` means all."""
    return () if axis is None else tuple(axis) if isinstance(axis, list) else axis


def as_tuple(value: Any) -> tuple[int, ...]:
    """A tuple of ints, from one int or several."""
    return (value,) if isinstance(value, int) else tuple(value)


@constexpr
def type_of_number(value: Any) -> DType:
    """The element type of a Python number; Int64 for an int."""
    return mstype.type_of_python(type(value))


@constexpr
def is_last(axis: int, rank: int) -> bool:
    """Whether an axis is the last one."""
    return axis in (-1, rank - 1)


@constexpr
def swapped_order(rank: int, axis0: int, axis1: int) -> tuple[int, ...]:
    """The order of dimensions with two of them exchanged."""
    order = list(range(rank))
    order[axis0], order[axis1] = order[axis1], order[axis0]
    return tuple(order)


@of_shapes
def flattened_shape(shape: Sequence[Any], start: int, end: int) -> tuple[int, ...]:
    """A shape with the dimensions from `start` to `end` merged into one."""
    dims = [-1 if size is None else size for size in shape] or [1]
    first, last = start % len(dims) if len(dims) > 1 else 0, end % len(dims)
    merged = -1 if -1 in dims[first : last + 1] else math.prod(dims[first : last + 1])
    return (*dims[:first], merged, *dims[last + 1 :])


@of_shapes
def count_over(shape: Sequence[int | None], axis: Any) -> int | None:
    """The number of elements that a reduction combines into one; None if a dimension is unknown."""
    sizes = [shape[i] for i in axes_of(axis, len(shape))]
    return None if None in sizes else math.prod(size for size in sizes if size is not None)


@of_shapes
def split_parts(
    shape: Sequence[int | None], sections: Any, axis: int
) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """The offset and the size of each part, for parts of one size or of the given sizes; size -1 means all."""
    at = normal_axis(axis, len(shape))
    length = _length(shape, at, "split")
    if isinstance(sections, int):
        sizes = [length - begin if begin + sections > length else sections for begin in range(0, length, sections)]
    else:
        sizes = list(sections)
    parts = []
    begin = 0
    for part in sizes:
        parts.append(
            (
                tuple(begin if i == at else 0 for i in range(len(shape))),
                tuple(part if i == at else -1 if n is None else n for i, n in enumerate(shape)),
            )
        )
        begin += part
    if begin != length:
        raise ValueError(f"split: parts of {sizes} do not add up to dimension {at} of {tuple(shape)}")
    return tuple(parts)


def _length(shape: Sequence[int | None], axis: int, what: str) -> int:
    length = shape[axis]
    if length is None:
        raise ValueError(f"{what}: the length of dimension {axis} must be known at compile time")
    return length


@of_shapes
def chunk_size(shape: Sequence[int | None], chunks: int, axis: int) -> int:
    """The size of every part but the last."""
    return -(-_length(shape, normal_axis(axis, len(shape)), "chunk") // chunks)


#: A shape; None stands for a dimension that is unknown at compile time.
Dims = tuple[int | None, ...]


def broadcast(*shapes: Any) -> Dims:
    """The shape to which operands broadcast, by numpy's rule; a number counts as a tensor of shape ().

    Raises:
        ValueError: two dimensions differ and neither is 1.

    """
    operands = [shape if isinstance(shape, tuple) else () for shape in shapes]
    rank = max((len(shape) for shape in operands), default=0)
    out: list[int | None] = [1] * rank
    for shape in operands:
        for position, size in enumerate(shape, rank - len(shape)):
            known = out[position]
            if size == 1 or size == known:
                continue
            if known == 1:
                out[position] = size
            elif known is None or size is None:
                out[position] = known if size is None else size
            else:
                raise ValueError(f"shapes {' and '.join(map(str, operands))} do not broadcast")
    return tuple(out)


def normal_axis(axis: int, rank: int) -> int:
    """An axis as a number from 0.

    Raises:
        ValueError: the tensor has no such axis.

    """
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of range for {rank} dimensions")
    return axis % rank


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes to reduce as sorted numbers from 0; all axes for `()` and None."""
    if axis is None or (isinstance(axis, tuple | list) and not axis):
        return tuple(range(rank))
    given: Iterable[int] = axis if isinstance(axis, Iterable) else (axis,)
    return tuple(sorted({normal_axis(item, rank) for item in given}))


def each(value: int | Sequence[int], rank: int) -> tuple[int, ...]:
    """A size for each of `rank` dimensions, from one number for all or from the last `rank` numbers.

    Raises:
        ValueError: there are fewer numbers than dimensions.

    """
    if isinstance(value, int):
        return (value,) * rank
    if len(value) < rank:
        raise ValueError(f"{tuple(value)} must be one number or {rank}")
    return tuple(int(size) for size in value[-rank:])


def pair(value: int | Sequence[int]) -> tuple[int, int]:
    """Height and width, from one number for both or from the last two numbers."""
    if isinstance(value, int):
        return value, value
    return int(value[-2]), int(value[-1])


def rows(shape: Dims) -> int | None:
    """The number of elements; None if a dimension is unknown."""
    count = 1
    for size in shape:
        if size is None:
            return None
        count *= size
    return count


@constexpr
def as_pair(value: Any) -> tuple[int, int]:
    """Height and width, as `pair`."""
    return pair(value)


@constexpr
def as_three(value: Any) -> tuple[int, ...]:
    """Depth, height and width, from one number or three."""
    return each(value, 3)
