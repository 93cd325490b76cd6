"""Copies with elements put, added or multiplied at places, and Parameters that are changed so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.creation import cast, full_like
from framework.ops.functional.picking import gather, where
from framework.ops.functional.primitives import assign, expand_dims, ones_like, reshape, shape
from framework.ops.functional.primitives import tensor_scatter_add as tensor_add
from framework.ops.functional.primitives import tensor_scatter_update as tensor_update
from framework.ops.functional.scattering import (
    index_add,
    tensor_scatter_div,
    tensor_scatter_max,
    tensor_scatter_min,
    tensor_scatter_mul,
)
from framework.ops.functional.shaping import broadcast_to, flip
from framework.ops.functional.stacking import tensor_split
from framework.ops.primitive import cached
from framework.ops.reduction.totals import cumsum

__all__ = [
    "batch_to_space_nd",  "dsplit", "fills", "inplace_add", "inplace_index_add", "inplace_sub",
    "inplace_update", "isreal", "masked_scatter", "padding", "reverse", "scatter_nd_div", "scatter_nd_max",
    "scatter_nd_min", "scatter_nd_mul", "space_to_batch_nd",
]  # fmt: skip


def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """A copy whose elements under a mask are, in order, those of another tensor.

    Args:
        input: a tensor.
        mask: Bool, of a shape that broadcasts to that of `input`.
        source: of the type of `input`, with at least as many elements as the mask has places.

    Example:
        >>> print(ops.masked_scatter(Tensor([1, 2, 3]), Tensor([True, False, True]), Tensor([8, 9])))
        [8 2 9]

    """
    put = broadcast_to(mask, shape(input))
    turn = cumsum(cast(reshape(put, (-1,)), mstype.int32), 0) - 1
    taken = gather(reshape(source, (-1,)), where(turn < 0, turn * 0, turn), 0)
    return where(put, reshape(taken, shape(input)), input)


def _rows(indices: Any) -> Any:
    """Indices of slices along the first dimension: (K, 1)."""
    return _column(indices) if isinstance(indices, (int, tuple, list)) else expand_dims(indices, -1)


@constexpr
def _column(indices: Any) -> Any:
    given = (indices,) if isinstance(indices, int) else tuple(indices)
    return Tensor([[place] for place in given], mstype.int32)


def inplace_add(x: Any, v: Any, indices: Any) -> Any:
    """A copy with slices added to some along the first dimension.

    Args:
        x: (N, ...).
        v: (K, ...), of its type.
        indices: an int, or a tuple of K of them: to which slices.

    Example:
        >>> print(ops.inplace_add(Tensor([[1, 2], [3, 4]]), Tensor([[10, 10]]), 1))
        [[ 1  2]
         [13 14]]

    """
    return tensor_add(x, _rows(indices), v)


def inplace_sub(x: Any, v: Any, indices: Any) -> Any:
    """A copy with slices subtracted from some along the first dimension; see `inplace_add`.

    Example:
        >>> print(ops.inplace_sub(Tensor([[1, 2], [3, 4]]), Tensor([[1, 1]]), (0,)))
        [[0 1]
         [3 4]]

    """
    return tensor_add(x, _rows(indices), -v)


def inplace_update(x: Any, v: Any, indices: Any) -> Any:
    """A copy with other slices in place of some along the first dimension; see `inplace_add`.

    Example:
        >>> print(ops.inplace_update(Tensor([[1, 2], [3, 4]]), Tensor([[7, 8]]), (1,)))
        [[1 2]
         [7 8]]

    """
    return tensor_update(x, _rows(indices), v)


def inplace_index_add(var: Any, indices: Any, updates: Any, axis: int) -> Any:
    """Adds slices to a Parameter's along an axis, and returns it: `index_add` under its other name.

    Example:
        >>> x = ms.Parameter(Tensor([[1.0, 2.0]]), name="x")
        >>> print(ops.inplace_index_add(x, Tensor([1], ms.int32), Tensor([[5.0]]), 1))
        [[1. 7.]]

    """
    return index_add(var, indices, updates, axis)


def scatter_nd_mul(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
    """Multiplies elements or slices of a Parameter, and returns it.

    Args:
        input_x: a Parameter.
        indices: int (..., depth): the places, depth the number of dimensions that they name.
        updates: (..., slices), of the Parameter's type; those of one place all count.
        use_locking: recorded.

    Example:
        >>> x = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="x")
        >>> print(ops.scatter_nd_mul(x, Tensor([[0], [2]]), Tensor([5.0, 2.0])))
        [5. 2. 6.]

    """
    return assign(input_x, tensor_scatter_mul(input_x, indices, updates))


def scatter_nd_div(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
    """Divides elements or slices of a Parameter, and returns it; see `scatter_nd_mul`.

    Example:
        >>> x = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="x")
        >>> print(ops.scatter_nd_div(x, Tensor([[1]]), Tensor([4.0])))
        [1.  0.5 3. ]

    """
    return assign(input_x, tensor_scatter_div(input_x, indices, updates))


def scatter_nd_max(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
    """Raises elements or slices of a Parameter to at least others, and returns it; see `scatter_nd_mul`.

    Example:
        >>> x = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="x")
        >>> print(ops.scatter_nd_max(x, Tensor([[0], [2]]), Tensor([5.0, 2.0])))
        [5. 2. 3.]

    """
    return assign(input_x, tensor_scatter_max(input_x, indices, updates))


def scatter_nd_min(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
    """Lowers elements or slices of a Parameter to at most others, and returns it; see `scatter_nd_mul`.

    Example:
        >>> x = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="x")
        >>> print(ops.scatter_nd_min(x, Tensor([[0], [2]]), Tensor([5.0, 2.0])))
        [1. 2. 2.]

    """
    return assign(input_x, tensor_scatter_min(input_x, indices, updates))


def fills(x: Any, value: Any) -> Any:
    """One value in the shape and element type of a tensor.

    Example:
        >>> print(ops.fills(Tensor([1, 2]), 7))
        [7 7]

    """
    return full_like(x, value)


def reverse(x: Any, axis: Any) -> Any:
    """The elements in the opposite order along some axes: `flip` under its other name.

    Example:
        >>> print(ops.reverse(Tensor([[1, 2], [3, 4]]), (1,)))
        [[2 1]
         [4 3]]

    """
    return flip(x, axis)


def dsplit(input: Any, indices_or_sections: Any) -> Any:
    """`tensor_split` along the third dimension.

    Example:
        >>> print([part.shape for part in ops.dsplit(ops.ones((1, 2, 5)), 2)])
        [(1, 2, 3), (1, 2, 2)]

    """
    return tensor_split(input, indices_or_sections, 2)


def isreal(input: Any) -> Any:
    """Whether elements have no imaginary part; all elements of real types.

    Example:
        >>> print(ops.isreal(Tensor([1.0, 2.0])))
        [ True  True]

    """
    return cast(ones_like(input), mstype.bool_)


def padding(x: Any, pad_dim_size: int = 8) -> Any:
    """The last dimension, of length 1, filled up with zeros.

    Args:
        x: (..., 1).
        pad_dim_size: the length that it gets.

    Raises:
        ValueError: the last dimension is longer than 1.

    Example:
        >>> print(ops.padding(Tensor([[8.0], [10.0]]), 3))
        [[ 8.  0.  0.]
         [10.  0.  0.]]

    """
    return cached(P.Pad, _filled(shape(x), pad_dim_size))(x)


@constexpr
def _filled(of: Sequence[int], size: int) -> tuple[tuple[int, int], ...]:
    if of[-1] != 1 or size < 1:
        raise ValueError(f"padding takes (..., 1) and a size of 1 or more, not {tuple(of)} and {size}")
    return (*((0, 0),) * (len(of) - 1), (0, size - 1))


def batch_to_space_nd(input_x: Any, block_shape: Any, crops: Any) -> Any:
    """Batches as blocks of pixels, as of `BatchToSpaceND`.

    Example:
        >>> x = Tensor(np.arange(4.0).reshape(4, 1, 1, 1))
        >>> print(ops.batch_to_space_nd(x, [2, 2], [[0, 0], [0, 0]]))
        [[[[0. 1.]
           [2. 3.]]]]

    """
    return cached(P.BatchToSpaceND, *_tuples(block_shape, crops))(input_x)


def space_to_batch_nd(input_x: Any, block_size: Any, paddings: Any) -> Any:
    """Blocks of pixels as batches, as of `SpaceToBatchND`.

    Example:
        >>> x = Tensor(np.arange(4.0).reshape(1, 1, 2, 2))
        >>> print(ops.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]).asnumpy().ravel())
        [0. 1. 2. 3.]

    """
    return cached(P.SpaceToBatchND, *_tuples(block_size, paddings))(input_x)


@constexpr
def _tuples(block: Any, around: Any) -> tuple[Any, Any]:
    sides = block if isinstance(block, int) else tuple(block)
    return sides, tuple(tuple(pair) for pair in around)
