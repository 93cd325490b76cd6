"""Blocks and strided slices of a tensor, and their gradients."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, ClassVar

from framework.common.tensor import Tensor
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.elementwise import LikeFirst
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.gradients import gradient as gradient_kernel
from framework.ops.indexing.subscripts import picked_shape
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import Dims, normal_axis

__all__ = [
    "Slice",
    "SliceGrad",
    "StridedSlice",
    "StridedSliceGrad",
    "narrow",
    "slice",
    "strided_slice",
]


class Slice(LikeFirst):
    """A block of `size` elements from `begin` on in each dimension; size -1 reaches to the end.

    Inputs: x, a tensor of any type; begin and size, tuples with an int for each dimension of x.

    Output: a tensor of the block's shape and the type of x.

    Example:
        >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
        >>> print(ops.Slice()(x, (0, 1), (-1, 2)))
        [[2 3]
         [5 6]]
    """

    arguments = ("input_x", "begin", "size")
    value_inputs = (1, 2)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "begin", "size"], outputs=["output"])

    def infer_shape(self, x: Dims, begin: Sequence[int], size: Sequence[int]) -> Dims:
        if None in (*x, *begin, *size):
            ways = zip(x, begin, size, strict=True)
            return tuple(_left(length, first, wanted) for length, first, wanted in ways)
        return picked_shape(x, _block(begin, size), ())

    def compute(self, xp: ArrayModule, x: Array, begin: tuple[int, ...], size: tuple[int, ...]) -> Array:
        return x[_block(begin, size)]


def _left(length: int | None, begin: int | None, size: int | None) -> int | None:
    """The length of a block; None if it depends on an unknown length."""
    if size != -1:
        return size
    return None if length is None or begin is None else max(0, length - begin)


def _block(begin: Sequence[int], size: Sequence[int]) -> tuple[builtins.slice, ...]:
    return tuple(
        builtins.slice(first, None if count == -1 else first + count) for first, count in zip(begin, size, strict=True)
    )


slice = Slice()


@constexpr
def _part(shape: Sequence[int], axis: int, start: int, stop: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The begin and size of a part along an axis."""
    position = normal_axis(axis, len(shape))
    begin = tuple(start if i == position else 0 for i in range(len(shape)))
    return begin, tuple(stop - start if i == position else n for i, n in enumerate(shape))


def narrow(input: Tensor, axis: int, start: int, length: int) -> Tensor:
    """`length` slices of a tensor along an axis, from `start` on.

    Args:
        input: tensor of any type.
        axis: axis that is cut.
        start: index of the first slice.
        length: number of slices.

    Returns:
        A tensor of the type of `input` and of its shape, with `length` along the axis.

    Example:
        >>> print(ops.narrow(Tensor([[1, 2, 3], [4, 5, 6]]), 1, 1, 2))
        [[2 3]
         [5 6]]

    """
    begin, sizes = _part(shape_of(input), axis, start, start + length)
    return slice(input, begin, sizes)


@gradient_kernel(Slice)
def slice_gradient(
    x: Tensor, begin: tuple[int, ...], size: tuple[int, ...], out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """Zeros with dout in the place of the block."""
    return slice_grad(dout, begin, size, shape_of(x)), None, None


class SliceGrad(LikeFirst):
    """The gradient of `Slice` with respect to x: zeros of a given shape with dout in the place of the block.

    Inputs: dout, of the block's shape; begin and size, as for `Slice`; the shape of x, a tuple of ints.

    Output: a tensor of that shape and the type of dout.

    Example:
        >>> print(ops.SliceGrad()(Tensor([1.0, 2.0]), (1,), (2,), (4,)))
        [0. 1. 2. 0.]
    """

    value_inputs = (1, 2, 3)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["dout", "begin", "size", "shape"], outputs=["dx"])

    def infer_shape(self, dout: Dims, begin: Dims, size: Dims, shape: Sequence[int]) -> Dims:
        return tuple(shape)

    def compute(
        self, xp: ArrayModule, dout: Array, begin: tuple[int, ...], size: tuple[int, ...], shape: tuple[int, ...]
    ) -> Array:
        out = xp.zeros(shape, dout.dtype)
        out[self.index(begin, size)] = dout
        return out

    def index(self, begin: Sequence[int], size: Sequence[int]) -> tuple[builtins.slice, ...]:
        """The block as an index of Python."""
        return _block(begin, size)


slice_grad = SliceGrad()


@gradient_kernel(SliceGrad)
def slice_grad_gradient(
    gradient: Tensor, begin: tuple[int, ...], size: tuple[int, ...], shape: tuple[int, ...], out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """The block of dout."""
    return slice(dout, begin, size), None, None, None


class StridedSlice(LikeFirst):
    """Every `strides`-th element from `begin` to `end` in each dimension, without `end`.

    Inputs: x, a tensor of any type; begin, end and strides, tuples of ints of the same length, for the first dimensions
    of x. The other dimensions stay whole.

    Output: a tensor of the type of x and the shape of the slice.

    Args:
        begin_mask: if bit i is set, dimension i begins at its first element.
        end_mask: if bit i is set, dimension i ends with its last element.
        ellipsis_mask: if bit i is set, position i stands for all dimensions that the other positions do not name.
        new_axis_mask: if bit i is set, position i adds a dimension of length 1.
        shrink_axis_mask: if bit i is set, position i takes the element at `begin` alone and drops the dimension.

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

    def compute(
        self, xp: ArrayModule, x: Array, begin: tuple[int, ...], end: tuple[int, ...], strides: tuple[int, ...]
    ) -> Array:
        return x[self.index(begin, end, strides)]

    def index(self, begin: Sequence[int], end: Sequence[int], strides: Sequence[int]) -> tuple[Any, ...]:
        """The slice as an index of Python."""
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
                parts.append(
                    builtins.slice(None if self.begin_mask & bit else first, self._last(bit, first, last, step), step)
                )
        return tuple(parts)

    def _last(self, bit: int, first: int, last: int, step: int) -> int | None:
        """The end of a slice; None, "to the first element", where -1 would count from the end."""
        return None if self.end_mask & bit or (step < 0 and last < 0 <= first) else last


def strided_slice(
    input_x: Tensor,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Tensor:
    """Every `strides`-th element of a tensor from `begin` to `end` in each dimension, without `end`.

    Args:
        input_x: tensor of any type.
        begin: first index for each of the first dimensions.
        end: index after the last for each of them.
        strides: step for each of them.
        begin_mask: as for `StridedSlice`.
        end_mask: as for `StridedSlice`.
        ellipsis_mask: as for `StridedSlice`.
        new_axis_mask: as for `StridedSlice`.
        shrink_axis_mask: as for `StridedSlice`.

    Returns:
        A tensor of the type of `input_x` and the shape of the slice.

    Example:
        >>> print(ops.strided_slice(Tensor([[1, 2, 3], [4, 5, 6]]), (0, 0), (2, 3), (1, 2)))
        [[1 3]
         [4 6]]

    """
    return cached(StridedSlice, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)(
        input_x, begin, end, strides
    )


@bprop_getters.register(StridedSlice)
def get_bprop_strided_slice(self: StridedSlice) -> Bprop:
    """Zeros with dout in the place of the slice."""
    masks = (self.begin_mask, self.end_mask, self.ellipsis_mask, self.new_axis_mask, self.shrink_axis_mask)
    put = cached(StridedSliceGrad, *masks)

    def bprop(
        x: Tensor, begin: tuple[int, ...], end: tuple[int, ...], strides: tuple[int, ...], out: Tensor, dout: Tensor
    ) -> tuple[Tensor | None, ...]:
        return put(dout, begin, end, strides, shape_of(x)), None, None, None

    return bprop


class StridedSliceGrad(StridedSlice):
    """The gradient of `StridedSlice` with respect to x: zeros of a given shape with dout in the place of the slice.

    Inputs: dout, of the shape of the slice; begin, end and strides, as for `StridedSlice`; the shape of x, a tuple of
    ints.

    Output: a tensor of that shape and the type of dout.

    Args:
        begin_mask: as for `StridedSlice`.
        end_mask: as for `StridedSlice`.
        ellipsis_mask: as for `StridedSlice`.
        new_axis_mask: as for `StridedSlice`.
        shrink_axis_mask: as for `StridedSlice`.

    Example:
        >>> print(ops.StridedSliceGrad()(Tensor([1.0, 2.0]), (0,), (4,), (2,), (4,)))
        [1. 0. 2. 0.]
    """

    value_inputs = (1, 2, 3, 4)

    def infer_shape(self, dout: Dims, begin: Any, end: Any, strides: Any, shape: Any = ()) -> Dims:
        return tuple(shape)

    def compute(
        self,
        xp: ArrayModule,
        dout: Array,
        begin: tuple[int, ...],
        end: tuple[int, ...],
        strides: tuple[int, ...],
        shape: tuple[int, ...] = (),
    ) -> Array:
        out = xp.zeros(shape, dout.dtype)
        out[self.index(begin, end, strides)] = dout
        return out


@bprop_getters.register(StridedSliceGrad)
def get_bprop_strided_slice_grad(self: StridedSliceGrad) -> Bprop:
    """The slice of dout."""
    masks = (self.begin_mask, self.end_mask, self.ellipsis_mask, self.new_axis_mask, self.shrink_axis_mask)
    take = cached(StridedSlice, *masks)

    def bprop(
        gradient: Tensor,
        begin: tuple[int, ...],
        end: tuple[int, ...],
        strides: tuple[int, ...],
        shape: tuple[int, ...],
        out: Tensor,
        dout: Tensor,
    ) -> tuple[Tensor | None, ...]:
        return take(dout, begin, end, strides), None, None, None, None

    return bprop
