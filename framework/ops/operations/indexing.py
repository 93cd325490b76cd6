"""Operators that pick elements by index, put them back, or sort them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ir.abstract import Abstract, AbstractTensor
from framework.ops.operations.elementwise import promoted
from framework.ops.operations.shapes import Dims, broadcast, normal_axis
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "Gather",
    "GatherD",
    "GatherDGrad",
    "GatherGrad",
    "GatherNd",
    "GetItem",
    "GetItemGrad",
    "MaskedFill",
    "OneHot",
    "ScatterNd",
    "Select",
    "SetItem",
    "Slice",
    "SliceGrad",
    "Sort",
    "StridedSlice",
    "StridedSliceGrad",
    "TensorScatterAdd",
    "TensorScatterSub",
    "TensorScatterUpdate",
    "TopK",
    "UnsortedSegmentSum",
]

#: Stands in an index for the next tensor of the tuple that comes with it.
TENSOR = "tensor"


class _LikeFirst(PrimitiveWithInfer):
    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return x


class GetItem(_LikeFirst):
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


class GetItemGrad(_LikeFirst):
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
            _add_at(xp, out, _filled(index, tensors), dout)
        else:
            out[index] = dout
        return out


class SetItem(_LikeFirst):
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


class Gather(_LikeFirst):
    """The slices of x along an axis that indices name.

    For axis 1 and a matrix: out[i][j] = x[i][indices[j]]. An index below 0 counts from the end.

    Inputs: the tensor x; indices, integers of any shape; the axis, an int. Output: a tensor of the type of x and of its
    shape, where that of the indices, without its first `batch_dims` dimensions, takes the place of the axis.

    Args:
        batch_dims: how many leading dimensions x and the indices share.

    Example:
        >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
        >>> print(ops.Gather()(x, Tensor([2, 0]), 1))
        [[3 1]
         [6 4]]
        >>> print(ops.Gather(batch_dims=1)(x, Tensor([2, 0]), 1))
        [3 4]
    """

    value_inputs = (2,)

    @prim_attr_register
    def __init__(self, batch_dims: int = 0) -> None:
        self.init_prim_io_names(inputs=["param", "indices", "axis"], outputs=["output"])

    def infer_shape(self, x: Dims, indices: Dims, axis: int) -> Dims:
        at = normal_axis(axis, len(x))
        return x[:at] + indices[self.batch_dims :] + x[at + 1 :]

    def compute(self, xp: Any, x: Any, indices: Any, axis: int) -> Any:
        if self.batch_dims == 0:
            return xp.take(x, indices, axis)
        # The shared dimensions become one, in which each row has indices of its own.
        at = normal_axis(axis, x.ndim)
        shared = x.shape[: self.batch_dims]
        flat = x.reshape(-1, *x.shape[self.batch_dims :])
        picked = indices.reshape(-1, *indices.shape[self.batch_dims :])
        rows = [xp.take(row, index, at - self.batch_dims) for row, index in zip(flat, picked, strict=True)]
        return xp.stack(rows).reshape(*shared, *rows[0].shape)


class GatherGrad(_LikeFirst):
    """The backward of `Gather`: zeros of a shape with the slices of `dout` added where indices point.

    Inputs: dout, of the shape that `Gather` gives; indices and axis as of `Gather`; the shape of x, a tuple of ints.
    Output: a tensor of that shape and the type of dout.

    Args:
        batch_dims: as of `Gather`.

    Example:
        >>> print(ops.GatherGrad()(Tensor([1.0, 2.0, 3.0]), Tensor([2, 0, 2]), 0, (4,)))
        [2. 0. 4. 0.]
    """

    value_inputs = (2, 3)

    @prim_attr_register
    def __init__(self, batch_dims: int = 0) -> None:
        self.init_prim_io_names(inputs=["dout", "indices", "axis", "shape"], outputs=["dx"])

    def infer_shape(self, dout: Dims, indices: Dims, axis: int, shape: Sequence[int]) -> Dims:
        return tuple(shape)

    def compute(self, xp: Any, dout: Any, indices: Any, axis: int, shape: Sequence[int]) -> Any:
        at = normal_axis(axis, len(shape))
        out = xp.zeros(shape, dout.dtype)
        batch = self.batch_dims
        # dout[batch, before, indices, after] goes to out[batch, before, at, after].
        index = tuple(
            xp.arange(size).reshape(-1, *(1,) * (dout.ndim - i - 1)) for i, size in enumerate(dout.shape[:at])
        )
        pointed = indices.reshape((*indices.shape[:batch], *(1,) * (at - batch), *indices.shape[batch:]))
        pointed = pointed.reshape((*pointed.shape, *(1,) * (len(shape) - at - 1)))
        after = tuple(
            xp.arange(size).reshape(-1, *(1,) * (len(shape) - at - 2 - i)) for i, size in enumerate(shape[at + 1 :])
        )
        _add_at(xp, out, (*index, pointed, *after), dout)
        return out


class GatherD(_LikeFirst):
    """Elements along an axis: out[i][j][k] = x[i][index[i][j][k]][k] for axis 1.

    Inputs: the tensor x; the axis, an int; index, integers of as many dimensions as x. Output: a tensor of the shape of
    the index and the type of x.

    Example:
        >>> print(ops.GatherD()(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])))
        [[1 1]
         [4 3]]
    """

    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "dim", "index"], outputs=["output"])

    def infer_shape(self, x: Dims, dim: int, index: Dims) -> Dims:
        normal_axis(dim, len(x))
        return index

    def compute(self, xp: Any, x: Any, dim: int, index: Any) -> Any:
        return x[along(xp, index, normal_axis(dim, x.ndim))]


class GatherDGrad(_LikeFirst):
    """The backward of `GatherD`: zeros of a shape with elements of `dout` added where an index points.

    Inputs: dout, of the shape of the index; axis and index as of `GatherD`; the shape of x, a tuple of ints. Output: a
    tensor of that shape and the type of dout.

    Example:
        >>> print(ops.GatherDGrad()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1, Tensor([[0, 0], [1, 0]]), (2, 2)))
        [[3. 0.]
         [4. 3.]]
    """

    value_inputs = (1, 3)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["dout", "dim", "index", "shape"], outputs=["dx"])

    def infer_shape(self, dout: Dims, dim: int, index: Dims, shape: Sequence[int]) -> Dims:
        return tuple(shape)

    def compute(self, xp: Any, dout: Any, dim: int, index: Any, shape: Any) -> Any:
        out = xp.zeros(shape, dout.dtype)
        _add_at(xp, out, along(xp, index, normal_axis(dim, out.ndim)), dout)
        return out


class GatherNd(_LikeFirst):
    """The slices that the last dimension of the indices points to.

    For a matrix and K = 2: out[i] = x[indices[i, 0], indices[i, 1]]; for K = 1: the row x[indices[i, 0]].

    Inputs: the tensor x; indices, integers of shape (..., K), K at most the number of dimensions of x. Output: a tensor
    of the type of x; its shape is that of the indices without the last dimension, followed by that of x without the
    first K.

    Example:
        >>> x = Tensor([[1, 2], [3, 4]])
        >>> print(ops.GatherNd()(x, Tensor([[0, 1], [1, 0]])), ops.GatherNd()(x, Tensor([[1]])))
        [2 3] [[3 4]]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["input_x", "indices"], outputs=["y"])

    def infer_shape(self, x: Dims, indices: Dims) -> Dims:
        depth = indices[-1]
        if depth is None or depth > len(x):
            raise ValueError(f"GatherNd: indices of shape {indices} point deeper than shape {x}")
        return indices[:-1] + x[depth:]

    def compute(self, xp: Any, x: Any, indices: Any) -> Any:
        return x[tuple(xp.moveaxis(indices, -1, 0))]


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
        _add_at(xp, out, tuple(xp.moveaxis(indices, -1, 0)), updates)
        return out


class TensorScatterUpdate(_LikeFirst):
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
        _add_at(xp, out, index, updates)


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

    def put(self, xp: Any, out: Any, index: tuple[Any, ...], updates: Any) -> None:
        _add_at(xp, out, index, -updates)


class UnsortedSegmentSum(_LikeFirst):
    """The sums of the slices with the same segment id: out[s] = sum of x[i] over segment_ids[i] == s.

    A segment that no id names is 0; slices with an id below 0 are left out.

    Inputs: the tensor x; segment ids, integers below the number of segments, of the shape of the first dimensions of x;
    the number of segments S, an int. Output: a tensor of the type of x; its shape is S, followed by the other
    dimensions of x.

    Example:
        >>> print(ops.UnsortedSegmentSum()(Tensor([1, 2, 3, 4]), Tensor([0, 2, 0, -1]), 3))
        [4 0 2]
    """

    value_inputs = (2,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "segment_ids", "num_segments"], outputs=["y"])

    def infer_shape(self, x: Dims, segment_ids: Dims, num_segments: int) -> Dims:
        return (num_segments, *x[len(segment_ids) :])

    def compute(self, xp: Any, x: Any, segment_ids: Any, num_segments: int) -> Any:
        out = xp.zeros((num_segments, *x.shape[segment_ids.ndim :]), x.dtype)
        valid = segment_ids >= 0
        _add_at(xp, out, (segment_ids[valid],), x[valid])
        return out


class Slice(_LikeFirst):
    """A block of `size` elements per dimension from `begin` on; -1 takes all that is left.

    Inputs: the tensor x; begin and size, tuples with an int for each dimension of x. Output: a tensor of the block's
    shape and the type of x.

    Example:
        >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
        >>> print(ops.Slice()(x, (0, 1), (-1, 2)))
        [[2 3]
         [5 6]]
    """

    value_inputs = (1, 2)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "begin", "size"], outputs=["output"])

    def infer_shape(self, x: Dims, begin: Sequence[int], size: Sequence[int]) -> Dims:
        return picked_shape(x, _block(begin, size), ())

    def compute(self, xp: Any, x: Any, begin: Any, size: Any) -> Any:
        return x[_block(begin, size)]


class SliceGrad(_LikeFirst):
    """The backward of `Slice`: zeros of a shape with `dout` where the block was.

    Inputs: dout, of the block's shape; begin and size as of `Slice`; the shape of x, a tuple of ints. Output: a tensor
    of that shape and the type of dout.

    Example:
        >>> print(ops.SliceGrad()(Tensor([1.0, 2.0]), (1,), (2,), (4,)))
        [0. 1. 2. 0.]
    """

    value_inputs = (1, 2, 3)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["dout", "begin", "size", "shape"], outputs=["dx"])

    def infer_shape(self, dout: Dims, begin: Any, size: Any, shape: Sequence[int]) -> Dims:
        return tuple(shape)

    def compute(self, xp: Any, dout: Any, begin: Any, size: Any, shape: Any) -> Any:
        out = xp.zeros(shape, dout.dtype)
        out[_block(begin, size)] = dout
        return out


class StridedSlice(_LikeFirst):
    """Every `strides`-th element from `begin` up to, but without, `end`, per dimension.

    Inputs: the tensor x; begin, end and strides, tuples of ints of one length, for the first dimensions of x; the other
    ones stay whole. Output: a tensor of the type of x, of the shape of what is taken.

    Args:
        begin_mask: bit i: dimension i begins at its first element.
        end_mask: bit i: dimension i ends with its last element.
        ellipsis_mask: bit i: all dimensions not named by the others stand here.
        new_axis_mask: bit i: a new dimension of length 1 stands here.
        shrink_axis_mask: bit i: only the element at `begin`, and the dimension goes.

    Example:
        >>> x = Tensor([[1, 2, 3, 4], [5, 6, 7, 8]])
        >>> print(ops.StridedSlice()(x, (0, 0), (2, 4), (1, 2)))
        [[1 3]
         [5 7]]
        >>> print(ops.StridedSlice(shrink_axis_mask=1)(x, (1, 3), (2, 0), (1, -1)))
        [8 7 6]
    """

    value_inputs: ClassVar[tuple[int, ...]] = (1, 2, 3)

    @prim_attr_register
    def __init__(
        self,
        begin_mask: int = 0,
        end_mask: int = 0,
        ellipsis_mask: int = 0,
        new_axis_mask: int = 0,
        shrink_axis_mask: int = 0,
    ) -> None:
        self.init_prim_io_names(inputs=["x", "begin", "end", "strides"], outputs=["output"])

    def infer_shape(self, x: Dims, begin: Sequence[int], end: Sequence[int], strides: Sequence[int]) -> Dims:
        return picked_shape(x, self.index(begin, end, strides), ())

    def compute(self, xp: Any, x: Any, begin: Any, end: Any, strides: Any) -> Any:
        return x[self.index(begin, end, strides)]

    def index(self, begin: Sequence[int], end: Sequence[int], strides: Sequence[int]) -> tuple[Any, ...]:
        """The same as an index of Python."""
        parts: list[Any] = []
        for i, (first, last, step) in enumerate(zip(begin, end, strides, strict=True)):
            bit = 1 << i
            if self.ellipsis_mask & bit:
                parts.append(Ellipsis)
            elif self.new_axis_mask & bit:
                parts.append(None)
            elif self.shrink_axis_mask & bit:
                parts.append(first)
            else:
                parts.append(slice(None if self.begin_mask & bit else first, self._last(bit, first, last, step), step))
        return tuple(parts)

    def _last(self, bit: int, first: int, last: int, step: int) -> int | None:
        """Where to stop; Python reads -1 from the end, so what passes the first element backwards is None."""
        return None if self.end_mask & bit or (step < 0 and last < 0 <= first) else last


class StridedSliceGrad(StridedSlice):
    """The backward of `StridedSlice`: zeros of a shape with `dout` where elements were taken.

    Inputs: dout, of the shape of what was taken; begin, end and strides as of `StridedSlice`; the shape of x, a tuple
    of ints. Output: a tensor of that shape and the type of dout.

    Args:
        begin_mask: as of `StridedSlice`.
        end_mask: as of `StridedSlice`.
        ellipsis_mask: as of `StridedSlice`.
        new_axis_mask: as of `StridedSlice`.
        shrink_axis_mask: as of `StridedSlice`.

    Example:
        >>> print(ops.StridedSliceGrad()(Tensor([1.0, 2.0]), (0,), (4,), (2,), (4,)))
        [1. 0. 2. 0.]
    """

    value_inputs = (1, 2, 3, 4)

    def infer_shape(self, dout: Dims, begin: Any, end: Any, strides: Any, shape: Any = ()) -> Dims:
        return tuple(shape)

    def compute(self, xp: Any, dout: Any, begin: Any, end: Any, strides: Any, shape: Any = ()) -> Any:
        out = xp.zeros(shape, dout.dtype)
        out[self.index(begin, end, strides)] = dout
        return out


class Select(PrimitiveWithInfer):
    """x where a condition holds, y elsewhere.

    Inputs: the condition, a Bool tensor; x and y, tensors or numbers; their shapes broadcast. Output: a tensor of the
    broadcast shape, of the type that x and y promote to.

    Example:
        >>> x, y = Tensor([1.0, 2.0, 3.0]), Tensor([-1.0, -2.0, -3.0])
        >>> print(ops.Select()(Tensor([True, False, True]), x, y))
        [ 1. -2.  3.]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["condition", "x", "y"], outputs=["output"])

    def infer_shape(self, condition: Any, x: Any, y: Any) -> Dims:
        return broadcast(condition, x, y)

    def infer_dtype(self, condition: Any, x: Any, y: Any) -> DType:
        return mstype.result_type(x, y)

    def compute(self, xp: Any, condition: Any, x: Any, y: Any) -> Any:
        return xp.where(condition, *promoted(xp, x, y))


class MaskedFill(PrimitiveWithInfer):
    """x with one value where a mask holds.

    Inputs: the tensor x; the mask, a Bool tensor; the value, a number or a scalar tensor, brought to the type of x; the
    shapes of x and the mask broadcast. Output: a tensor of the broadcast shape and the type of x.

    Example:
        >>> print(ops.MaskedFill()(Tensor([1.0, 2.0, 3.0]), Tensor([True, False, True]), 0.5))
        [0.5 2.  0.5]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["input", "mask", "value"], outputs=["output"])

    def infer_shape(self, x: Dims, mask: Dims, value: Any) -> Dims:
        return broadcast(x, mask)

    def infer_dtype(self, x: DType, mask: DType, value: Any) -> DType:
        return x

    def compute(self, xp: Any, x: Any, mask: Any, value: Any) -> Any:
        return xp.where(mask, xp.asarray(value, x.dtype), x)


class OneHot(PrimitiveWithInfer):
    """A new axis of length `depth` with `on_value` at the index and `off_value` elsewhere.

    An index out of range gives a row of `off_value`.

    Inputs: indices, integers of any shape; the depth, an int; `on_value` and `off_value`, scalar tensors or numbers.
    Output: a tensor of the shape of the indices with the new axis, of the type that both values promote to.

    Args:
        axis: where the new axis is, -1 for the last.

    Example:
        >>> print(ops.OneHot()(Tensor([0, 2, 5]), 3, Tensor(1.0), Tensor(0.0)))
        [[1. 0. 0.]
         [0. 0. 1.]
         [0. 0. 0.]]
    """

    value_inputs = (1,)

    @prim_attr_register
    def __init__(self, axis: int = -1) -> None:
        self.init_prim_io_names(inputs=["indices", "depth", "on_value", "off_value"], outputs=["output"])

    def infer_shape(self, indices: Dims, depth: int, on_value: Any, off_value: Any) -> Dims:
        axis = normal_axis(self.axis, len(indices) + 1)
        return (*indices[:axis], depth, *indices[axis:])

    def infer_dtype(self, indices: DType, depth: int, on_value: Any, off_value: Any) -> DType:
        if not isinstance(on_value, DType) and not isinstance(off_value, DType):
            return mstype.pytype_to_dtype(type(on_value))
        return mstype.result_type(on_value, off_value)

    def compute(self, xp: Any, indices: Any, depth: int, on_value: Any, off_value: Any) -> Any:
        axis = normal_axis(self.axis, indices.ndim + 1)
        classes = xp.arange(depth).reshape(-1, *(1,) * (indices.ndim - axis))
        return xp.where(xp.expand_dims(indices, axis) == classes, *promoted(xp, on_value, off_value))


class TopK(PrimitiveWithInfer):
    """The `k` largest elements along the last axis, the largest first, and their indices.

    Of equal elements the one with the lower index comes first.

    Inputs: a tensor of shape (..., N), of integers or floating-point numbers; k, an int of at most N. Outputs: the
    elements, (..., k), of its type; their indices, (..., k) Int32.

    Args:
        sorted: recorded; the elements always come sorted.

    Example:
        >>> values, indices = ops.TopK()(Tensor([3.0, 9.0, 1.0, 7.0]), 2)
        >>> print(values, indices)
        [9. 7.] [1 3]
    """

    value_inputs = (1,)

    @prim_attr_register
    def __init__(self, sorted: bool = True) -> None:  # noqa: A002 - MindSpore's name
        self.init_prim_io_names(inputs=["input", "k"], outputs=["values", "indices"])

    def infer_shape(self, x: Dims, k: int) -> tuple[Dims, Dims]:
        if x[-1] is not None and k > x[-1]:
            raise ValueError(f"TopK: there are no {k} elements along the last dimension of {x}")
        return (*x[:-1], k), (*x[:-1], k)

    def infer_dtype(self, x: DType, k: int) -> tuple[DType, DType]:
        return x, mstype.int32

    def compute(self, xp: Any, x: Any, k: int) -> Any:
        self.infer_shape(x.shape, k)
        order = xp.argsort(_opposite(x), axis=-1, kind="stable")[..., :k]
        return xp.take_along_axis(x, order, -1), order.astype(xp.int32)


class Sort(PrimitiveWithInfer):
    """The elements along an axis in order, and the indices where they were.

    Equal elements keep their order.

    Inputs: a tensor of any shape. Outputs: its elements, of its shape and type; the indices, of its shape, Int32.

    Args:
        axis: the axis.
        descending: the largest first.

    Example:
        >>> values, indices = ops.Sort(descending=True)(Tensor([3.0, 9.0, 1.0]))
        >>> print(values, indices)
        [9. 3. 1.] [1 0 2]
    """

    @prim_attr_register
    def __init__(self, axis: int = -1, descending: bool = False) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y1", "y2"])

    def infer_shape(self, x: Dims) -> tuple[Dims, Dims]:
        return x, x

    def infer_dtype(self, x: DType) -> tuple[DType, DType]:
        return x, mstype.int32

    def compute(self, xp: Any, x: Any) -> Any:
        order = xp.argsort(_opposite(x) if self.descending else x, axis=self.axis, kind="stable")
        return xp.take_along_axis(x, order, self.axis), order.astype(xp.int32)


def _opposite(x: Any) -> Any:
    """Numbers in the opposite order: of integers the complement, since the smallest has no negative."""
    return -x if x.dtype.kind in "fc" else ~x


def picked_shape(shape: Dims, index: tuple[Any, ...], tensors: tuple[Dims, ...]) -> Dims:
    """The shape of x[index] for a tensor of a shape: numpy says it of an array that takes no memory.

    Raises:
        IndexError: the index does not fit, or is a mask, whose number of elements only the run shows.

    """
    if None in shape:
        if shape[0] is None and None not in shape[1:] and not tensors and _keeps_first(index):
            return (None, *picked_shape((1, *shape[1:]), index, ())[1:])
        raise IndexError(f"an index into shape {shape} needs its dimensions, which are not known while compiling")
    hollow = np.broadcast_to(np.zeros((), np.bool_), tuple(int(size) for size in shape if size is not None))
    arrays = tuple(np.zeros([size or 0 for size in dims], np.int64) for dims in tensors)
    return tuple(int(size) for size in hollow[_filled(index, arrays)].shape)


def _keeps_first(index: tuple[Any, ...]) -> bool:
    return not index or index[0] == slice(None) or index[0] is Ellipsis


def _filled(index: tuple[Any, ...], tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    """The index with its tensors in their places."""
    if not tensors:
        return index
    waiting = iter(tensors)
    return tuple(next(waiting) if isinstance(item, str) else item for item in index)


def _block(begin: Sequence[int], size: Sequence[int]) -> tuple[slice, ...]:
    return tuple(slice(first, None if count == -1 else first + count) for first, count in zip(begin, size, strict=True))


def along(xp: Any, index: Any, axis: int) -> tuple[Any, ...]:
    """Indices of all dimensions for picking along one."""
    return tuple(
        index if i == axis else xp.arange(size).reshape(-1, *(1,) * (index.ndim - i - 1))
        for i, size in enumerate(index.shape)
    )


def _add_at(xp: Any, out: Any, index: tuple[Any, ...], values: Any) -> None:
    """out[index] += values, where an element may be named several times."""
    xp.add.at(out, index, values)


def check_updates(name: str, shape: Dims, indices: Dims, updates: Dims) -> None:
    depth = indices[-1]
    if depth is None or depth > len(shape):
        raise ValueError(f"{name}: indices of shape {indices} point deeper than shape {shape}")
    wanted = indices[:-1] + shape[depth:]
    if len(updates) != len(wanted) or math.prod(u or 1 for u in updates) != math.prod(w or 1 for w in wanted):
        raise ValueError(f"{name}: updates of shape {updates} do not fit, {wanted} is needed")
