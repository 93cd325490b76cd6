"""Sorting, the k largest elements, and running maxima and minima."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels import repeated
from framework.ops.array.properties import rank
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.transposing import swapaxes
from framework.ops.arrays import Array, ArrayModule
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.indexing.gathering_elements import GatherDGrad
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims, is_last, normal_axis

__all__ = [
    "Cummax",
    "Cummin",
    "Sort",
    "TopK",
    "argsort",
    "cummax",
    "cummin",
    "sort",
    "top_k",
    "topk",
]

gather_d_grad = GatherDGrad()


class TopK(PrimitiveWithInfer):
    """The `k` largest elements along the last axis, the largest first, and their indices.

    Of equal elements the one with the lower index comes first.

    Inputs: a tensor of shape (..., N), of integers or floating-point numbers; k, an int of at most N.

    Outputs: the elements, (..., k), of its type; their indices, (..., k), Int32.

    Args:
        sorted: accepted for compatibility; the elements are always sorted.

    Example:
        >>> values, indices = ops.TopK()(Tensor([3.0, 9.0, 1.0, 7.0]), 2)
        >>> print(values, indices)
        [9. 7.] [1 3]
    """

    value_inputs = (1,)

    @prim_attr_register
    def __init__(self, sorted: bool = True) -> None:
        self.init_prim_io_names(inputs=["input", "k"], outputs=["values", "indices"])

    def infer_shape(self, x: Dims, k: int) -> tuple[Dims, Dims]:
        if x[-1] is not None and k > x[-1]:
            raise ValueError(f"TopK: k = {k} is more than the last dimension of shape {x}")
        return (*x[:-1], k), (*x[:-1], k)

    def infer_dtype(self, x: DType, k: int) -> tuple[DType, DType]:
        return x, mstype.int32

    def compute(self, xp: ArrayModule, x: Array, k: int) -> tuple[Array, ...]:
        self.infer_shape(x.shape, k)
        order = xp.argsort(_opposite(x), axis=-1, kind="stable")[..., :k]
        return xp.take_along_axis(x, order, -1), order.astype(xp.int32)


_top_k = TopK()


def _opposite(x: Array) -> Array:
    """Numbers in the opposite order. For integers this is the complement, as the lowest number has no negative."""
    return -x if x.dtype.kind in "fc" else ~x


def topk(input: Any, k: int, dim: Any = None, largest: bool = True, sorted: bool = True) -> Any:
    """The k largest or smallest elements along an axis, and their indices.

    Args:
        input: tensor of numbers.
        k: number of elements.
        dim: axis of the elements; None for the last.
        largest: return the largest elements, not the smallest.
        sorted: accepted for compatibility; the elements are always sorted.

    Returns:
        The elements, with length k along the axis, and their Int32 indices.

    Example:
        >>> values, places = ops.topk(Tensor([3.0, 9.0, 1.0, 7.0]), 2)
        >>> print(values, places)
        [9. 7.] [1 3]

    """
    if not largest:
        values, indices = topk(-input, k, dim)
        return -values, indices
    if dim is None or is_last(dim, rank(input)):
        return _top_k(input, k)
    values, indices = _top_k(swapaxes(input, dim, -1), k)
    return swapaxes(values, dim, -1), swapaxes(indices, dim, -1)


@gradient(TopK)
def top_k_gradient(
    x: Tensor, k: int, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]
) -> tuple[Tensor | None, ...]:
    """Each element gets the gradient of its copy in the output."""
    return gather_d_grad(dout[0], -1, out[1], shape_of(x)), None


class Sort(PrimitiveWithInfer):
    """The elements along an axis in order, and their indices before.

    Equal elements keep their order.

    Inputs: a tensor of any shape. Outputs: its elements, of its shape and type; the indices, of its shape, Int32.

    Args:
        axis: axis of the elements.
        descending: put the largest element first.

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

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        order = xp.argsort(_opposite(x) if self.descending else x, axis=self.axis, kind="stable")
        return xp.take_along_axis(x, order, self.axis), order.astype(xp.int32)


def sort(input_x: Tensor, axis: int = -1, descending: bool = False) -> tuple[Tensor, ...]:
    """The elements along an axis in order, and their indices before.

    Args:
        input_x: tensor of numbers.
        axis: axis of the elements.
        descending: put the largest element first.

    Returns:
        The elements, of the shape and type of `input_x`, and their Int32 indices.

    Example:
        >>> values, places = ops.sort(Tensor([3.0, 1.0, 2.0]))
        >>> print(values, places)
        [1. 2. 3.] [1 2 0]

    """
    return cached(Sort, axis, descending)(input_x)


def argsort(input: Tensor, axis: int = -1, descending: bool = False) -> Tensor:
    """The indices that sort the elements along an axis.

    Args:
        input: tensor of numbers.
        axis: axis of the elements.
        descending: put the largest element first.

    Returns:
        An Int32 tensor of the shape of `input`.

    Example:
        >>> print(ops.argsort(Tensor([3.0, 1.0, 2.0])))
        [1 2 0]

    """
    return cached(Sort, axis, descending)(input)[1]


@bprop_getters.register(Sort)
def get_bprop_sort(self: Sort) -> Bprop:
    """Each element gets the gradient of its copy in the output."""
    axis = self.axis

    def bprop(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> tuple[Tensor, ...]:
        return (gather_d_grad(dout[0], axis, out[1], shape_of(x)),)

    return bprop


class Cummax(PrimitiveWithInfer):
    """The running maximum along an axis, and the index of its last occurrence.

    Inputs: x, a tensor.

    Output: the maxima, of the element type of x, and their Int64 indices; both of the shape of x.

    Args:
        axis: axis of the maximum.

    Example:
        >>> values, places = ops.Cummax(axis=0)(Tensor([1, 3, 2, 3, 0]))
        >>> print(values, places)
        [1 3 3 3 3] [0 1 1 3 3]
    """

    fresh = True
    index_type = mstype.int64

    @prim_attr_register
    def __init__(self, axis: int) -> None:
        self.init_prim_io_names(inputs=["input"], outputs=["values", "indices"])

    def infer_shape(self, x: Dims) -> tuple[Dims, Dims]:
        normal_axis(self.axis, len(x))
        return x, x

    def infer_dtype(self, x: DType) -> tuple[DType, DType]:
        return x, self.index_type

    def running(self, xp: ArrayModule, x: Array) -> Array:
        """The running extremes."""
        return repeated.accumulate(xp, "maximum", x, self.axis)

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        axis = normal_axis(self.axis, x.ndim)
        values = self.running(xp, x)
        at = xp.arange(x.shape[axis]).reshape(-1, *(1,) * (x.ndim - axis - 1))
        # Behind NaN all extremes are NaN; its index is that of the last one.
        places = repeated.accumulate(xp, "maximum", xp.where((x == values) | (x != x), at, 0), axis)
        return values, places.astype(self.index_type.numpy)


def cummax(input: Tensor, axis: int) -> tuple[Tensor, ...]:
    """The running maximum along an axis, and the index of its last occurrence.

    Args:
        input: tensor of numbers.
        axis: axis of the maximum.

    Returns:
        The maxima, of the type of `input`, and their Int64 indices; both of the shape of `input`.

    Example:
        >>> values, places = ops.cummax(Tensor([1.0, 5.0, 3.0, 7.0]), 0)
        >>> print(values, places)
        [1. 5. 5. 7.] [0 1 1 3]

    """
    return cached(Cummax, axis)(input)


@bprop_getters.register(Cummax)
def get_bprop_cummax(self: Cummax) -> Bprop:
    """Add dout at the indices of the extremes; the indices have no gradient."""
    axis = self.axis

    def bprop(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> tuple[Tensor, ...]:
        return (gather_d_grad(dout[0], axis, out[1], shape_of(x)),)

    return bprop


class Cummin(Cummax):
    """The running minimum along an axis, and the index of its last occurrence.

    Inputs: x, a tensor.

    Output: the minima, of the element type of x, and their Int32 indices; both of the shape of x.

    Args:
        axis: axis of the minimum.

    Example:
        >>> values, places = ops.Cummin(axis=0)(Tensor([5, 3, 4, 3, 9]))
        >>> print(values, places)
        [5 3 3 3 3] [0 1 1 3 3]
    """

    index_type = mstype.int32

    def running(self, xp: ArrayModule, x: Array) -> Array:
        return repeated.accumulate(xp, "minimum", x, self.axis)


def cummin(input: Tensor, axis: int) -> tuple[Tensor, ...]:
    """The running minimum along an axis, and the index of its last occurrence.

    Args:
        input: tensor of numbers.
        axis: axis of the minimum.

    Returns:
        The minima, of the type of `input`, and their Int32 indices; both of the shape of `input`.

    Example:
        >>> values, places = ops.cummin(Tensor([4.0, 5.0, 3.0, 7.0]), 0)
        >>> print(values, places)
        [4. 4. 3. 3.] [0 0 2 2]

    """
    return cached(Cummin, axis)(input)


def top_k(input_x: Tensor, k: int, sorted: bool = True) -> tuple[Tensor, ...]:
    """The k largest elements along the last axis, the largest first, and their indices.

    Args:
        input_x: tensor of numbers, of shape (..., N).
        k: number of elements.
        sorted: accepted for compatibility; the elements are always sorted.

    Returns:
        The elements, (..., k), of the type of `input_x`, and their Int32 indices.

    Example:
        >>> values, places = ops.top_k(Tensor([3.0, 9.0, 1.0, 7.0]), 2)
        >>> print(values, places)
        [9. 7.] [1 3]

    """
    return topk(input_x, k, None, True, sorted)
