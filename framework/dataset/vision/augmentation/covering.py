"""Transforms that cover, cut out or divide regions of images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageOps

from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.checks import (
    FLOAT_INTEGER,
    INT32,
    UINT8,
    check_interval,
    check_probability,
    check_type,
    single,
)
from framework.dataset.transforms.operation import TensorOperation
from framework.dataset.vision.image import ImageOperation, PillowOperation, RandomImageOperation, no_image
from framework.dataset.vision.sizes import crop_size, fill_of, scale_and_ratio
from framework.dataset.vision.utils import SliceMode

__all__ = ["CutOut", "Erase", "FiveCrop", "RandomErasing", "SlicePatches", "TenCrop"]

Random = np.random.Generator


class CutOut(RandomImageOperation):
    """Covers square regions at random positions with zeros (DeVries & Taylor 2017).

    The squares may lie partly outside of the image.

    Args:
        length: side of a square in pixels.
        num_patches: number of squares.
        is_hwc: channels are the last axis; otherwise the first.
    """

    def __init__(self, length: int, num_patches: int = 1, is_hwc: bool = True) -> None:
        for name, value in (("length", length), ("num_patches", num_patches)):
            check_type(value, (int,), name)
        check_type(is_hwc, (bool,), "is_hwc")
        check_interval(length, (1, FLOAT_INTEGER))
        check_interval(num_patches, (1, FLOAT_INTEGER))
        self.length, self.num_patches, self.is_hwc = length, num_patches, is_hwc
        super().__init__(length=length, num_patches=num_patches, is_hwc=is_hwc)

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image with 3 dimensions, which is not smaller than a square."""
        if image.ndim != 3:
            raise RuntimeError(f"CutOut: image shape is not <H,W,C>, but got rank: {image.ndim}")
        out = image.copy()
        pixels = out if self.is_hwc else np.moveaxis(out, 0, -1)
        rows, columns = pixels.shape[:2]
        if self.length > min(rows, columns):
            raise RuntimeError(
                f"CutOut: box size is too large for image erase, got box height: {self.length}box weight:"
                f" {self.length}, and image height: {rows}, image width: {columns}"
            )
        for _ in range(self.num_patches):
            top, left = (int(rng.integers(-self.length, size + 1)) for size in (rows, columns))
            pixels[max(top, 0) : top + self.length, max(left, 0) : left + self.length] = 0
        return out


class Erase(ImageOperation):
    """Overwrites a rectangle of images.

    Args:
        top: first row of the rectangle.
        left: first column of the rectangle.
        height: number of rows; those beyond the image do not count.
        width: number of columns; those beyond the image do not count.
        value: the new value: one number, or one per channel.
        inplace: change the given array itself, and return it.
    """

    has_device = True

    def __init__(
        self, top: int, left: int, height: int, width: int, value: int | Sequence[int] = 0, inplace: bool = False
    ) -> None:
        for name, place, low in (("top", top, 0), ("left", left, 0), ("height", height, 1), ("width", width, 1)):
            check_type(place, (int,), name)
            check_interval(place, (low, INT32), name)
        check_type(inplace, (bool,), "inplace")
        self.value, self.inplace = fill_of(value), inplace
        self.rows, self.columns = slice(top, top + height), slice(left, left + width)
        super().__init__(top=top, left=left, height=height, width=width, value=list(self.value), inplace=inplace)

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Erase a rectangle of an image (height, width, channels)."""
        if self.rows.start > image.shape[0] or self.columns.start > image.shape[1]:
            raise RuntimeError(
                f"Erase: the top {self.rows.start} and left {self.columns.start} exceed the image of"
                f" {image.shape[0]} x {image.shape[1]}"
            )
        out = image if self.inplace else image.copy()
        out[self.rows, self.columns] = self.value if image.ndim == 3 and image.shape[2] == 3 else self.value[0]
        return out


class RandomErasing(TensorOperation):
    """Overwrites a random rectangle with a probability (Zhong et al. 2017).

    It takes arrays (channels, height, width), as `ToTensor` makes them.

    Args:
        prob: probability from 0 to 1.
        scale: range of the rectangle's share of the image's area.
        ratio: range of the rectangle's height divided by its width.
        value: value that overwrites the rectangle: one number, one per channel, or "random" for normal noise.
        inplace: change the given array itself.
        max_attempts: number of draws that may not fit before the image is left unchanged.
    """

    random = True

    def __init__(
        self,
        prob: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: int | str | Sequence[int] = 0,
        inplace: bool = False,
        max_attempts: int = 10,
    ) -> None:
        check_type(value, (int, list, tuple, str), "value")
        check_type(inplace, (bool,), "inplace")
        if (isinstance(value, str) and value != "random") or (isinstance(value, list | tuple) and len(value) != 3):
            raise ValueError(
                "The value for erasing should be either a single value, or a string 'random', or a sequence of 3"
                " elements for RGB respectively."
            )
        self.prob = check_probability(prob)
        self.scale, self.ratio = scale_and_ratio(scale, ratio, max_attempts)
        self.value: int | str | list[int] = value if isinstance(value, int | str) else list(value)
        for item in self.value if isinstance(self.value, list) else [self.value]:
            if not isinstance(item, str):
                check_type(item, (int,), "value")
                check_interval(item, UINT8, "value" if isinstance(self.value, list) else "")
        self.inplace, self.max_attempts = inplace, max_attempts
        super().__init__(
            prob=single(self.prob),
            scale=list(self.scale),
            ratio=list(self.ratio),
            value=self.value,
            inplace=inplace,
            max_attempts=max_attempts,
        )

    def apply(self, rng: np.random.Generator | None, *values: Any) -> Any:
        """Erase a rectangle of an image (channels, height, width)."""
        assert rng is not None  # noqa: S101 - random is True
        image = np.asarray(values[0])
        if image.ndim != 3:
            no_image("RandomErasing", image)
        if rng.random() >= self.prob:
            return image
        channels, rows, columns = image.shape
        for _ in range(self.max_attempts):
            area = rows * columns * rng.uniform(*self.scale)
            ratio = rng.uniform(*self.ratio)
            height, width = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < height < rows and 0 < width < columns:
                top, left = int(rng.integers(rows - height + 1)), int(rng.integers(columns - width + 1))
                out = image if self.inplace else image.copy()
                out[:, top : top + height, left : left + width] = self._filler(rng, (channels, height, width))
                return out
        return image

    def _filler(self, rng: Random, shape: tuple[int, int, int]) -> Any:
        if isinstance(self.value, str):
            return rng.normal(size=shape)
        return self.value if isinstance(self.value, int) else np.reshape(self.value, (3, 1, 1))


class SlicePatches(TensorOperation):
    """Divides images into patches, row by row: as many columns as there are patches.

    Args:
        num_height: number of patches below each other.
        num_width: number of patches beside each other.
        slice_mode: PAD fills the image at its right and bottom until the numbers divide it; DROP leaves the rest out.
        fill_value: value that fills.
    """

    json_readers = {"slice_mode": SliceMode}

    takes_all = True

    def __init__(
        self, num_height: int = 1, num_width: int = 1, slice_mode: SliceMode = SliceMode.PAD, fill_value: int = 0
    ) -> None:
        for name, value in (("num_height", num_height), ("num_width", num_width)):
            check_type(value, (int,), name)
            check_interval(value, (1, INT32), name)
        check_type(slice_mode, (SliceMode,), "slice_mode")
        check_type(fill_value, (int,), "fill_value")
        check_interval(fill_value, UINT8, "fill_value")
        self.across, self.down, self.mode, self.fill = num_width, num_height, slice_mode, fill_value
        super().__init__(num_height=num_height, num_width=num_width, slice_mode=int(slice_mode), fill_value=fill_value)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Divide an image (height, width[, channels]) that has at least one pixel for each patch."""
        image = np.asarray(values[0])
        if image.ndim not in (2, 3):
            no_image("SlicePatches", image)
        for name, number, size in (("height", self.down, image.shape[0]), ("width", self.across, image.shape[1])):
            if number > size:
                raise RuntimeError(
                    f"SlicePatches: The number of patches on {name} axis equals 0 or is greater than {name}, got number"
                    f" of patches:{number}"
                )
        up = self.mode is SliceMode.PAD
        height, width = (
            -(-size // number) if up else size // number
            for size, number in zip(image.shape[:2], (self.down, self.across), strict=True)
        )
        room = [(0, max(height * self.down - image.shape[0], 0)), (0, max(width * self.across - image.shape[1], 0))]
        whole = np.pad(image, room + [(0, 0)] * (image.ndim - 2), constant_values=self.fill)
        patches = tuple(
            np.ascontiguousarray(whole[row * height : (row + 1) * height, column * width : (column + 1) * width])
            for row in range(self.down)
            for column in range(self.across)
        )
        return patches[0] if len(patches) == 1 else patches


def _five(image: Image.Image, height: int, width: int) -> tuple[Image.Image, ...]:
    if height > image.height or width > image.width:
        raise ValueError(f"Crop size {(height, width)} is larger than input image size {(image.height, image.width)}.")
    right, bottom = image.width - width, image.height - height
    middle = (round(right / 2), round(bottom / 2))
    corners = ((0, 0), (right, 0), (0, bottom), (right, bottom), middle)
    return tuple(image.crop((x, y, x + width, y + height)) for x, y in corners)


class FiveCrop(PillowOperation):
    """The four corners and the center of Pillow images: five columns.

    Args:
        size: (height, width) of each part, or one number for both.
    """

    takes_all = True

    def __init__(self, size: int | Sequence[int]) -> None:
        self.size = crop_size(size)
        super().__init__(size=list(self.size))

    def on_pillow(self, rng: Random | None, image: Image.Image) -> tuple[Image.Image, ...]:
        """Cut a Pillow image that is not smaller than a part; the center comes last."""
        return _five(image, *self.size)


class TenCrop(PillowOperation):
    """The four corners and the center of Pillow images, and of the flipped images: ten columns.

    Args:
        size: (height, width) of each part, or one number for both.
        use_vertical_flip: flip top to bottom; otherwise left to right.
    """

    takes_all = True

    def __init__(self, size: int | Sequence[int], use_vertical_flip: bool = False) -> None:
        self.size = crop_size(size)
        check_type(use_vertical_flip, (bool,), "use_vertical_flip")
        self.turn = ImageOps.flip if use_vertical_flip else ImageOps.mirror
        super().__init__(size=list(self.size), use_vertical_flip=use_vertical_flip)

    def on_pillow(self, rng: Random | None, image: Image.Image) -> tuple[Image.Image, ...]:
        """Cut a Pillow image that is not smaller than a part."""
        return (*_five(image, *self.size), *_five(self.turn(image), *self.size))
