"""The backward functions of normalization over neighbouring channels and of regions brought to one size."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.operations.detection import neighbours
from framework.ops.primitive import cached

cast = P.Cast()
dtype_of = P.DTypeOf()
matmul = P.BatchMatMul()
power = P.Pow()
reshape = P.Reshape()
shape_of = P.Shape()
square = P.Square()


@constexpr
def _band(channels: int, radius: int) -> Tensor:
    return Tensor(neighbours(channels, radius))


@bprop_getters.register(P.LRN)
def get_bprop_lrn(self: P.LRN) -> Bprop:
    """With s = bias + alpha B x x, B summing neighbours: dout s^-beta - 2 alpha beta x B (dout x s^(-beta - 1))."""
    radius, bias, alpha, beta = self.depth_radius, self.bias, self.alpha, self.beta

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        n, c, height, width = shape_of(x)
        flat = (n, c, height * width)
        band = cast(_band(c, radius), dtype_of(x))
        lines, gradient = reshape(x, flat), reshape(dout, flat)
        sums = bias + alpha * matmul(band, square(lines))
        part = matmul(band, gradient * lines * power(sums, -beta - 1))
        dx = gradient * power(sums, -beta) - (2 * alpha * beta) * (lines * part)
        return (reshape(dx, (n, c, height, width)),)

    return bprop


def _regions(self: P.ROIAlign) -> tuple[Any, ...]:
    """Attributes, as both operators take them."""
    return self.pooled_height, self.pooled_width, self.spatial_scale, self.sample_num, self.roi_end_mode


@bprop_getters.register(P.ROIAlign)
def get_bprop_roi_align(self: P.ROIAlign) -> Bprop:
    """Linear in the images."""
    grad = cached(P.ROIAlignGrad, *_regions(self))

    def bprop(features: Tensor, rois: Tensor, out: Tensor, dout: Tensor) -> Any:
        return grad(dout, rois, shape_of(features)), None

    return bprop


@bprop_getters.register(P.ROIAlignGrad)
def get_bprop_roi_align_grad(self: P.ROIAlignGrad) -> Bprop:
    """Linear too, and the transpose."""
    align = cached(P.ROIAlign, *_regions(self))

    def bprop(gradient: Tensor, rois: Tensor, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return align(dout, rois), None, None

    return bprop
