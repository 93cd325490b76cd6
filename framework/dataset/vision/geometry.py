"""Resizing, cropping, padding and flipping of images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PIL import Image

from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.checks import INT32, check_interval, check_type
from framework.dataset.transforms.operation import Joined
from framework.dataset.vision.image import ImageOperation, in_pillow, needs_pillow, with_channels
from framework.dataset.vision.opencv import cv
from framework.dataset.vision.sizes import corner_of, crop_size, fill_of, padding_of, resize_size
from framework.dataset.vision.utils import (
    RESAMPLING,
    Border,
    Inter,
    border_json,
    border_of,
    cv_border,
    cv_inter,
    inter_json,
    inter_of,
)

__all__ = [
    "CenterCrop",
    "Crop",
    "Cut",
    "HorizontalFlip",
    "Pad",
    "PadToSize",
    "Resize",
    "ResizedCrop",
    "VerticalFlip",
    "cut",
    "flipped",
    "padded",
    "resized",
    "shorter_side",
]

Random = np.random.Generator
#: OpenCV enlarges by this factor at most.
_LARGEST_FACTOR = 1000
#: Element types that OpenCV resizes; the others are computed as the type that follows them.
_WIDER = {"bool": np.uint8, "int8": np.int16, "int32": np.float64, "float16": np.float32}


def resized(image: Array, height: int, width: int, interpolation: Inter) -> Array:
    """The array of an image resized as OpenCV does it, or, for PILCUBIC, as Pillow does it.

    Raises:
        RuntimeError: it would become 1,000 times as high or wide.
        TypeError: the interpolation is ANTIALIAS, which only Pillow images have.
    """
    if interpolation is Inter.ANTIALIAS:
        needs_pillow(image)
    if height > image.shape[0] * _LARGEST_FACTOR or width > image.shape[1] * _LARGEST_FACTOR:
        raise RuntimeError(
            "Resize: the resizing width or height is too big, it's 1000 times bigger than the original image, got"
            f" output height: {height}, width: {width}, and original image size:{image.shape[0]}, {image.shape[1]}"
        )
    if interpolation is Inter.PILCUBIC:
        return in_pillow(image, lambda one: one.resize((width, height), RESAMPLING[interpolation]))
    wider = _WIDER.get(image.dtype.name)
    if wider is not None or (image.dtype.itemsize == 8 and image.dtype.kind in "iu") or image.dtype == np.uint32:
        small = np.asarray(image, np.float64 if wider is None else wider)
        large = resized(small, height, width, interpolation)
        return (np.rint(large) if image.dtype.kind in "iu" else large).astype(image.dtype)
    out = cv.resize(image, (width, height), interpolation=cv_inter(interpolation))
    return with_channels(np.asarray(out), image)


def shorter_side(rows: int, columns: int, length: int) -> tuple[int, int]:
    """The height and width of an image whose shorter side gets a length; the longer one keeps the ratio."""
    return (length, length * columns // rows) if rows < columns else (length * rows // columns, length)


def padded(image: Array, sides: tuple[int, int, int, int], fill: tuple[int, int, int], mode: Border) -> Array:
    """An image with padding on the left, the top, the right and the bottom."""
    if not any(sides):
        return image
    left, top, right, bottom = sides
    if (image.dtype.kind in "biu" and image.dtype.itemsize > 2) or image.dtype.kind == "b" or image.dtype == np.float16:
        return _padded_plainly(image, sides, fill, mode)
    out = cv.copyMakeBorder(image, top, bottom, left, right, cv_border(mode), value=fill)
    return with_channels(np.asarray(out), image)


def _padded_plainly(image: Array, sides: tuple[int, int, int, int], fill: tuple[int, int, int], mode: Border) -> Array:
    """The same for element types that OpenCV lacks."""
    left, top, right, bottom = sides
    widths = [(top, bottom), (left, right)] + [(0, 0)] * (image.ndim - 2)
    if mode is Border.EDGE:
        return np.pad(image, widths, "edge")
    if mode is not Border.CONSTANT:
        return np.pad(image, widths, "reflect" if mode is Border.REFLECT else "symmetric")
    shape = [size + sum(width) for size, width in zip(image.shape, widths, strict=True)]
    out = np.empty(shape, image.dtype)
    out[...] = fill if image.ndim == 3 and image.shape[2] == 3 else fill[0]
    out[top : top + image.shape[0], left : left + image.shape[1]] = image
    return out


def cut(operator: str, image: Array, top: int, left: int, height: int, width: int) -> Array:
    """A part of an image, in the memory of the image.

    Raises:
        RuntimeError: the part exceeds the image.
    """
    rows, columns = image.shape[:2]
    if top + height > rows:
        raise RuntimeError(f"{operator}: Crop height dimension: {top + height} exceeds image height: {rows}")
    if left + width > columns:
        raise RuntimeError(f"{operator}: Crop width dimension: {left + width} exceeds image width: {columns}")
    return image[top : top + height, left : left + width]


def flipped(image: Array, *, across: bool) -> Array:
    """An image flipped left to right, or top to bottom, in the memory of the image."""
    return image[:, ::-1] if across else image[::-1]


class Cut(ImageOperation):
    """Base class of transforms whose result is a part of the image, or the image in another order."""

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform the array of an image."""
        return np.ascontiguousarray(self.view(rng, image))

    def view(self, rng: Random | None, image: Array) -> Array:
        """The result in the memory of the image, where that is possible."""
        raise NotImplementedError

    def joined(self, following: Sequence[Callable[..., Any]]) -> Joined | None:
        """One pass over the pixels for this transform and those behind it."""
        from framework.dataset.vision.joining import join  # It knows this class.

        return join((self, *following))


class Resize(ImageOperation):
    """Resizes images. Arrays are resized by OpenCV, Pillow images by Pillow, which averages where they shrink.

    Args:
        size: (height, width) in pixels; one number is the length of the shorter side, and the longer one follows.
        interpolation: kind of interpolation between pixels. ANTIALIAS takes Pillow images only.
    """

    json_readers = {"interpolation": inter_of}
    has_device = True
    batchable = True

    def __init__(self, size: int | Sequence[int], interpolation: Inter = Inter.LINEAR) -> None:
        self.size = resize_size(size)
        check_type(interpolation, (Inter,), "interpolation")
        self.interpolation = Inter(interpolation)
        super().__init__(size=list(self.size), interpolation=inter_json(self.interpolation))

    def wanted(self, rows: int, columns: int) -> tuple[int, int]:
        """The height and width of the result for an image of a size."""
        return shorter_side(rows, columns, self.size[0]) if len(self.size) == 1 else (self.size[0], self.size[1])

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        height, width = self.wanted(image.shape[0], image.shape[1])
        return resized(image, height, width, self.interpolation)

    def apply_batch(self, values: Array) -> Array:
        """Resize images of one size, into memory for all of them where OpenCV takes them as they are."""
        plain = values.ndim == 4 and values.dtype == np.uint8 and values.shape[3] in (1, 3)
        first = np.asarray(self.apply(None, values[0]))
        if not plain or self.interpolation is Inter.PILCUBIC:
            return super().apply_batch(values)
        out = np.empty((len(values), *first.shape), np.uint8)
        size, how = first.shape[1::-1], cv_inter(self.interpolation)
        for image, place in zip(values, out, strict=True):
            cv.resize(image, size, place, interpolation=how)
        return out

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        height, width = self.wanted(image.height, image.width)
        return image.resize((width, height), RESAMPLING[self.interpolation])


class ResizedCrop(ImageOperation):
    """Crops a part of images and resizes it.

    Args:
        top: first row of the part.
        left: first column of the part.
        height: height of the part.
        width: width of the part.
        size: (height, width) of the result, or one number for both.
        interpolation: kind of interpolation between pixels.
    """

    json_readers = {"interpolation": inter_of}
    has_device = True

    def __init__(
        self,
        top: int,
        left: int,
        height: int,
        width: int,
        size: int | Sequence[int],
        interpolation: Inter = Inter.BILINEAR,
    ) -> None:
        for name, value, low in (("top", top, 0), ("left", left, 0), ("height", height, 1), ("width", width, 1)):
            check_type(value, (int,), name)
            check_interval(value, (low, INT32), name)
        check_type(interpolation, (Inter,), "interpolation")
        self.part = (top, left, height, width)
        self.size, self.interpolation = crop_size(size), interpolation
        super().__init__(
            top=top,
            left=left,
            height=height,
            width=width,
            size=list(self.size),
            interpolation=inter_json(interpolation),
        )

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image that contains the part."""
        return resized(cut("ResizedCrop", image, *self.part), *self.size, self.interpolation)

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        top, left, height, width = self.part
        part = image.crop((left, top, left + width, top + height))
        return part.resize(self.size[::-1], RESAMPLING[self.interpolation])


class CenterCrop(Cut):
    """Crops the center of images; smaller images get a border of 0.

    Args:
        size: (height, width) in pixels, or one number for both.
    """

    batchable = True

    def __init__(self, size: int | Sequence[int]) -> None:
        self.height, self.width = crop_size(size)
        super().__init__(size=[self.height, self.width])

    def view(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        down, right = max(self.height - image.shape[0], 0), max(self.width - image.shape[1], 0)
        if down or right:
            sides = (right // 2 + right % 2, down // 2 + down % 2, right // 2, down // 2)
            image = padded(image, sides, (0, 0, 0), Border.CONSTANT)
        top, left = (image.shape[0] - self.height) // 2, (image.shape[1] - self.width) // 2
        return cut("CenterCrop", image, top, left, self.height, self.width)


class Crop(Cut):
    """Crops a part of images.

    Args:
        coordinates: (top, left) of its first pixel.
        size: (height, width) in pixels, or one number for both.
    """

    has_device = True
    batchable = True

    def __init__(self, coordinates: Sequence[int], size: int | Sequence[int]) -> None:
        self.top, self.left = corner_of(coordinates)
        self.height, self.width = crop_size(size)
        super().__init__(coordinates=[self.top, self.left], size=[self.height, self.width])

    def view(self, rng: Random | None, image: Array) -> Array:
        """Transform an image that contains the part."""
        return cut("Crop", image, self.top, self.left, self.height, self.width)


class Pad(ImageOperation):
    """Pads images.

    Args:
        padding: width of the border in pixels on all sides; or (left and right, top and bottom); or (left, top, right,
            bottom).
        fill_value: value of the border with Border.CONSTANT: one number, or one per channel.
        padding_mode: CONSTANT; EDGE repeats the last pixels; REFLECT mirrors without and SYMMETRIC with the last
            pixels.
    """

    json_readers = {"padding_mode": border_of}
    has_device = True

    def __init__(
        self,
        padding: int | Sequence[int],
        fill_value: int | Sequence[int] = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        self.sides = padding_of(padding)
        self.fill = fill_of(fill_value)
        check_type(padding_mode, (Border,), "padding_mode")
        self.mode = Border(padding_mode)
        super().__init__(padding=list(self.sides), fill_value=list(self.fill), padding_mode=border_json(self.mode))

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        return padded(image, self.sides, self.fill, self.mode)


class PadToSize(ImageOperation):
    """Pads images to a size.

    Args:
        size: (height, width) in pixels, or one number for both; at least those of the image.
        offset: (top, left) of the image in the result, or one number for both; None for the middle.
        fill_value: value of the border with Border.CONSTANT: one number, or one per channel.
        padding_mode: kind of border, as for `Pad`.
    """

    json_readers = {"padding_mode": border_of}

    def __init__(
        self,
        size: int | Sequence[int],
        offset: int | Sequence[int] | None = None,
        fill_value: int | Sequence[int] = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        check_type(size, (int, list, tuple), "size")
        self.size = self._pair(size, "size", 1)
        if len(self.size) != 2:
            raise ValueError("The size must be a sequence of length 2.")
        self.offset = () if offset is None else self._pair(offset, "offset", 0)
        if len(self.offset) not in (0, 2):
            raise ValueError("The offset must be empty or a sequence of length 2.")
        self.fill = fill_of(fill_value)
        check_type(padding_mode, (Border,), "padding_mode")
        self.mode = Border(padding_mode)
        super().__init__(
            size=list(self.size),
            offset=list(self.offset),
            fill_value=list(self.fill),
            padding_mode=border_json(self.mode),
        )

    @staticmethod
    def _pair(value: int | Sequence[int], name: str, low: int) -> tuple[int, ...]:
        check_type(value, (int, list, tuple), name)
        if isinstance(value, int):
            check_interval(value, (low, INT32), name)
            return value, value
        for number, item in enumerate(value):
            check_type(item, (int,), f"{name}{number}")
            check_interval(item, (low, INT32), f"{name}{number}")
        return tuple(value)

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image that is not larger."""
        rows, columns = image.shape[:2]
        height, width = self.size
        top, left = self.offset or ((height - rows) // 2, (width - columns) // 2)
        if top < 0 or left < 0 or top + rows > height or left + columns > width:
            raise RuntimeError(
                f"PadToSize: the target size to pad should be no less than the original image size + offset, but got"
                f" target size: ({height}, {width}), original size: ({rows}, {columns}), offset: ({top}, {left})"
            )
        return padded(image, (left, top, width - columns - left, height - rows - top), self.fill, self.mode)


class HorizontalFlip(Cut):
    """Flips images horizontally, left to right."""

    has_device = True
    batchable = True

    def __init__(self) -> None:
        super().__init__()

    def view(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        return flipped(image, across=True)


class VerticalFlip(Cut):
    """Flips images vertically, top to bottom."""

    has_device = True
    batchable = True

    def __init__(self) -> None:
        super().__init__()

    def view(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        return flipped(image, across=False)
