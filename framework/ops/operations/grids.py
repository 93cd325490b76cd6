"""Images sampled at any place, as spatial transformers do (Jaderberg et al. 2015)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.kernels import grids
from framework.ops.operations.shapes import Dims
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = ["GridCorners", "GridSampler2D"]

_MODES = ("bilinear", "nearest")
_PADDINGS = ("zeros", "border", "reflection")


class GridSampler2D(PrimitiveWithInfer):
    """What images show at the points of a grid: `(x, grid)`.

    Inputs: images x, a floating-point tensor of shape (N, C, H, W); grid, of shape (N, OH, OW, 2) and the same type:
    for each pixel of the output how far right and how far down it looks, from -1 to 1. Output: a tensor of shape
    (N, C, OH, OW) and that type.

    Args:
        interpolation_mode: "bilinear": between the four pixels around a point; "nearest": of the nearest pixel, halves
            to the even one.
        padding_mode: what is around an image: "zeros"; "border": its outer pixels; "reflection": its mirror images.
        align_corners: -1 and 1 are the centres of the outer pixels; else their outer edges.

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
            raise TypeError(f"GridSampler2D: x is {x} and the grid {grid}; both must be of one type")
        return x

    def compute(self, xp: Any, x: Any, grid: Any) -> Any:
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


class GridCorners(PrimitiveWithInfer):
    """The pixels around the points of a grid, which the gradient of `GridSampler2D` goes to: `(grid)`.

    Inputs: a floating-point tensor of shape (N, OH, OW, 2). Outputs: how far each of the P = OH * OW points lies right
    of the left pixels, and below the upper ones, (N, P); the derivatives of both by the grid, without a gradient of
    their own; the numbers of the pixels, row by row, upper left, upper right, lower left, lower right, Int64 of shape
    (N, 4, P), or with "nearest" (N, 1, P); 1 where such a pixel is in the image, else 0.

    Args:
        height: that of the images.
        width: that of the images.
        interpolation_mode: as of `GridSampler2D`.
        padding_mode: as of `GridSampler2D`.
        align_corners: as of `GridSampler2D`.

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

    def compute(self, xp: Any, grid: Any) -> Any:
        nearest = self.interpolation_mode == "nearest"
        return grids.corners(xp, grid, self.height, self.width, nearest, self.padding_mode, self.align_corners)


def _check_modes(name: str, interpolation_mode: str, padding_mode: str) -> None:
    if interpolation_mode not in _MODES:
        raise ValueError(f"{name}: interpolation_mode must be one of {', '.join(_MODES)}, not {interpolation_mode!r}")
    if padding_mode not in _PADDINGS:
        raise ValueError(f"{name}: padding_mode must be one of {', '.join(_PADDINGS)}, not {padding_mode!r}")
