"""Matrices that resize a line of elements. Resizing and adaptive pooling apply one along each side of an image."""

from __future__ import annotations

import functools

import numpy as np

from framework.common.device import Array

__all__ = ["averaging", "cubic", "linear", "nearest", "parts", "sources"]


def sources(
    size: int, wanted: int, align_corners: bool, half_pixel_centers: bool, factor: float | None = None
) -> Array:
    """Where on a line of `size` elements each of `wanted` elements lies, as Float64.

    Args:
        size: the number of elements.
        wanted: the number of elements after resizing.
        align_corners: whether the first elements lie on each other, and the last ones too.
        half_pixel_centers: whether an element is a piece of the line, whose centre is its place.
        factor: how many elements are made of one, where corners are not aligned; None for wanted / size.

    """
    places = np.arange(wanted, dtype=np.float64)
    if align_corners:
        return places * ((size - 1) / (wanted - 1) if wanted > 1 else 0.0)
    scale = size / wanted if factor is None else 1 / factor
    return (places + 0.5) * scale - 0.5 if half_pixel_centers else places * scale


@functools.lru_cache(maxsize=256)
def linear(size: int, wanted: int, align_corners: bool, half_pixel_centers: bool, factor: float | None = None) -> Array:
    """The matrix [wanted, size] of linear interpolation; arguments as for `sources`."""
    at = np.clip(sources(size, wanted, align_corners, half_pixel_centers, factor), 0, size - 1)
    first = np.floor(at).astype(np.int64)
    second = np.minimum(first + 1, size - 1)
    rows = np.arange(wanted)
    matrix = np.zeros((wanted, size))
    np.add.at(matrix, (rows, first), 1 - (at - first))
    np.add.at(matrix, (rows, second), at - first)
    return matrix


@functools.lru_cache(maxsize=256)
def cubic(size: int, wanted: int, align_corners: bool, factor: float | None = None) -> Array:
    """The matrix [wanted, size] of cubic convolution over four elements; arguments as for `sources`.

    Keys, Cubic Convolution Interpolation for Digital Image Processing, 1981, with the slope a of the kernel at the
    distance 1. As in MindSpore 2.10, a is -0.75 and the outermost elements are repeated where corners are aligned;
    otherwise a is -0.5, and elements outside of the line are left out: the weights of the others add up to 1.
    """
    slope = -0.75 if align_corners else -0.5
    at = sources(size, wanted, align_corners, True, factor)
    first = np.floor(at).astype(np.int64)
    matrix = np.zeros((wanted, size))
    for place in (first - 1, first, first + 1, first + 2):
        away = np.abs(at - place)
        near = ((slope + 2) * away - (slope + 3)) * away**2 + 1
        far = slope * (((away - 5) * away + 8) * away - 4)
        weight = np.where(away <= 1, near, np.where(away < 2, far, 0.0))
        if not align_corners:
            weight = np.where((place >= 0) & (place < size), weight, 0.0)
        np.add.at(matrix, (np.arange(wanted), np.clip(place, 0, size - 1)), weight)
    return matrix if align_corners else matrix / matrix.sum(axis=1, keepdims=True)


@functools.lru_cache(maxsize=256)
def nearest(
    size: int, wanted: int, align_corners: bool, half_pixel_centers: bool, factor: float | None = None
) -> Array:
    """The nearest element for each of the wanted ones, a vector of indices; arguments as for `sources`."""
    if align_corners:
        at = np.floor(sources(size, wanted, True, False) + 0.5)
    else:
        at = np.floor(sources(size, wanted, False, half_pixel_centers, factor) + (0.5 if half_pixel_centers else 0.0))
    return np.clip(at, 0, size - 1).astype(np.int64)


def parts(size: int, wanted: int) -> list[tuple[int, int]]:
    """Begin and end of each of `wanted` parts of a line. They overlap if the line does not divide evenly."""
    return [(i * size // wanted, -(-(i + 1) * size // wanted)) for i in range(wanted)]


@functools.lru_cache(maxsize=256)
def averaging(size: int, wanted: int) -> Array:
    """The matrix [wanted, size] that takes the mean of each part."""
    matrix = np.zeros((wanted, size))
    for row, (begin, end) in enumerate(parts(size, wanted)):
        matrix[row, begin:end] = 1 / (end - begin)
    return matrix
