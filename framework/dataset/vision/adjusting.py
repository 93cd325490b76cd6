"""Changes of brightness, contrast, gamma, hue, saturation and sharpness, by a given or a random amount.

Arrays are changed as MindSpore's OpenCV does it, Pillow images by Pillow's `ImageEnhance`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageEnhance

from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.checks import FLOAT_INTEGER, check_interval, check_type, single
from framework.dataset.vision.image import ImageOperation, RandomImageOperation
from framework.dataset.vision.kernel import hue_to_rgb
from framework.dataset.vision.opencv import cv
from framework.dataset.vision.sizes import around

__all__ = [
    "AdjustBrightness",
    "AdjustContrast",
    "AdjustGamma",
    "AdjustHue",
    "AdjustSaturation",
    "AdjustSharpness",
    "RandomColorAdjust",
    "RandomLighting",
    "brightened",
    "contrasted",
    "hue_shifted",
    "saturated",
    "sharpened",
]

Random = np.random.Generator
#: The principal components of the colors of ImageNet, times their deviations (Krizhevsky et al. 2012).
_LIGHT = np.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]]) * [
    55.46,
    4.794,
    1.148,
]


def needs_colors(operator: str, image: Array) -> None:
    """Check that an image has three channels.

    Raises:
        RuntimeError: it has another number.
    """
    channels = image.shape[2] if image.ndim == 3 else 1
    if channels != 3:
        raise RuntimeError(
            f"{operator}: image shape is not <H,W,C> or channel is not 3, got image rank: {image.ndim}, and"
            f" channel:{channels}"
        )


def blended(first: Array, second: Array, share: float) -> Array:
    """first * (1 - share) + second * share, in the element type of the second."""
    return np.asarray(cv.addWeighted(first, 1.0 - share, second, share, 0.0))


def brightened(image: Array, factor: float) -> Array:
    """An image times a factor."""
    needs_colors("AdjustBrightness", image)
    if image.dtype == np.uint8:
        return np.asarray(cv.convertScaleAbs(image, alpha=factor))
    return np.asarray(cv.addWeighted(image, factor, image, 0.0, 0.0))


def contrasted(image: Array, factor: float) -> Array:
    """An image blended with its mean gray."""
    needs_colors("AdjustContrast", image)
    mean = int(cv.mean(cv.cvtColor(image, cv.COLOR_RGB2GRAY))[0] + 0.5)
    return blended(np.full_like(image, mean), image, factor)


def saturated(image: Array, factor: float) -> Array:
    """An image blended with its gray."""
    needs_colors("AdjustSaturation", image)
    gray = cv.cvtColor(cv.cvtColor(image, cv.COLOR_RGB2GRAY), cv.COLOR_GRAY2RGB)
    return blended(np.asarray(gray), image, factor)


def sharpened(image: Array, factor: float) -> Array:
    """An image blended with a smooth one; pixels at the border stay."""
    kernel = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], np.float32) / np.float32(13)
    smooth = image.copy()
    if min(image.shape[:2]) > 2:
        smooth[1:-1, 1:-1] = np.asarray(cv.filter2D(image, -1, kernel)).reshape(image.shape)[1:-1, 1:-1]
    return blended(smooth, image, factor).reshape(image.shape)


def hue_shifted(image: Array, shift: float) -> Array:
    """An image whose hue is turned by a share of the circle."""
    needs_colors("AdjustHue", image)
    if image.dtype != np.uint8:
        raise RuntimeError(f"AdjustHue: the image must be UInt8, not {image.dtype}")
    parts = np.asarray(cv.cvtColor(image, cv.COLOR_RGB2HSV_FULL), np.uint8)
    parts[..., 0] += np.uint8(int(shift * 255) % 256)
    return hue_to_rgb(parts)


class _Adjustment(ImageOperation):
    """Base class of changes by one factor."""

    has_device = True
    change: Callable[[Array, float], Array]
    enhancer: Callable[[Image.Image], Any] | None = None

    def __init__(self, name: str, factor: float, limits: tuple[float, float], shown: str) -> None:
        check_type(factor, (float, int), name)
        check_interval(factor, limits, shown)
        self.factor = single(factor)
        super().__init__(**{name: self.factor})

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of 3 channels."""
        return type(self).change(image, self.factor)

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        enhancer = type(self).enhancer
        if enhancer is None:
            return super().on_pillow(rng, image)
        return enhanced(image, enhancer, self.factor)


def enhanced(image: Image.Image, enhancer: Callable[[Image.Image], Any], factor: float) -> Image.Image:
    """A Pillow image changed by one of the classes of `ImageEnhance`."""
    changed: Image.Image = enhancer(image).enhance(factor)
    return changed


class AdjustBrightness(_Adjustment):
    """Multiplies pixels by a factor.

    Args:
        brightness_factor: the factor, at least 0: 0 gives black, 1 the image.
    """

    change = staticmethod(brightened)
    enhancer = ImageEnhance.Brightness

    def __init__(self, brightness_factor: float) -> None:
        super().__init__("brightness_factor", brightness_factor, (0, FLOAT_INTEGER), "brightness_factor")


class AdjustContrast(_Adjustment):
    """Blends an image with its mean gray.

    Args:
        contrast_factor: share of the image, at least 0: 0 gives gray, 1 the image.
    """

    change = staticmethod(contrasted)
    enhancer = ImageEnhance.Contrast

    def __init__(self, contrast_factor: float) -> None:
        super().__init__("contrast_factor", contrast_factor, (0, FLOAT_INTEGER), "contrast_factor")


class AdjustSaturation(_Adjustment):
    """Blends an image with its gray.

    Args:
        saturation_factor: share of the image, at least 0: 0 gives gray, 1 the image.
    """

    change = staticmethod(saturated)
    enhancer = ImageEnhance.Color

    def __init__(self, saturation_factor: float) -> None:
        super().__init__("saturation_factor", saturation_factor, (0, FLOAT_INTEGER), "")


class AdjustSharpness(_Adjustment):
    """Blends an image with a smooth one.

    Args:
        sharpness_factor: share of the image, at least 0: 0 blurs, 1 gives the image, 2 sharpens.
    """

    change = staticmethod(sharpened)
    enhancer = ImageEnhance.Sharpness

    def __init__(self, sharpness_factor: float) -> None:
        super().__init__("sharpness_factor", sharpness_factor, (0, FLOAT_INTEGER), "")


class AdjustHue(_Adjustment):
    """Turns the hue.

    Args:
        hue_factor: share of the circle, from -0.5 to 0.5.
    """

    change = staticmethod(hue_shifted)

    def __init__(self, hue_factor: float) -> None:
        super().__init__("hue_factor", hue_factor, (-0.5, 0.5), "hue_factor")

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image; one without colors stays."""
        return turned(image, self.factor)


def turned(image: Image.Image, shift: float) -> Image.Image:
    """A Pillow image whose hue is turned by a share of the circle."""
    if image.mode in ("L", "1", "I", "F"):
        return image
    hue, saturation, value = image.convert("HSV").split()
    moved = np.array(hue) + np.uint8(int(shift * 255) % 256)
    return Image.merge("HSV", (Image.fromarray(moved), saturation, value)).convert(image.mode)


class AdjustGamma(ImageOperation):
    """Computes gain * value^gamma, with values of 0..1; those of integers are 0..255.

    Args:
        gamma: the exponent, at least 0: above 1, dark parts become darker.
        gain: the factor.
    """

    def __init__(self, gamma: float, gain: float = 1.0) -> None:
        check_type(gamma, (float, int), "gamma")
        check_interval(gamma, (0, FLOAT_INTEGER))
        check_type(gain, (float, int), "gain")
        check_interval(gain, (-FLOAT_INTEGER, FLOAT_INTEGER))
        self.gamma, self.gain = single(gamma), single(gain)
        super().__init__(gamma=self.gamma, gain=self.gain)
        powers = (np.arange(256) / 255).astype(np.float32) ** np.float32(gamma)
        # Just below 256, so that 1 becomes 255.
        self.table = np.floor(np.clip(powers.astype(np.float64) * (256 - 1e-3) * self.gain, 0, 255)).astype(np.uint8)

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform a UInt8 image, or one of floats, with 1 or 3 channels."""
        channels = image.shape[2] if image.ndim == 3 else 1
        if channels not in (1, 3):
            raise RuntimeError(f"AdjustGamma: channel of input image should be 1 or 3, but got: {channels}")
        if image.dtype.kind == "f":
            powers: Array = (image * image.dtype.type(self.gain)) ** image.dtype.type(self.gamma)
            return np.clip(powers, 0, 1)
        if image.dtype != np.uint8:
            raise RuntimeError(f"AdjustGamma: the image must be UInt8 or of floats, not {image.dtype}")
        return self.table[image]


class RandomColorAdjust(RandomImageOperation):
    """Changes brightness, contrast, saturation and hue, in this order, each by a random amount.

    Args:
        brightness: range of the factor; one number d for max(0, 1 - d) to 1 + d.
        contrast: range of the factor; 0 gives gray.
        saturation: range of the factor; 0 gives no color.
        hue: range of the shift of the hue, within -0.5 and 0.5 of the circle; one number d for -d to d.
    """

    def __init__(
        self,
        brightness: float | Sequence[float] = (1, 1),
        contrast: float | Sequence[float] = (1, 1),
        saturation: float | Sequence[float] = (1, 1),
        hue: float | Sequence[float] = (0, 0),
    ) -> None:
        named = {"brightness": brightness, "contrast": contrast, "saturation": saturation}
        ranges = {name: around(value, name, 1.0, 0.0, math.inf) for name, value in named.items()}
        self.factors = tuple(ranges.values())
        self.hue = around(hue, "hue", 0.0, -0.5, 0.5)
        super().__init__(**{name: list(value) for name, value in ranges.items()}, hue=list(self.hue))

    def _drawn(self, rng: Random) -> tuple[list[float], float]:
        return [float(rng.uniform(*limits)) for limits in self.factors], float(rng.uniform(*self.hue))

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image of 3 channels; the hue of UInt8 only."""
        needs_colors("RandomColorAdjust", image)
        drawn, shift = self._drawn(rng)
        for change, factor in zip((brightened, contrasted, saturated), drawn, strict=True):
            if factor != 1:
                image = change(image, factor)
        return hue_shifted(image, shift) if shift else image

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        assert rng is not None  # noqa: S101 - random is True
        drawn, shift = self._drawn(rng)
        enhancers = (ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color)
        for enhancer, factor in zip(enhancers, drawn, strict=True):
            if factor != 1:
                image = enhanced(image, enhancer, factor)
        return turned(image, shift) if shift else image


class RandomLighting(RandomImageOperation):
    """Adds a random mixture of the principal components of ImageNet's colors (Krizhevsky et al. 2012).

    Args:
        alpha: standard deviation of the three random factors, at least 0.
    """

    def __init__(self, alpha: float = 0.05) -> None:
        check_type(alpha, (float, int), "alpha")
        check_interval(alpha, (0, FLOAT_INTEGER), "alpha")
        self.alpha = single(alpha)
        super().__init__(alpha=self.alpha)

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image of 3 channels."""
        needs_colors("RandomLighting", image)
        if image.dtype != np.uint8:
            raise RuntimeError(f"RandomLighting: the image must be UInt8, not {image.dtype}")
        added = (_LIGHT @ rng.normal(0.0, self.alpha, 3)).astype(np.float32)
        return np.clip(np.rint(image + added), 0, 255).astype(np.uint8)
