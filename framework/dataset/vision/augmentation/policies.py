"""Policies that apply random transforms of random strength: those of AutoAugment, RandAugment and TrivialAugment.

A policy draws the name of a change and a magnitude; `strengths` says what a magnitude means for each change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.checks import FLOAT_INTEGER, check_interval, check_type
from framework.dataset.vision.adjusting import brightened, contrasted, saturated, sharpened
from framework.dataset.vision.augmentation.found_policies import POLICIES
from framework.dataset.vision.image import RandomImageOperation
from framework.dataset.vision.sizes import fill_of, inter_of_warp
from framework.dataset.vision.tones import AutoContrast, Equalize, Posterize
from framework.dataset.vision.utils import AutoAugmentPolicy, Inter, inter_json, inter_of
from framework.dataset.vision.warping import sheared, warped

__all__ = ["AutoAugment", "RandAugment", "TrivialAugmentWide"]

Random = np.random.Generator
#: Width of the images that the largest shift of AutoAugment was measured on.
_WIDTH = 331


class Strength(NamedTuple):
    """The values of a change from magnitude 0 on; None for a change without a strength.

    Attributes:
        values: one for each magnitude.
        signed: whether the value is negated in half of the cases.
    """

    values: Sequence[float] | None
    signed: bool


class Widths(NamedTuple):
    """The largest values of the changes.

    Attributes:
        shear: the tangent of the angle.
        shift_x: pixels.
        shift_y: pixels.
        degrees: the angle of a rotation.
        factor: distance from 1 of the factors of colors.
        bits: number of bits that `Posterize` takes away.
    """

    shear: float
    shift_x: float
    shift_y: float
    degrees: float
    factor: float
    bits: int


def strengths(bins: int, widths: Widths) -> dict[str, Strength]:
    """What magnitudes mean for each change.

    Args:
        bins: number of magnitudes.
        widths: the largest values.
    """

    def rising(highest: float) -> list[float]:
        return [float(value) for value in np.linspace(0, highest, bins)]

    steps = np.arange(bins) / ((bins - 1) / widths.bits)
    return {
        "ShearX": Strength(rising(widths.shear), True),
        "ShearY": Strength(rising(widths.shear), True),
        "TranslateX": Strength(rising(widths.shift_x), True),
        "TranslateY": Strength(rising(widths.shift_y), True),
        "Rotate": Strength(rising(widths.degrees), True),
        "Brightness": Strength(rising(widths.factor), True),
        "Color": Strength(rising(widths.factor), True),
        "Contrast": Strength(rising(widths.factor), True),
        "Sharpness": Strength(rising(widths.factor), True),
        "Posterize": Strength((8 - np.rint(steps)).tolist(), False),
        "Solarize": Strength(np.linspace(255, 0, bins).tolist(), False),
        "AutoContrast": Strength(None, False),
        "Equalize": Strength(None, False),
        "Invert": Strength(None, False),
    }


#: What only AutoAugment has.
_FOUND_ONLY = "Invert"
_COLORS: Mapping[str, Callable[[Array, float], Array]] = {
    "Brightness": brightened,
    "Color": saturated,
    "Contrast": contrasted,
    "Sharpness": sharpened,
}


class _Policy(RandomImageOperation):
    """Base class of policies, which take UInt8 images of 3 channels."""

    json_readers = {"interpolation": inter_of}

    def __init__(self, interpolation: Inter, fill_value: int | Sequence[int], **parameters: Any) -> None:
        self.interpolation = inter_of_warp(type(self).__name__, interpolation, "interpolation")
        self.fill = fill_of(fill_value)
        super().__init__(**parameters, interpolation=inter_json(interpolation), fill_value=list(self.fill))

    def strong(self, rng: Random, image: Array, name: str, strength: Strength, magnitude: int) -> Array:
        """An image after a change of a magnitude, whose sign is drawn."""
        value = 0.0 if strength.values is None else float(strength.values[magnitude])
        if strength.signed and rng.random() < 0.5:
            value = -value
        return self.change(image, name, value)

    def change(self, image: Array, name: str, value: float) -> Array:
        """An image after a change."""
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
            raise RuntimeError(
                f"{type(self).__name__}: the image must be UInt8 (H, W, 3), not {image.shape} of {image.dtype}"
            )
        if name in _COLORS:
            return _COLORS[name](image, 1 + value)
        if name == "Posterize":
            return Posterize(int(value)).on_array(None, image)
        if name == "Invert":
            return 255 - image
        if name == "Solarize":
            return np.where(image >= value, 255 - image, image)
        if name in ("AutoContrast", "Equalize"):
            return (AutoContrast() if name == "AutoContrast" else Equalize()).on_array(None, image)
        return self._warp(image, name, value)

    def _warp(self, image: Array, name: str, value: float) -> Array:
        rows, columns = image.shape[:2]
        degrees = value if name == "Rotate" else 0.0
        shift = (value if name == "TranslateX" else 0.0, value if name == "TranslateY" else 0.0)
        angle = math.degrees(math.atan(value))
        shear = (angle if name == "ShearX" else 0.0, angle if name == "ShearY" else 0.0)
        matrix = sheared(columns, rows, degrees, shift, 1.0, shear)
        return warped(image, matrix, (columns, rows), self.interpolation, self.fill)


def _checked_bins(num_magnitude_bins: int) -> int:
    check_type(num_magnitude_bins, (int,), "num_magnitude_bins")
    check_interval(num_magnitude_bins, (2, FLOAT_INTEGER), "num_magnitude_bins")
    return num_magnitude_bins


class AutoAugment(_Policy):
    """Applies one of the pairs of changes that AutoAugment found (Cubuk et al. 2019).

    Args:
        policy: the data that the pairs were found on.
        interpolation: kind of interpolation between pixels.
        fill_value: value of pixels from outside of the image: one number, or one per channel.
    """

    json_readers = {**_Policy.json_readers, "policy": list(AutoAugmentPolicy).__getitem__}

    def __init__(
        self,
        policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET,
        interpolation: Inter = Inter.NEAREST,
        fill_value: int | Sequence[int] = 0,
    ) -> None:
        check_type(policy, (AutoAugmentPolicy,), "policy")
        self.pairs = POLICIES[policy.value]
        super().__init__(interpolation, fill_value, policy=list(AutoAugmentPolicy).index(policy))

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image of 3 channels."""
        rows, columns = image.shape[:2]
        known = strengths(10, Widths(0.3, 150 / _WIDTH * columns, 150 / _WIDTH * rows, 30, 0.9, 4))
        for name, prob, magnitude in self.pairs[int(rng.integers(len(self.pairs)))]:
            if rng.random() < prob:
                image = self.strong(rng, image, name, known[name], magnitude or 0)
        return image


class RandAugment(_Policy):
    """Applies several random changes of one magnitude (Cubuk et al. 2020).

    Args:
        num_ops: number of changes, one after the other.
        magnitude: the magnitude, below `num_magnitude_bins`.
        num_magnitude_bins: number of magnitudes.
        interpolation: kind of interpolation between pixels.
        fill_value: value of pixels from outside of the image: one number, or one per channel.
    """

    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation: Inter = Inter.NEAREST,
        fill_value: int | Sequence[int] = 0,
    ) -> None:
        check_type(num_ops, (int,), "num_ops")
        check_interval(num_ops, (0, FLOAT_INTEGER), "num_ops")
        self.bins = _checked_bins(num_magnitude_bins)
        check_type(magnitude, (int,), "magnitude")
        check_interval(magnitude, (0, num_magnitude_bins), "magnitude", right_open=True)
        self.num_ops, self.magnitude = num_ops, magnitude
        super().__init__(
            interpolation, fill_value, num_ops=num_ops, magnitude=magnitude, num_magnitude_bins=num_magnitude_bins
        )

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image of 3 channels."""
        rows, columns = image.shape[:2]
        known = strengths(self.bins, Widths(0.3, 150 / _WIDTH * columns, 150 / _WIDTH * rows, 30, 0.9, 4))
        names = ["Identity", *(name for name in known if name != _FOUND_ONLY)]
        for place in rng.integers(len(names), size=self.num_ops):
            if names[place] != "Identity":
                image = self.strong(rng, image, names[place], known[names[place]], self.magnitude)
        return image


class TrivialAugmentWide(_Policy):
    """Applies one random change of a random magnitude from wide ranges (Müller & Hutter 2021).

    Args:
        num_magnitude_bins: number of magnitudes.
        interpolation: kind of interpolation between pixels.
        fill_value: value of pixels from outside of the image: one number, or one per channel.
    """

    def __init__(
        self,
        num_magnitude_bins: int = 31,
        interpolation: Inter = Inter.NEAREST,
        fill_value: int | Sequence[int] = 0,
    ) -> None:
        self.bins = _checked_bins(num_magnitude_bins)
        self.known = strengths(self.bins, Widths(0.99, 32, 32, 135, 0.99, 6))
        super().__init__(interpolation, fill_value, num_magnitude_bins=num_magnitude_bins)

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform a UInt8 image of 3 channels."""
        names = ["Identity", *(name for name in self.known if name != _FOUND_ONLY)]
        name = names[int(rng.integers(len(names)))]
        if name == "Identity":
            return image
        return self.strong(rng, image, name, self.known[name], int(rng.integers(self.bins)))
