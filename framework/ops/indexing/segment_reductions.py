"""Reductions over the slices of each segment: sum, maximum, minimum and product."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import maximum
from framework.ops.array.casting import Cast
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.properties import rank as rank_of
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import reshape
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import equal
from framework.ops.creation.filled_like import OnesLike, ZerosLike
from framework.ops.elementwise import LikeFirst
from framework.ops.gradients import gradient as gradient_kernel
from framework.ops.indexing.gathering_elements import Gather
from framework.ops.indexing.index_kernels import add_at, combine
from framework.ops.indexing.selecting import select
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims, trailing_ones

__all__ = [
    "UnsortedSegmentMax",
    "UnsortedSegmentMin",
    "UnsortedSegmentProd",
    "UnsortedSegmentSum",
    "unsorted_segment_max",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sum",
]

gather_rows = Gather()
zeros_like = ZerosLike()
cast = Cast()
ones_like = OnesLike()


class UnsortedSegmentSum(LikeFirst):
    """The sums of the slices with the same segment id: out[s] = sum of x[i] over all i with segment_ids[i] == s.

    The sum of an empty segment is 0. Slices with a negative id are left out.

    Inputs: x, a tensor of a number type; segment_ids, integers, of the shape of the first dimensions of x;
    num_segments, an int S.

    Output: a tensor of the type of x and of shape (S,) + x.shape[segment_ids.ndim:].

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

    def compute(self, xp: ArrayModule, x: Array, segment_ids: Array, num_segments: int) -> Array:
        out = xp.zeros((num_segments, *x.shape[segment_ids.ndim :]), x.dtype)
        valid = segment_ids >= 0
        add_at(xp, out, (segment_ids[valid],), x[valid])
        return out


unsorted_segment_sum = UnsortedSegmentSum()


@gradient_kernel(UnsortedSegmentSum)
def unsorted_segment_sum_gradient(
    x: Tensor, segment_ids: Tensor, num_segments: int, out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """Each slice gets the gradient of its segment's sum; a slice with a negative id gets 0."""
    of_segment = gather_rows(dout, maximum(segment_ids, 0), 0)
    belongs = reshape(segment_ids >= 0, trailing_ones(shape_of(segment_ids), rank_of(x)))
    return select(belongs, of_segment, zeros_like(of_segment)), None, None


class UnsortedSegmentMax(PrimitiveWithInfer):
    """The maxima of the slices with the same segment id; the lowest number for an empty segment.

    Inputs: x, a tensor of a number type; segment_ids, integers, of the shape of the first dimensions of x;
    num_segments, an int. Slices with a negative id are left out.

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

    def infer_dtype(self, x: DType, segment_ids: DType, num_segments: object) -> DType:
        return x

    def start(self, dtype: Any) -> Any:
        """The value of an empty segment."""
        return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min

    def compute(self, xp: ArrayModule, x: Array, segment_ids: Array, num_segments: int) -> Array:
        out = xp.full((num_segments, *x.shape[segment_ids.ndim :]), self.start(x.dtype), x.dtype)
        valid = segment_ids >= 0
        combine(xp, out, (segment_ids[valid],), x[valid], self.how)
        return out


unsorted_segment_max = UnsortedSegmentMax()


def of_segments(values: Tensor, segment_ids: Tensor, x: Tensor) -> tuple[Tensor, ...]:
    """The value of its segment for each element of x, and whether the element belongs to a segment."""
    picked = gather_rows(values, maximum(segment_ids, 0), 0)
    return picked, reshape(segment_ids >= 0, trailing_ones(shape_of(segment_ids), rank_of(x)))


@gradient_kernel(UnsortedSegmentMax)
def unsorted_segment_extreme_gradient(
    x: Tensor, segment_ids: Tensor, num_segments: int, out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """The slices that equal their segment's extreme get its gradient in equal shares."""
    extreme, belongs = of_segments(out, segment_ids, x)
    chosen = select(belongs, cast(equal(x, extreme), dtype_of(x)), zeros_like(x))
    count = maximum(unsorted_segment_sum(chosen, segment_ids, num_segments), 1.0)
    return chosen * of_segments(dout / count, segment_ids, x)[0], None, None


class UnsortedSegmentMin(UnsortedSegmentMax):
    """The minima of the slices with the same segment id; the highest number for an empty segment.

    Inputs: x, a tensor of a number type; segment_ids, integers, of the shape of the first dimensions of x;
    num_segments, an int. Slices with a negative id are left out.

    Output: a tensor of the element type of x, of shape (num_segments,) + x.shape[segment_ids.ndim:].

    Example:
        >>> print(ops.UnsortedSegmentMin()(Tensor([1, 8, 3, 4]), Tensor([0, 0, 1, 1]), 2))
        [1 3]
    """

    how = "minimum"

    def start(self, dtype: Any) -> Any:
        return np.finfo(dtype).max if dtype.kind == "f" else np.iinfo(dtype).max


unsorted_segment_min = UnsortedSegmentMin()


class UnsortedSegmentProd(UnsortedSegmentMax):
    """The products of the slices with the same segment id; 1 for an empty segment.

    The second derivative is right only where no element is 0.

    Inputs: x, a tensor of a number type; segment_ids, integers, of the shape of the first dimensions of x;
    num_segments, an int. Slices with a negative id are left out.

    Output: a tensor of the element type of x, of shape (num_segments,) + x.shape[segment_ids.ndim:].

    Example:
        >>> print(ops.UnsortedSegmentProd()(Tensor([2, 3, 4, 5]), Tensor([0, 0, 2, 2]), 3))
        [ 6  1 20]
    """

    takes = MappingProxyType({0: (mstype.bool_, *mstype.number_type)})
    how = "multiply"

    def start(self, dtype: DType) -> int:
        return 1


unsorted_segment_prod = UnsortedSegmentProd()


@gradient_kernel(UnsortedSegmentProd)
def unsorted_segment_prod_gradient(
    x: Tensor, segment_ids: Tensor, num_segments: int, out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """Each element gets the gradient times the product of the other elements of its segment."""
    is_zero = equal(x, 0)
    zeros = cast(is_zero, dtype_of(x))
    without = select(is_zero, ones_like(x), x)
    rest, belongs = of_segments(unsorted_segment_prod(without, segment_ids, num_segments), segment_ids, x)
    count, _ = of_segments(unsorted_segment_sum(zeros, segment_ids, num_segments), segment_ids, x)
    others = select(equal(count, zeros), rest / without, zeros_like(x))
    gradient, _ = of_segments(dout, segment_ids, x)
    return select(belongs, others * gradient, zeros_like(x)), None, None
