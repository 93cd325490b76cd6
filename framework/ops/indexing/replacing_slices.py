"""Copies of a tensor with whole slices along an axis replaced."""

from __future__ import annotations

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops.array.broadcasting import broadcast_to
from framework.ops.array.casting import cast
from framework.ops.array.properties import rank
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import expand_dims, reshape
from framework.ops.comparison import equal
from framework.ops.constexpr import constexpr
from framework.ops.creation.ranges import arange
from framework.ops.indexing.gathering_elements import gather
from framework.ops.indexing.selecting import masked_fill, where
from framework.ops.reduction.totals import any as any_of
from framework.ops.shapes import normal_axis

__all__ = [
    "index_fill",
    "select_scatter",
    "slice_scatter",
]


def index_fill(x: Tensor, axis: int, index: Tensor, value: float) -> Tensor:
    """A copy of a tensor with some slices along an axis filled with one number.

    Args:
        x: tensor of any type.
        axis: axis that the indices count along.
        index: integers of shape (K,); negative ones count from the end. K may be 0.
        value: a number, or a tensor without dimensions.

    Returns:
        A tensor of the shape and type of x.

    Example:
        >>> print(ops.index_fill(Tensor([[1, 2, 3], [4, 5, 6]]), 1, Tensor([0, -1]), 9))
        [[9 2 9]
         [9 5 9]]

    """
    length = shape_of(x)[axis]
    normalized = where(index < 0, index + length, index)
    matches = equal(expand_dims(arange(0, length, 1), 1), expand_dims(normalized, 0))
    filled = reshape(any_of(matches, 1), _shape_along(rank(x), axis, length))
    return masked_fill(x, broadcast_to(filled, shape_of(x)), value)


@constexpr
def _shape_along(dims: int, axis: int, length: int) -> tuple[int, ...]:
    """The shape in which a vector broadcasts along an axis."""
    return tuple(length if place == axis % dims else 1 for place in range(dims))


def select_scatter(input: Tensor, src: Tensor, axis: int, index: int) -> Tensor:
    """A copy of a tensor with one slice along an axis replaced.

    Args:
        input: tensor of any type.
        src: new slice, of the shape of `input` without `axis`. It is cast to the type of `input`.
        axis: axis that the index counts along.
        index: index of the slice; a negative one counts from the end.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        ValueError: the index is out of range, or `src` has the wrong shape.

    Example:
        >>> print(ops.select_scatter(Tensor([[1, 2], [3, 4]]), Tensor([8, 9]), 1, 0))
        [[8 2]
         [9 4]]

    """
    begin, end = _slice_bounds(shape_of(input), axis, index)
    return slice_scatter(input, expand_dims(src, axis), axis, begin, end)


@constexpr
def _slice_bounds(shape: tuple[int, ...], axis: int, index: int) -> tuple[int, int]:
    """The begin and end of a slice of length 1."""
    axis = normal_axis(axis, len(shape))
    if not -shape[axis] <= index < shape[axis]:
        raise ValueError(f"select_scatter: index {index} is out of range for dimension {axis} of shape {shape}")
    return index % shape[axis], index % shape[axis] + 1


def slice_scatter(
    input: Tensor, src: Tensor, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy of a tensor with the part `start:end:step` along an axis replaced.

    Args:
        input: tensor of any type.
        src: new values, of the shape of that part. They are cast to the type of `input`.
        axis: axis that is sliced.
        start: first index, as in a Python slice; None for the beginning.
        end: index after the last, as in a Python slice; None for the end.
        step: distance between indices, at least 1.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        ValueError: `src` has another shape than the part, or `step` is less than 1.

    Example:
        >>> print(ops.slice_scatter(Tensor([1, 2, 3, 4, 5]), Tensor([8, 9]), 0, 1, None, 2))
        [1 8 3 9 5]

    """
    replaced, places = _part(shape_of(input), shape_of(src), axis, start, end, step)
    if replaced is None:
        return input
    return where(replaced, gather(cast(src, input.dtype), places, axis), input)


@constexpr
def _part(
    shape: tuple[int, ...], src: tuple[int, ...], axis: int, start: int | None, end: int | None, step: int
) -> tuple[Tensor | None, Tensor | None]:
    """A bool mask of the slices to replace, which broadcasts, and int32 indices into the new values."""
    if step < 1:
        raise ValueError(f"slice_scatter: step must be at least 1, not {step}")
    indices = np.arange(shape[normal_axis(axis, len(shape))])[slice(start, end, step)]
    part = tuple(len(indices) if i == axis % len(shape) else length for i, length in enumerate(shape))
    if src != part:
        raise ValueError(f"slice_scatter: src must have the shape of the part, {part}, not {src}")
    if not len(indices):
        return None, None
    replaced, places = np.zeros(shape[axis], bool), np.zeros(shape[axis], np.int32)
    replaced[indices], places[indices] = True, np.arange(len(indices))
    return Tensor(replaced.reshape(_shape_along(len(shape), axis, shape[axis]))), Tensor(places, mstype.int32)
