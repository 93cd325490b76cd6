"""Backward functions of resizing and of pooling to a wanted size."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.primitive import cached

shape_of = P.Shape()


@bprop_getters.register(P.ResizeBilinearV2)
def get_bprop_resize_bilinear_v2(self: P.ResizeBilinearV2) -> Bprop:
    """The transposed matrices."""
    grad = cached(P.ResizeBilinearGrad, self.align_corners, self.half_pixel_centers)

    def bprop(x: Tensor, size: Any, out: Tensor, dout: Tensor) -> Any:
        return grad(dout, shape_of(x)), None

    return bprop


@bprop_getters.register(P.ResizeBilinear)
def get_bprop_resize_bilinear(self: P.ResizeBilinear) -> Bprop:
    """The transposed matrices."""
    grad = cached(P.ResizeBilinearGrad, self.align_corners, self.half_pixel_centers)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (grad(dout, shape_of(x)),)

    return bprop


@bprop_getters.register(P.ResizeBilinearGrad)
def get_bprop_resize_bilinear_grad(self: P.ResizeBilinearGrad) -> Bprop:
    """Linear, and the transpose of the interpolation."""
    resize = cached(P.ResizeBilinearV2, self.align_corners, self.half_pixel_centers)

    def bprop(gradient: Tensor, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return resize(dout, last_two(shape_of(gradient))), None

    return bprop


@bprop_getters.register(P.ResizeNearestNeighborV2)
def get_bprop_resize_nearest_v2(self: P.ResizeNearestNeighborV2) -> Bprop:
    """Added where it was taken."""
    grad = cached(P.ResizeNearestNeighborGrad, self.align_corners, self.half_pixel_centers)

    def bprop(x: Tensor, size: Any, out: Tensor, dout: Tensor) -> Any:
        return grad(dout, shape_of(x)), None

    return bprop


@bprop_getters.register(P.ResizeNearestNeighbor)
def get_bprop_resize_nearest(self: P.ResizeNearestNeighbor) -> Bprop:
    """Added where it was taken."""
    grad = cached(P.ResizeNearestNeighborGrad, self.align_corners, self.half_pixel_centers)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (grad(dout, shape_of(x)),)

    return bprop


@bprop_getters.register(P.ResizeNearestNeighborGrad)
def get_bprop_resize_nearest_grad(self: P.ResizeNearestNeighborGrad) -> Bprop:
    """Taken where it was added."""
    resize = cached(P.ResizeNearestNeighborV2, self.align_corners, self.half_pixel_centers)

    def bprop(gradient: Tensor, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return resize(dout, last_two(shape_of(gradient))), None

    return bprop


@constexpr
def last_two(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Height and width."""
    return tuple(shape[-2:])
