"""Tensors put beside or on each other, and cut apart again."""

from __future__ import annotations

from typing import Any

from framework.ops.constexpr import constexpr
from framework.ops.functional.primitives import expand_dims, rank, reshape, shape
from framework.ops.functional.rearranging import narrow
from framework.ops.functional.shaping import concat

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "column_stack", "dstack", "hsplit", "hstack", "tensor_split",
    "vsplit", "vstack",
]  # fmt: skip


def atleast_1d(inputs: Any) -> Any:
    """A tensor without dimensions as a vector; of several tensors each.

    Example:
        >>> print(ops.atleast_1d(Tensor(3.0)))
        [3.]

    """
    if isinstance(inputs, list | tuple):
        return tuple([atleast_1d(item) for item in inputs])
    return reshape(inputs, (1,)) if rank(inputs) == 0 else inputs


def atleast_2d(inputs: Any) -> Any:
    """A number or a vector as a matrix of one row; of several tensors each.

    Example:
        >>> print(ops.atleast_2d(Tensor([1.0, 2.0])))
        [[1. 2.]]

    """
    if isinstance(inputs, list | tuple):
        return tuple([atleast_2d(item) for item in inputs])
    return reshape(inputs, (1, -1)) if rank(inputs) < 2 else inputs


def atleast_3d(inputs: Any) -> Any:
    """A number as (1, 1, 1), a vector (N,) as (1, N, 1), a matrix (M, N) as (M, N, 1); of several tensors each.

    Example:
        >>> print(ops.atleast_3d(Tensor([1, 2])).shape)
        (1, 2, 1)

    """
    if isinstance(inputs, list | tuple):
        return tuple([atleast_3d(item) for item in inputs])
    return expand_dims(atleast_2d(inputs), 2) if rank(inputs) < 3 else inputs


def hstack(tensors: Any) -> Any:
    """Vectors behind each other, tensors beside each other along the second dimension.

    Example:
        >>> print(ops.hstack((Tensor([1, 2]), Tensor([3]))))
        [1 2 3]

    """
    rows = atleast_1d(tensors)
    return concat(rows, 0 if rank(rows[0]) == 1 else 1)


def vstack(inputs: Any) -> Any:
    """Tensors below each other, vectors as rows.

    Example:
        >>> print(ops.vstack((Tensor([1, 2]), Tensor([3, 4]))))
        [[1 2]
         [3 4]]

    """
    return concat(atleast_2d(inputs), 0)


def dstack(tensors: Any) -> Any:
    """Tensors along the third dimension, which vectors and matrices get.

    Example:
        >>> print(ops.dstack((Tensor([1, 2]), Tensor([3, 4]))))
        [[[1 3]
          [2 4]]]

    """
    return concat(atleast_3d(tensors), 2)


def column_stack(tensors: Any) -> Any:
    """Vectors as columns beside each other, and matrices.

    Example:
        >>> print(ops.column_stack((Tensor([1, 2]), Tensor([3, 4]))))
        [[1 3]
         [2 4]]

    """
    return concat([expand_dims(item, 1) if rank(item) == 1 else item for item in atleast_1d(tensors)], 1)


@constexpr
def _cuts(length: int, parts: Any) -> tuple[int, ...]:
    """Where parts begin and end: of nearly equal length, or cut at some places."""
    if isinstance(parts, int):
        small, larger = divmod(length, parts)
        return tuple(i * small + min(i, larger) for i in range(parts + 1))
    return (0, *(min(cut % length if cut < 0 else cut, length) for cut in parts), length)


def tensor_split(input: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts along an axis: so many of nearly equal length, or cut at the places given; a tuple.

    Example:
        >>> print(*ops.tensor_split(Tensor([1, 2, 3, 4, 5]), 2))
        [1 2 3] [4 5]

    """
    cuts = _cuts(shape(input)[axis], indices_or_sections)
    return tuple([narrow(input, axis, cuts[i], cuts[i + 1] - cuts[i]) for i in range(len(cuts) - 1)])


def vsplit(input: Any, indices_or_sections: Any) -> Any:
    """`tensor_split` along the first dimension.

    Example:
        >>> print(*ops.vsplit(Tensor([[1, 2], [3, 4]]), 2))
        [[1 2]] [[3 4]]

    """
    return tensor_split(input, indices_or_sections, 0)


def hsplit(input: Any, indices_or_sections: Any) -> Any:
    """`tensor_split` along the second dimension, of a vector along its only one.

    Example:
        >>> print(*ops.hsplit(Tensor([[1, 2, 3, 4]]), 2))
        [[1 2]] [[3 4]]

    """
    return tensor_split(input, indices_or_sections, 0 if rank(input) == 1 else 1)
