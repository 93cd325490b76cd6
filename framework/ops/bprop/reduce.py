"""Backward functions of reductions: what was reduced gets the gradient, each element its share."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop.shapes import flat_shape, inverse_order, kept_shape, reduced_last
from framework.ops.functional.known import count_over
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.primitive import cached

reshape = P.Reshape()
shape_of = P.Shape()
rank_of = P.Rank()
ones_like = P.OnesLike()
broadcast_like = P.BroadcastLike()
sum_like = P.SumLike()
cast = P.Cast()
dtype_of = P.DTypeOf()
equal = P.Equal()
transpose = P.Transpose()
expand_dims = P.ExpandDims()
gather_d_grad = P.GatherDGrad()
sum_kept = P.ReduceSum(True)
products_before = P.CumProd(exclusive=True)
products_behind = P.CumProd(exclusive=True, reverse=True)


@gradient(P.ReduceSum)
def reduce_sum_gradient(x: Tensor, axis: Any, out: Tensor, dout: Tensor) -> Any:
    """Every element gets the gradient of the sum."""
    return broadcast_like(reshape(dout, kept_shape(shape_of(x), axis)), x), None


@bprop_getters.register(P.ReduceMean)
def get_bprop_reduce_mean(self: P.ReduceMean) -> Bprop:
    """Every element gets an equal share."""
    counted = cached(P.ReduceSum, self.keep_dims)

    def bprop(x: Tensor, axis: Any, out: Tensor, dout: Tensor) -> Any:
        count = count_over(shape_of(x), axis)
        share = dout / (counted(ones_like(x), axis) if count is None else count)
        return broadcast_like(reshape(share, kept_shape(shape_of(x), axis)), x), None

    return bprop


@gradient(P.ReduceMax, P.ReduceMin)
def reduce_extreme_gradient(x: Tensor, axis: Any, out: Tensor, dout: Tensor) -> Any:
    """The elements that are the extreme share the gradient equally."""
    kept = kept_shape(shape_of(x), axis)
    extreme = cast(equal(x, reshape(out, kept)), dtype_of(x))
    return extreme / sum_kept(extreme, axis) * reshape(dout, kept), None


@gradient(P.ReduceProd)
def reduce_prod_gradient(x: Tensor, axis: Any, out: Tensor, dout: Tensor) -> Any:
    """Every element gets the product of the others, which is not out / x where an element is 0."""
    order = reduced_last(rank_of(x), axis)
    turned = transpose(x, order)
    flat = reshape(turned, flat_shape(shape_of(x), axis))
    others = products_before(flat, 1) * products_behind(flat, 1)
    back = transpose(reshape(others, shape_of(turned)), inverse_order(order))
    return back * reshape(dout, kept_shape(shape_of(x), axis)), None


@bprop_getters.register(P.ArgMaxWithValue)
def get_bprop_arg_with_value(self: P.ArgMaxWithValue) -> Bprop:
    """The element at the index gets the gradient of the value."""
    axis = self.axis
    keep_dims = self.keep_dims

    def bprop(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> Any:
        index, gradient = out[0], dout[1]
        if not keep_dims:
            index = expand_dims(index, axis)
            gradient = expand_dims(gradient, axis)
        return (gather_d_grad(gradient, axis, index, shape_of(x)),)

    return bprop


@bprop_getters.register(P.CumSum)
def get_bprop_cumsum(self: P.CumSum) -> Bprop:
    """The running sum from the other end."""
    backwards = cached(P.CumSum, self.exclusive, not self.reverse)

    def bprop(x: Tensor, axis: int, out: Tensor, dout: Tensor) -> Any:
        return backwards(dout, axis), None

    return bprop


@bprop_getters.register(P.CumProd)
def get_bprop_cumprod(self: P.CumProd) -> Bprop:
    """The sum, from the other end, of out * dout, over x: an element of 0 has no finite derivative here."""
    backwards = cached(P.CumSum, self.exclusive, not self.reverse)

    def bprop(x: Tensor, axis: int, out: Tensor, dout: Tensor) -> Any:
        return backwards(out * dout, axis) / x, None

    return bprop
