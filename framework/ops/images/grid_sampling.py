"""Images sampled at the points of a grid, as spatial transformers do (Jaderberg et al. 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.images import grids
from framework.ops.array.broadcasting import BroadcastTo
from framework.ops.array.joining import Stack
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import expand_dims, reshape
from framework.ops.array.transposing import swapaxes
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.indexing.gathering_elements import GatherDGrad, gather_d
from framework.ops.matrices.products import matmul
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.reduction.totals import ReduceSum
from framework.ops.shapes import Dims

__all__ = [
    "GridCorners",
    "GridSampler2D",
    "affine_grid",
    "grid_sample",
]

stack_second = Stack(1)
gather_d_grad = GatherDGrad()
zeros_like = ZerosLike()
reduce_sum = ReduceSum()
stack_last = Stack(-1)


class GridSampler2D(PrimitiveWithInfer):
    """Images sampled at the points of a grid: `(x, grid)`.

    Inputs: images x, a floating-point tensor of shape (N, C, H, W); grid, of shape (N, OH, OW, 2) and the same type:
    for each output pixel its coordinates (right, down) in the image, from -1 to 1. Output: a tensor of shape
    (N, C, OH, OW) and that type.

    Args:
        interpolation_mode: "bilinear": interpolated from the four pixels around a point; "nearest": the nearest
            pixel, with ties to the even one.
        padding_mode: the values outside an image: "zeros"; "border": its outer pixels; "reflection": its mirror images.
        align_corners: whether -1 and 1 are the centres of the outer pixels, or else their outer edges.

    Example:
        >>> x = Tensor([[[[0.0, 4.0], [8.0, 12.0]]]], ms.float32)
        >>> grid = Tensor([[[[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]]]], ms.float32)
        >>> print(ops.GridSampler2D(align_corners=True)(x, grid))
        [[[[6. 8. 0.]]]]
        >>> print(ops.GridSampler2D(padding_mode="border", align_corners=True)(x, grid))
        [[[[6. 8. 8.]]]]
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(
        self, interpolation_mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = False
    ) -> None:
        self.init_prim_io_names(inputs=["input_x", "grid"], outputs=["output"])
        _check_modes(self.name, interpolation_mode, padding_mode)

    def infer_shape(self, x: Dims, grid: Dims) -> Dims:
        if len(x) != 4 or len(grid) != 4 or grid[3] != 2:
            raise ValueError(f"GridSampler2D: x {x} must be (N, C, H, W) and the grid {grid} (N, OH, OW, 2)")
        if x[0] != grid[0] and None not in (x[0], grid[0]):
            raise ValueError(f"GridSampler2D: {x[0]} images of x {x} need as many grids, not {grid[0]} of {grid}")
        return x[0], x[1], grid[1], grid[2]

    def infer_dtype(self, x: DType, grid: DType) -> DType:
        if x != grid:
            raise TypeError(f"GridSampler2D: x is {x} and the grid {grid}; both must be of the same type")
        return x

    def compute(self, xp: ArrayModule, x: Array, grid: Array) -> Array:
        shape = self.infer_shape(x.shape, grid.shape)
        self.infer_dtype(mstype.of(x.dtype), mstype.of(grid.dtype))
        n, c, height, width = x.shape
        exact = xp.promote_types(x.dtype, xp.float32)
        nearest = self.interpolation_mode == "nearest"
        right, down, _, _, numbers, inside = grids.corners(
            xp, grid.astype(exact, copy=False), height, width, nearest, self.padding_mode, self.align_corners
        )
        if not nearest:
            up, left = 1 - down, 1 - right
            inside = inside * xp.stack([up * left, up * right, down * left, down * right], axis=1)
        flat = x.reshape(n, c, height * width)
        out = sum(
            xp.take_along_axis(flat, numbers[:, None, k], axis=2) * inside[:, None, k] for k in range(numbers.shape[1])
        )
        return out.reshape(shape).astype(x.dtype, copy=False)


_MODES = ("bilinear", "nearest")
_PADDINGS = ("zeros", "border", "reflection")


def _check_modes(name: str, interpolation_mode: str, padding_mode: str) -> None:
    if interpolation_mode not in _MODES:
        raise ValueError(f"{name}: interpolation_mode must be one of {', '.join(_MODES)}, not {interpolation_mode!r}")
    if padding_mode not in _PADDINGS:
        raise ValueError(f"{name}: padding_mode must be one of {', '.join(_PADDINGS)}, not {padding_mode!r}")


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = False
) -> Tensor:
    """Images (N, C, H, W) sampled at the points (right, down), from -1 to 1, of a grid (N, OH, OW, 2).

    Args:
        input: the images.
        grid: the points, of the images' type.
        mode: "bilinear" or "nearest".
        padding_mode: the values outside an image: "zeros", "border" or "reflection".
        align_corners: whether -1 and 1 are the centres of the outer pixels, or else their outer edges.

    Returns:
        A tensor (N, C, OH, OW) of the images' element type.

    Example:
        >>> image = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> print(ops.grid_sample(image, Tensor([[[[-1.0, -1.0], [0.0, 0.0]]]]), align_corners=True))
        [[[[1.  2.5]]]]

    """
    return cached(GridSampler2D, mode, padding_mode, align_corners)(input, grid)


@bprop_getters.register(GridSampler2D)
def get_bprop_grid_sampler(self: GridSampler2D) -> Bprop:
    """The pixels around a point get its gradient by their weights; the grid by the derivatives of the weights."""
    mode, padding, aligned = self.interpolation_mode, self.padding_mode, self.align_corners
    nearest = mode == "nearest"

    def bprop(x: Tensor, grid: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        n, c, height, width = shape_of(x)
        right, down, across, along, pixels, inside = cached(GridCorners, height, width, mode, padding, aligned)(grid)
        _, around, points = shape_of(pixels)
        numbers = cached(BroadcastTo, (n, c, around * points))(reshape(pixels, (n, 1, around * points)))
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


class GridCorners(PrimitiveWithInfer):
    """The pixels around the points of a grid, which receive the gradient of `GridSampler2D`: `(grid)`.

    Inputs: a floating-point tensor of shape (N, OH, OW, 2). Outputs: how far each of the P = OH * OW points lies right
    of the left pixels, and below the upper ones, (N, P); the derivatives of both by the grid, without a gradient of
    their own; the numbers of the pixels, row by row, upper left, upper right, lower left, lower right, Int64 of shape
    (N, 4, P), or with "nearest" (N, 1, P); 1 where such a pixel is in the image, else 0.

    Args:
        height: that of the images.
        width: that of the images.
        interpolation_mode: as in `GridSampler2D`.
        padding_mode: as in `GridSampler2D`.
        align_corners: as in `GridSampler2D`.

    Example:
        >>> right, down, *_, pixels, inside = ops.GridCorners(2, 2, align_corners=True)(Tensor([[[[0.5, 1.0]]]]))
        >>> print(right, down, pixels.asnumpy().ravel(), inside.asnumpy().ravel())
        [[0.75]] [[0.]] [2 3 0 0] [1. 1. 0. 0.]
    """

    takes = MappingProxyType({0: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(
        self,
        height: int,
        width: int,
        interpolation_mode: str = "bilinear",
        padding_mode: str = "zeros",
        align_corners: bool = False,
    ) -> None:
        self.init_prim_io_names(inputs=["grid"], outputs=["right", "down", "across", "along", "pixels", "inside"])
        _check_modes(self.name, interpolation_mode, padding_mode)

    def infer_shape(self, grid: Dims) -> tuple[Dims, ...]:
        n, rows, columns, _ = grid
        points = None if rows is None or columns is None else rows * columns
        each, around = (n, points), (n, 1 if self.interpolation_mode == "nearest" else 4, points)
        return each, each, each, each, around, around

    def infer_dtype(self, grid: DType) -> tuple[DType, ...]:
        return grid, grid, grid, grid, mstype.int64, grid

    def compute(self, xp: ArrayModule, grid: Array) -> tuple[Array, ...]:
        nearest = self.interpolation_mode == "nearest"
        return grids.corners(xp, grid, self.height, self.width, nearest, self.padding_mode, self.align_corners)


@gradient(GridCorners)
def grid_corners_gradient(grid: Tensor, out: tuple[Tensor, ...], dout: tuple[Tensor, ...]) -> Tensor:
    """The distances depend on the grid; the pixels and the derivatives are piecewise constant."""
    return reshape(stack_last((dout[0] * out[2], dout[1] * out[3])), shape_of(grid))


def affine_grid(theta: Any, size: Any, align_corners: bool = False) -> Tensor:
    """The grid of an affine transform for `grid_sample`, with coordinates from -1 to 1.

    Args:
        theta: (N, 2, 3) for images, (N, 3, 4) for volumes: matrices by which points (right, down, 1) are multiplied.
        size: the shape of the sampled output, (N, C, H, W) or (N, C, D, H, W).
        align_corners: whether -1 and 1 are the centres of the outer pixels, or else their outer edges.

    Returns:
        (N, H, W, 2) or (N, D, H, W, 3).

    Example:
        >>> print(ops.affine_grid(Tensor([[[2.0, 0.0, 0.0], [0.0, 1.0, 0.5]]]), (1, 1, 1, 2)))
        [[[[-1.   0.5]
           [ 1.   0.5]]]]

    """
    points, made = _points(size, align_corners, theta.dtype)
    return reshape(matmul(points, swapaxes(theta, 1, 2)), made)


@constexpr
def _points(size: Sequence[int], aligned: bool, dtype: Any) -> tuple[Tensor, tuple[int, ...]]:
    """All pixels as rows (right, down, ..., 1), and the shape of the grid."""
    sides = size[2:]
    if len(sides) not in (2, 3):
        raise ValueError(f"affine_grid: size must be (N, C, H, W) or (N, C, D, H, W), not {tuple(size)}")
    edges = [
        np.linspace(-1, 1, side) * (1 if aligned else (side - 1) / side) if side > 1 else np.zeros(1) for side in sides
    ]
    places = np.stack(np.meshgrid(*edges, indexing="ij")[::-1], -1).reshape(-1, len(sides))
    return Tensor(np.insert(places, len(sides), 1, axis=1), dtype), (size[0], *sides, len(sides))
