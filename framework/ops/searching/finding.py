"""Search for elements that meet a condition, and for positions in sorted sequences."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.broadcasting import BroadcastTo, SumLike
from framework.ops.array.casting import cast
from framework.ops.array.joining import Unstack
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.gradients import gradient
from framework.ops.indexing.gather_scatter_nd import scatter_nd
from framework.ops.indexing.gathering_elements import gather_d as _gather_d
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims, broadcast

__all__ = [
    "InTopK",
    "MaskedSelect",
    "NonZero",
    "SearchSorted",
    "argwhere",
    "bucketize",
    "in_top_k",
    "intopk",
    "masked_select",
    "nonzero",
    "searchsorted",
]

sum_like = SumLike()


class NonZero(PrimitiveWithInfer):
    """The indices of the elements that are not 0, one row for each element.

    Inputs: x, a tensor of one dimension or more.

    Output: an Int64 tensor of shape (elements that are not 0, dimensions of x).

    Example:
        >>> print(ops.NonZero()(Tensor([[0, 7], [0, 0], [8, 9]])))
        [[0 1]
         [2 0]
         [2 1]]
    """

    arguments = ("input",)
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> Dims:
        return (None, len(x))

    def infer_dtype(self, x: DType) -> DType:
        return mstype.int64

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.stack(xp.nonzero(x), axis=-1).astype(xp.int64)


non_zero = NonZero()


def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not 0. Graph mode refuses this, as the number of indices is unknown.

    Args:
        input: tensor of one dimension or more.

    Returns:
        An Int64 tensor of shape (elements that are not 0, dimensions of `input`).

    Example:
        >>> print(ops.argwhere(Tensor([[0, 5], [7, 0]])))
        [[0 1]
         [1 0]]

    """
    return NonZero()(input)


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Tensor:
    """The indices of the elements that are not 0. Graph mode refuses this, as the number of indices is unknown.

    Args:
        input: tensor of one dimension or more.
        as_tuple: return one vector for each dimension.

    Returns:
        An Int64 tensor of shape (elements that are not 0, dimensions of `input`), or a tuple of vectors.

    Example:
        >>> print(ops.nonzero(Tensor([[1, 0], [0, 2]])))
        [[0 0]
         [1 1]]

    """
    places = non_zero(input)
    return Unstack(1)(places) if as_tuple else places


class MaskedSelect(PrimitiveWithInfer):
    """The elements under a mask, in order, as a vector.

    Inputs: x, a tensor; mask, a Bool tensor. The shapes broadcast.

    Output: a vector of the element type of x.

    Example:
        >>> x = Tensor([1, 2, 3, 4])
        >>> print(ops.MaskedSelect()(x, x > 2))
        [3 4]
    """

    arguments = ("input", "mask")
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "mask"], outputs=["output"])

    def infer_shape(self, x: Dims, mask: Dims) -> Dims:
        broadcast(x, mask)
        return (None,)

    def infer_dtype(self, x: DType, mask: DType) -> DType:
        return x

    def compute(self, xp: ArrayModule, x: Array, mask: Array) -> Array:
        x, mask = xp.broadcast_arrays(x, mask)
        return x[mask]


masked_select = MaskedSelect()


@constexpr
def _broadcast_shape(x_shape: tuple[int, ...], mask_shape: tuple[int, ...]) -> Any:
    """The shape that two shapes broadcast to."""
    return broadcast(x_shape, mask_shape)


@gradient(MaskedSelect)
def masked_select_gradient(x: Tensor, mask: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """Zeros with dout at the elements that were read."""
    shape = _broadcast_shape(shape_of(x), shape_of(mask))
    whole = BroadcastTo(shape)(mask)
    return sum_like(scatter_nd(non_zero(whole), dout, shape), x), None


class SearchSorted(PrimitiveWithInfer):
    """The indices at which values would be inserted into sorted sequences: `(sequences, values)`.

    Inputs: sequences, a vector, or a tensor whose dimensions before the last are those of the values; values, a tensor.

    Output: a tensor of `dtype`, of the shape of the values.

    Args:
        dtype: element type of the indices, Int64 or Int32.
        right: insert after equal elements, not before them.

    Example:
        >>> sequence, values = Tensor([1, 3, 5]), Tensor([0, 3, 9])
        >>> print(ops.SearchSorted()(sequence, values), ops.SearchSorted(right=True)(sequence, values))
        [0 1 3] [0 2 3]
    """

    fresh = True

    @prim_attr_register
    def __init__(self, dtype: DType = mstype.int64, right: bool = False) -> None:
        self.init_prim_io_names(inputs=["sorted_sequence", "values"], outputs=["output"])

    def infer_shape(self, sequences: Dims, values: Dims) -> Dims:
        if len(sequences) != 1 and sequences[:-1] != values[:-1]:
            raise ValueError(f"SearchSorted: shapes {sequences} and {values} must agree before the last dimension")
        return values

    def infer_dtype(self, sequences: DType, values: DType) -> DType:
        return self.dtype

    def compute(self, xp: ArrayModule, sequences: Array, values: Array) -> Array:
        side = "right" if self.right else "left"
        if sequences.ndim == 1:
            return xp.searchsorted(sequences, values, side).astype(self.dtype.numpy)
        rows = zip(sequences.reshape(-1, sequences.shape[-1]), values.reshape(-1, values.shape[-1]), strict=True)
        indices = [xp.searchsorted(sequence, value, side) for sequence, value in rows]
        return xp.stack(indices).reshape(values.shape).astype(self.dtype.numpy)


def searchsorted(
    sorted_sequence: Tensor,
    values: Tensor | float,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Tensor:
    """The indices at which values would be inserted into sorted sequences.

    Args:
        sorted_sequence: tensor of shape (..., L), sorted along the last dimension, unless a `sorter` is given.
        values: tensor of shape (..., K).
        out_int32: return Int32 in place of Int64.
        right: insert after equal elements, not before them.
        side: "right" or "left", in place of `right`.
        sorter: indices that sort the sequences.

    Returns:
        A tensor of indices, of the shape of `values`.

    Example:
        >>> print(ops.searchsorted(Tensor([1.0, 3.0, 5.0]), Tensor([0.0, 3.0, 4.0])))
        [0 1 2]

    """
    if sorter is not None:
        sorted_sequence = _gather_d(sorted_sequence, -1, sorter)
    right = right or side == "right"
    return cached(SearchSorted, mstype.int32 if out_int32 else mstype.int64, right)(sorted_sequence, values)


class InTopK(PrimitiveWithInfer):
    """Whether the label's class is among the k most likely classes: `(predictions (N, C), labels (N))`.

    Inputs: predictions of shape (N, C), of a floating-point type; labels, integers of shape (N,).

    Output: a Bool tensor of shape (N,); False for a label out of range.

    Args:
        k: number of most likely classes.

    Example:
        >>> predictions = Tensor([[0.1, 0.7, 0.2], [0.6, 0.1, 0.3]], ms.float32)
        >>> print(ops.InTopK(k=2)(predictions, Tensor([2, 1], ms.int32)))
        [ True False]
    """

    fresh = True

    @prim_attr_register
    def __init__(self, k: int) -> None:
        self.init_prim_io_names(inputs=["x1", "x2"], outputs=["y"])

    def infer_shape(self, predictions: Dims, labels: Dims) -> Dims:
        if len(predictions) != 2 or len(labels) != 1:
            raise ValueError(f"InTopK: predictions {predictions} must be a matrix, and labels {labels} a vector")
        return labels

    def infer_dtype(self, predictions: DType, labels: DType) -> DType:
        return mstype.bool_

    def compute(self, xp: ArrayModule, predictions: Array, labels: Array) -> Array:
        valid = (labels >= 0) & (labels < predictions.shape[1])
        own = predictions[xp.arange(labels.shape[0]), xp.where(valid, labels, 0)]
        return valid & xp.isfinite(own) & ((predictions > own[:, None]).sum(axis=1) < self.k)


def in_top_k(x1: Tensor, x2: Tensor | float, k: int) -> Tensor:
    """Whether the label's class is among the k most likely classes.

    Args:
        x1: predictions of shape (N, C), of a floating-point type.
        x2: labels, integers of shape (N,).
        k: number of most likely classes.

    Returns:
        A Bool tensor of shape (N,); False for a label out of range.

    Example:
        >>> print(ops.in_top_k(Tensor([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]]), Tensor([2, 2], ms.int32), 2))
        [ True False]

    """
    return cached(InTopK, k)(x1, x2)


def bucketize(input: Tensor, boundaries: list[float], *, right: bool = False) -> Tensor:
    """The index of the bucket of each element: 0 below the first boundary, the number of boundaries above the last.

    Args:
        input: tensor of numbers.
        boundaries: sorted numbers, a tuple or list.
        right: put an element that equals a boundary into the bucket above it.

    Returns:
        An Int32 tensor of the shape of `input`.

    Example:
        >>> print(ops.bucketize(Tensor([[0.5, 1.0], [2.5, 9.0]]), [1.0, 2.0, 3.0]))
        [[0 0]
         [2 3]]

    """
    return searchsorted(_boundaries(tuple(boundaries)), cast(input, mstype.float64), out_int32=True, right=right)


@constexpr
def _boundaries(numbers: tuple[float, ...]) -> Tensor:
    return Tensor(list(numbers), mstype.float64)


def intopk(x1: Tensor, x2: Tensor | float, k: int) -> Tensor:
    """Whether the label's class is among the k most likely classes: another name of `in_top_k`.

    Args:
        x1: predictions of shape (N, C), of a floating-point type.
        x2: labels, integers of shape (N,).
        k: number of most likely classes.

    Returns:
        A Bool tensor of shape (N,); False for a label out of range.

    Example:
        >>> print(ops.intopk(Tensor([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]]), Tensor([2, 2], ms.int32), 2))
        [ True False]

    """
    return in_top_k(x1, x2, k)
