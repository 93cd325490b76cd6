"""The base classes of image transforms, and conversions between arrays and Pillow images."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from PIL import Image

from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.checks import check_probability
from framework.dataset.transforms.operation import TensorOperation

__all__ = [
    "ImageOperation",
    "ImageOperationByChance",
    "PillowOperation",
    "RandomImageOperation",
    "by_channel",
    "from_pillow",
    "in_pillow",
    "needs_pillow",
    "no_image",
    "to_pillow",
    "with_channels",
]

Random = np.random.Generator


class ImageOperation(TensorOperation):
    """Base class of transforms of an image: an array (height, width) or (height, width, channels), or a Pillow image.

    An array becomes an array, and a Pillow image a Pillow image. As in MindSpore, arrays are OpenCV's business, and
    Pillow images Pillow's: where the two compute other pixels, a transform has its own `on_pillow`.
    """

    def apply(self, rng: np.random.Generator | None, *values: Any) -> Any:
        """Transform an image.

        Raises:
            RuntimeError: the value is not an image.
        """
        value = values[0]
        if isinstance(value, Image.Image):
            return self.on_pillow(rng, value)
        array = np.asarray(value)
        if array.ndim not in (2, 3) or array.dtype.kind not in "uifb":
            no_image(type(self).__name__, array)
        return self.on_array(rng, array)

    @abstractmethod
    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform the array of an image."""

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        return to_pillow(self.on_array(rng, from_pillow(image)))


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
        self.prob = check_probability(prob)
        super().__init__(prob=self.prob)

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image, or leave it."""
        return self.changed(image) if rng.random() < self.prob else image

    def changed(self, image: Array) -> Array:
        """Transform an image."""
        raise NotImplementedError


class PillowOperation(TensorOperation):
    """Base class of transforms that MindSpore has for Pillow images only."""

    def apply(self, rng: np.random.Generator | None, *values: Any) -> Any:
        """Transform a Pillow image.

        Raises:
            TypeError: the value is not a Pillow image.
        """
        return self.on_pillow(rng, needs_pillow(values[0]))

    @abstractmethod
    def on_pillow(self, rng: Random | None, image: Image.Image) -> Any:
        """Transform a Pillow image."""


def needs_pillow(value: Any) -> Image.Image:
    """A value that must be a Pillow image.

    Raises:
        TypeError: it is not.
    """
    if not isinstance(value, Image.Image):
        raise TypeError(
            f"img should be PIL image. Got {type(value)}. Use Decode() for encoded data or ToPIL() for decoded data."
        )
    return value


def no_image(operator: str, array: Array) -> NoReturn:
    """Refuse an array that is not an image.

    Raises:
        RuntimeError: always.
    """
    if array.dtype.kind not in "uifb":
        raise RuntimeError(f"{operator}: an image must be an array of numbers, not of {array.dtype}")
    hint = ", may need to do Decode operation first." if array.ndim == 1 else ""
    raise RuntimeError(f"{operator}: image shape is not <H,W,C> or <H, W>, but got rank:{array.ndim}{hint}")


def with_channels(image: Array, like: Array) -> Array:
    """An image with the axis of one channel that OpenCV drops, if another image has it."""
    return image[..., None] if like.ndim == 3 and image.ndim == 2 else image


def to_pillow(array: Array) -> Image.Image:
    """A UInt8 array as a Pillow image.

    Raises:
        TypeError: the element type is another one, or there are not 1, 3 or 4 channels.
    """
    if array.dtype != np.uint8:
        raise TypeError(f"a Pillow image must be UInt8, not {array.dtype}")
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[..., 0]
    if array.ndim == 3 and array.shape[2] not in (3, 4):
        raise TypeError(f"a Pillow image must have 1, 3 or 4 channels, not {array.shape[2]}")
    return Image.fromarray(np.ascontiguousarray(array))


def from_pillow(image: Image.Image) -> Array:
    """The pixels of a Pillow image."""
    return np.asarray(image.convert("RGB") if image.mode in ("P", "CMYK", "YCbCr", "HSV", "LAB") else image)


def in_pillow(array: Array, change: Callable[[Image.Image], Image.Image]) -> Array:
    """Apply a change of Pillow images to an array, channel by channel where Pillow does not support the whole."""
    plain = array.dtype == np.uint8 and (array.ndim == 2 or array.shape[2] in (1, 3, 4))
    if plain:
        return with_channels(np.asarray(change(to_pillow(array))), array)
    return by_channel(array, lambda channel: np.asarray(change(Image.fromarray(channel.astype(np.float32)))))


def by_channel(array: Array, change: Callable[[Array], Array]) -> Array:
    """Apply a change to each channel, in the element type of the whole; integers are rounded and clipped."""
    channels = [array] if array.ndim == 2 else [array[..., number] for number in range(array.shape[2])]
    changed = [change(channel) for channel in channels]
    out = changed[0] if array.ndim == 2 else np.stack(changed, axis=-1)
    if array.dtype.kind in "ui":
        limits = np.iinfo(array.dtype)
        out = np.clip(np.rint(out), limits.min, limits.max)
    return out.astype(array.dtype)
