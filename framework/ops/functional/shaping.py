"""Shapes: the same elements arranged otherwise."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.functional.primitives import expand_dims, rank, reshape, shape, slice, transpose
from framework.ops.known import as_tuple, chunk_size, flattened_shape, split_parts, swapped_order
from framework.ops.primitive import cached

__all__ = [
    "broadcast_to",
    "cat",
    "chunk",
    "concat",
    "flatten",
    "flip",
    "permute",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "tril",
    "triu",
    "unbind",
    "unsqueeze",
    "unstack",
]


def squeeze(input: Any, axis: Any = ()) -> Any:
    """Without dimensions of length 1: those of `axis`, or all.

    Example:
        >>> print(ops.squeeze(ops.ones((1, 3, 1))).shape)
        (3,)

    """
    return cached(P.Squeeze, () if axis is None else axis)(input)


def unsqueeze(input: Any, dim: int) -> Any:
    """A new dimension of length 1.

    Example:
        >>> print(ops.unsqueeze(Tensor([1, 2]), 1).shape)
        (2, 1)

    """
    return expand_dims(input, dim)


def flatten(input: Any, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Any:
    """The dimensions from `start_dim` to `end_dim` as one.

    Example:
        >>> print(ops.flatten(ops.ones((2, 3, 4))).shape)
        (2, 12)

    """
    return reshape(input, flattened_shape(shape(input), start_dim, end_dim))


def permute(input: Any, axis: Any) -> Any:
    """The dimensions in another order.

    Example:
        >>> print(ops.permute(ops.ones((2, 3, 4)), (2, 0, 1)).shape)
        (4, 2, 3)

    """
    return transpose(input, axis)


def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """Two dimensions exchanged.

    Example:
        >>> print(ops.swapaxes(ops.ones((2, 3, 4)), 0, 2).shape)
        (4, 3, 2)

    """
    return transpose(input, swapped_order(rank(input), axis0, axis1))


def broadcast_to(input: Any, shape: Any) -> Any:
    """Repeated to a shape; -1 keeps a dimension.

    Example:
        >>> print(ops.broadcast_to(Tensor([1, 2]), (2, 2)))
        [[1 2]
         [1 2]]

    """
    return cached(P.BroadcastTo, as_tuple(shape))(input)


def concat(tensors: Any, axis: int = 0) -> Any:
    """Tensors one after another along an axis.

    Example:
        >>> print(ops.concat((Tensor([[1, 2]]), Tensor([[3, 4]])), 1))
        [[1 2 3 4]]

    """
    return cached(P.Concat, axis)(tensors)


def cat(tensors: Any, axis: int = 0) -> Any:
    """Tensors one after another along an axis.

    Example:
        >>> print(ops.cat((Tensor([[1, 2]]), Tensor([[3, 4]]))))
        [[1 2]
         [3 4]]

    """
    return cached(P.Concat, axis)(tensors)


def stack(tensors: Any, axis: int = 0) -> Any:
    """Tensors along a new axis.

    Example:
        >>> print(ops.stack((Tensor([1, 2]), Tensor([3, 4])), 1))
        [[1 3]
         [2 4]]

    """
    return cached(P.Stack, axis)(tensors)


def unstack(input_x: Any, axis: int = 0) -> Any:
    """The slices along an axis, as a tuple.

    Example:
        >>> print(*ops.unstack(Tensor([[1, 2], [3, 4]]), 1))
        [1 3] [2 4]

    """
    return cached(P.Unstack, axis)(input_x)


def unbind(input: Any, dim: int = 0) -> Any:
    """The slices along an axis, as a tuple.

    Example:
        >>> print(*ops.unbind(Tensor([[1, 2], [3, 4]])))
        [1 2] [3 4]

    """
    return cached(P.Unstack, dim)(input)


def split(tensor: Any, split_size_or_sections: Any, axis: int = 0) -> Any:
    """Parts of one size along an axis, or of the sizes given, as a tuple.

    Example:
        >>> print(*ops.split(Tensor([1, 2, 3, 4, 5]), 2))
        [1 2] [3 4] [5]

    """
    parts = split_parts(shape(tensor), split_size_or_sections, axis)
    return tuple([slice(tensor, begin, size) for begin, size in parts])


def chunk(input: Any, chunks: int, axis: int = 0) -> Any:
    """`chunks` parts along an axis, the last one shorter where they do not divide, as a tuple.

    Example:
        >>> print(*ops.chunk(Tensor([1, 2, 3, 4]), 2))
        [1 2] [3 4]

    """
    return split(input, chunk_size(shape(input), chunks, axis), axis)


def flip(input: Any, dims: Any) -> Any:
    """The elements in the opposite order along axes.

    Example:
        >>> print(ops.flip(Tensor([[1, 2], [3, 4]]), (0,)))
        [[3 4]
         [1 2]]

    """
    return cached(P.ReverseV2, as_tuple(dims))(input)


def tril(input: Any, diagonal: int = 0) -> Any:
    """Zeros above a diagonal.

    Example:
        >>> print(ops.tril(Tensor([[1, 2], [3, 4]])))
        [[1 0]
         [3 4]]

    """
    return cached(P.Tril, diagonal)(input)


def triu(input: Any, diagonal: int = 0) -> Any:
    """Zeros below a diagonal.

    Example:
        >>> print(ops.triu(Tensor([[1, 2], [3, 4]])))
        [[1 2]
         [0 4]]

    """
    return cached(P.Triu, diagonal)(input)
