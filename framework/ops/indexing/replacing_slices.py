"""Copies with whole slices along an axis replaced."""

from __future__ import annotations

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops.array.broadcasting import broadcast_to
from framework.ops.array.casting import cast
from framework.ops.array.properties import rank, shape
from framework.ops.array.reshaping import expand_dims, reshape
from framework.ops.comparison import equal
from framework.ops.constexpr import constexpr
from framework.ops.creation.ranges import arange
from framework.ops.indexing.gathering_elements import gather
from framework.ops.indexing.selecting import masked_fill, where
from framework.ops.reduction.totals import any as any_of

__all__ = [
    "index_fill",
    "select_scatter",
    "slice_scatter",
]


def index_fill(x: Tensor, axis: int, index: Tensor, value: float) -> Tensor:
    """A copy with a number in some slices along an axis.

    Args:
        x: a tensor of any type.
        axis: along which.
        index: int (K,): which slices, from the end where negative; K may be 0.
        value: a number, or a tensor without dimensions.

    Example:
        >>> print(ops.index_fill(Tensor([[1, 2, 3], [4, 5, 6]]), 1, Tensor([0, -1]), 9))
        [[9 2 9]
         [9 5 9]]

    """
    length = shape(x)[axis]
    counted = where(index < 0, index + length, index)
    named = equal(expand_dims(arange(0, length, 1), 1), expand_dims(counted, 0))
    filled = reshape(any_of(named, 1), _along(rank(x), axis, length))
    return masked_fill(x, broadcast_to(filled, shape(x)), value)


@constexpr
def _along(dims: int, axis: int, length: int) -> tuple[int, ...]:
    """The shape in which a vector broadcasts along an axis."""
    return tuple(length if place == axis % dims else 1 for place in range(dims))


def select_scatter(input: Tensor, src: Tensor, axis: int, index: int) -> Tensor:
    """A copy whose slice at a place of an axis is another tensor.

    Args:
        input: a tensor.
        src: of the shape of `input` without `axis`; its elements are cast to the type of `input`.
        axis: along which.
        index: which slice, from the end where negative.

    Raises:
        ValueError: there is no such slice, or `src` has another shape than it.

    Example:
        >>> print(ops.select_scatter(Tensor([[1, 2], [3, 4]]), Tensor([8, 9]), 1, 0))
        [[8 2]
         [9 4]]

    """
    begin, end = _one(shape(input), axis, index)
    return slice_scatter(input, expand_dims(src, axis), axis, begin, end)


@constexpr
def _one(of: tuple[int, ...], axis: int, index: int) -> tuple[int, int]:
    """Where a slice of one begins and ends."""
    if not -of[axis] <= index < of[axis]:
        raise ValueError(f"select_scatter: dimension {axis} of shape {of} has no slice {index}")
    return index % of[axis], index % of[axis] + 1


def slice_scatter(
    input: Tensor, src: Tensor, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy whose part `start:end:step` along an axis is another tensor.

    Args:
        input: a tensor.
        src: of the shape of that part; its elements are cast to the type of `input`.
        axis: along which.
        start, end: as of Python's slices: from the end where negative, and all where left out.
        step: 1 or more.

    Raises:
        ValueError: `src` has another shape than the part, or `step` is below 1.

    Example:
        >>> print(ops.slice_scatter(Tensor([1, 2, 3, 4, 5]), Tensor([8, 9]), 0, 1, None, 2))
        [1 8 3 9 5]

    """
    replaced, places = _part(shape(input), shape(src), axis, start, end, step)
    if replaced is None:
        return input
    return where(replaced, gather(cast(src, input.dtype), places, axis), input)


@constexpr
def _part(
    of: tuple[int, ...], src: tuple[int, ...], axis: int, start: int | None, end: int | None, step: int
) -> tuple[Tensor | None, Tensor | None]:
    """Which slices are other ones, bool and broadcasting, and which of the other tensor's those are, int32."""
    if step < 1:
        raise ValueError(f"slice_scatter: step is 1 or more, not {step}")
    taken = np.arange(of[axis])[slice(start, end, step)]
    part = tuple(len(taken) if place == axis % len(of) else length for place, length in enumerate(of))
    if src != part:
        raise ValueError(f"the part of a tensor of shape {of} has shape {part}, what is to replace it {src}")
    if not len(taken):
        return None, None
    replaced, places = np.zeros(of[axis], bool), np.zeros(of[axis], np.int32)
    replaced[taken], places[taken] = True, np.arange(len(taken))
    return Tensor(replaced.reshape(_along(len(of), axis, of[axis]))), Tensor(places, mstype.int32)
