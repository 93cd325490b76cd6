"""Regions of images brought to one size by bilinear interpolation (RoIAlign), and its derivative.

He, Gkioxari, Dollar and Girshick, Mask R-CNN, 2017. Interpolation is linear along each side, so a region is two
matrices: one takes the means of parts of its height, one of its width. Arrays: images [N, C, H, W], regions [R, 5].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy.typing as npt

from framework.common.device import Array, ArrayModule

__all__ = ["Grid", "align", "align_grad"]


@dataclass(frozen=True, slots=True)
class Grid:
    """How regions are divided.

    Attributes:
        parts: the number of parts along height and width.
        scale: the factor from a region's coordinates to those of the images.
        samples: the number of points of a part that are read along each side; below 1, as many as whole pixels fit,
            but at least one.
        end: the number of pixels behind a region's end that belong to it; with 0, a region has at least one pixel.
    """

    parts: tuple[int, int]
    scale: float
    samples: int
    end: int

    def matrices(self, xp: ArrayModule, shape: tuple[int, ...], regions: Array) -> tuple[Array, Array, Array]:
        """Each region's image [R], and the matrices [R, rows, H] and [R, columns, W] that take its means.

        Raises:
            ValueError: a region names an image that does not exist.

        """
        images = xp.rint(regions[:, 0]).astype(xp.int64)
        if bool(((images < 0) | (images >= shape[0])).any()):
            raise ValueError(f"ROIAlign: the first number of a region must be an image, 0 to {shape[0] - 1}")
        begin, end = regions[:, 1:3] * self.scale, (regions[:, 3:5] + self.end) * self.scale
        size = end - begin if self.end else xp.maximum(end - begin, 1)
        rows, columns = self.parts
        return (
            images,
            self._means(xp, begin[:, 1], size[:, 1] / rows, rows, shape[2]),
            self._means(xp, begin[:, 0], size[:, 0] / columns, columns, shape[3]),
        )

    def _means(self, xp: ArrayModule, begin: Array, part: Array, parts: int, length: int) -> Array:
        """The matrices [R, parts, length] that take the means of parts of lines, given their begins and part sizes."""
        counts = xp.full(part.shape, self.samples) if self.samples > 0 else xp.maximum(xp.floor(part), 1)
        steps = xp.arange(int(counts.max()) if len(counts) else 1)
        counts, begin, part = counts[:, None, None], begin[:, None, None], part[:, None, None]
        at = begin + part * (xp.arange(parts)[:, None] + (steps + 0.5) / counts)
        # Points more than a pixel outside count as nothing; nearer ones read the pixel at the edge.
        seen = (steps < counts) & (at >= -1) & (at <= length)
        away = xp.abs(xp.clip(at, 0, length - 1)[..., None] - xp.arange(length))
        return (xp.maximum(1 - away, 0) * seen[..., None]).sum(axis=2) / counts


def align(xp: ArrayModule, x: Array, regions: Array, grid: Grid) -> Array:
    """The mean of the points of each part of each region: [R, C, rows, columns]."""
    made = xp.empty((len(regions), x.shape[1], *grid.parts), x.dtype)
    for number, (image, rows, columns, down, right) in enumerate(_seen(xp, x.shape, regions, grid, x.dtype)):
        made[number] = down @ x[image, :, rows, columns] @ right.T
    return made


def align_grad(xp: ArrayModule, dout: Array, regions: Array, shape: tuple[int, ...], grid: Grid) -> Array:
    """The gradient with respect to images of a shape: each pixel gets its shares of the regions that saw it."""
    made = xp.zeros(shape, dout.dtype)
    for share, (image, rows, columns, down, right) in zip(
        dout, _seen(xp, shape, regions, grid, dout.dtype), strict=True
    ):
        made[image, :, rows, columns] += (down.T @ share @ right).astype(made.dtype, copy=False)
    return made


def _seen(
    xp: ArrayModule, shape: tuple[int, ...], regions: Array, grid: Grid, dtype: npt.DTypeLike
) -> Iterator[tuple[int, slice, slice, Array, Array]]:
    """For each region its image, the rows and the columns that it covers, and the two matrices for these."""
    images, *sides = grid.matrices(xp, shape, regions)
    exact = xp.result_type(dtype, xp.float32)
    extents = [_extents(side) for side in sides]
    for number, (image, rows, columns) in enumerate(zip(images.tolist(), *extents, strict=True)):
        down, right = (side[number][:, part].astype(exact) for side, part in zip(sides, (rows, columns), strict=True))
        yield image, rows, columns, down, right


def _extents(matrices: Array) -> list[slice]:
    """For each matrix the slice from its first to its last column that is not 0; all columns where every one is 0."""
    seen: Array = (matrices != 0).max(axis=1)
    ends = seen.shape[1] - seen[:, ::-1].argmax(axis=1)
    return [slice(*extent) for extent in zip(seen.argmax(axis=1).tolist(), ends.tolist(), strict=True)]
