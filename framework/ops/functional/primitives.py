"""Primitives without attributes, as functions: each does what its primitive says."""

from __future__ import annotations

from framework.ops import operations as P  # noqa: N812

__all__ = [
    "assign",
    "assign_add",
    "assign_sub",
    "depend",
    "dtype",
    "expand_dims",
    "fill",
    "gather_d",
    "gather_nd",
    "identity",
    "masked_fill",
    "rank",
    "reshape",
    "scatter_nd",
    "select",
    "shape",
    "size",
    "slice",
    "stop_gradient",
    "tensor_scatter_add",
    "tensor_scatter_elements_update",
    "tensor_scatter_sub",
    "tensor_scatter_update",
    "tile",
    "transpose",
    "unsorted_segment_sum",
]


assign = P.Assign()
assign_add = P.AssignAdd()
assign_sub = P.AssignSub()
depend = P.Depend()
dtype = P.DTypeOf()
expand_dims = P.ExpandDims()
fill = P.Fill()
gather_d = P.GatherD()
gather_nd = P.GatherNd()
identity = P.Identity()
masked_fill = P.MaskedFill()
ones_like = P.OnesLike()
rank = P.Rank()
reshape = P.Reshape()
scatter_nd = P.ScatterNd()
select = P.Select()
shape = P.Shape()
size = P.Size()
slice = P.Slice()
stop_gradient = P.StopGradient()
tensor_scatter_add = P.TensorScatterAdd()
tensor_scatter_elements_update = P.TensorScatterUpdate()
tensor_scatter_sub = P.TensorScatterSub()
tensor_scatter_update = P.TensorScatterUpdate()
tile = P.Tile()
transpose = P.Transpose()
unsorted_segment_sum = P.UnsortedSegmentSum()
zeros_like = P.ZerosLike()
