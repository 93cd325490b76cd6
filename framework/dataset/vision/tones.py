"""Changes of tones and colors of UInt8 images, and their random forms, as data augmentation policies use them.

What Pillow's `ImageOps` and `ImageEnhance` define is computed by them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageEnhance, ImageOps

from framework.dataset.runtime.rows import Array
from framework.dataset.vision.image import ImageOperation, as_range, by_channel, in_pillow, probability, to_pillow
from framework.dataset.vision.random import ImageOperationByChance, RandomImageOperation

__all__ = [
    "AutoContrast",
    "Equalize",
    "Posterize",
    "RandomAutoContrast",
    "RandomColor",
    "RandomEqualize",
    "RandomGrayscale",
    "RandomInvert",
    "RandomPosterize",
    "RandomSharpness",
    "RandomSolarize",
    "Solarize",
]

Random = np.random.Generator


def _changed(operator: str, image: Array, change: Callable[[Image.Image], Image.Image]) -> Array:
    if image.dtype != np.uint8:
        raise TypeError(f"{operator}: the image must be UInt8, not {image.dtype}")
    return in_pillow(image, change)


def _contrasted(operator: str, image: Array, cutoff: float, ignore: Sequence[int]) -> Array:
    return _changed(operator, image, lambda one: ImageOps.autocontrast(one, cutoff, ignore=list(ignore) or None))


def _ignored(operator: str, cutoff: float, ignore: int | Sequence[int] | None) -> list[int]:
    if not 0 <= cutoff < 50:
        raise ValueError(f"{operator}: cutoff must be a percentage from 0 to below 50, not {cutoff}")
    return [] if ignore is None else [ignore] if isinstance(ignore, int) else list(ignore)


class AutoContrast(ImageOperation):
    """Stretches the values of each channel to 0..255.

    Args:
        cutoff: percentage of the lightest and of the darkest pixels that do not count, from 0 to below 50.
        ignore: values that do not count: one, or a list; None for none.
    """

    def __init__(self, cutoff: float = 0.0, ignore: int | Sequence[int] | None = None) -> None:
        self.ignore = _ignored("AutoContrast", cutoff, ignore)
        self.cutoff = float(cutoff)
        super().__init__(cutoff=self.cutoff, ignore=self.ignore)

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform a UInt8 image."""
        return _contrasted("AutoContrast", image, self.cutoff, self.ignore)


class RandomAutoContrast(RandomImageOperation):
    """`AutoContrast` with a probability.

    Args:
        cutoff: percentage of the lightest and of the darkest pixels that do not count, from 0 to below 50.
        ignore: values that do not count: one, or a list; None for none.
        prob: probability from 0 to 1.
    """

    def __init__(self, cutoff: float = 0.0, ignore: int | Sequence[int] | None = None, prob: float = 0.5) -> None:
        self.ignore = _ignored("RandomAutoContrast", cutoff, ignore)
        self.cutoff, self.prob = float(cutoff), probability("RandomAutoContrast", prob)
        super().__init__(cutoff=self.cutoff, ignore=self.ignore, prob=self.prob)

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image."""
        if rng.random() >= self.prob:
            return image
        return _contrasted("RandomAutoContrast", image, self.cutoff, self.ignore)


def _equalized(image: Array) -> Array:
    """Each channel by its cumulative histogram: the darkest value becomes 0, the lightest 255, as OpenCV does it."""
    if image.dtype != np.uint8:
        raise TypeError(f"Equalize: the image must be UInt8, not {image.dtype}")

    def change(channel: Array) -> Array:
        counts = np.bincount(channel.ravel(), minlength=256)
        first = int(counts[np.flatnonzero(counts)[0]]) if channel.size else 0
        rest = channel.size - first
        if not rest:
            return channel
        table: Array = np.rint(np.clip((np.cumsum(counts) - first) * (255.0 / rest), 0, 255))
        return table[channel]

    return by_channel(image, change)


class Equalize(ImageOperation):
    """Equalizes the histogram of each channel."""

    def __init__(self) -> None:
        super().__init__()

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform a UInt8 image."""
        return _equalized(image)


class RandomEqualize(ImageOperationByChance):
    """`Equalize` with a probability.

    Args:
        prob: probability from 0 to 1.
    """

    def changed(self, image: Array) -> Array:
        """Transform a UInt8 image."""
        return _equalized(image)


class RandomInvert(ImageOperationByChance):
    """Inverts pixels, 255 - value, with a probability.

    Args:
        prob: probability from 0 to 1.
    """

    def changed(self, image: Array) -> Array:
        """Transform a UInt8 image."""
        return (255 - image).astype(image.dtype)


def _posterized(image: Array, bits: int) -> Array:
    if image.dtype != np.uint8:
        raise TypeError(f"Posterize: the image must be UInt8, not {image.dtype}")
    kept: Array = image & np.uint8(0xFF << (8 - bits) & 0xFF)
    return kept


def _bits(operator: str, bits: int) -> int:
    if not isinstance(bits, int) or isinstance(bits, bool) or not 0 <= bits <= 8:
        raise ValueError(f"{operator}: bits must be an int from 0 to 8, not {bits!r}")
    return bits


class Posterize(ImageOperation):
    """Keeps the highest bits of each value.

    Args:
        bits: number of bits, from 0 to 8.
    """

    def __init__(self, bits: int) -> None:
        self.bits = _bits("Posterize", bits)
        super().__init__(bits=bits)

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform a UInt8 image."""
        return _posterized(image, self.bits)


class RandomPosterize(RandomImageOperation):
    """Keeps a random number of the highest bits of each value.

    Args:
        bits: lowest and highest number of bits, or the number.
    """

    def __init__(self, bits: int | Sequence[int] = (8, 8)) -> None:
        pair = (bits, bits) if isinstance(bits, int) else tuple(bits)
        if len(pair) != 2 or not 1 <= _bits("RandomPosterize", pair[0]) <= _bits("RandomPosterize", pair[1]):
            raise ValueError(f"RandomPosterize: bits must be a number from 1 to 8 or a range of them, not {bits!r}")
        self.range = pair
        super().__init__(bits=list(pair))

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image."""
        return _posterized(image, int(rng.integers(self.range[0], self.range[1] + 1)))


def _solarized(image: Array, low: int, high: int) -> Array:
    if image.dtype != np.uint8:
        raise TypeError(f"Solarize: the image must be UInt8, not {image.dtype}")
    return np.where((image >= low) & (image <= high), 255 - image, image)


def _thresholds(operator: str, threshold: Sequence[int]) -> tuple[int, int]:
    if len(threshold) != 2 or not 0 <= threshold[0] <= threshold[1] <= 255:
        raise ValueError(f"{operator}: threshold must be a range within 0 and 255, not {threshold!r}")
    return int(threshold[0]), int(threshold[1])


class Solarize(ImageOperation):
    """Inverts the values within a range.

    Args:
        threshold: (lowest, highest) value, or the lowest.
    """

    def __init__(self, threshold: float | Sequence[int]) -> None:
        given = threshold if isinstance(threshold, Sequence) else (int(threshold), 255)
        self.threshold = _thresholds("Solarize", given)
        super().__init__(threshold=list(self.threshold))

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform a UInt8 image."""
        return _solarized(image, *self.threshold)


class RandomSolarize(RandomImageOperation):
    """Inverts the values within a random part of a range.

    Args:
        threshold: (lowest, highest) value of the range.
    """

    def __init__(self, threshold: Sequence[int] = (0, 255)) -> None:
        self.threshold = _thresholds("RandomSolarize", threshold)
        super().__init__(threshold=list(self.threshold))

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image."""
        low, high = sorted(int(end) for end in rng.integers(self.threshold[0], self.threshold[1] + 1, 2))
        return _solarized(image, low, high)


class _RandomEnhancement(RandomImageOperation):
    """Base class of transforms that blend an image with a changed one by a random factor."""

    enhancer: Callable[[Image.Image], Any]

    def __init__(self, degrees: Sequence[float] = (0.1, 1.9)) -> None:
        name = type(self).__name__
        if len(degrees) != 2:
            raise ValueError(f"{name}: degrees must be a range, not {degrees!r}")
        self.degrees = as_range(name, "degrees", degrees, 1.0, 0.0, math.inf)
        super().__init__(degrees=list(self.degrees))

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image."""
        factor = float(rng.uniform(*self.degrees))
        return _changed(type(self).__name__, image, lambda one: type(self).enhancer(one).enhance(factor))


class RandomColor(_RandomEnhancement):
    """Changes the saturation by a random factor: 0 gives gray, 1 the image.

    Args:
        degrees: range of the factor.

    """

    enhancer = ImageEnhance.Color


class RandomSharpness(_RandomEnhancement):
    """Changes the sharpness by a random factor: 0 blurs, 1 gives the image, 2 sharpens.

    Args:
        degrees: range of the factor.

    """

    enhancer = ImageEnhance.Sharpness


class RandomGrayscale(RandomImageOperation):
    """Makes images gray with a probability; the number of channels stays.

    Args:
        prob: probability from 0 to 1.
    """

    def __init__(self, prob: float = 0.1) -> None:
        self.prob = probability("RandomGrayscale", prob)
        super().__init__(prob=self.prob)

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image of 3 channels."""
        if rng.random() >= self.prob:
            return image
        return np.repeat(np.asarray(to_pillow(image).convert("L"))[..., None], 3, axis=-1)
