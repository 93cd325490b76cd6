"""Compiled loops over pixels, for the transforms of images alone. Without them numpy computes the same, slower."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt

from framework.dataset.runtime.rows import Array
from framework.dataset.vision.kernel.loaded import LIBRARY, Pixels

__all__ = ["hue_to_rgb", "looked_up", "scaled"]

#: OpenCV in MindSpore 2.10 cuts values off in its blocks of 32 pixels, and rounds those behind the last one.
_BLOCK = 32


def looked_up(image: npt.NDArray[np.uint8], tables: Array, out: Array) -> None:
    """Write what tables of 256 values have for the bytes of an image.

    Args:
        image: (height, width, channels), with adjacent channels; flips and parts of larger images are welcome.
        tables: (channels, 256) values of the result, contiguous.
        out: the result (height, width, channels), of the type of the tables, in memory of any order.
    """
    library, _ = LIBRARY
    size = out.dtype.itemsize
    if library is None or size not in library.look_up or image.strides[2] != 1 or not image.size:
        for channel, table in enumerate(tables):
            out[..., channel] = table[image[..., channel]]
        return
    steps = [step // size for step in out.strides]
    places = Pixels(*image.shape, image.strides[0], image.strides[1], *steps)
    library.look_up[size](image.ctypes.data, out.ctypes.data, tables.ctypes.data, ctypes.byref(places))


def scaled(image: npt.NDArray[np.uint8], numbers: npt.NDArray[np.float32], out: npt.NDArray[np.float32]) -> bool:
    """Write ((value * factor + term) / divisor - mean) / deviation of the bytes of an image, channels first.

    Args:
        image: (height, width, 3), with adjacent channels and pixels; flips and parts of larger images are welcome.
        numbers: (5, 3): the factors, terms, divisors, means and deviations of the channels.
        out: the result (3, height, width), with adjacent columns.

    Returns:
        Whether it was done: not without the compiled loops, nor for other images.
    """
    library, _ = LIBRARY
    adjacent = image.shape[2] == 3 and image.strides[2] == 1 and abs(image.strides[1]) == 3 and out.strides[2] == 4
    if library is None or not adjacent:
        return False
    to_channel, to_row, to_column = (step // 4 for step in out.strides)
    places = Pixels(*image.shape, image.strides[0], image.strides[1], to_row, to_column, to_channel)
    library.scale_planes(image.ctypes.data, out.ctypes.data, ctypes.byref(places), numbers.ctypes.data)
    return True


def hue_to_rgb(parts: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Red, green and blue from hue, saturation and value (height, width, 3), all 0..255, as MindSpore rounds them."""
    columns = parts.shape[1]
    cut = columns // _BLOCK * _BLOCK
    library, _ = LIBRARY
    if library is None:
        return _hue_to_rgb(parts, cut)
    source = np.ascontiguousarray(parts)
    out = np.empty_like(source)
    library.hue_to_rgb(source.ctypes.data, out.ctypes.data, source.shape[0], columns, cut)
    return out


def _hue_to_rgb(parts: npt.NDArray[np.uint8], cut: int) -> npt.NDArray[np.uint8]:
    one = np.float32(1)
    sixth = parts[..., 0] * np.float32(6 / 255)
    saturation, value = (parts[..., place] * np.float32(1 / 255) for place in (1, 2))
    sector = np.trunc(sixth)
    part = sixth - sector
    low, falling = value * (one - saturation), value * (one - saturation * part)
    rising = value * (one - saturation * (one - part))
    place = sector.astype(np.intp) % 6
    red = np.choose(place, [value, falling, low, low, rising, value])
    green = np.choose(place, [rising, value, value, falling, low, low])
    blue = np.choose(place, [low, low, rising, value, value, falling])
    colors = np.stack([red, green, blue], axis=-1) * np.float32(255)
    colors[:, cut:] = np.rint(colors[:, cut:])
    return colors.astype(np.uint8)
