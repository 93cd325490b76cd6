"""Changes of tones and colors of UInt8 images, and their random forms, as data augmentation policies use them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from PIL import Image, ImageEnhance, ImageOps

from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.checks import (
    FLOAT_INTEGER,
    UINT8,
    check_interval,
    check_list,
    check_probability,
    check_type,
    single,
)
from framework.dataset.vision.adjusting import enhanced, saturated, sharpened
from framework.dataset.vision.image import (
    ImageOperation,
    ImageOperationByChance,
    PillowOperation,
    RandomImageOperation,
    with_channels,
)
from framework.dataset.vision.opencv import cv
from framework.dataset.vision.sizes import factors

__all__ = [
    "AutoContrast",
    "Equalize",
    "GaussianBlur",
    "Posterize",
    "RandomAdjustSharpness",
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


def _needs_bytes(operator: str, image: Array) -> None:
    if image.dtype != np.uint8:
        raise RuntimeError(f"{operator}: the image must be UInt8, not {image.dtype}")


def _tones_stretched(operator: str, image: Array, cutoff: float, ignore: Sequence[int]) -> Array:
    channels = image.shape[2] if image.ndim == 3 else 1
    if channels not in (1, 3):
        raise RuntimeError(f"{operator}: channel of input image should be 1 or 3, but got: {channels}")
    _needs_bytes(operator, image)
    stretched = [_stretch(channel, int(cutoff), ignore)[channel] for channel in cv.split(image)]
    return np.asarray(cv.merge(stretched)).reshape(image.shape)


def _stretch(channel: Array, cutoff: int, ignore: Sequence[int]) -> Array:
    """The new value of each value of a channel, in MindSpore's order of roundings."""
    counts = np.bincount(channel.ravel(), minlength=256)
    counts[list(ignore)] = 0
    without = int(np.float32(cutoff / 100) * np.float32(counts.sum()))
    low, high = _beyond(counts, without), 255 - _beyond(counts[::-1], without)
    if high <= low:
        return np.arange(256, dtype=np.uint8)
    scale = np.float32(255 / (high - low))
    values: Array = np.arange(256, dtype=np.float32) * scale + np.float32(-low) * scale
    table: Array = np.clip(np.trunc(values), 0, 255).astype(np.uint8)
    return table


def _beyond(counts: Array, without: int) -> int:
    """The first value of which something is left when a number of pixels is taken away from the front."""
    left = np.cumsum(counts) > without
    return int(left.argmax()) if left.any() else len(counts) - 1


def _ignored(cutoff: float, ignore: int | Sequence[int] | None) -> list[int]:
    check_type(cutoff, (int, float), "cutoff")
    check_interval(cutoff, (0, 50), "cutoff", right_open=True)
    if ignore is None:
        return []
    check_type(ignore, (list, tuple, int), "ignore")
    values = [ignore] if isinstance(ignore, int) else list(ignore)
    for value in values:
        check_type(value, (int,), "item")
        check_interval(value, UINT8, "ignore")
    return values


class AutoContrast(ImageOperation):
    """Stretches the values of each channel to 0..255.

    Args:
        cutoff: percentage of the lightest and of the darkest pixels that do not count, from 0 to below 50.
        ignore: values that do not count: one, or a list; None for none.
    """

    has_device = True

    def __init__(self, cutoff: float = 0.0, ignore: int | Sequence[int] | None = None) -> None:
        self.ignore = _ignored(cutoff, ignore)
        self.cutoff = single(cutoff)
        super().__init__(cutoff=self.cutoff, ignore=self.ignore)

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform a UInt8 image."""
        return _tones_stretched("AutoContrast", image, self.cutoff, self.ignore)

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        return ImageOps.autocontrast(image, self.cutoff, self.ignore or None)


class RandomAutoContrast(RandomImageOperation):
    """`AutoContrast` with a probability.

    Args:
        cutoff: percentage of the lightest and of the darkest pixels that do not count, from 0 to below 50.
        ignore: values that do not count: one, or a list; None for none.
        prob: probability from 0 to 1.
    """

    def __init__(self, cutoff: float = 0.0, ignore: int | Sequence[int] | None = None, prob: float = 0.5) -> None:
        self.ignore = _ignored(cutoff, ignore)
        self.cutoff, self.prob = single(cutoff), check_probability(prob)
        super().__init__(cutoff=self.cutoff, ignore=self.ignore, prob=self.prob)

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image."""
        if rng.random() >= self.prob:
            return image
        return _tones_stretched("RandomAutoContrast", image, self.cutoff, self.ignore)


def _equalized(image: Array) -> Array:
    """Each channel by its cumulative histogram: the darkest value becomes 0, the lightest 255."""
    _needs_bytes("Equalize", image)
    channels = 1 if image.ndim == 2 else image.shape[2]
    if channels == 1:
        return np.asarray(cv.equalizeHist(image)).reshape(image.shape)
    if channels != 3:
        raise RuntimeError(f"Equalize: channel of input image should be 1 or 3, but got: {channels}")
    return np.asarray(cv.merge([cv.equalizeHist(channel) for channel in cv.split(image)]))


class Equalize(ImageOperation):
    """Equalizes the histogram of each channel."""

    has_device = True

    def __init__(self) -> None:
        super().__init__()

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform a UInt8 image."""
        return _equalized(image)

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        return ImageOps.equalize(image)


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
    _needs_bytes("Posterize", image)
    kept: Array = image & np.uint8(0xFF << (8 - bits) & 0xFF)
    return kept


class Posterize(ImageOperation):
    """Keeps the highest bits of each value.

    Args:
        bits: number of bits, from 0 to 8.
    """

    has_device = True

    def __init__(self, bits: int) -> None:
        check_type(bits, (int,), "bits")
        check_interval(bits, (0, 8), "bits")
        self.bits = bits
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
        check_type(bits, (list, tuple, int), "bits")
        pair = (bits, bits) if isinstance(bits, int) else tuple(bits)
        if len(pair) != 2:
            raise TypeError("Size of bits should be a single integer or a list/tuple (min, max) of length 2.")
        check_list(pair, (int,), "bits")
        check_interval(pair[0], (1, min(8, pair[1])))
        check_interval(pair[1], (1, 8))
        self.range = pair
        super().__init__(bits=list(pair))

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image."""
        return _posterized(image, int(rng.integers(self.range[0], self.range[1] + 1)))


def _solarized(image: Array, low: float, high: float) -> Array:
    _needs_bytes("Solarize", image)
    return np.where((image >= low) & (image <= high), 255 - image, image)


class Solarize(ImageOperation):
    """Inverts the values within a range.

    Args:
        threshold: (lowest, highest) value, or the lowest.
    """

    has_device = True

    def __init__(self, threshold: float | Sequence[float]) -> None:
        check_type(threshold, (float, int, list, tuple), "threshold")
        pair = (threshold, 255) if isinstance(threshold, int | float) else tuple(threshold)
        check_list(pair, (float, int), "threshold")
        if len(pair) != 2:
            raise TypeError("threshold must be a single number or sequence of two numbers.")
        for number, value in enumerate(pair):
            check_interval(value, UINT8, f"threshold[{number}]")
        if pair[0] > pair[1]:
            raise ValueError("threshold must be in order of (min, max).")
        self.threshold = (single(pair[0]), single(pair[1]))
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
        check_type(threshold, (tuple, list), "threshold")
        check_list(threshold, (int,), "threshold")
        if len(threshold) != 2:
            raise ValueError("threshold must be a sequence of two numbers.")
        for value in threshold:
            check_interval(value, UINT8)
        if threshold[0] > threshold[1]:
            raise ValueError("threshold must be in min max format numbers.")
        self.threshold = (threshold[0], threshold[1])
        super().__init__(threshold=list(self.threshold))

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image."""
        low, high = sorted(int(end) for end in rng.integers(self.threshold[0], self.threshold[1] + 1, 2))
        return _solarized(image, low, high)


class _RandomEnhancement(RandomImageOperation):
    """Base class of transforms that blend an image with a changed one by a random factor."""

    enhancer: Callable[[Image.Image], Any]
    change: Callable[[Array, float], Array]

    def __init__(self, degrees: Sequence[float] = (0.1, 1.9)) -> None:
        self.degrees = factors(degrees)
        super().__init__(degrees=list(self.degrees))

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image."""
        _needs_bytes(type(self).__name__, image)
        return type(self).change(image, float(rng.uniform(*self.degrees)))

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        assert rng is not None  # noqa: S101 - random is True
        return enhanced(image, type(self).enhancer, float(rng.uniform(*self.degrees)))


class RandomColor(_RandomEnhancement):
    """Changes the saturation by a random factor: 0 gives gray, 1 the image.

    Args:
        degrees: range of the factor.

    """

    enhancer = ImageEnhance.Color
    change = staticmethod(saturated)


class RandomSharpness(_RandomEnhancement):
    """Changes the sharpness by a random factor: 0 blurs, 1 gives the image, 2 sharpens.

    Args:
        degrees: range of the factor.

    """

    enhancer = ImageEnhance.Sharpness
    change = staticmethod(sharpened)


class RandomAdjustSharpness(RandomImageOperation):
    """Changes the sharpness by a factor, with a probability.

    Args:
        degree: the factor, at least 0: 0 blurs, 1 gives the image, 2 sharpens.
        prob: probability from 0 to 1.
    """

    def __init__(self, degree: float, prob: float = 0.5) -> None:
        check_type(degree, (float, int), "degree")
        check_interval(degree, (0, FLOAT_INTEGER), "degree")
        self.degree, self.prob = single(degree), check_probability(prob)
        super().__init__(degree=self.degree, prob=self.prob)

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image, or leave it."""
        return sharpened(image, self.degree) if rng.random() < self.prob else image


class GaussianBlur(ImageOperation):
    """Blurs images with a Gaussian kernel.

    Args:
        kernel_size: odd size of the kernel: one number, or (width, height).
        sigma: standard deviation in pixels: one number, or (along x, along y); None or 0 for
            0.3 * ((size - 1) / 2 - 1) + 0.8.
    """

    has_device = True

    def __init__(self, kernel_size: int | Sequence[int], sigma: float | Sequence[float] | None = None) -> None:
        check_type(kernel_size, (int, list, tuple), "kernel_size")
        sizes = (kernel_size,) if isinstance(kernel_size, int) else tuple(kernel_size)
        if not isinstance(kernel_size, int) and len(sizes) != 2:
            raise TypeError(
                "Kernel size should be a single integer or a list/tuple (kernel_width, kernel_height) of length 2."
            )
        for number, size in enumerate(sizes):
            shown = "kernel_size" if isinstance(kernel_size, int) else f"kernel_size[{number}]"
            check_type(size, (int,), shown)
            check_interval(size, (1, FLOAT_INTEGER), "kernel_size")
            if size % 2 != 1:
                raise ValueError(f"Input {shown} is not an odd value.")
        given = 0.0 if sigma is None else sigma
        check_type(given, (int, float, list, tuple), "sigma")
        sigmas = (given,) if isinstance(given, int | float) else tuple(given)
        if not isinstance(given, int | float) and len(sigmas) != 2:
            raise TypeError("Sigma should be a single number or a list/tuple of length 2 for width and height.")
        for value in sigmas:
            check_interval(value, (0, FLOAT_INTEGER), "sigma")
        self.size, self.sigma = sizes, tuple(single(value) for value in sigmas)
        super().__init__(kernel_size=list(self.size), sigma=list(self.sigma))

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        size, sigma = parameters["kernel_size"], parameters.get("sigma")
        one_size, one_sigma = (isinstance(given, list) and len(given) == 1 for given in (size, sigma))
        return cls(size[0] if one_size else size, sigma[0] if one_sigma and sigma else sigma)

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        width, height = (self.size[0], self.size[-1])
        # OpenCV has kernels of its own for small sizes without a deviation.
        across, down = self.sigma[0] or single(width * 0.15 + 0.35), self.sigma[-1] or single(height * 0.15 + 0.35)
        blurred = cv.GaussianBlur(image, (width, height), across, sigmaY=down)
        return with_channels(np.asarray(blurred), image)


class RandomGrayscale(PillowOperation):
    """Makes Pillow images gray with a probability; the number of channels stays.

    Args:
        prob: probability from 0 to 1.
    """

    random = True

    def __init__(self, prob: float = 0.1) -> None:
        self.prob = check_probability(prob)
        super().__init__(prob=self.prob)

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        assert rng is not None  # noqa: S101 - random is True
        if rng.random() >= self.prob:
            return image
        gray = image.convert("L")
        return Image.merge("RGB", (gray, gray, gray)) if image.mode == "RGB" else gray
