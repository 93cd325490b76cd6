"""Images: from an array to one PNG. `check_layout` runs in the training's thread, the rest in the writer's."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from summaries.schema.summary_pb2 import Summary
from summaries.writing.png import encode

_IMAGES_PER_ROW = 8
_CHANNELS = (1, 3, 4)


def check_layout(tag: str, shape: tuple[int, ...], layout: str) -> str:
    """Return `layout` in capital letters when an array of this shape can have it.

    Args:
        tag: named in the error.
        shape: shape of the array.
        layout: a letter for each dimension: N (images), C (channels), H (rows), W (columns).

    Raises:
        ValueError: layout and shape do not match, or the array is not an image.
    """
    letters = layout.upper()
    if len(set(letters)) != len(letters) or not {"H", "W"} <= set(letters) <= set("NCHW"):
        raise ValueError(f"dataformats={layout!r} of {tag!r} is unknown; use CHW, HWC, NCHW, NHWC or HW.")
    if len(letters) != len(shape):
        raise ValueError(f"The image {tag!r} has the shape {shape}, which dataformats={layout!r} does not describe.")
    if "C" in letters and shape[letters.index("C")] not in _CHANNELS:
        raise ValueError(f"The image {tag!r} of shape {shape} ({letters}) must have 1, 3 or 4 channels.")
    if 0 in shape:
        raise ValueError(f"The image {tag!r} of shape {shape} has no pixels.")
    return letters


def fill_image(value: Summary.Value, array: NDArray[Any], layout: str) -> None:
    """Set the image of `value` to the image, or to all images side by side, eight in a row."""
    canvas = tile(coloured(to_pixels(arrange(array, layout))))
    height, width, channels = canvas.shape
    value.image.height, value.image.width, value.image.colorspace = height, width, channels
    value.image.encoded_image = encode(canvas)


def arrange(array: NDArray[Any], layout: str) -> NDArray[Any]:
    """Return the array with the dimensions images, rows, columns, channels."""
    for letter in "NC":
        if letter not in layout:
            array, layout = array[..., np.newaxis], layout + letter
    return array.transpose([layout.index(letter) for letter in "NHWC"])


def coloured(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return images of one channel with three equal channels, others unchanged."""
    return np.repeat(pixels, 3, axis=3) if pixels.shape[3] == 1 else pixels


def to_pixels(pictures: NDArray[Any]) -> NDArray[np.uint8]:
    """Return numbers from 0 to 255 as MindSpore does.

    uint8 is kept. Numbers between 0 and 1 are multiplied by 255; others are scaled from minimum to maximum. Infinity is
    white or black, and NaN is black.
    """
    if pictures.dtype == np.uint8:
        return pictures
    numbers = pictures.astype(np.float64)
    known = np.isfinite(numbers)
    low, high = (float(numbers[known].min()), float(numbers[known].max())) if known.any() else (0.0, 1.0)
    if low < 0 or high > 1:
        # Halved, so that the widest possible range does not overflow.
        span = high / 2 - low / 2
        numbers = (numbers / 2 - low / 2) / (span or 1.0)
    numbers = np.nan_to_num(numbers, nan=0.0, posinf=1.0, neginf=0.0)
    return np.rint(numbers * 255).astype(np.uint8)


def tile(pictures: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return all images on one black canvas, at most eight in a row."""
    number, height, width, channels = pictures.shape
    columns = min(number, _IMAGES_PER_ROW)
    rows = -(-number // columns)
    canvas = np.zeros((rows * columns, height, width, channels), np.uint8)
    canvas[:number] = pictures
    grid = canvas.reshape(rows, columns, height, width, channels).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(grid.reshape(rows * height, columns * width, channels))
