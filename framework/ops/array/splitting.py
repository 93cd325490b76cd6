"""Tensors split along an axis into parts: functions that return tuples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.ops.array.properties import rank
from framework.ops.array.properties import shape as shape_of
from framework.ops.constexpr import constexpr
from framework.ops.indexing.slicing import narrow
from framework.ops.indexing.slicing import slice as slice_of
from framework.ops.shapes import chunk_size, split_parts

__all__ = [
    "chunk",
    "dsplit",
    "hsplit",
    "split",
    "tensor_split",
    "vsplit",
]


def dsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """`tensor_split` along the third dimension.

    Args:
        input: a tensor of three dimensions or more.
        indices_or_sections: as in `tensor_split`.

    Returns:
        A tuple of tensors.

    Example:
        >>> print([part.shape for part in ops.dsplit(ops.ones((1, 2, 5)), 2)])
        [(1, 2, 3), (1, 2, 2)]

    """
    return tensor_split(input, indices_or_sections, 2)


def split(tensor: Tensor, split_size_or_sections: int, axis: int = 0) -> tuple[Tensor, ...]:
    """A tuple of parts along an axis, of one size or of the given sizes.

    Args:
        tensor: a tensor of any shape.
        split_size_or_sections: the length of every part but the last, or the lengths of all parts.
        axis: the axis.

    Returns:
        A tuple of tensors of the same element type.

    Raises:
        ValueError: the lengths do not add up to the length of the axis.

    Example:
        >>> print(*ops.split(Tensor([1, 2, 3, 4, 5]), 2))
        [1 2] [3 4] [5]

    """
    parts = split_parts(shape_of(tensor), split_size_or_sections, axis)
    return tuple([slice_of(tensor, begin, size) for begin, size in parts])


def chunk(input: Tensor, chunks: int, axis: int = 0) -> tuple[Tensor, ...]:
    """A tuple of `chunks` parts along an axis; the last one is shorter if the length does not divide.

    Args:
        input: a tensor of any shape.
        chunks: the number of parts.
        axis: the axis.

    Returns:
        A tuple of tensors of the same element type.

    Example:
        >>> print(*ops.chunk(Tensor([1, 2, 3, 4]), 2))
        [1 2] [3 4]

    """
    return split(input, chunk_size(shape_of(input), chunks, axis), axis)


@constexpr
def _cuts(length: int, parts: Any) -> tuple[int, ...]:
    """The begin and end of each part: parts of nearly equal length, or parts between given indices."""
    if isinstance(parts, int):
        small, larger = divmod(length, parts)
        return tuple(i * small + min(i, larger) for i in range(parts + 1))
    return (0, *(min(cut % length if cut < 0 else cut, length) for cut in parts), length)


def tensor_split(input: Tensor, indices_or_sections: int | Sequence[int], axis: int = 0) -> tuple[Tensor, ...]:
    """A tuple of parts along an axis: a number of parts of nearly equal length, or the parts between given indices.

    Args:
        input: a tensor of any shape.
        indices_or_sections: the number of parts, or the indices at which parts begin.
        axis: the axis.

    Returns:
        A tuple of tensors of the same element type.

    Example:
        >>> print(*ops.tensor_split(Tensor([1, 2, 3, 4, 5]), 2))
        [1 2 3] [4 5]

    """
    cuts = _cuts(shape_of(input)[axis], indices_or_sections)
    return tuple([narrow(input, axis, cuts[i], cuts[i + 1] - cuts[i]) for i in range(len(cuts) - 1)])


def vsplit(input: Tensor, indices_or_sections: int) -> tuple[Tensor, ...]:
    """`tensor_split` along the first dimension.

    Args:
        input: a tensor of one dimension or more.
        indices_or_sections: as in `tensor_split`.

    Returns:
        A tuple of tensors.

    Example:
        >>> print(*ops.vsplit(Tensor([[1, 2], [3, 4]]), 2))
        [[1 2]] [[3 4]]

    """
    return tensor_split(input, indices_or_sections, 0)


def hsplit(input: Tensor, indices_or_sections: int) -> tuple[Tensor, ...]:
    """`tensor_split` along the second dimension; a vector is split along its only one.

    Args:
        input: a tensor of one dimension or more.
        indices_or_sections: as in `tensor_split`.

    Returns:
        A tuple of tensors.

    Example:
        >>> print(*ops.hsplit(Tensor([[1, 2, 3, 4]]), 2))
        [[1 2]] [[3 4]]

    """
    return tensor_split(input, indices_or_sections, 0 if rank(input) == 1 else 1)
