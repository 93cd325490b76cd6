"""What functions compute from shapes and axes while a graph is compiled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.constexpr import constexpr, of_shapes
from framework.ops.operations.shapes import axes_of, normal_axis

__all__ = [
    "as_tuple",
    "axes",
    "chunk_size",
    "count_over",
    "flattened_shape",
    "is_last",
    "split_parts",
    "swapped_order",
    "type_of_number",
]


@constexpr
def axes(axis: Any) -> Any:
    """Axes as reductions take them: `()` for all."""
    return () if axis is None else tuple(axis) if isinstance(axis, list) else axis


def as_tuple(value: Any) -> tuple[int, ...]:
    """One number, or several, as a tuple."""
    return (value,) if isinstance(value, int) else tuple(value)


@constexpr
def type_of_number(value: Any) -> DType:
    """The element type of a Python number; of an int Int64."""
    return mstype.pytype_to_dtype(type(value))


@constexpr
def is_last(axis: int, rank: int) -> bool:
    """Whether an axis is the last one."""
    return axis in (-1, rank - 1)


@constexpr
def swapped_order(rank: int, axis0: int, axis1: int) -> tuple[int, ...]:
    """The order of dimensions with two exchanged."""
    order = list(range(rank))
    order[axis0], order[axis1] = order[axis1], order[axis0]
    return tuple(order)


@of_shapes
def flattened_shape(shape: Sequence[Any], start: int, end: int) -> tuple[int, ...]:
    """A shape with the dimensions from `start` to `end` as one."""
    dims = [-1 if size is None else size for size in shape] or [1]
    first, last = start % len(dims) if len(dims) > 1 else 0, end % len(dims)
    merged = -1 if -1 in dims[first : last + 1] else math.prod(dims[first : last + 1])
    return (*dims[:first], merged, *dims[last + 1 :])


@of_shapes
def count_over(shape: Sequence[int | None], axis: Any) -> int | None:
    """How many elements a reduction brings together; None where a dimension is not known."""
    sizes = [shape[i] for i in axes_of(axis, len(shape))]
    return None if None in sizes else math.prod(size for size in sizes if size is not None)


@of_shapes
def split_parts(
    shape: Sequence[int | None], sections: Any, axis: int
) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Where each part begins, and its size (-1 is all), for parts of one size or of the sizes given."""
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


@of_shapes
def chunk_size(shape: Sequence[int | None], chunks: int, axis: int) -> int:
    """The size of all parts but the last."""
    return -(-_length(shape, normal_axis(axis, len(shape)), "chunk") // chunks)


def _length(shape: Sequence[int | None], axis: int, what: str) -> int:
    length = shape[axis]
    if length is None:
        raise ValueError(f"{what}: how many parts dimension {axis} gives must be known when compiling")
    return length
