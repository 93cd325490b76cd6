"""Tensors put together, repeated or rolled, and running extremes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.primitives import (
    rank,
    reshape,
    shape,
    transpose,
)
from framework.ops.known import as_tuple
from framework.ops.operations.shapes import normal_axis
from framework.ops.primitive import cached

__all__ = [
    "cummax", "cummin", "meshgrid", "mirror_pad", "moveaxis", "movedim", "nan_to_num", "print_",
    "repeat_interleave", "reverse_sequence", "roll",
]  # fmt: skip

print_ = P.Print()


@constexpr
def vector_of(numbers: Sequence[int]) -> Any:
    """An Int64 tensor of numbers."""
    from framework.common.tensor import Tensor

    return Tensor(list(numbers), mstype.int64)


@constexpr
def _repeated(length: int, repeats: Any) -> tuple[int, ...]:
    """Which element stands at each place after repeating."""
    counts = [repeats] * length if isinstance(repeats, int) else list(repeats)
    counts = counts * length if len(counts) == 1 else counts
    if len(counts) != length:
        raise ValueError(f"repeat_interleave: {len(counts)} numbers of repetitions do not fit {length} elements")
    return tuple(i for i, count in enumerate(counts) for _ in range(count))


def repeat_interleave(input: Any, repeats: Any, axis: Any = None) -> Any:
    """Each slice along an axis repeated, of the tensor as a vector where no axis is given.

    Example:
        >>> print(ops.repeat_interleave(Tensor([[1, 2], [3, 4]]), 2, 0))
        [[1 2]
         [1 2]
         [3 4]
         [3 4]]

    """
    if axis is None:
        flat = reshape(input, (-1,))
        return P.Gather()(flat, vector_of(_repeated(shape(flat)[0], repeats)), 0)
    return P.Gather()(input, vector_of(_repeated(shape(input)[axis], repeats)), axis)


@constexpr
def _rolled(length: int, shift: int) -> tuple[int, ...]:
    """Which element stands at each place after rolling."""
    return tuple((i - shift) % length for i in range(length))


def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """Elements moved along dimensions, what falls out at one end coming in at the other.

    Example:
        >>> print(ops.roll(Tensor([1, 2, 3, 4]), 1))
        [4 1 2 3]

    """
    if dims is None:
        flat = reshape(input, (-1,))
        return reshape(P.Gather()(flat, vector_of(_rolled(shape(flat)[0], shifts)), 0), shape(input))
    axes = as_tuple(dims)
    for i, shift in enumerate(as_tuple(shifts)):
        input = P.Gather()(input, vector_of(_rolled(shape(input)[axes[i]], shift)), axes[i])
    return input


@constexpr
def _moved(rank: int, source: Any, destination: Any) -> tuple[int, ...]:
    """The order of dimensions with some of them moved."""
    sources = [normal_axis(axis, rank) for axis in as_tuple(source)]
    places = [normal_axis(axis, rank) for axis in as_tuple(destination)]
    order = [axis for axis in range(rank) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return tuple(order)


def movedim(x: Any, source: Any, destination: Any) -> Any:
    """Dimensions moved to other places, the others in their order.

    Example:
        >>> print(ops.movedim(ops.ones((2, 3, 4)), (0, 1), (2, 0)).shape)
        (3, 4, 2)

    """
    return transpose(x, _moved(rank(x), source, destination))


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Dimensions moved to other places, the others in their order.

    Example:
        >>> print(ops.moveaxis(ops.ones((2, 3, 4)), 0, 2).shape)
        (3, 4, 2)

    """
    return transpose(x, _moved(rank(x), source, destination))


def meshgrid(*inputs: Any, indexing: str = "xy") -> Any:
    """Vectors repeated along each other, one tensor for each.

    Example:
        >>> across, down = ops.meshgrid(Tensor([1, 2, 3]), Tensor([4, 5]))
        >>> print(across)
        [[1 2 3]
         [1 2 3]]
        >>> print(down)
        [[4 4 4]
         [5 5 5]]

    """
    return cached(P.Meshgrid, indexing)(inputs)


def mirror_pad(input_x: Any, paddings: Any, mode: str = "REFLECT") -> Any:
    """Mirrored elements around a tensor: paddings per dimension before and after.

    Example:
        >>> print(ops.mirror_pad(Tensor([[1, 2, 3]]), Tensor([[0, 0], [2, 1]])))
        [[3 2 1 2 3 2]]

    """
    return cached(P.MirrorPad, mode)(input_x, paddings)


def nan_to_num(input: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    """Numbers in place of what is no number or infinite.

    Example:
        >>> print(ops.nan_to_num(Tensor([float("nan"), float("inf"), 1.0]), 0.0, 9.0))
        [0. 9. 1.]

    """
    return cached(P.NanToNum, 0.0 if nan is None else nan, posinf, neginf)(input)


def reverse_sequence(x: Any, seq_lengths: Any, seq_dim: int, batch_dim: int = 0) -> Any:
    """The first elements of each sequence in the opposite order.

    Example:
        >>> print(ops.reverse_sequence(Tensor([[1, 2, 3], [4, 5, 6]]), Tensor([2, 3]), 1))
        [[2 1 3]
         [6 5 4]]

    """
    return cached(P.ReverseSequence, seq_dim, batch_dim)(x, seq_lengths)


def cummax(input: Any, axis: int) -> Any:
    """The largest element so far along an axis, and where it last came, Int64.

    Example:
        >>> values, places = ops.cummax(Tensor([1.0, 5.0, 3.0, 7.0]), 0)
        >>> print(values, places)
        [1. 5. 5. 7.] [0 1 1 3]

    """
    return cached(P.Cummax, axis)(input)


def cummin(input: Any, axis: int) -> Any:
    """The smallest element so far along an axis, and where it last came, Int32.

    Example:
        >>> values, places = ops.cummin(Tensor([4.0, 5.0, 3.0, 7.0]), 0)
        >>> print(values, places)
        [4. 4. 3. 3.] [0 0 2 2]

    """
    return cached(P.Cummin, axis)(input)
