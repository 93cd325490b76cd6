"""Matrices that resize a line of elements. Resizing and adaptive pooling apply one along each side of an image."""

from __future__ import annotations

import functools

import numpy as np

from framework.common.device import Array

__all__ = ["averaging", "linear", "nearest", "parts", "sources"]


def sources(size: int, wanted: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """Where on a line of `size` elements each of `wanted` elements lies, as Float64.

    Args:
        size: the number of elements.
        wanted: the number of elements after resizing.
        align_corners: whether the first elements lie on each other, and the last ones too.
        half_pixel_centers: whether an element is a piece of the line, whose centre is its place.

    """
    places = np.arange(wanted, dtype=np.float64)
    if align_corners:
        return places * ((size - 1) / (wanted - 1) if wanted > 1 else 0.0)
    scale = size / wanted
    return (places + 0.5) * scale - 0.5 if half_pixel_centers else places * scale


@functools.lru_cache(maxsize=256)
def linear(size: int, wanted: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """The matrix [wanted, size] of linear interpolation."""
    at = np.clip(sources(size, wanted, align_corners, half_pixel_centers), 0, size - 1)
    first = np.floor(at).astype(np.int64)
    second = np.minimum(first + 1, size - 1)
    rows = np.arange(wanted)
    matrix = np.zeros((wanted, size))
    np.add.at(matrix, (rows, first), 1 - (at - first))
    np.add.at(matrix, (rows, second), at - first)
    return matrix


@functools.lru_cache(maxsize=256)
def nearest(size: int, wanted: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """The nearest element for each of the wanted ones: a vector of indices."""
    if align_corners:
        at = np.floor(sources(size, wanted, True, False) + 0.5)
    else:
        at = np.floor(sources(size, wanted, False, half_pixel_centers) + (0.5 if half_pixel_centers else 0.0))
    return np.clip(at, 0, size - 1).astype(np.int64)


def parts(size: int, wanted: int) -> list[tuple[int, int]]:
    """Begin and end of each of `wanted` parts of a line. They overlap where the line does not divide evenly."""
    return [(i * size // wanted, -(-(i + 1) * size // wanted)) for i in range(wanted)]


@functools.lru_cache(maxsize=256)
def averaging(size: int, wanted: int) -> Array:
    """The matrix [wanted, size] that takes the mean of each part."""
    matrix = np.zeros((wanted, size))
    for row, (begin, end) in enumerate(parts(size, wanted)):
        matrix[row, begin:end] = 1 / (end - begin)
    return matrix
