"""Backward functions of picking and putting elements: each is the other's."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop.registry import Bprop, bprop_getters
from framework.ops.bprop.shapes import trailing_ones
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


@bprop_getters.register(P.GetItem)
def get_bprop_get_item(self: P.GetItem) -> Bprop:
    """Added where it was taken."""

    def bprop(x: Tensor, index: Any, tensors: Any, out: Tensor, dout: Tensor) -> Any:
        return get_item_grad(dout, index, tensors, shape_of(x)), None, None

    return bprop


@bprop_getters.register(P.GetItemGrad)
def get_bprop_get_item_grad(self: P.GetItemGrad) -> Bprop:
    """Taken where it was added."""

    def bprop(gradient: Tensor, index: Any, tensors: Any, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return get_item(dout, index, tensors), None, None, None

    return bprop


@bprop_getters.register(P.SetItem)
def get_bprop_set_item(self: P.SetItem) -> Bprop:
    """The value gets what lies at its place, the tensor the rest."""

    def bprop(x: Tensor, index: Any, tensors: Any, value: Any, out: Tensor, dout: Tensor) -> Any:
        at_place = get_item(dout, index, tensors)
        return set_item(dout, index, tensors, 0), None, None, sum_like(at_place, value)

    return bprop


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


@bprop_getters.register(P.GatherD)
def get_bprop_gather_d(self: P.GatherD) -> Bprop:
    """Added where it was taken."""

    def bprop(x: Tensor, dim: int, index: Tensor, out: Tensor, dout: Tensor) -> Any:
        return gather_d_grad(dout, dim, index, shape_of(x)), None, None

    return bprop


@bprop_getters.register(P.GatherDGrad)
def get_bprop_gather_d_grad(self: P.GatherDGrad) -> Bprop:
    """Taken where it was added."""

    def bprop(gradient: Tensor, dim: int, index: Tensor, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return gather_d(dout, dim, index), None, None, None

    return bprop


@bprop_getters.register(P.GatherNd)
def get_bprop_gather_nd(self: P.GatherNd) -> Bprop:
    """Added where it was taken."""

    def bprop(x: Tensor, indices: Tensor, out: Tensor, dout: Tensor) -> Any:
        return scatter_nd(indices, dout, shape_of(x)), None

    return bprop


@bprop_getters.register(P.ScatterNd)
def get_bprop_scatter_nd(self: P.ScatterNd) -> Bprop:
    """Taken where it was added."""

    def bprop(indices: Tensor, updates: Tensor, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return None, gather_nd(dout, indices), None

    return bprop


@bprop_getters.register(P.TensorScatterUpdate)
def get_bprop_tensor_scatter_update(self: P.TensorScatterUpdate) -> Bprop:
    """The updates get what lies at their places, the tensor the rest."""

    def bprop(x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor) -> Any:
        return scatter_update(dout, indices, zeros_like(updates)), None, gather_nd(dout, indices)

    return bprop


@bprop_getters.register(P.TensorScatterAdd)
def get_bprop_tensor_scatter_add(self: P.TensorScatterAdd) -> Bprop:
    """Both get the gradient of the sum."""

    def bprop(x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor) -> Any:
        return dout, None, gather_nd(dout, indices)

    return bprop


@bprop_getters.register(P.TensorScatterSub)
def get_bprop_tensor_scatter_sub(self: P.TensorScatterSub) -> Bprop:
    """Both get the gradient of the difference."""

    def bprop(x: Tensor, indices: Tensor, updates: Tensor, out: Tensor, dout: Tensor) -> Any:
        return dout, None, -gather_nd(dout, indices)

    return bprop


@bprop_getters.register(P.UnsortedSegmentSum)
def get_bprop_unsorted_segment_sum(self: P.UnsortedSegmentSum) -> Bprop:
    """Each slice gets the gradient of its segment's sum; one with a negative id belongs to none."""

    def bprop(x: Tensor, segment_ids: Tensor, num_segments: int, out: Tensor, dout: Tensor) -> Any:
        of_segment = gather_rows(dout, maximum(segment_ids, 0), 0)
        belongs = reshape(segment_ids >= 0, trailing_ones(shape_of(segment_ids), rank_of(x)))
        return select(belongs, of_segment, zeros_like(of_segment)), None, None

    return bprop


@bprop_getters.register(P.Slice)
def get_bprop_slice(self: P.Slice) -> Bprop:
    """Put where it was taken."""

    def bprop(x: Tensor, begin: Any, size: Any, out: Tensor, dout: Tensor) -> Any:
        return slice_grad(dout, begin, size, shape_of(x)), None, None

    return bprop


@bprop_getters.register(P.SliceGrad)
def get_bprop_slice_grad(self: P.SliceGrad) -> Bprop:
    """Taken where it was put."""

    def bprop(gradient: Tensor, begin: Any, size: Any, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return slice_of(dout, begin, size), None, None, None

    return bprop


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


@bprop_getters.register(P.Select)
def get_bprop_select(self: P.Select) -> Bprop:
    """To where each element came from."""

    def bprop(condition: Tensor, x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        zero = zeros_like(dout)
        return None, sum_like(select(condition, dout, zero), x), sum_like(select(condition, zero, dout), y)

    return bprop


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


@bprop_getters.register(P.MaskedFill)
def get_bprop_masked_fill(self: P.MaskedFill) -> Bprop:
    """The value gets what lies under the mask, the tensor the rest."""

    def bprop(x: Tensor, mask: Tensor, value: Any, out: Tensor, dout: Tensor) -> Any:
        under = select(mask, dout, zeros_like(dout))
        return sum_like(masked_fill(dout, mask, 0), x), None, sum_like(under, value)

    return bprop


@bprop_getters.register(P.TopK)
def get_bprop_top_k(self: P.TopK) -> Bprop:
    """To where the values came from."""

    def bprop(x: Tensor, k: int, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> Any:
        return gather_d_grad(dout[0], -1, out[1], shape_of(x)), None

    return bprop


@bprop_getters.register(P.Sort)
def get_bprop_sort(self: P.Sort) -> Bprop:
    """To where the values came from."""
    axis = self.axis

    def bprop(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> Any:
        return (gather_d_grad(dout[0], axis, out[1], shape_of(x)),)

    return bprop
