"""Backward functions of putting elements where indices point."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop.shapes import trailing_ones
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.primitive import cached

cast = P.Cast()
dtype_of = P.DTypeOf()
equal = P.Equal()
gather_d = P.GatherD()
gather_nd = P.GatherNd()
gather_rows = P.Gather()
maximum = P.Maximum()
ones_like = P.OnesLike()
rank_of = P.Rank()
reshape = P.Reshape()
scatter_add = P.TensorScatterAdd()
scatter_div = P.TensorScatterDiv()
scatter_mul = P.TensorScatterMul()
segment_prod = P.UnsortedSegmentProd()
segment_sum = P.UnsortedSegmentSum()
select = P.Select()
shape_of = P.Shape()
zeros_like = P.ZerosLike()


@gradient(P.TensorScatterMul)
def tensor_scatter_mul_gradient(x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Each gets the gradient times the other."""
    return scatter_mul(dout, indices, updates), None, gather_nd(x * dout, indices)


@gradient(P.TensorScatterDiv)
def tensor_scatter_div_gradient(x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor) -> Any:
    """The tensor the gradient by the update, the update -x / update ** 2 of it."""
    return scatter_div(dout, indices, updates), None, -gather_nd(x * dout, indices) / (updates * updates)


@gradient(P.TensorScatterMax, P.TensorScatterMin)
def tensor_scatter_extreme_gradient(x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor) -> Any:
    """To those that are the output, in equal shares."""
    kept = cast(equal(x, out), dtype_of(x))
    put = cast(equal(updates, gather_nd(out, indices)), dtype_of(x))
    share = dout / scatter_add(kept, indices, put)
    return kept * share, None, put * gather_nd(share, indices)


@bprop_getters.register(P.TensorScatterElements)
def get_bprop_tensor_scatter_elements(self: P.TensorScatterElements) -> Bprop:
    """The updates get what lies at their places; the tensor the rest, or all where they were added."""
    axis = self.axis
    adds = self.reduction == "add"
    put = cached(P.TensorScatterElements, axis, "none")

    def bprop(x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor) -> Any:
        rest = dout if adds else put(dout, indices, zeros_like(updates))
        return rest, None, gather_d(dout, axis, indices)

    return bprop


def of_segments(values: Tensor, segment_ids: Tensor, x: Tensor) -> Any:
    """For each element of x the value of its segment, and whether it belongs to one."""
    picked = gather_rows(values, maximum(segment_ids, 0), 0)
    return picked, reshape(segment_ids >= 0, trailing_ones(shape_of(segment_ids), rank_of(x)))


@gradient(P.UnsortedSegmentMax)
def unsorted_segment_extreme_gradient(
    x: Tensor, segment_ids: Tensor, num_segments: int, out: Tensor, dout: Tensor
) -> Any:
    """To the slices that are their segment's extreme, in equal shares."""
    extreme, belongs = of_segments(out, segment_ids, x)
    chosen = select(belongs, cast(equal(x, extreme), dtype_of(x)), zeros_like(x))
    count = maximum(segment_sum(chosen, segment_ids, num_segments), 1.0)
    return chosen * of_segments(dout / count, segment_ids, x)[0], None, None


@gradient(P.UnsortedSegmentProd)
def unsorted_segment_prod_gradient(x: Tensor, segment_ids: Tensor, num_segments: int, out: Tensor, dout: Tensor) -> Any:
    """Each element gets the product of the others of its segment."""
    is_zero = equal(x, 0)
    zeros = cast(is_zero, dtype_of(x))
    without = select(is_zero, ones_like(x), x)
    rest, belongs = of_segments(segment_prod(without, segment_ids, num_segments), segment_ids, x)
    count, _ = of_segments(segment_sum(zeros, segment_ids, num_segments), segment_ids, x)
    others = select(equal(count, zeros), rest / without, zeros_like(x))
    gradient, _ = of_segments(dout, segment_ids, x)
    return select(belongs, others * gradient, zeros_like(x)), None, None
