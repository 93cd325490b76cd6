"""Blocks and strided slices cut out of a tensor, and put back."""

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
    """A block of `size` elements per dimension from `begin` on; -1 takes all that is left.

    Inputs: the tensor x; begin and size, tuples with an int for each dimension of x. Output: a tensor of the block's
    shape and the type of x.

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
    """How long a block is; None where that depends on what is not known."""
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
    """Where a part along an axis begins, and its size."""
    at = normal_axis(axis, len(shape))
    begin = tuple(start if i == at else 0 for i in range(len(shape)))
    return begin, tuple(stop - start if i == at else n for i, n in enumerate(shape))


def narrow(input: Tensor, axis: int, start: int, length: int) -> Tensor:
    """`length` slices along an axis from `start` on.

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
    """Put where it was taken."""
    return slice_grad(dout, begin, size, shape_of(x)), None, None


class SliceGrad(LikeFirst):
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

    def infer_shape(self, dout: Dims, begin: Dims, size: Dims, shape: Sequence[int]) -> Dims:
        return tuple(shape)

    def compute(
        self, xp: ArrayModule, dout: Array, begin: tuple[int, ...], size: tuple[int, ...], shape: tuple[int, ...]
    ) -> Array:
        out = xp.zeros(shape, dout.dtype)
        out[self.index(begin, size)] = dout
        return out

    def index(self, begin: Sequence[int], size: Sequence[int]) -> tuple[builtins.slice, ...]:
        """Where elements were taken."""
        return _block(begin, size)


slice_grad = SliceGrad()


@gradient_kernel(SliceGrad)
def slice_grad_gradient(
    gradient: Tensor, begin: tuple[int, ...], size: tuple[int, ...], shape: tuple[int, ...], out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """Taken where it was put."""
    return slice(dout, begin, size), None, None, None


class StridedSlice(LikeFirst):
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

    def compute(
        self, xp: ArrayModule, x: Array, begin: tuple[int, ...], end: tuple[int, ...], strides: tuple[int, ...]
    ) -> Array:
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
                parts.append(
                    builtins.slice(None if self.begin_mask & bit else first, self._last(bit, first, last, step), step)
                )
        return tuple(parts)

    def _last(self, bit: int, first: int, last: int, step: int) -> int | None:
        """Where to stop; Python reads -1 from the end, so what passes the first element backwards is None."""
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
    """Every `strides`-th element from `begin` up to, but without, `end`, per dimension.

    The masks are those of `StridedSlice`.

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
    """Put where it was taken."""
    masks = (self.begin_mask, self.end_mask, self.ellipsis_mask, self.new_axis_mask, self.shrink_axis_mask)
    put = cached(StridedSliceGrad, *masks)

    def bprop(
        x: Tensor, begin: tuple[int, ...], end: tuple[int, ...], strides: tuple[int, ...], out: Tensor, dout: Tensor
    ) -> tuple[Tensor | None, ...]:
        return put(dout, begin, end, strides, shape_of(x)), None, None, None

    return bprop


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
    """Taken where it was put."""
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
