"""Python's subscripts on tensors: `x[index]` and `x[index] = value`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ir.abstract import Abstract, AbstractTensor
from framework.ops.array.broadcasting import SumLike
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.elementwise import LikeFirst
from framework.ops.gradients import gradient as gradient_kernel
from framework.ops.indexing.index_kernels import add_at
from framework.ops.primitive import prim_attr_register
from framework.ops.shapes import Dims, broadcast

__all__ = [
    "GetItem",
    "GetItemGrad",
    "SetItem",
]

sum_like = SumLike()


class GetItem(LikeFirst):
    """x[index] by numpy's rules.

    Inputs: x, a tensor of any type; the index, a tuple of ints, slices, None, Ellipsis and the word "tensor" for each
    index tensor; a tuple with the index tensors (integers, or Bool masks).

    Output: a tensor of the shape that the index gives, of the type of x.

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
                "the number of elements that a mask picks is unknown until the program runs: use the mask alone, with "
                "the shape of the tensor or of its first dimensions"
            )
        return AbstractTensor((None, *x.shape[len(mask.shape) :]), x.dtype)

    def infer_shape(self, x: Dims, index: tuple[Any, ...], tensors: tuple[Dims, ...]) -> Dims:
        return picked_shape(x, index, tensors)

    def compute(self, xp: ArrayModule, x: Array, index: tuple[Any, ...], tensors: tuple[Any, ...]) -> Array:
        return x[_filled(index, tensors)]


get_item = GetItem()


def picked_shape(shape: Dims, index: tuple[Any, ...], tensors: tuple[Dims, ...]) -> Dims:
    """The shape of x[index] for a tensor of the given shape, which numpy computes on an array without memory.

    Raises:
        IndexError: the index does not fit, or contains a mask, whose number of elements is unknown before the run.
    """
    if None in shape or any(None in dims for dims in tensors):
        index = _without_lengths(shape, index)
        shorter, longer = (
            picked_shape(_with_length(shape, length), index, tuple(_with_length(dims, length) for dims in tensors))
            for length in (2, 3)
        )
        return tuple(a if a == b else None for a, b in zip(shorter, longer, strict=True))
    hollow = np.broadcast_to(np.zeros((), np.bool_), tuple(int(size) for size in shape if size is not None))
    arrays = tuple(np.zeros([size or 0 for size in dims], np.int64) for dims in tensors)
    return tuple(int(size) for size in hollow[_filled(index, arrays)].shape)


def _with_length(shape: Dims, length: int) -> Dims:
    """The shape with a given length in place of unknown ones."""
    return tuple(length if size is None else size for size in shape)


def _without_lengths(shape: Dims, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """The index with its items at unknown lengths replaced by items that fit any length.

    A slice of an unknown length has itself an unknown length.
    """
    named = sum(item is not None and item is not Ellipsis for item in index)
    items: list[Any] = []
    axis = 0
    for item in index:
        if item is Ellipsis:
            axis += len(shape) - named
        elif item is not None:
            if axis < len(shape) and shape[axis] is None and isinstance(item, int | slice):
                item = slice(None) if isinstance(item, slice) else 0
            axis += 1
        items.append(item)
    return tuple(items)


def _filled(index: tuple[Any, ...], tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    """The index with the tensors in place of the word "tensor"."""
    if not tensors:
        return index
    remaining = iter(tensors)
    return tuple(next(remaining) if isinstance(item, str) else item for item in index)


@gradient_kernel(GetItem)
def get_item_gradient(
    x: Tensor, index: Tensor, tensors: tuple[Tensor, ...], out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """Add dout at the elements that were read."""
    return get_item_grad(dout, index, tensors, shape_of(x)), None, None


class GetItemGrad(LikeFirst):
    """The gradient of `GetItem` with respect to x: zeros of a given shape with dout added at the index.

    Inputs: dout, of the shape of the output of `GetItem`; index and tensors, as for `GetItem`; the shape of x, a tuple
    of ints.

    Output: a tensor of that shape and the type of dout.

    Example:
        >>> print(ops.GetItemGrad()(Tensor([1.0, 2.0, 3.0]), ("tensor",), (Tensor([3, 0, 3]),), (4,)))
        [2. 0. 0. 4.]
    """

    value_inputs = (1, 3)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["dout", "index", "tensors", "shape"], outputs=["dx"])

    def infer_shape(self, dout: Dims, index: object, tensors: Dims | tuple[Dims, ...], shape: Sequence[int]) -> Dims:
        return tuple(shape)

    def compute(
        self, xp: ArrayModule, dout: Array, index: tuple[Any, ...], tensors: tuple[Any, ...], shape: tuple[int, ...]
    ) -> Array:
        out = xp.zeros(shape, dout.dtype)
        if tensors:
            add_at(xp, out, _filled(index, tensors), dout)
        else:
            out[index] = dout
        return out


get_item_grad = GetItemGrad()


@gradient_kernel(GetItemGrad)
def get_item_grad_gradient(
    gradient: Tensor, index: Tensor, tensors: tuple[Tensor, ...], shape: tuple[int, ...], out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """Read dout at the elements that were written."""
    return get_item(dout, index, tensors), None, None, None


class SetItem(LikeFirst):
    """A copy of x with x[index] = value.

    Inputs: x, a tensor of any type; index and tensors, as for `GetItem`; the value, a tensor or number that broadcasts
    to the shape of x[index].

    Output: a tensor of the shape and type of x.

    Example:
        >>> print(ops.SetItem()(Tensor([10, 20, 30, 40]), (slice(1, 3),), (), Tensor(0)))
        [10  0  0 40]
    """

    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "index", "tensors", "value"], outputs=["output"])

    def infer_shape(self, x: Dims, index: tuple[Any, ...], tensors: tuple[Dims, ...], value: Dims | int) -> Dims:
        place = picked_shape(x, index, tensors)
        if broadcast(place, value) != place:
            raise ValueError(f"cannot assign a value of shape {value} to elements of shape {place}")
        return x

    def compute(
        self, xp: ArrayModule, x: Array, index: tuple[Any, ...], tensors: tuple[Any, ...], value: Array | int
    ) -> Array:
        out = x.copy()
        out[_filled(index, tensors)] = value
        return out


set_item = SetItem()


@gradient_kernel(SetItem)
def set_item_gradient(
    x: Tensor, index: Any, tensors: Any, value: Any, out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """The value gets the gradient of the elements that it replaced, x gets the rest."""
    at_place = get_item(dout, index, tensors)
    return set_item(dout, index, tensors, 0), None, None, sum_like(at_place, value)


#: Placeholder in an index for the next tensor of the accompanying tuple.
TENSOR = "tensor"
