"""Sampling of images at any place: where the points of a grid lie, and which pixels are around them."""

from __future__ import annotations

from framework.common.device import Array, ArrayModule

__all__ = ["corners", "places"]


def places(xp: ArrayModule, grid: Array, size: int, padding_mode: str, align_corners: bool) -> tuple[Array, Array]:
    """Positions along a side of `size` pixels, counted from the centre of the first, and their derivatives.

    Args:
        xp: the array module.
        grid: positions from -1 to 1, from one end of the side to the other.
        size: the number of pixels of the side.
        padding_mode: "zeros" leaves a position outside where it is; "border" moves it to the nearest pixel;
            "reflection" mirrors it at the ends until it is inside.
        align_corners: whether -1 and 1 are the centres of the outer pixels; else they are their outer edges.

    """
    rate = (size - 1) / 2 if align_corners else size / 2
    at = (grid + 1) * rate - (0 if align_corners else 0.5)
    slope = xp.full_like(at, rate)
    if padding_mode == "reflection":
        low, span = (0.0, size - 1.0) if align_corners else (-0.5, float(size))
        if span == 0:
            return xp.zeros_like(at), xp.zeros_like(at)
        distance = xp.absolute(at - low)
        rest = distance % span
        is_back = (distance // span) % 2 == 1
        slope = xp.where((at < low) ^ is_back, -slope, slope)
        at = xp.where(is_back, span - rest, rest) + low
    if padding_mode != "zeros":
        slope = xp.where((at > 0) & (at < size - 1), slope, 0)
        at = xp.clip(at, 0, size - 1)
    return at, slope


def corners(
    xp: ArrayModule, grid: Array, height: int, width: int, nearest: bool, padding_mode: str, align_corners: bool
) -> tuple[Array, ...]:
    """The pixels around the points of grids (N, H, W, 2), points counted as one dimension P.

    Returns:
        How far a point lies right of the left pixels and below the upper ones, from 0 to 1, (N, P) each; the
        derivatives of that by the grid; the numbers of the pixels in an image as one line, upper left, upper right,
        lower left and lower right, (N, 4, P), or with `nearest` that of the nearest one, (N, 1, P); 1 where they are in
        the image, else 0.

    """
    points = grid.reshape(grid.shape[0], -1, 2)
    column, across = places(xp, points[..., 0], width, padding_mode, align_corners)
    row, along = places(xp, points[..., 1], height, padding_mode, align_corners)
    if nearest:
        left, top = xp.rint(column), xp.rint(row)
        found = [(top, left)]
        across, along = xp.zeros_like(across), xp.zeros_like(along)
    else:
        left, top = xp.floor(column), xp.floor(row)
        found = [(top, left), (top, left + 1), (top + 1, left), (top + 1, left + 1)]
    rows, columns = (xp.stack(part, axis=1) for part in zip(*found, strict=True))
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    numbers = xp.where(inside, rows * width + columns, 0).astype(xp.int64)
    return column - left, row - top, across, along, numbers, inside.astype(grid.dtype)
