"""Scatter into Parameters."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, ClassVar

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arrays import Array, ArrayModule
from framework.ops.indexing.index_kernels import check_updates, combine
from framework.ops.indexing.tensor_scatter import (
    tensor_scatter_div,
    tensor_scatter_max,
    tensor_scatter_min,
    tensor_scatter_mul,
)
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims, normal_axis
from framework.ops.updates.assignment import assign

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
    "index_add",
    "inplace_index_add",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd_add",
    "scatter_nd_div",
    "scatter_nd_max",
    "scatter_nd_min",
    "scatter_nd_mul",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_sub",
    "scatter_update",
]


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

    def compute(self, xp: ArrayModule, x: Array, indices: Array, updates: Array) -> Array:
        self.infer_shape(x.shape, indices.shape, updates.shape)
        out = x.copy()
        combine(xp, out, self.index(xp, indices), updates.astype(x.dtype, copy=False), self.how)
        return out

    def index(self, xp: ArrayModule, indices: Array) -> Array:
        """The index as numpy takes it."""
        return indices


scatter_update = ScatterUpdate()


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


scatter_add = ScatterAdd()


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


scatter_sub = ScatterSub()


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


scatter_mul = ScatterMul()


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


scatter_div = ScatterDiv()


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


scatter_max = ScatterMax()


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


scatter_min = ScatterMin()


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


scatter_nd_update = ScatterNdUpdate()


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


scatter_nd_add = ScatterNdAdd()


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


scatter_nd_sub = ScatterNdSub()


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

    def compute(self, xp: ArrayModule, x: Array, indices: Array, updates: Array) -> Array:
        self.infer_shape(x.shape, indices.shape, updates.shape)
        out = x.copy()
        xp.add.at(out, (slice(None),) * normal_axis(self.axis, x.ndim) + (indices,), updates)
        return out


def index_add(
    x: Tensor, indices: Tensor, y: Tensor | float, axis: int, use_lock: bool = True, check_index_bound: bool = True
) -> Tensor:
    """Adds slices to a Parameter's along an axis, and returns it.

    Example:
        >>> x = ms.Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="x")
        >>> print(ops.index_add(x, Tensor([1], ms.int32), Tensor([[10.0, 10.0]]), 0))
        [[ 1.  2.]
         [13. 14.]]

    """
    return cached(IndexAdd, axis)(x, indices, y)


def inplace_index_add(var: Tensor, indices: Tensor, updates: Tensor, axis: int) -> Tensor:
    """Adds slices to a Parameter's along an axis, and returns it: `index_add` under its other name.

    Example:
        >>> x = ms.Parameter(Tensor([[1.0, 2.0]]), name="x")
        >>> print(ops.inplace_index_add(x, Tensor([1], ms.int32), Tensor([[5.0]]), 1))
        [[1. 7.]]

    """
    return index_add(var, indices, updates, axis)


def scatter_nd_mul(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False) -> Tensor:
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


def scatter_nd_div(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False) -> Tensor:
    """Divides elements or slices of a Parameter, and returns it; see `scatter_nd_mul`.

    Example:
        >>> x = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="x")
        >>> print(ops.scatter_nd_div(x, Tensor([[1]]), Tensor([4.0])))
        [1.  0.5 3. ]

    """
    return assign(input_x, tensor_scatter_div(input_x, indices, updates))


def scatter_nd_max(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False) -> Tensor:
    """Raises elements or slices of a Parameter to at least others, and returns it; see `scatter_nd_mul`.

    Example:
        >>> x = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="x")
        >>> print(ops.scatter_nd_max(x, Tensor([[0], [2]]), Tensor([5.0, 2.0])))
        [5. 2. 3.]

    """
    return assign(input_x, tensor_scatter_max(input_x, indices, updates))


def scatter_nd_min(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False) -> Tensor:
    """Lowers elements or slices of a Parameter to at most others, and returns it; see `scatter_nd_mul`.

    Example:
        >>> x = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="x")
        >>> print(ops.scatter_nd_min(x, Tensor([[0], [2]]), Tensor([5.0, 2.0])))
        [1. 2. 2.]

    """
    return assign(input_x, tensor_scatter_min(input_x, indices, updates))
