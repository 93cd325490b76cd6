"""Scatter operators that return a changed copy of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.broadcasting import broadcast_to
from framework.ops.array.casting import Cast
from framework.ops.array.casting import cast as cast_of
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.properties import shape
from framework.ops.array.reshaping import expand_dims, reshape
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import equal
from framework.ops.constexpr import constexpr
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.elementwise import LikeFirst
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.indexing.gather_scatter_nd import gather_nd
from framework.ops.indexing.gathering_elements import gather, gather_d
from framework.ops.indexing.index_kernels import add_at, along, check_updates, combine
from framework.ops.indexing.selecting import where
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.reduction.cumulative import cumsum
from framework.ops.shapes import Dims, normal_axis

__all__ = [
    "TensorScatterAdd",
    "TensorScatterDiv",
    "TensorScatterElements",
    "TensorScatterMax",
    "TensorScatterMin",
    "TensorScatterMul",
    "TensorScatterSub",
    "TensorScatterUpdate",
    "inplace_add",
    "inplace_sub",
    "inplace_update",
    "masked_scatter",
    "scatter",
    "tensor_scatter_add",
    "tensor_scatter_div",
    "tensor_scatter_elements",
    "tensor_scatter_elements_update",
    "tensor_scatter_max",
    "tensor_scatter_min",
    "tensor_scatter_mul",
    "tensor_scatter_sub",
    "tensor_scatter_update",
]

zeros_like = ZerosLike()
cast = Cast()


class TensorScatterUpdate(LikeFirst):
    """A copy of x with elements or slices replaced at multi-dimensional indices.

    Inputs: x, a tensor of any type; indices, integers of shape (..., K), each row an index into the first K dimensions
    of x; updates, of the type of x and of shape indices.shape[:-1] + x.shape[K:].

    Output: a tensor of the shape and type of x.

    Example:
        >>> x = Tensor([[1, 2], [3, 4]])
        >>> print(ops.TensorScatterUpdate()(x, Tensor([[0, 1], [1, 0]]), Tensor([20, 30])))
        [[ 1 20]
         [30  4]]
    """

    arguments = ("input_x", "indices", "updates")
    takes = MappingProxyType({1: (mstype.int32, mstype.int64)})

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["input_x", "indices", "updates"], outputs=["y"])

    def infer_shape(self, x: Dims, indices: Dims, updates: Dims) -> Dims:
        check_updates(self.name, x, indices, updates)
        return x

    def compute(self, xp: ArrayModule, x: Array, indices: Array, updates: Array) -> Array:
        check_updates(self.name, x.shape, indices.shape, updates.shape)
        out = x.copy()
        self.put(xp, out, tuple(xp.moveaxis(indices, -1, 0)), updates)
        return out

    def put(self, xp: ArrayModule, out: Any, index: tuple[Any, ...], updates: Any) -> None:
        """Combine the updates with the elements of `out`, in place."""
        out[index] = updates


tensor_scatter_elements_update = TensorScatterUpdate()
tensor_scatter_update = TensorScatterUpdate()


def inplace_update(x: Tensor, v: Tensor | float, indices: Sequence[int]) -> Tensor:
    """A copy of a tensor with some slices along the first dimension replaced.

    Args:
        x: tensor of shape (N, ...).
        v: new slices of shape (K, ...), of the type of x.
        indices: an int, or K ints: indices of the slices.

    Returns:
        A tensor of the shape and type of x.

    Example:
        >>> print(ops.inplace_update(Tensor([[1, 2], [3, 4]]), Tensor([[7, 8]]), (1,)))
        [[1 2]
         [7 8]]

    """
    return tensor_scatter_update(x, _rows(indices), v)


@gradient(TensorScatterUpdate)
def tensor_scatter_update_gradient(
    x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """The updates get the gradient at their indices, x gets the rest."""
    return tensor_scatter_elements_update(dout, indices, zeros_like(updates)), None, gather_nd(dout, indices)


class TensorScatterAdd(TensorScatterUpdate):
    """A copy of x with updates added at multi-dimensional indices.

    An index that comes several times gets all its updates.

    Inputs: x, a tensor of any type; indices, integers of shape (..., K), each row an index into the first K dimensions
    of x; updates, of the type of x and of shape indices.shape[:-1] + x.shape[K:].

    Output: a tensor of the shape and type of x.

    Example:
        >>> print(ops.TensorScatterAdd()(Tensor([1, 2, 3]), Tensor([[0], [2], [0]]), Tensor([10, 20, 30])))
        [41  2 23]
    """

    def put(self, xp: ArrayModule, out: Array | None, index: tuple[Any, ...], updates: Array) -> None:
        add_at(xp, out, index, updates)


tensor_scatter_add = TensorScatterAdd()


def _rows(indices: Any) -> Tensor:
    """Indices of slices along the first dimension, as a tensor of shape (K, 1)."""
    return _column(indices) if isinstance(indices, (int, tuple, list)) else expand_dims(indices, -1)


@constexpr
def _column(indices: Any) -> Tensor:
    rows = (indices,) if isinstance(indices, int) else tuple(indices)
    return Tensor([[row] for row in rows], mstype.int32)


def inplace_add(x: Any, v: Any, indices: Any) -> Tensor:
    """A copy of a tensor with values added to some slices along the first dimension.

    Args:
        x: tensor of shape (N, ...).
        v: values of shape (K, ...), of the type of x.
        indices: an int, or K ints: indices of the slices.

    Returns:
        A tensor of the shape and type of x.

    Example:
        >>> print(ops.inplace_add(Tensor([[1, 2], [3, 4]]), Tensor([[10, 10]]), 1))
        [[ 1  2]
         [13 14]]

    """
    return tensor_scatter_add(x, _rows(indices), v)


def inplace_sub(x: Any, v: Any, indices: Any) -> Tensor:
    """A copy of a tensor with values subtracted from some slices along the first dimension.

    Args:
        x: tensor of shape (N, ...).
        v: values of shape (K, ...), of the type of x.
        indices: an int, or K ints: indices of the slices.

    Returns:
        A tensor of the shape and type of x.

    Example:
        >>> print(ops.inplace_sub(Tensor([[1, 2], [3, 4]]), Tensor([[1, 1]]), (0,)))
        [[0 1]
         [3 4]]

    """
    return tensor_scatter_add(x, _rows(indices), -v)


@gradient(TensorScatterAdd)
def tensor_scatter_add_gradient(
    x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """x gets dout, the updates get dout at their indices."""
    return dout, None, gather_nd(dout, indices)


class TensorScatterSub(TensorScatterUpdate):
    """A copy of x with updates subtracted at multi-dimensional indices.

    An index that comes several times loses all its updates.

    Inputs: x, a tensor of any type; indices, integers of shape (..., K), each row an index into the first K dimensions
    of x; updates, of the type of x and of shape indices.shape[:-1] + x.shape[K:].

    Output: a tensor of the shape and type of x.

    Example:
        >>> print(ops.TensorScatterSub()(Tensor([50, 50, 50]), Tensor([[0], [2], [0]]), Tensor([10, 20, 30])))
        [10 50 30]
    """

    takes = MappingProxyType({0: mstype.number_type, 2: mstype.number_type})

    def put(self, xp: ArrayModule, out: Array | None, index: tuple[Any, ...], updates: Array) -> None:
        add_at(xp, out, index, -updates)


tensor_scatter_sub = TensorScatterSub()


@gradient(TensorScatterSub)
def tensor_scatter_sub_gradient(
    x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """x gets dout, the updates get -dout at their indices."""
    return dout, None, -gather_nd(dout, indices)


class TensorScatterMul(TensorScatterUpdate):
    """A copy of x multiplied by updates at multi-dimensional indices.

    The gradient of the updates is right only where no index comes twice.

    Inputs: x, a tensor of a number type; indices, integers of shape (..., K); updates, of shape indices.shape[:-1] +
    x.shape[K:].

    Output: a tensor of the shape and element type of x.

    Example:
        >>> x = Tensor([1.0, 2.0, 3.0], ms.float32)
        >>> print(ops.TensorScatterMul()(x, Tensor([[0], [2]]), Tensor([10.0, 10.0], ms.float32)))
        [10.  2. 30.]
    """

    how: ClassVar[str] = "multiply"

    def put(self, xp: ArrayModule, out: Array | None, index: tuple[Any, ...], updates: Array) -> None:
        combine(xp, out, index, updates, self.how)


tensor_scatter_mul = TensorScatterMul()


@gradient(TensorScatterMul)
def tensor_scatter_mul_gradient(
    x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """Each factor gets dout times the other factor."""
    return tensor_scatter_mul(dout, indices, updates), None, gather_nd(x * dout, indices)


class TensorScatterDiv(TensorScatterMul):
    """A copy of x divided by updates at multi-dimensional indices.

    The gradient of the updates is right only where no index comes twice.

    Inputs: x, a tensor of a floating-point type; indices, integers of shape (..., K); updates, of shape
    indices.shape[:-1] + x.shape[K:].

    Output: a tensor of the shape and element type of x.

    Example:
        >>> x = Tensor([10.0, 20.0, 30.0], ms.float32)
        >>> print(ops.TensorScatterDiv()(x, Tensor([[0], [2]]), Tensor([5.0, 10.0], ms.float32)))
        [ 2. 20.  3.]
    """

    how = "divide"


tensor_scatter_div = TensorScatterDiv()


@gradient(TensorScatterDiv)
def tensor_scatter_div_gradient(
    x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """x gets dout / updates, the updates get -dout * x / updates ** 2."""
    return tensor_scatter_div(dout, indices, updates), None, -gather_nd(x * dout, indices) / (updates * updates)


class TensorScatterMax(TensorScatterMul):
    """A copy of x with the maximum of element and update at multi-dimensional indices.

    Inputs: x, a tensor of a number type; indices, integers of shape (..., K); updates, of shape indices.shape[:-1] +
    x.shape[K:].

    Output: a tensor of the shape and element type of x.

    Example:
        >>> print(ops.TensorScatterMax()(Tensor([1, 5, 9]), Tensor([[0], [2]]), Tensor([7, 7])))
        [7 5 9]
    """

    how = "maximum"


tensor_scatter_max = TensorScatterMax()


class TensorScatterMin(TensorScatterMul):
    """A copy of x with the minimum of element and update at multi-dimensional indices.

    Inputs: x, a tensor of a number type; indices, integers of shape (..., K); updates, of shape indices.shape[:-1] +
    x.shape[K:].

    Output: a tensor of the shape and element type of x.

    Example:
        >>> print(ops.TensorScatterMin()(Tensor([1, 5, 9]), Tensor([[0], [2]]), Tensor([7, 7])))
        [1 5 7]
    """

    how = "minimum"


@gradient(TensorScatterMax, TensorScatterMin)
def tensor_scatter_extreme_gradient(
    x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """The elements and updates that equal the output get its gradient in equal shares."""
    is_element = cast(equal(x, out), dtype_of(x))
    is_update = cast(equal(updates, gather_nd(out, indices)), dtype_of(x))
    share = dout / tensor_scatter_add(is_element, indices, is_update)
    return is_element * share, None, is_update * gather_nd(share, indices)


tensor_scatter_min = TensorScatterMin()


class TensorScatterElements(PrimitiveWithInfer):
    """A copy of x with updates along an axis: out[index[i, j], j] = updates[i, j] for axis 0.

    Inputs: x, a tensor of any type; indices, integers with as many dimensions as x; updates, of the shape of the
    indices.

    Output: a tensor of the shape and element type of x.

    Args:
        axis: axis that the indices count along.
        reduction: "none" replaces the elements; "add" adds to them.

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
            raise ValueError(f"TensorScatterElements: reduction must be 'none' or 'add', not {reduction!r}")

    def infer_shape(self, x: Dims, indices: Dims, updates: Dims) -> Dims:
        normal_axis(self.axis, len(x))
        if len(indices) != len(x) or indices != updates:
            raise ValueError(
                f"{self.name}: indices {indices} and updates {updates} must have the same shape, of {len(x)} dimensions"
            )
        return x

    def infer_dtype(self, x: DType, indices: DType, updates: DType) -> DType:
        return x

    def compute(self, xp: ArrayModule, x: Array, indices: Array, updates: Array) -> Array:
        self.infer_shape(x.shape, indices.shape, updates.shape)
        out = x.copy()
        index = along(xp, indices, normal_axis(self.axis, x.ndim))
        combine(xp, out, index, updates, "add" if self.reduction == "add" else "")
        return out


def scatter(input: Tensor, axis: int, index: Tensor, src: Tensor | float) -> Tensor:
    """A copy of a tensor with elements along an axis replaced at an index.

    Args:
        input: tensor of any type.
        axis: axis that the index counts along.
        index: integers with as many dimensions as `input`.
        src: new elements, of the shape of `index` and the type of `input`; or a number for all of them.

    Returns:
        A tensor of the shape and type of `input`.

    Example:
        >>> print(ops.scatter(ops.zeros((2, 3)), 1, Tensor([[2], [0]]), Tensor([[5.0], [7.0]])))
        [[0. 0. 5.]
         [7. 0. 0.]]

    """
    if isinstance(src, (int, float)):
        src = broadcast_to(cast_of(Tensor(src), dtype_of(input)), shape(index))
    return cached(TensorScatterElements, axis, "none")(input, index, src)


def tensor_scatter_elements(
    input_x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, reduction: str = "none"
) -> Tensor:
    """A copy of a tensor with elements along an axis replaced, or added to, at given indices.

    Args:
        input_x: tensor of any type.
        indices: integers with as many dimensions as `input_x`.
        updates: new elements, of the shape of the indices and the type of `input_x`.
        axis: axis that the indices count along.
        reduction: "none" replaces the elements; "add" adds to them.

    Returns:
        A tensor of the shape and type of `input_x`.

    Example:
        >>> print(ops.tensor_scatter_elements(ops.zeros((2, 3)), Tensor([[2], [0]]), Tensor([[5.0], [7.0]]), 1))
        [[0. 0. 5.]
         [7. 0. 0.]]

    """
    return cached(TensorScatterElements, axis, reduction)(input_x, indices, updates)


@bprop_getters.register(TensorScatterElements)
def get_bprop_tensor_scatter_elements(self: TensorScatterElements) -> Bprop:
    """The updates get the gradient at their indices; x gets the rest, or all of it where the updates were added."""
    axis = self.axis
    adds = self.reduction == "add"
    replace = cached(TensorScatterElements, axis, "none")

    def bprop(x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        dx = dout if adds else replace(dout, indices, zeros_like(updates))
        return dx, None, gather_d(dout, axis, indices)

    return bprop


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor | float) -> Tensor:
    """A copy of a tensor whose elements under a mask are replaced, in order, by those of another tensor.

    Args:
        input: tensor of any type.
        mask: Bool tensor, of a shape that broadcasts to that of `input`.
        source: new elements, of the type of `input`; at least as many as the mask has true elements.

    Returns:
        A tensor of the shape and type of `input`.

    Example:
        >>> print(ops.masked_scatter(Tensor([1, 2, 3]), Tensor([True, False, True]), Tensor([8, 9])))
        [8 2 9]

    """
    full_mask = broadcast_to(mask, shape(input))
    order = cumsum(cast_of(reshape(full_mask, (-1,)), mstype.int32), 0) - 1
    values = gather(reshape(source, (-1,)), where(order < 0, order * 0, order), 0)
    return where(full_mask, reshape(values, shape(input)), input)
