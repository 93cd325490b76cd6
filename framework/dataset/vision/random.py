"""Random crops and flips of images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.checks import check_probability, check_type
from framework.dataset.vision.codecs.coding import decoded, encoded_bytes
from framework.dataset.vision.geometry import Cut, cut, flipped, padded, resized, shorter_side
from framework.dataset.vision.image import RandomImageOperation
from framework.dataset.vision.sizes import crop_size, fill_of, padding_of, resize_size, scale_and_ratio
from framework.dataset.vision.utils import RESAMPLING, Border, Inter, border_json, border_of, inter_json, inter_of

__all__ = [
    "RandomCrop",
    "RandomCropDecodeResize",
    "RandomHorizontalFlip",
    "RandomResize",
    "RandomResizedCrop",
    "RandomVerticalFlip",
]

Random = np.random.Generator
#: What `RandomResize` draws from.
INTERPOLATIONS = (Inter.LINEAR, Inter.NEAREST, Inter.CUBIC, Inter.AREA)


class _RandomFlip(Cut):
    """Base class of flips with a probability."""

    random = True
    across: bool

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = check_probability(prob)
        super().__init__(prob=self.prob)

    def view(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        assert rng is not None  # noqa: S101 - random is True
        return flipped(image, across=self.across) if rng.random() < self.prob else image


class RandomHorizontalFlip(_RandomFlip):
    """Flips images horizontally with a probability.

    Args:
        prob: probability from 0 to 1.
    """

    across = True


class RandomVerticalFlip(_RandomFlip):
    """Flips images vertically with a probability.

    Args:
        prob: probability from 0 to 1.
    """

    across = False


class RandomCrop(Cut):
    """Crops a part at a random position.

    Args:
        size: (height, width) in pixels, or one number for both.
        padding: border that is added first: one number, (left and right, top and bottom), or all four; None for none.
        pad_if_needed: pad images that are smaller than the part.
        fill_value: value of the border.
        padding_mode: kind of border, as for `Pad`.
    """

    json_readers = {"padding_mode": border_of}
    random = True

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill_value: int | Sequence[int] = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        self.height, self.width = crop_size(size)
        self.sides = (0, 0, 0, 0) if padding is None else padding_of(padding)
        check_type(pad_if_needed, (bool,), "pad_if_needed")
        self.pad_if_needed = pad_if_needed
        self.fill = fill_of(fill_value)
        check_type(padding_mode, (Border,), "padding_mode")
        self.mode = Border(padding_mode)
        super().__init__(
            size=[self.height, self.width],
            padding=list(self.sides),
            pad_if_needed=pad_if_needed,
            fill_value=list(self.fill),
            padding_mode=border_json(self.mode),
        )

    def place(self, rng: Random, rows: int, columns: int) -> tuple[int, int]:
        """The top and left of the part in an image of a size, which has been padded.

        Raises:
            RuntimeError: the part is larger than the image.
        """
        room = (rows - self.height, columns - self.width)
        if min(room) < 0:
            raise RuntimeError(
                f"{type(self).__name__}: invalid crop size, crop dimension is bigger than the image dimensions: got"
                f" crop height: {self.height}, crop width: {self.width}, image height: {rows}, image width: {columns};"
                " give padding or pad_if_needed"
            )
        top, left = (int(rng.integers(space + 1)) for space in room)
        return top, left

    def bordered(self, image: Array) -> tuple[Array, tuple[int, int]]:
        """The image with its padding, and the (left, top) of the image in it."""
        left, top, right, bottom = self.sides
        if self.pad_if_needed:
            rows, columns = image.shape[0] + top + bottom, image.shape[1] + left + right
            down, along = max(self.height - rows, 0), max(self.width - columns, 0)
            left, top, right, bottom = left + along, top + down, right + along, bottom + down
        return padded(image, (left, top, right, bottom), self.fill, self.mode), (left, top)

    def view(self, rng: Random | None, image: Array) -> Array:
        """Crop an image that is large enough, or any image with `pad_if_needed`."""
        assert rng is not None  # noqa: S101 - random is True
        image, _ = self.bordered(image)
        top, left = self.place(rng, image.shape[0], image.shape[1])
        return cut("RandomCrop", image, top, left, self.height, self.width)


class RandomResizedCrop(RandomImageOperation):
    """Crops a part of random size, shape and position and resizes it (Szegedy et al. 2015).

    Args:
        size: (height, width) in pixels, or one number for both.
        scale: range of the part's share of the image's area.
        ratio: range of the part's width divided by its height.
        interpolation: kind of interpolation between pixels.
        max_attempts: number of draws that may not fit before the center is taken.
    """

    json_readers = {"interpolation": inter_of}

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ) -> None:
        self.height, self.width = crop_size(size)
        check_type(interpolation, (Inter,), "interpolation")
        self.scale, self.ratio = scale_and_ratio(scale, ratio, max_attempts)
        self.interpolation = Inter(interpolation)
        self.max_attempts = max_attempts
        super().__init__(
            size=[self.height, self.width],
            scale=list(self.scale),
            ratio=list(self.ratio),
            interpolation=inter_json(self.interpolation),
            max_attempts=max_attempts,
        )

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image of any size."""
        top, left, height, width = self.part(rng, image.shape[0], image.shape[1])
        part = cut(type(self).__name__, image, top, left, height, width)
        return resized(part, self.height, self.width, self.interpolation)

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        assert rng is not None  # noqa: S101 - random is True
        top, left, height, width = self.part(rng, image.height, image.width)
        part = image.crop((left, top, left + width, top + height))
        return part.resize((self.width, self.height), RESAMPLING[self.interpolation])

    def part(self, rng: Random, rows: int, columns: int) -> tuple[int, int, int, int]:
        """The top, left, height and width of a part of an image of a size."""
        for _ in range(self.max_attempts):
            area = rows * columns * rng.uniform(*self.scale)
            ratio = math.exp(rng.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            width, height = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < width <= columns and 0 < height <= rows:
                top, left = int(rng.integers(rows - height + 1)), int(rng.integers(columns - width + 1))
                return top, left, height, width
        ratio = min(max(columns / rows, self.ratio[0]), self.ratio[1])
        width = min(columns, max(round(rows * ratio), 1))
        height = min(rows, max(round(columns / ratio), 1))
        return (rows - height) // 2, (columns - width) // 2, height, width


class RandomCropDecodeResize(RandomResizedCrop):
    """Decodes an image and applies `RandomResizedCrop`.

    Args:
        size: (height, width) in pixels, or one number for both.
        scale: range of the part's share of the image's area.
        ratio: range of the part's width divided by its height.
        interpolation: kind of interpolation between pixels.
        max_attempts: number of draws that may not fit before the center is taken.
    """

    def apply(self, rng: np.random.Generator | None, *values: Any) -> Any:
        """Transform an array of the bytes of a file."""
        return self.on_array(rng, decoded(encoded_bytes(values[0])))


class RandomResize(RandomImageOperation):
    """Resizes images by a random interpolation: LINEAR, NEAREST, CUBIC or AREA.

    Args:
        size: (height, width) in pixels; one number is the length of the shorter side, and the longer one follows.
    """

    def __init__(self, size: int | Sequence[int]) -> None:
        self.size = resize_size(size)
        super().__init__(size=list(self.size))

    def wanted(self, rows: int, columns: int) -> tuple[int, int]:
        """The height and width of the result for an image of a size."""
        return shorter_side(rows, columns, self.size[0]) if len(self.size) == 1 else (self.size[0], self.size[1])

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image of any size."""
        height, width = self.wanted(image.shape[0], image.shape[1])
        return resized(image, height, width, INTERPOLATIONS[int(rng.integers(len(INTERPOLATIONS)))])
