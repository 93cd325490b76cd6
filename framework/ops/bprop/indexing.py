"""Backward functions of picking and putting elements: each is the other's."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop.shapes import trailing_ones
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.primitive import cached

shape_of = P.Shape()
sum_like = P.SumLike()
zeros_like = P.ZerosLike()
select = P.Select()
masked_fill = P.MaskedFill()
get_item = P.GetItem()
get_item_grad = P.GetItemGrad()
set_item = P.SetItem()
gather_d = P.GatherD()
gather_d_grad = P.GatherDGrad()
gather_nd = P.GatherNd()
scatter_nd = P.ScatterNd()
scatter_update = P.TensorScatterUpdate()
slice_of = P.Slice()
slice_grad = P.SliceGrad()
gather_rows = P.Gather()
maximum = P.Maximum()
reshape = P.Reshape()
rank_of = P.Rank()


@gradient(P.GetItem)
def get_item_gradient(x: Tensor, index: Any, tensors: Any, out: Tensor, dout: Tensor) -> Any:
    """Added where it was taken."""
    return get_item_grad(dout, index, tensors, shape_of(x)), None, None


@gradient(P.GetItemGrad)
def get_item_grad_gradient(gradient: Tensor, index: Any, tensors: Any, shape: Any, out: Tensor, dout: Tensor) -> Any:
    """Taken where it was added."""
    return get_item(dout, index, tensors), None, None, None


@gradient(P.SetItem)
def set_item_gradient(x: Tensor, index: Any, tensors: Any, value: Any, out: Tensor, dout: Tensor) -> Any:
    """The value gets what lies at its place, the tensor the rest."""
    at_place = get_item(dout, index, tensors)
    return set_item(dout, index, tensors, 0), None, None, sum_like(at_place, value)


@bprop_getters.register(P.Gather)
def get_bprop_gather(self: P.Gather) -> Bprop:
    """Added where it was taken."""
    gather_grad = cached(P.GatherGrad, self.batch_dims)

    def bprop(x: Tensor, indices: Tensor, axis: int, out: Tensor, dout: Tensor) -> Any:
        return gather_grad(dout, indices, axis, shape_of(x)), None, None

    return bprop


@bprop_getters.register(P.GatherGrad)
def get_bprop_gather_grad(self: P.GatherGrad) -> Bprop:
    """Taken where it was added."""
    gather = cached(P.Gather, self.batch_dims)

    def bprop(gradient: Tensor, indices: Tensor, axis: int, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return gather(dout, indices, axis), None, None, None

    return bprop


@gradient(P.GatherD)
def gather_d_gradient(x: Tensor, dim: int, index: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Added where it was taken."""
    return gather_d_grad(dout, dim, index, shape_of(x)), None, None


@gradient(P.GatherDGrad)
def gather_d_grad_gradient(gradient: Tensor, dim: int, index: Tensor, shape: Any, out: Tensor, dout: Tensor) -> Any:
    """Taken where it was added."""
    return gather_d(dout, dim, index), None, None, None


@gradient(P.GatherNd)
def gather_nd_gradient(x: Tensor, indices: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Added where it was taken."""
    return scatter_nd(indices, dout, shape_of(x)), None


@gradient(P.ScatterNd)
def scatter_nd_gradient(indices: Tensor, updates: Tensor, shape: Any, out: Tensor, dout: Tensor) -> Any:
    """Taken where it was added."""
    return None, gather_nd(dout, indices), None


@gradient(P.TensorScatterUpdate)
def tensor_scatter_update_gradient(x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor) -> Any:
    """The updates get what lies at their places, the tensor the rest."""
    return scatter_update(dout, indices, zeros_like(updates)), None, gather_nd(dout, indices)


@gradient(P.TensorScatterAdd)
def tensor_scatter_add_gradient(x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Both get the gradient of the sum."""
    return dout, None, gather_nd(dout, indices)


@gradient(P.TensorScatterSub)
def tensor_scatter_sub_gradient(x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Both get the gradient of the difference."""
    return dout, None, -gather_nd(dout, indices)


@gradient(P.UnsortedSegmentSum)
def unsorted_segment_sum_gradient(x: Tensor, segment_ids: Tensor, num_segments: int, out: Tensor, dout: Tensor) -> Any:
    """Each slice gets the gradient of its segment's sum; one with a negative id belongs to none."""
    of_segment = gather_rows(dout, maximum(segment_ids, 0), 0)
    belongs = reshape(segment_ids >= 0, trailing_ones(shape_of(segment_ids), rank_of(x)))
    return select(belongs, of_segment, zeros_like(of_segment)), None, None


@gradient(P.Slice)
def slice_gradient(x: Tensor, begin: Any, size: Any, out: Tensor, dout: Tensor) -> Any:
    """Put where it was taken."""
    return slice_grad(dout, begin, size, shape_of(x)), None, None


@gradient(P.SliceGrad)
def slice_grad_gradient(gradient: Tensor, begin: Any, size: Any, shape: Any, out: Tensor, dout: Tensor) -> Any:
    """Taken where it was put."""
    return slice_of(dout, begin, size), None, None, None


@bprop_getters.register(P.StridedSlice)
def get_bprop_strided_slice(self: P.StridedSlice) -> Bprop:
    """Put where it was taken."""
    masks = (self.begin_mask, self.end_mask, self.ellipsis_mask, self.new_axis_mask, self.shrink_axis_mask)
    put = cached(P.StridedSliceGrad, *masks)

    def bprop(x: Tensor, begin: Any, end: Any, strides: Any, out: Tensor, dout: Tensor) -> Any:
        return put(dout, begin, end, strides, shape_of(x)), None, None, None

    return bprop


@bprop_getters.register(P.StridedSliceGrad)
def get_bprop_strided_slice_grad(self: P.StridedSliceGrad) -> Bprop:
    """Taken where it was put."""
    masks = (self.begin_mask, self.end_mask, self.ellipsis_mask, self.new_axis_mask, self.shrink_axis_mask)
    take = cached(P.StridedSlice, *masks)

    def bprop(gradient: Tensor, begin: Any, end: Any, strides: Any, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return take(dout, begin, end, strides), None, None, None, None

    return bprop


@gradient(P.Select)
def select_gradient(condition: Tensor, x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
    """To where each element came from."""
    zero = zeros_like(dout)
    return None, sum_like(select(condition, dout, zero), x), sum_like(select(condition, zero, dout), y)


@bprop_getters.register(P.OneHot)
def get_bprop_one_hot(self: P.OneHot) -> Bprop:
    """To the value that each element is; none to the indices."""
    one_hot = cached(P.OneHot, self.axis)

    def bprop(indices: Tensor, depth: int, on_value: Any, off_value: Any, out: Tensor, dout: Tensor) -> Any:
        is_on = one_hot(indices, depth, True, False)
        zero = zeros_like(dout)
        on, off = select(is_on, dout, zero), select(is_on, zero, dout)
        return None, None, sum_like(on, on_value), sum_like(off, off_value)

    return bprop


@gradient(P.MaskedFill)
def masked_fill_gradient(x: Tensor, mask: Tensor, value: Any, out: Tensor, dout: Tensor) -> Any:
    """The value gets what lies under the mask, the tensor the rest."""
    under = select(mask, dout, zeros_like(dout))
    return sum_like(masked_fill(dout, mask, 0), x), None, sum_like(under, value)


@gradient(P.TopK)
def top_k_gradient(x: Tensor, k: int, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> Any:
    """To where the values came from."""
    return gather_d_grad(dout[0], -1, out[1], shape_of(x)), None


@bprop_getters.register(P.Sort)
def get_bprop_sort(self: P.Sort) -> Bprop:
    """To where the values came from."""
    axis = self.axis

    def bprop(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> Any:
        return (gather_d_grad(dout[0], axis, out[1], shape_of(x)),)

    return bprop
