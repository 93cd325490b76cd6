"""Backward functions of sampling at the points of a grid."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.primitive import cached

expand_dims = P.ExpandDims()
gather_d = P.GatherD()
gather_d_grad = P.GatherDGrad()
reduce_sum = P.ReduceSum()
reshape = P.Reshape()
shape_of = P.Shape()
stack_last = P.Stack(-1)
stack_second = P.Stack(1)
zeros_like = P.ZerosLike()


@bprop_getters.register(P.GridSampler2D)
def get_bprop_grid_sampler(self: P.GridSampler2D) -> Bprop:
    """To the pixels around a point by their shares; to the grid by how the shares change."""
    mode, padding, aligned = self.interpolation_mode, self.padding_mode, self.align_corners
    nearest = mode == "nearest"

    def bprop(x: Tensor, grid: Tensor, out: Tensor, dout: Tensor) -> Any:
        n, c, height, width = shape_of(x)
        right, down, across, along, pixels, inside = cached(P.GridCorners, height, width, mode, padding, aligned)(grid)
        _, around, points = shape_of(pixels)
        numbers = cached(P.BroadcastTo, (n, c, around * points))(reshape(pixels, (n, 1, around * points)))
        of_pixels = reshape(dout, (n, c, 1, points))
        up, left = 1 - down, 1 - right
        shares = inside
        if not nearest:
            shares = inside * stack_second((up * left, up * right, down * left, down * right))
        added = reshape(of_pixels * expand_dims(shares, 1), (n, c, around * points))
        dx = reshape(gather_d_grad(added, 2, numbers, (n, c, height * width)), shape_of(x))
        if nearest:
            return dx, zeros_like(grid)
        seen = reshape(gather_d(reshape(x, (n, c, height * width)), 2, numbers), (n, c, around, points))
        each = reduce_sum(of_pixels * seen, 1) * inside
        dright = reduce_sum(each * stack_second((-up, up, -down, down)), 1) * across
        ddown = reduce_sum(each * stack_second((-left, -right, left, right)), 1) * along
        return dx, reshape(stack_last((dright, ddown)), shape_of(grid))

    return bprop


@gradient(P.GridCorners)
def grid_corners_gradient(grid: Tensor, out: Any, dout: Any) -> Any:
    """The distances change with the grid; the pixels and the derivatives only where they jump."""
    return reshape(stack_last((dout[0] * out[2], dout[1] * out[3])), shape_of(grid))
