"""Scatter operators that change a Parameter in place."""

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
    """Replaces rows of a Parameter: parameter[indices] = updates. Returns the Parameter's new value.

    Inputs: x, a Parameter; indices, integers of any shape; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: accepted for compatibility; has no effect.

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
            raise ValueError(f"{self.name}: updates must have shape {indices + x[1:]}, not {updates}")
        return x

    def infer_dtype(self, x: DType, indices: DType, updates: DType) -> DType:
        return x

    def compute(self, xp: ArrayModule, x: Array, indices: Array, updates: Array) -> Array:
        self.infer_shape(x.shape, indices.shape, updates.shape)
        out = x.copy()
        combine(xp, out, self.index(xp, indices), updates.astype(x.dtype, copy=False), self.how)
        return out

    def index(self, xp: ArrayModule, indices: Array) -> Array:
        """The index in the form that numpy takes."""
        return indices


scatter_update = ScatterUpdate()


class ScatterAdd(ScatterUpdate):
    """Adds to rows of a Parameter: parameter[indices] += updates. Returns the Parameter's new value.

    An index that comes several times adds all its updates.

    Inputs: x, a Parameter; indices, integers of any shape; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Example:
        >>> x = ms.Parameter(Tensor([1, 2, 3]), name="x")
        >>> print(ops.ScatterAdd()(x, Tensor([0, 2, 2]), Tensor([10, 10, 10])))
        [11  2 23]
    """

    how = "add"


scatter_add = ScatterAdd()


class ScatterSub(ScatterUpdate):
    """Subtracts from rows of a Parameter: parameter[indices] -= updates. Returns the Parameter's new value.

    An index that comes several times subtracts all its updates.

    Inputs: x, a Parameter; indices, integers of any shape; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Example:
        >>> x = ms.Parameter(Tensor([10, 20, 30]), name="x")
        >>> print(ops.ScatterSub()(x, Tensor([0, 2, 2]), Tensor([1, 1, 1])))
        [ 9 20 28]
    """

    how = "subtract"


scatter_sub = ScatterSub()


class ScatterMul(ScatterUpdate):
    """Multiplies rows of a Parameter: parameter[indices] *= updates. Returns the Parameter's new value.

    Inputs: x, a Parameter; indices, integers of any shape; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Example:
        >>> x = ms.Parameter(Tensor([1, 2, 3]), name="x")
        >>> print(ops.ScatterMul()(x, Tensor([0, 2, 2]), Tensor([10, 10, 10])))
        [ 10   2 300]
    """

    how = "multiply"


scatter_mul = ScatterMul()


class ScatterDiv(ScatterUpdate):
    """Divides rows of a Parameter: parameter[indices] /= updates. Returns the Parameter's new value.

    Inputs: a Parameter x, of a floating-point type; indices, integers; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Example:
        >>> x = ms.Parameter(Tensor([10.0, 20.0, 30.0], ms.float32), name="x")
        >>> print(ops.ScatterDiv()(x, Tensor([0, 2]), Tensor([5.0, 10.0], ms.float32)))
        [ 2. 20.  3.]
    """

    how = "divide"


scatter_div = ScatterDiv()


class ScatterMax(ScatterUpdate):
    """Replaces rows of a Parameter by their maximum with the updates. Returns the Parameter's new value.

    parameter[indices] = max(parameter[indices], updates), element by element.

    Inputs: x, a Parameter; indices, integers of any shape; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Example:
        >>> x = ms.Parameter(Tensor([1, 5, 9]), name="x")
        >>> print(ops.ScatterMax()(x, Tensor([0, 2]), Tensor([7, 7])))
        [7 5 9]
    """

    how = "maximum"


scatter_max = ScatterMax()


class ScatterMin(ScatterUpdate):
    """Replaces rows of a Parameter by their minimum with the updates. Returns the Parameter's new value.

    parameter[indices] = min(parameter[indices], updates), element by element.

    Inputs: x, a Parameter; indices, integers of any shape; updates, of shape indices.shape + x.shape[1:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Example:
        >>> x = ms.Parameter(Tensor([1, 5, 9]), name="x")
        >>> print(ops.ScatterMin()(x, Tensor([0, 2]), Tensor([7, 7])))
        [1 5 7]
    """

    how = "minimum"


scatter_min = ScatterMin()


class ScatterNdUpdate(ScatterUpdate):
    """Replaces elements of a Parameter at multi-dimensional indices. Returns the Parameter's new value.

    Inputs: x, a Parameter; indices, integers of shape (..., depth); updates, of shape indices.shape[:-1] +
    x.shape[depth:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: accepted for compatibility; has no effect.

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
    """Adds to elements of a Parameter at multi-dimensional indices. Returns the Parameter's new value.

    Inputs: x, a Parameter; indices, integers of shape (..., depth); updates, of shape indices.shape[:-1] +
    x.shape[depth:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Example:
        >>> x = ms.Parameter(Tensor([[1, 2], [3, 4]]), name="x")
        >>> print(ops.ScatterNdAdd()(x, Tensor([[0, 1], [0, 1]]), Tensor([10, 10])))
        [[ 1 22]
         [ 3  4]]
    """

    how = "add"


scatter_nd_add = ScatterNdAdd()


class ScatterNdSub(ScatterNdUpdate):
    """Subtracts from elements of a Parameter at multi-dimensional indices. Returns the Parameter's new value.

    Inputs: x, a Parameter; indices, integers of shape (..., depth); updates, of shape indices.shape[:-1] +
    x.shape[depth:].

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Example:
        >>> x = ms.Parameter(Tensor([[10, 20], [30, 40]]), name="x")
        >>> print(ops.ScatterNdSub()(x, Tensor([[0, 1], [1, 0]]), Tensor([1, 2])))
        [[10 19]
         [28 40]]
    """

    how = "subtract"


scatter_nd_sub = ScatterNdSub()


class IndexAdd(PrimitiveWithInfer):
    """Adds to slices of a Parameter along an axis. Returns the Parameter's new value.

    Inputs: x, a Parameter; indices, integers of shape (K,); updates, of the shape of x, with length K along the axis.

    Output: the new value, of the shape and element type of the Parameter.

    Args:
        axis: axis that the indices count along.
        use_lock: accepted for compatibility; has no effect.
        check_index_bound: accepted for compatibility; an index out of range always raises an error.

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
            raise ValueError(f"IndexAdd: updates {updates} do not fit indices {indices} of a Parameter of shape {x}")
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
    """Adds to slices of a Parameter along an axis, in place.

    Args:
        x: Parameter.
        indices: integers of shape (K,).
        y: values to add, of the shape of x, with length K along the axis.
        axis: axis that the indices count along.
        use_lock: accepted for compatibility; has no effect.
        check_index_bound: accepted for compatibility; an index out of range always raises an error.

    Returns:
        The Parameter's new value.

    Example:
        >>> x = ms.Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="x")
        >>> print(ops.index_add(x, Tensor([1], ms.int32), Tensor([[10.0, 10.0]]), 0))
        [[ 1.  2.]
         [13. 14.]]

    """
    return cached(IndexAdd, axis)(x, indices, y)


def inplace_index_add(var: Tensor, indices: Tensor, updates: Tensor, axis: int) -> Tensor:
    """Adds to slices of a Parameter along an axis, in place: another name of `index_add`.

    Args:
        var: Parameter.
        indices: integers of shape (K,).
        updates: values to add, of the shape of `var`, with length K along the axis.
        axis: axis that the indices count along.

    Returns:
        The Parameter's new value.

    Example:
        >>> x = ms.Parameter(Tensor([[1.0, 2.0]]), name="x")
        >>> print(ops.inplace_index_add(x, Tensor([1], ms.int32), Tensor([[5.0]]), 1))
        [[1. 7.]]

    """
    return index_add(var, indices, updates, axis)


def scatter_nd_mul(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False) -> Tensor:
    """Multiplies elements or slices of a Parameter at multi-dimensional indices, in place.

    Args:
        input_x: Parameter.
        indices: integers of shape (..., depth); depth is the number of dimensions that an index names.
        updates: factors of shape indices.shape[:-1] + input_x.shape[depth:], of the type of the Parameter. All factors
            of one index count.
        use_locking: accepted for compatibility; has no effect.

    Returns:
        The Parameter's new value.

    Example:
        >>> x = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="x")
        >>> print(ops.scatter_nd_mul(x, Tensor([[0], [2]]), Tensor([5.0, 2.0])))
        [5. 2. 6.]

    """
    return assign(input_x, tensor_scatter_mul(input_x, indices, updates))


def scatter_nd_div(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False) -> Tensor:
    """Divides elements or slices of a Parameter at multi-dimensional indices, in place.

    Args:
        input_x: Parameter.
        indices: integers of shape (..., depth).
        updates: divisors of shape indices.shape[:-1] + input_x.shape[depth:], of the type of the Parameter.
        use_locking: accepted for compatibility; has no effect.

    Returns:
        The Parameter's new value.

    Example:
        >>> x = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="x")
        >>> print(ops.scatter_nd_div(x, Tensor([[1]]), Tensor([4.0])))
        [1.  0.5 3. ]

    """
    return assign(input_x, tensor_scatter_div(input_x, indices, updates))


def scatter_nd_max(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False) -> Tensor:
    """Replaces elements or slices of a Parameter by their maximum with the updates, in place.

    Args:
        input_x: Parameter.
        indices: integers of shape (..., depth).
        updates: values of shape indices.shape[:-1] + input_x.shape[depth:], of the type of the Parameter.
        use_locking: accepted for compatibility; has no effect.

    Returns:
        The Parameter's new value.

    Example:
        >>> x = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="x")
        >>> print(ops.scatter_nd_max(x, Tensor([[0], [2]]), Tensor([5.0, 2.0])))
        [5. 2. 3.]

    """
    return assign(input_x, tensor_scatter_max(input_x, indices, updates))


def scatter_nd_min(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False) -> Tensor:
    """Replaces elements or slices of a Parameter by their minimum with the updates, in place.

    Args:
        input_x: Parameter.
        indices: integers of shape (..., depth).
        updates: values of shape indices.shape[:-1] + input_x.shape[depth:], of the type of the Parameter.
        use_locking: accepted for compatibility; has no effect.

    Returns:
        The Parameter's new value.

    Example:
        >>> x = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="x")
        >>> print(ops.scatter_nd_min(x, Tensor([[0], [2]]), Tensor([5.0, 2.0])))
        [1. 2. 2.]

    """
    return assign(input_x, tensor_scatter_min(input_x, indices, updates))
