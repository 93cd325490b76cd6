"""What backward functions compute from shapes while a graph is compiled."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from framework.ops.constexpr import constexpr, of_shapes
from framework.ops.operations.shapes import axes_of, normal_axis

__all__ = [
    "all_but",
    "are_known",
    "concat_parts",
    "flat_shape",
    "inverse_order",
    "kept_shape",
    "reduced_last",
    "repeated_axes",
    "repeated_shape",
    "trailing_ones",
]


@of_shapes
def kept_shape(shape: Sequence[int | None], axis: Any) -> tuple[int, ...]:
    """The shape with the axes that a reduction removed left at length 1; -1 is the dimension not known."""
    axes = axes_of(axis, len(shape))
    return tuple(1 if i in axes else -1 if size is None else size for i, size in enumerate(shape))


@constexpr
def flat_shape(shape: Sequence[int | None], axis: Any) -> tuple[int, int]:
    """Two dimensions: all that a reduction keeps, and all that it removes; -1 is the one not known."""
    axes = axes_of(axis, len(shape))
    removed = [size for i, size in enumerate(shape) if i in axes and size is not None]
    kept = [size for i, size in enumerate(shape) if i not in axes and size is not None]
    return (prod(kept), -1) if None in [shape[i] for i in axes] else (-1, prod(removed))


@constexpr
def reduced_last(rank: int, axis: Any) -> tuple[int, ...]:
    """The order of dimensions that puts those of a reduction last."""
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
    """Where each part of a concatenation begins, and its size."""
    parts = []
    offset = 0
    for shape in shapes:
        at = normal_axis(axis, len(shape))
        parts.append((tuple(offset if i == at else 0 for i in range(len(shape))), tuple(shape)))
        offset += shape[at]
    return tuple(parts)


@of_shapes
def repeated_shape(shape: Sequence[int | None], multiples: Sequence[int]) -> tuple[int, ...]:
    """The shape of a tiled tensor with repetitions as dimensions of their own, in front of each; -1 is not known."""
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
    """A shape with dimensions of length 1 behind, up to a rank."""
    return (*shape, *(1,) * (rank - len(shape)))
