"""Operators that read and write elements by Python's indices, and put or sum them where tensors of indices point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ir.abstract import Abstract, AbstractTensor
from framework.ops.operations.shapes import Dims, broadcast
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "GetItem",
    "GetItemGrad",
    "ScatterNd",
    "SetItem",
    "TensorScatterAdd",
    "TensorScatterSub",
    "TensorScatterUpdate",
    "UnsortedSegmentSum",
]

#: Stands in an index for the next tensor of the tuple that comes with it.
TENSOR = "tensor"


class LikeFirst(PrimitiveWithInfer):
    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return x


class GetItem(LikeFirst):
    """x[index] by numpy's rules.

    Inputs: the tensor; the index as a tuple of ints, slices, None, Ellipsis and, for each index tensor, "tensor"; a
    tuple with the index tensors (integers, or Bool masks). Output: a tensor of the shape that the index gives, and of
    the type of x.

    Example:
        >>> x = Tensor([10, 20, 30, 40])
        >>> print(ops.GetItem()(x, (slice(1, 3),), ()))
        [20 30]
        >>> print(ops.GetItem()(x, ("tensor",), (Tensor([3, 0]),)))
        [40 10]
    """

    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "index", "tensors"], outputs=["output"])

    def infer(self, *inputs: Any) -> Abstract:
        x, index, tensors = inputs
        masks = [item for item in tensors.elements if item.dtype is mstype.bool_]
        if not masks:
            return super().infer(*inputs)
        (mask,) = masks
        if len(index.elements) > 1 or mask.shape != x.shape[: len(mask.shape)]:
            raise IndexError(
                "how many elements a mask picks is known only when the program runs: use it alone, with the tensor's "
                "shape or that of its first dimensions"
            )
        return AbstractTensor((None, *x.shape[len(mask.shape) :]), x.dtype)

    def infer_shape(self, x: Dims, index: tuple[Any, ...], tensors: tuple[Dims, ...]) -> Dims:
        return picked_shape(x, index, tensors)

    def compute(self, xp: Any, x: Any, index: tuple[Any, ...], tensors: tuple[Any, ...]) -> Any:
        return x[_filled(index, tensors)]


class GetItemGrad(LikeFirst):
    """The backward of `GetItem`: zeros of a shape with `dout` added where an index picked.

    Inputs: dout, of the shape of what was picked; index and tensors as of `GetItem`; the shape of x, a tuple of ints.
    Output: a tensor of that shape and the type of dout.

    Example:
        >>> print(ops.GetItemGrad()(Tensor([1.0, 2.0, 3.0]), ("tensor",), (Tensor([3, 0, 3]),), (4,)))
        [2. 0. 0. 4.]
    """

    value_inputs = (1, 3)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["dout", "index", "tensors", "shape"], outputs=["dx"])

    def infer_shape(self, dout: Dims, index: Any, tensors: Any, shape: Sequence[int]) -> Dims:
        return tuple(shape)

    def compute(self, xp: Any, dout: Any, index: tuple[Any, ...], tensors: tuple[Any, ...], shape: Any) -> Any:
        out = xp.zeros(shape, dout.dtype)
        if tensors:
            add_at(xp, out, _filled(index, tensors), dout)
        else:
            out[index] = dout
        return out


class SetItem(LikeFirst):
    """A copy of x with x[index] = value; index and tensors as of `GetItem`.

    Inputs: the tensor; index and tensors as of `GetItem`; the value, a tensor or number that broadcasts to the shape of
    the place. Output: a tensor of the shape and type of x.

    Example:
        >>> print(ops.SetItem()(Tensor([10, 20, 30, 40]), (slice(1, 3),), (), Tensor(0)))
        [10  0  0 40]
    """

    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "index", "tensors", "value"], outputs=["output"])

    def infer_shape(self, x: Dims, index: tuple[Any, ...], tensors: tuple[Dims, ...], value: Any) -> Dims:
        place = picked_shape(x, index, tensors)
        if broadcast(place, value) != place:
            raise ValueError(f"a value of shape {value} does not fit into a place of shape {place}")
        return x

    def compute(self, xp: Any, x: Any, index: tuple[Any, ...], tensors: tuple[Any, ...], value: Any) -> Any:
        out = x.copy()
        out[_filled(index, tensors)] = value
        return out


class ScatterNd(PrimitiveWithInfer):
    """Zeros of a shape with updates added where the last dimension of the indices points to.

    What several indices point to gets the sum of their updates.

    Inputs: indices, integers of shape (..., K); updates, of the shape of the indices without the last dimension,
    followed by that of the result without the first K; the shape, a tuple of ints. Output: a tensor of that shape and
    the type of the updates.

    Example:
        >>> print(ops.ScatterNd()(Tensor([[1], [3], [1]]), Tensor([10, 20, 5]), (4,)))
        [ 0 15  0 20]
    """

    value_inputs = (2,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["indices", "update", "shape"], outputs=["output"])

    def infer_shape(self, indices: Dims, updates: Dims, shape: Sequence[int]) -> Dims:
        check_updates(self.name, tuple(shape), indices, updates)
        return tuple(shape)

    def infer_dtype(self, indices: DType, updates: DType, shape: Any) -> DType:
        return updates

    def compute(self, xp: Any, indices: Any, updates: Any, shape: Sequence[int]) -> Any:
        check_updates(self.name, tuple(shape), indices.shape, updates.shape)
        out = xp.zeros(shape, updates.dtype)
        add_at(xp, out, tuple(xp.moveaxis(indices, -1, 0)), updates)
        return out


class TensorScatterUpdate(LikeFirst):
    """A copy of x with updates put where the last dimension of the indices points to.

    Inputs: the tensor x, (A, B, ...); indices, integers of shape (..., K), each row naming a place in the first K
    dimensions of x; updates, of the type of x and the shape of the indices without their last dimension, followed by
    that of x without its first K. Output: a tensor of the shape and type of x.

    Example:
        >>> x = Tensor([[1, 2], [3, 4]])
        >>> print(ops.TensorScatterUpdate()(x, Tensor([[0, 1], [1, 0]]), Tensor([20, 30])))
        [[ 1 20]
         [30  4]]
    """

    arguments = ("input_x", "indices", "updates")

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["input_x", "indices", "updates"], outputs=["y"])

    def infer_shape(self, x: Dims, indices: Dims, updates: Dims) -> Dims:
        check_updates(self.name, x, indices, updates)
        return x

    def compute(self, xp: Any, x: Any, indices: Any, updates: Any) -> Any:
        check_updates(self.name, x.shape, indices.shape, updates.shape)
        out = x.copy()
        self.put(xp, out, tuple(xp.moveaxis(indices, -1, 0)), updates)
        return out

    def put(self, xp: Any, out: Any, index: tuple[Any, ...], updates: Any) -> None:
        """Combine the updates with the elements of `out`, in place."""
        out[index] = updates


class TensorScatterAdd(TensorScatterUpdate):
    """A copy of x with updates added where the last dimension of the indices points to.

    What several indices point to gets all their updates.

    Inputs: the tensor x, (A, B, ...); indices, integers of shape (..., K), each row naming a place in the first K
    dimensions of x; updates, of the type of x and the shape of the indices without their last dimension, followed by
    that of x without its first K. Output: a tensor of the shape and type of x.

    Example:
        >>> print(ops.TensorScatterAdd()(Tensor([1, 2, 3]), Tensor([[0], [2], [0]]), Tensor([10, 20, 30])))
        [41  2 23]
    """

    def put(self, xp: Any, out: Any, index: tuple[Any, ...], updates: Any) -> None:
        add_at(xp, out, index, updates)


class TensorScatterSub(TensorScatterUpdate):
    """A copy of x with updates subtracted where the last dimension of the indices points to.

    From what several indices point to all their updates are subtracted.

    Inputs: the tensor x, (A, B, ...); indices, integers of shape (..., K), each row naming a place in the first K
    dimensions of x; updates, of the type of x and the shape of the indices without their last dimension, followed by
    that of x without its first K. Output: a tensor of the shape and type of x.

    Example:
        >>> print(ops.TensorScatterSub()(Tensor([50, 50, 50]), Tensor([[0], [2], [0]]), Tensor([10, 20, 30])))
        [10 50 30]
    """

    takes = MappingProxyType({0: mstype.number_type, 2: mstype.number_type})

    def put(self, xp: Any, out: Any, index: tuple[Any, ...], updates: Any) -> None:
        add_at(xp, out, index, -updates)


class UnsortedSegmentSum(LikeFirst):
    """The sums of the slices with the same segment id: out[s] = sum of x[i] over segment_ids[i] == s.

    A segment that no id names is 0; slices with an id below 0 are left out.

    Inputs: the tensor x; segment ids, integers below the number of segments, of the shape of the first dimensions of x;
    the number of segments S, an int. Output: a tensor of the type of x; its shape is S, followed by the other
    dimensions of x.

    Example:
        >>> print(ops.UnsortedSegmentSum()(Tensor([1, 2, 3, 4]), Tensor([0, 2, 0, -1]), 3))
        [4 0 2]
    """

    arguments = ("input_x", "segment_ids", "num_segments")
    value_inputs = (2,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "segment_ids", "num_segments"], outputs=["y"])

    def infer_shape(self, x: Dims, segment_ids: Dims, num_segments: int) -> Dims:
        return (num_segments, *x[len(segment_ids) :])

    def compute(self, xp: Any, x: Any, segment_ids: Any, num_segments: int) -> Any:
        out = xp.zeros((num_segments, *x.shape[segment_ids.ndim :]), x.dtype)
        valid = segment_ids >= 0
        add_at(xp, out, (segment_ids[valid],), x[valid])
        return out


def picked_shape(shape: Dims, index: tuple[Any, ...], tensors: tuple[Dims, ...]) -> Dims:
    """The shape of x[index] for a tensor of a shape: numpy says it of an array that takes no memory.

    Raises:
        IndexError: the index does not fit, or is a mask, whose number of elements only the run shows.

    """
    if None in shape or any(None in dims for dims in tensors):
        index = _without_lengths(shape, index)
        one, other = (
            picked_shape(_with_length(shape, length), index, tuple(_with_length(dims, length) for dims in tensors))
            for length in (2, 3)
        )
        return tuple(a if a == b else None for a, b in zip(one, other, strict=True))
    hollow = np.broadcast_to(np.zeros((), np.bool_), tuple(int(size) for size in shape if size is not None))
    arrays = tuple(np.zeros([size or 0 for size in dims], np.int64) for dims in tensors)
    return tuple(int(size) for size in hollow[_filled(index, arrays)].shape)


def _with_length(shape: Dims, length: int) -> Dims:
    """The shape with a length in place of those that are not known."""
    return tuple(length if size is None else size for size in shape)


def _without_lengths(shape: Dims, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """The index with what fits any length at dimensions that are not known: part of one is one of unknown length."""
    taken = sum(item is not None and item is not Ellipsis for item in index)
    made: list[Any] = []
    at = 0
    for item in index:
        if item is Ellipsis:
            at += len(shape) - taken
        elif item is not None:
            if at < len(shape) and shape[at] is None and isinstance(item, int | slice):
                item = slice(None) if isinstance(item, slice) else 0
            at += 1
        made.append(item)
    return tuple(made)


def _filled(index: tuple[Any, ...], tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    """The index with its tensors in their places."""
    if not tensors:
        return index
    waiting = iter(tensors)
    return tuple(next(waiting) if isinstance(item, str) else item for item in index)


def add_at(xp: Any, out: Any, index: tuple[Any, ...], values: Any) -> None:
    """out[index] += values, where an element may be named several times."""
    xp.add.at(out, index, values)


def check_updates(name: str, shape: Dims, indices: Dims, updates: Dims) -> None:
    depth = indices[-1]
    if depth is None or depth > len(shape):
        raise ValueError(f"{name}: indices of shape {indices} point deeper than shape {shape}")
    wanted = indices[:-1] + shape[depth:]
    if len(updates) != len(wanted) or math.prod(u or 1 for u in updates) != math.prod(w or 1 for w in wanted):
        raise ValueError(f"{name}: updates of shape {updates} do not fit, {wanted} is needed")
