"""Random transforms of images."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from framework.dataset.runtime.rows import Array
from framework.dataset.vision.geometry import Turn, cut, padded, resized
from framework.dataset.vision.image import ImageOperation, as_range, padding_of, probability, size_of
from framework.dataset.vision.utils import Border, Inter, border_json, border_of, inter_json, inter_of

__all__ = [
    "ImageOperationByChance",
    "RandomCrop",
    "RandomErasing",
    "RandomHorizontalFlip",
    "RandomImageOperation",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomVerticalFlip",
]

Random = np.random.Generator


class RandomImageOperation(ImageOperation):
    """Base class of random transforms of images."""

    random = True

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform the array of an image."""
        assert rng is not None  # noqa: S101 - a pipeline gives one to whatever is random
        return self.drawn(rng, image)

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image with random numbers."""
        raise NotImplementedError


class ImageOperationByChance(RandomImageOperation):
    """Base class of transforms that are applied to an image with a probability.

    Args:
        prob: probability from 0 to 1.
    """

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = probability(type(self).__name__, prob)
        super().__init__(prob=self.prob)

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image, or leave it."""
        return self.changed(image) if rng.random() < self.prob else image

    def changed(self, image: Array) -> Array:
        """Transform an image."""
        raise NotImplementedError


class RandomHorizontalFlip(ImageOperationByChance):
    """Flips images horizontally with a probability.

    Args:
        prob: probability from 0 to 1.
    """

    def changed(self, image: Array) -> Array:
        """Transform an image of any size."""
        return np.ascontiguousarray(image[:, ::-1])


class RandomVerticalFlip(ImageOperationByChance):
    """Flips images vertically with a probability.

    Args:
        prob: probability from 0 to 1.
    """

    def changed(self, image: Array) -> Array:
        """Transform an image of any size."""
        return np.ascontiguousarray(image[::-1])


class RandomCrop(RandomImageOperation):
    """Crops a part at a random position.

    Args:
        size: (height, width) in pixels, or one number for both.
        padding: border that is added first: one number, (left and right, top and bottom), or all four; None for none.
        pad_if_needed: pad images that are smaller than the part.
        fill_value: value of the border.
        padding_mode: kind of border, as for `Pad`.
    """

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill_value: int | Sequence[int] = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        self.height, self.width = size_of("RandomCrop", size)
        self.sides = (0, 0, 0, 0) if padding is None else padding_of("RandomCrop", padding)
        self.pad_if_needed = pad_if_needed
        self.fill = fill_value if isinstance(fill_value, int) else list(fill_value)
        self.mode = Border(padding_mode)
        super().__init__(
            size=[self.height, self.width],
            padding=list(self.sides),
            pad_if_needed=pad_if_needed,
            fill_value=self.fill,
            padding_mode=border_json(self.mode),
        )

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        return cls(**{**parameters, "padding_mode": border_of(parameters["padding_mode"])})

    def drawn(self, rng: Random, image: Array) -> Array:
        """Crop an image that is large enough, or any image with `pad_if_needed`."""
        image = padded(image, self.sides, self.fill, self.mode)
        if self.pad_if_needed:
            down, right = max(self.height - image.shape[0], 0), max(self.width - image.shape[1], 0)
            image = padded(image, (right, down, right, down), self.fill, self.mode)
        room = (image.shape[0] - self.height, image.shape[1] - self.width)
        if min(room) < 0:
            raise ValueError(
                f"RandomCrop: a part of {self.height} x {self.width} is larger than the image of {image.shape[0]} x"
                f" {image.shape[1]}; give padding or pad_if_needed"
            )
        top, left = (int(rng.integers(space + 1)) for space in room)
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

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ) -> None:
        self.height, self.width = size_of("RandomResizedCrop", size)
        for name, (low, high) in (("scale", scale), ("ratio", ratio)):
            if not 0 < low <= high:
                raise ValueError(f"RandomResizedCrop: {name} must be a range above 0, not {(low, high)}")
        self.scale, self.ratio = (scale[0], scale[1]), (ratio[0], ratio[1])
        self.interpolation = Inter(interpolation)
        self.max_attempts = max_attempts
        super().__init__(
            size=[self.height, self.width],
            scale=list(self.scale),
            ratio=list(self.ratio),
            interpolation=inter_json(self.interpolation),
            max_attempts=max_attempts,
        )

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        return cls(**{**parameters, "interpolation": inter_of(parameters["interpolation"])})

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image of any size."""
        top, left, height, width = self._part(rng, *image.shape[:2])
        part = cut("RandomResizedCrop", image, top, left, height, width)
        return resized(part, self.height, self.width, self.interpolation)

    def _part(self, rng: Random, rows: int, columns: int) -> tuple[int, int, int, int]:
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


class RandomRotation(RandomImageOperation):
    """Rotates images by a random angle, counter-clockwise.

    Args:
        degrees: range of the angle in degrees; one number d for -d to d.
        resample: kind of interpolation between pixels: NEAREST, BILINEAR or BICUBIC.
        expand: enlarge the image so that all of it is visible.
        center: (x, y) of the center of rotation; None for the middle of the image.
        fill_value: value of pixels outside of the image: one number, or one per channel.
    """

    json_names = {"degrees": "degree"}

    def __init__(
        self,
        degrees: float | Sequence[float],
        resample: Inter = Inter.NEAREST,
        expand: bool = False,
        center: Sequence[float] | None = None,
        fill_value: int | Sequence[int] = 0,
    ) -> None:
        self.degrees = as_range("RandomRotation", "degrees", degrees, 0.0, -math.inf, math.inf)
        self.turn = Turn("RandomRotation", resample, expand, center, fill_value)
        super().__init__(degrees=list(self.degrees), **self.turn.parameters())

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        given = dict(parameters)
        return cls(given.pop("degree"), **{**given, "resample": inter_of(given["resample"])})

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image of any size."""
        return self.turn.applied(image, float(rng.uniform(*self.degrees)))


class RandomErasing(RandomImageOperation):
    """Overwrites a random rectangle with a probability (Zhong et al. 2017).

    Args:
        prob: probability from 0 to 1.
        scale: range of the rectangle's share of the image's area.
        ratio: range of the rectangle's height divided by its width.
        value: value that overwrites the rectangle: one number, or one per channel.
        max_attempts: number of draws that may not fit before the image is left unchanged.
    """

    def __init__(
        self,
        prob: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: float | Sequence[float] = 0,
        max_attempts: int = 10,
    ) -> None:
        self.prob = probability("RandomErasing", prob)
        self.scale, self.ratio, self.max_attempts = (scale[0], scale[1]), (ratio[0], ratio[1]), max_attempts
        self.value = value if isinstance(value, int | float) else list(value)
        super().__init__(
            prob=self.prob,
            scale=list(self.scale),
            ratio=list(self.ratio),
            value=self.value,
            max_attempts=max_attempts,
        )

    def drawn(self, rng: Random, image: Array) -> Array:
        """Erase a rectangle of an image (height, width[, channels])."""
        if rng.random() >= self.prob:
            return image
        rows, columns = image.shape[:2]
        for _ in range(self.max_attempts):
            area = rows * columns * rng.uniform(*self.scale)
            ratio = math.exp(rng.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            height, width = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < height < rows and 0 < width < columns:
                top, left = int(rng.integers(rows - height + 1)), int(rng.integers(columns - width + 1))
                out = image.copy()
                out[top : top + height, left : left + width] = self.value
                return out
        return image
