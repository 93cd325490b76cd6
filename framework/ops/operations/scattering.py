"""Operators that put elements where indices point: into copies of tensors, into Parameters, and per segment."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.kernels import repeated
from framework.ops.operations.gathering import along
from framework.ops.operations.indexing import TensorScatterUpdate, check_updates
from framework.ops.operations.shapes import Dims, normal_axis
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "IndexAdd",
    "ScatterAdd",
    "ScatterDiv",
    "ScatterMax",
    "ScatterMin",
    "ScatterMul",
    "ScatterNdAdd",
    "ScatterNdSub",
    "ScatterNdUpdate",
    "ScatterSub",
    "ScatterUpdate",
    "TensorScatterDiv",
    "TensorScatterElements",
    "TensorScatterMax",
    "TensorScatterMin",
    "TensorScatterMul",
    "UnsortedSegmentMax",
    "UnsortedSegmentMin",
    "UnsortedSegmentProd",
]


def combine(xp: Any, out: Any, index: Any, values: Any, how: str) -> None:
    """Combine values with the elements of `out` that an index names, in place; how: numpy's ufunc, or "" to replace."""
    if how:
        repeated.at(xp, how, out, index, values)
    else:
        out[index] = values


class TensorScatterMul(TensorScatterUpdate):
    """A copy of x with updates multiplied where the last dimension of the indices points to.

    Its derivative by the updates is that of indices that differ.

    Inputs: x; indices of shape (..., depth), of integers; updates, of shape indices.shape[:-1] + x.shape[depth:].

    Output: a tensor of the shape and element type of x.

    Example:
        >>> x = Tensor([1.0, 2.0, 3.0], ms.float32)
        >>> print(ops.TensorScatterMul()(x, Tensor([[0], [2]]), Tensor([10.0, 10.0], ms.float32)))
        [10.  2. 30.]
    """

    how: ClassVar[str] = "multiply"

    def put(self, xp: Any, out: Any, index: tuple[Any, ...], updates: Any) -> None:
        combine(xp, out, index, updates, self.how)


class TensorScatterDiv(TensorScatterMul):
    """A copy of x divided by updates where the last dimension of the indices points to.

    Its derivative by the updates is that of indices that differ.

    Inputs: x, of a floating-point type; indices of shape (..., depth), of integers; updates, of shape
    indices.shape[:-1] + x.shape[depth:].

    Output: a tensor of the shape and element type of x.

    Example:
        >>> x = Tensor([10.0, 20.0, 30.0], ms.float32)
        >>> print(ops.TensorScatterDiv()(x, Tensor([[0], [2]]), Tensor([5.0, 10.0], ms.float32)))
        [ 2. 20.  3.]
    """

    how = "divide"


class TensorScatterMax(TensorScatterMul):
    """A copy of x with the larger of element and update where the last dimension of the indices points to.

    Inputs: x; indices of shape (..., depth), of integers; updates, of shape indices.shape[:-1] + x.shape[depth:].

    Output: a tensor of the shape and element type of x.

    Example:
        >>> print(ops.TensorScatterMax()(Tensor([1, 5, 9]), Tensor([[0], [2]]), Tensor([7, 7])))
        [7 5 9]
    """

    how = "maximum"


class TensorScatterMin(TensorScatterMul):
    """A copy of x with the smaller of element and update where the last dimension of the indices points to.

    Inputs: x; indices of shape (..., depth), of integers; updates, of shape indices.shape[:-1] + x.shape[depth:].

    Output: a tensor of the shape and element type of x.

    Example:
        >>> print(ops.TensorScatterMin()(Tensor([1, 5, 9]), Tensor([[0], [2]]), Tensor([7, 7])))
        [1 5 7]
    """

    how = "minimum"


class TensorScatterElements(PrimitiveWithInfer):
    """A copy of x with updates along an axis: out[index[i, j], j] = updates[i, j] for axis 0.

    Inputs: x; indices, integers, with as many dimensions as x; updates, of the shape of the indices.

    Output: a tensor of the shape and element type of x.

    Args:
        axis: the axis.
        reduction: "none": they replace; "add": they are added.

    Example:
        >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
        >>> print(ops.TensorScatterElements(axis=1)(x, Tensor([[2], [0]]), Tensor([[30], [40]])))
        [[ 1  2 30]
         [40  5  6]]
    """

    fresh = True

    @prim_attr_register
    def __init__(self, axis: int = 0, reduction: str = "none") -> None:
        self.init_prim_io_names(inputs=["data", "indices", "updates"], outputs=["y"])
        if reduction not in ("none", "add"):
            raise ValueError(f"TensorScatterElements: reduction must be none or add, not {reduction!r}")

    def infer_shape(self, x: Dims, indices: Dims, updates: Dims) -> Dims:
        normal_axis(self.axis, len(x))
        if len(indices) != len(x) or indices != updates:
            raise ValueError(f"{self.name}: indices {indices} and updates {updates} must have one shape, of {x}'s rank")
        return x

    def infer_dtype(self, x: DType, indices: DType, updates: DType) -> DType:
        return x

    def compute(self, xp: Any, x: Any, indices: Any, updates: Any) -> Any:
        self.infer_shape(x.shape, indices.shape, updates.shape)
        out = x.copy()
        index = along(xp, indices, normal_axis(self.axis, x.ndim))
        combine(xp, out, index, updates, "add" if self.reduction == "add" else "")
        return out


class ScatterUpdate(PrimitiveWithInfer):
    """Puts rows into a Parameter: parameter[indices] = updates, and returns it.

    Inputs: a Parameter x; indices, integers; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: recorded.

    Example:
        >>> x = ms.Parameter(Tensor([[1, 1], [2, 2], [3, 3]]), name="x")
        >>> print(ops.ScatterUpdate()(x, Tensor([2, 0]), Tensor([[9, 9], [7, 7]])))
        [[7 7]
         [2 2]
         [9 9]]
    """

    arguments = ("input_x", "indices", "updates")
    side_effect = True
    fresh = True
    writes = MappingProxyType({0: 0})
    how: ClassVar[str] = ""

    @prim_attr_register
    def __init__(self, use_locking: bool = True) -> None:
        self.init_prim_io_names(inputs=["x", "indices", "value"], outputs=["y"])

    def infer_shape(self, x: Dims, indices: Dims, updates: Dims) -> Dims:
        if updates != indices + x[1:]:
            raise ValueError(f"{self.name}: updates of shape {updates} do not fit, {indices + x[1:]} is needed")
        return x

    def infer_dtype(self, x: DType, indices: DType, updates: DType) -> DType:
        return x

    def compute(self, xp: Any, x: Any, indices: Any, updates: Any) -> Any:
        self.infer_shape(x.shape, indices.shape, updates.shape)
        out = x.copy()
        combine(xp, out, self.index(xp, indices), updates.astype(x.dtype, copy=False), self.how)
        return out

    def index(self, xp: Any, indices: Any) -> Any:
        """The index as numpy takes it."""
        return indices


class ScatterAdd(ScatterUpdate):
    """Adds rows to a Parameter's: parameter[indices] += updates, and returns it.

    An index that comes twice adds twice.

    Inputs: a Parameter x; indices, integers; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: recorded.

    Example:
        >>> x = ms.Parameter(Tensor([1, 2, 3]), name="x")
        >>> print(ops.ScatterAdd()(x, Tensor([0, 2, 2]), Tensor([10, 10, 10])))
        [11  2 23]
    """

    how = "add"


class ScatterSub(ScatterUpdate):
    """Subtracts rows from a Parameter's: parameter[indices] -= updates, and returns it.

    An index that comes twice subtracts twice.

    Inputs: a Parameter x; indices, integers; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: recorded.

    Example:
        >>> x = ms.Parameter(Tensor([10, 20, 30]), name="x")
        >>> print(ops.ScatterSub()(x, Tensor([0, 2, 2]), Tensor([1, 1, 1])))
        [ 9 20 28]
    """

    how = "subtract"


class ScatterMul(ScatterUpdate):
    """Multiplies a Parameter's rows: parameter[indices] *= updates, and returns it.

    Inputs: a Parameter x; indices, integers; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: recorded.

    Example:
        >>> x = ms.Parameter(Tensor([1, 2, 3]), name="x")
        >>> print(ops.ScatterMul()(x, Tensor([0, 2, 2]), Tensor([10, 10, 10])))
        [ 10   2 300]
    """

    how = "multiply"


class ScatterDiv(ScatterUpdate):
    """Divides a Parameter's rows: parameter[indices] /= updates, and returns it.

    Inputs: a Parameter x, of a floating-point type; indices, integers; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: recorded.

    Example:
        >>> x = ms.Parameter(Tensor([10.0, 20.0, 30.0], ms.float32), name="x")
        >>> print(ops.ScatterDiv()(x, Tensor([0, 2]), Tensor([5.0, 10.0], ms.float32)))
        [ 2. 20.  3.]
    """

    how = "divide"


class ScatterMax(ScatterUpdate):
    """Keeps the larger of a Parameter's rows and updates, and returns it.

    parameter[indices] = max(parameter[indices], updates), element by element.

    Inputs: a Parameter x; indices, integers; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: recorded.

    Example:
        >>> x = ms.Parameter(Tensor([1, 5, 9]), name="x")
        >>> print(ops.ScatterMax()(x, Tensor([0, 2]), Tensor([7, 7])))
        [7 5 9]
    """

    how = "maximum"


class ScatterMin(ScatterUpdate):
    """Keeps the smaller of a Parameter's rows and updates, and returns it.

    parameter[indices] = min(parameter[indices], updates), element by element.

    Inputs: a Parameter x; indices, integers; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: recorded.

    Example:
        >>> x = ms.Parameter(Tensor([1, 5, 9]), name="x")
        >>> print(ops.ScatterMin()(x, Tensor([0, 2]), Tensor([7, 7])))
        [1 5 7]
    """

    how = "minimum"


class ScatterNdUpdate(ScatterUpdate):
    """Puts elements into a Parameter where the last dimension of the indices points to, and returns it.

    Inputs: a Parameter x; indices of shape (..., depth), of integers; updates, of shape indices.shape[:-1] +
    x.shape[depth:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: recorded.

    Example:
        >>> x = ms.Parameter(Tensor([[1, 2], [3, 4]]), name="x")
        >>> print(ops.ScatterNdUpdate()(x, Tensor([[0, 1], [1, 0]]), Tensor([20, 30])))
        [[ 1 20]
         [30  4]]
    """

    def infer_shape(self, x: Dims, indices: Dims, updates: Dims) -> Dims:
        check_updates(self.name, x, indices, updates)
        return x

    def index(self, xp: Any, indices: Any) -> Any:
        return tuple(xp.moveaxis(indices, -1, 0))


class ScatterNdAdd(ScatterNdUpdate):
    """Adds to a Parameter where the last dimension of the indices points to, and returns it.

    Inputs: a Parameter x; indices of shape (..., depth), of integers; updates, of shape indices.shape[:-1] +
    x.shape[depth:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: recorded.

    Example:
        >>> x = ms.Parameter(Tensor([[1, 2], [3, 4]]), name="x")
        >>> print(ops.ScatterNdAdd()(x, Tensor([[0, 1], [0, 1]]), Tensor([10, 10])))
        [[ 1 22]
         [ 3  4]]
    """

    how = "add"


class ScatterNdSub(ScatterNdUpdate):
    """Subtracts from a Parameter where the last dimension of the indices points to, and returns it.

    Inputs: a Parameter x; indices of shape (..., depth), of integers; updates, of shape indices.shape[:-1] +
    x.shape[depth:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: recorded.

    Example:
        >>> x = ms.Parameter(Tensor([[10, 20], [30, 40]]), name="x")
        >>> print(ops.ScatterNdSub()(x, Tensor([[0, 1], [1, 0]]), Tensor([1, 2])))
        [[10 19]
         [28 40]]
    """

    how = "subtract"


class IndexAdd(PrimitiveWithInfer):
    """Adds slices to a Parameter's along an axis, and returns it: `(parameter, indices, updates)`.

    Inputs: a Parameter x; indices, a vector of integers; updates, of the shape of x, but along the axis as long as the
    indices.

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        axis: the axis.
        use_lock: recorded.
        check_index_bound: recorded; an index out of range is an error.

    Example:
        >>> x = ms.Parameter(Tensor([[1, 2, 3], [4, 5, 6]]), name="x")
        >>> print(ops.IndexAdd(axis=1)(x, Tensor([0, 2]), Tensor([[10, 20], [10, 20]])))
        [[11  2 23]
         [14  5 26]]
    """

    side_effect = True
    fresh = True
    writes = MappingProxyType({0: 0})

    @prim_attr_register
    def __init__(self, axis: int, use_lock: bool = True, check_index_bound: bool = True) -> None:
        self.init_prim_io_names(inputs=["input_x", "indices", "input_y"], outputs=["output"])

    def infer_shape(self, x: Dims, indices: Dims, updates: Dims) -> Dims:
        axis = normal_axis(self.axis, len(x))
        if updates != (*x[:axis], *indices, *x[axis + 1 :]):
            raise ValueError(f"IndexAdd: updates of shape {updates} do not fit {indices} slices of {x}")
        return x

    def infer_dtype(self, x: DType, indices: DType, updates: DType) -> DType:
        return x

    def compute(self, xp: Any, x: Any, indices: Any, updates: Any) -> Any:
        self.infer_shape(x.shape, indices.shape, updates.shape)
        out = x.copy()
        xp.add.at(out, (slice(None),) * normal_axis(self.axis, x.ndim) + (indices,), updates)
        return out


class UnsortedSegmentMax(PrimitiveWithInfer):
    """The largest of the slices with the same segment id; of a segment without any the lowest number.

    Inputs: x; segment_ids, integers, of the shape that x begins with, where a negative one leaves its slice out;
    num_segments, an int.

    Output: a tensor of the element type of x, of shape (num_segments,) + x.shape[segment_ids.ndim:].

    Example:
        >>> print(ops.UnsortedSegmentMax()(Tensor([1, 8, 3, 4]), Tensor([0, 0, 1, 1]), 2))
        [8 4]
    """

    takes = MappingProxyType({0: mstype.real_type})
    value_inputs = (2,)
    fresh = True
    how: ClassVar[str] = "maximum"

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "segment_ids", "num_segments"], outputs=["y"])

    def infer_shape(self, x: Dims, segment_ids: Dims, num_segments: int) -> Dims:
        return (num_segments, *x[len(segment_ids) :])

    def infer_dtype(self, x: DType, segment_ids: DType, num_segments: Any) -> DType:
        return x

    def start(self, dtype: Any) -> Any:
        """What a segment without any slice is."""
        return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min

    def compute(self, xp: Any, x: Any, segment_ids: Any, num_segments: int) -> Any:
        out = xp.full((num_segments, *x.shape[segment_ids.ndim :]), self.start(x.dtype), x.dtype)
        valid = segment_ids >= 0
        combine(xp, out, (segment_ids[valid],), x[valid], self.how)
        return out


class UnsortedSegmentMin(UnsortedSegmentMax):
    """The smallest of the slices with the same segment id; of a segment without any the highest number.

    Inputs: x; segment_ids, integers, of the shape that x begins with, where a negative one leaves its slice out;
    num_segments, an int.

    Output: a tensor of the element type of x, of shape (num_segments,) + x.shape[segment_ids.ndim:].

    Example:
        >>> print(ops.UnsortedSegmentMin()(Tensor([1, 8, 3, 4]), Tensor([0, 0, 1, 1]), 2))
        [1 3]
    """

    how = "minimum"

    def start(self, dtype: Any) -> Any:
        return np.finfo(dtype).max if dtype.kind == "f" else np.iinfo(dtype).max


class UnsortedSegmentProd(UnsortedSegmentMax):
    """The product of the slices with the same segment id; of a segment without any 1.

    Its second derivative is that where no element is 0.

    Inputs: x; segment_ids, integers, of the shape that x begins with, where a negative one leaves its slice out;
    num_segments, an int.

    Output: a tensor of the element type of x, of shape (num_segments,) + x.shape[segment_ids.ndim:].

    Example:
        >>> print(ops.UnsortedSegmentProd()(Tensor([2, 3, 4, 5]), Tensor([0, 0, 2, 2]), 3))
        [ 6  1 20]
    """

    takes = MappingProxyType({0: (mstype.bool_, *mstype.number_type)})
    how = "multiply"

    def start(self, dtype: Any) -> Any:
        return 1
