"""Random changes of color."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageEnhance

from framework.dataset.runtime.rows import Array
from framework.dataset.vision.image import as_range, in_pillow
from framework.dataset.vision.random import RandomImageOperation

__all__ = ["RandomColorAdjust"]

Random = np.random.Generator


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
        factors = {
            name: as_range("RandomColorAdjust", name, value, 1.0, 0.0, math.inf) for name, value in named.items()
        }
        self.factors = tuple(factors.values())
        self.hue = as_range("RandomColorAdjust", "hue", hue, 0.0, -0.5, 0.5)
        super().__init__(**{name: list(value) for name, value in factors.items()}, hue=list(self.hue))

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image of 3 channels."""
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
            raise TypeError(
                f"RandomColorAdjust: the image must be UInt8 with 3 channels, not {image.shape} of {image.dtype}"
            )
        drawn = [rng.uniform(*limits) for limits in self.factors]
        shift = rng.uniform(*self.hue)

        def change(pillow: Image.Image) -> Image.Image:
            enhancers = (ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color)
            for make, factor in zip(enhancers, drawn, strict=True):
                if factor != 1:
                    pillow = make(pillow).enhance(factor)
            return _shifted(pillow, shift) if shift else pillow

        return in_pillow(image, change)


def _shifted(pillow: Image.Image, shift: float) -> Image.Image:
    """An image with a shifted hue."""
    hue, saturation, value = pillow.convert("HSV").split()
    turned = (np.asarray(hue).astype(np.int32) + round(shift * 255)) % 256
    return Image.merge("HSV", (Image.fromarray(turned.astype(np.uint8)), saturation, value)).convert("RGB")
