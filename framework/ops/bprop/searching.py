"""Backward functions of looking for elements, where there is one."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.operations.shapes import broadcast

cast = P.Cast()
dtype_of = P.DTypeOf()
gather_d_grad = P.GatherDGrad()
is_finite = P.IsFinite()
logical_and = P.LogicalAnd()
masked_select = P.MaskedSelect()
non_zero = P.NonZero()
ones_like = P.OnesLike()
reduce_sum = P.ReduceSum()
scatter_nd = P.ScatterNd()
shape_of = P.Shape()
sum_like = P.SumLike()


@constexpr
def _both(one: tuple[int, ...], other: tuple[int, ...]) -> Any:
    """The shape that two shapes broadcast to."""
    return broadcast(one, other)


@gradient(P.MaskedSelect)
def masked_select_gradient(x: Tensor, mask: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Put where it was taken."""
    shape = _both(shape_of(x), shape_of(mask))
    whole = P.BroadcastTo(shape)(mask)
    return sum_like(scatter_nd(non_zero(whole), dout, shape), x), None


@constexpr
def _vector_axes(count: int, indexing: str) -> tuple[tuple[int, ...], ...]:
    """For each vector the dimensions along which it was repeated."""
    own = list(range(count))
    if indexing == "xy" and count > 1:
        own[:2] = 1, 0
    return tuple(tuple(i for i in range(count) if i != axis) for axis in own)


@bprop_getters.register(P.Meshgrid)
def get_bprop_meshgrid(self: P.Meshgrid) -> Bprop:
    """Summed over repetitions."""
    indexing = self.indexing

    def bprop(vectors: tuple[Tensor, ...], out: Any, dout: tuple[Tensor, ...]) -> Any:
        axes = _vector_axes(len(vectors), indexing)
        return ([reduce_sum(gradient, axes[i]) for i, gradient in enumerate(dout)],)

    return bprop


@bprop_getters.register(P.Cummax)
def get_bprop_cummax(self: P.Cummax) -> Bprop:
    """Added where it was taken; what comes out beside has no gradient."""
    axis = self.axis

    def bprop(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> Any:
        return (gather_d_grad(dout[0], axis, out[1], shape_of(x)),)

    return bprop


@gradient(P.NanToNum)
def nan_to_num_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Through what stayed as it was."""
    return dout * cast(is_finite(x), dtype_of(dout))


@gradient(P.Lerp)
def lerp_gradient(start: Tensor, end: Tensor, weight: Any, out: Tensor, dout: Tensor) -> Any:
    """1 - weight, weight, and the difference."""
    towards = dout * weight
    return sum_like(dout - towards, start), sum_like(towards, end), sum_like(dout * (end - start), weight)
