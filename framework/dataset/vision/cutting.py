"""Transforms that cut, cover or move regions of images: with decoding, at random, or by affine maps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from PIL import Image

from framework.common.validator import check_bool, check_positive_int
from framework.dataset.ir.to_json import operation_json
from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.operation import TensorOperation, operation_from_json
from framework.dataset.vision.image import as_range, decoded, in_pillow, probability
from framework.dataset.vision.pixels import Normalize
from framework.dataset.vision.random import RandomImageOperation, RandomResizedCrop
from framework.dataset.vision.utils import RESAMPLING, Inter, inter_json, inter_of

__all__ = ["CutOut", "NormalizePad", "RandomAffine", "RandomCropDecodeResize", "RandomSelectSubpolicy"]

Random = np.random.Generator


class RandomCropDecodeResize(RandomResizedCrop):
    """Decodes an image and applies `RandomResizedCrop`.

    Args:
        size: (height, width) in pixels, or one number for both.
        scale: range of the part's share of the image's area.
        ratio: range of the part's width divided by its height.
        interpolation: kind of interpolation between pixels.
        max_attempts: number of draws that may not fit before the center is taken.

    """

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform an array of the bytes of a file."""
        return self.on_array(rng, decoded(np.asarray(values[0])))


class CutOut(RandomImageOperation):
    """Covers square regions at random positions with zeros (DeVries & Taylor 2017).

    Args:
        length: side of a square in pixels.
        num_patches: number of squares.
        is_hwc: channels are the last axis; otherwise the first.
    """

    def __init__(self, length: int, num_patches: int = 1, is_hwc: bool = True) -> None:
        self.length = check_positive_int(length, "length")
        self.num_patches = check_positive_int(num_patches, "num_patches")
        self.is_hwc = check_bool(is_hwc, "is_hwc")
        super().__init__(length=length, num_patches=num_patches, is_hwc=is_hwc)

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image with 3 dimensions. Squares lie completely inside the image, and must be smaller than
        it."""
        if image.ndim != 3:
            raise TypeError(f"CutOut: an image must have 3 dimensions, not {image.shape}")
        out = image.copy()
        pixels = out if self.is_hwc else np.moveaxis(out, 0, -1)
        rows, columns = pixels.shape[:2]
        if self.length > min(rows, columns):
            raise ValueError(f"CutOut: a square of {self.length} is larger than the image of {rows} x {columns}")
        for _ in range(self.num_patches):
            top, left = int(rng.integers(rows - self.length + 1)), int(rng.integers(columns - self.length + 1))
            pixels[top : top + self.length, left : left + self.length] = 0
        return out


class NormalizePad(Normalize):
    """Normalizes like `Normalize`, and adds a channel of zeros.

    Args:
        mean: mean of each channel, in the unit of the pixels.
        std: standard deviation of each channel, above 0.
        dtype: "float32" or "float16".
        is_hwc: channels are the last axis; otherwise the first.
    """

    def __init__(
        self, mean: Sequence[float], std: Sequence[float], dtype: str = "float32", is_hwc: bool = True
    ) -> None:
        if dtype not in ("float32", "float16"):
            raise ValueError(f"NormalizePad: dtype must be 'float32' or 'float16', not {dtype!r}")
        super().__init__(mean, std, is_hwc)
        self.parameters = {**self.parameters, "dtype": dtype}
        self.dtype = np.dtype(dtype)

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Normalize an image with 3 dimensions."""
        normal = super().on_array(rng, image)
        added = [(0, 0), (0, 0), (0, 1)] if self.is_hwc else [(0, 1), (0, 0), (0, 0)]
        return np.pad(normal, added).astype(self.dtype)


class RandomAffine(RandomImageOperation):
    """Rotates, shifts, scales and shears images by random amounts, around their middle.

    Args:
        degrees: range of the angle in degrees; one number d for -d to d.
        translate: ranges of the shift, as shares of width and height: (low x, high x) or (low x, high x, low y,
            high y); None for no shift.
        scale: range of the factor; None for no change of size.
        shear: ranges of the shear in degrees: one number s for -s to s along x, (low x, high x) or (low x, high x,
            low y, high y); None for no shear.
        resample: kind of interpolation between pixels: NEAREST, BILINEAR or BICUBIC.
        fill_value: value of pixels outside of the image: one number, or one per channel.
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: float | Sequence[float] | None = None,
        resample: Inter = Inter.NEAREST,
        fill_value: int | Sequence[int] = 0,
    ) -> None:
        self.degrees = as_range("RandomAffine", "degrees", degrees, 0.0, -math.inf, math.inf)
        self.translate = _four("translate", translate, -1.0, 1.0)
        self.scale = (1.0, 1.0) if scale is None else as_range("RandomAffine", "scale", scale, 1.0, 0.0, math.inf)
        sheared = (-abs(shear), abs(shear)) if isinstance(shear, int | float) else shear
        self.shear = _four("shear", sheared, -90.0, 90.0)
        self.resample = Inter(resample)
        if self.resample not in (Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC):
            raise ValueError(f"RandomAffine: resample must be NEAREST, BILINEAR or BICUBIC, not {self.resample.name}")
        self.fill = fill_value if isinstance(fill_value, int) else list(fill_value)
        super().__init__(
            degrees=list(self.degrees),
            translate=list(self.translate),
            scale=list(self.scale),
            shear=list(self.shear),
            resample=inter_json(self.resample),
            fill_value=self.fill,
        )

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        return cls(**{**parameters, "resample": inter_of(parameters["resample"])})

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image of any size."""
        angle, scale = math.radians(rng.uniform(*self.degrees)), rng.uniform(*self.scale)
        shifts = (rng.uniform(*self.translate[:2]) * image.shape[1], rng.uniform(*self.translate[2:]) * image.shape[0])
        shears = [math.radians(rng.uniform(self.shear[place], self.shear[place + 1])) for place in (0, 2)]
        wanted = _affine(image.shape[1], image.shape[0], angle, scale, shifts, shears)
        kind: Any = RESAMPLING[self.resample]
        channels = 1 if image.ndim == 2 else image.shape[2]
        fill: Any = self.fill if isinstance(self.fill, int) or channels == 1 else tuple(self.fill)
        fill = (fill,) * channels if isinstance(fill, int) and channels > 1 and image.dtype == np.uint8 else fill
        transform = Image.Transform.AFFINE
        return in_pillow(image, lambda one: one.transform(one.size, transform, wanted, kind, fillcolor=fill))


def _four(name: str, value: Sequence[float] | None, low: float, high: float) -> tuple[float, float, float, float]:
    """The ranges along x and y; the argument may give both, one, or none."""
    ends = (0.0, 0.0, 0.0, 0.0) if value is None else tuple(float(end) for end in value)
    ends = (*ends, 0.0, 0.0) if len(ends) == 2 else ends
    if len(ends) != 4 or not (low <= ends[0] <= ends[1] <= high and low <= ends[2] <= ends[3] <= high):
        raise ValueError(f"RandomAffine: {name} must be 2 or 4 ends of ranges within {low} and {high}, not {value!r}")
    return ends[0], ends[1], ends[2], ends[3]


def _affine(
    width: int, height: int, angle: float, scale: float, shifts: Sequence[float], shears: Sequence[float]
) -> tuple[float, ...]:
    """The six numbers of the affine map from positions in the result to positions in the image (the inverse transform).

    The map is shift * center * rotate * shear x * shear y * scale * center⁻¹.
    """
    center = np.array([[1, 0, (width - 1) / 2], [0, 1, (height - 1) / 2], [0, 0, 1]])
    turn = np.array([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1]])
    along_x = np.array([[1, -math.tan(shears[0]), 0], [0, 1, 0], [0, 0, 1]])
    along_y = np.array([[1, 0, 0], [-math.tan(shears[1]), 1, 0], [0, 0, 1]])
    shift = np.array([[1, 0, shifts[0]], [0, 1, shifts[1]], [0, 0, 1]])
    whole = shift @ center @ turn @ along_x @ along_y @ np.diag([scale, scale, 1]) @ np.linalg.inv(center)
    # Pillow takes the middle of a pixel for its place.
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    return tuple(float(number) for number in (half @ np.linalg.inv(whole) @ np.linalg.inv(half)).ravel()[:6])


class RandomSelectSubpolicy(TensorOperation):
    """Selects one of several lists of transforms, and applies each of its transforms with its probability.

    Args:
        policy: lists of pairs of a transform and a probability from 0 to 1.
    """

    random = True

    def __init__(self, policy: Sequence[Sequence[tuple[Callable[..., Any], float]]]) -> None:
        self.policy = [
            [(item, probability("RandomSelectSubpolicy", prob)) for item, prob in subpolicy] for subpolicy in policy
        ]
        if not self.policy or not all(self.policy):
            raise ValueError("RandomSelectSubpolicy: policy needs at least one list, and each list one transform")
        super().__init__(
            policy=[
                [{"tensor_op": operation_json(item), "prob": prob} for item, prob in subpolicy]
                for subpolicy in self.policy
            ]
        )

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        return cls(
            [
                [(operation_from_json(item["tensor_op"]), item["prob"]) for item in subpolicy]
                for subpolicy in parameters["policy"]
            ]
        )

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform a value that the transforms take."""
        assert rng is not None  # noqa: S101 - random is True
        value = values[0]
        for item, prob in self.policy[int(rng.integers(len(self.policy)))]:
            if rng.random() < prob:
                value = item.apply(rng, value) if isinstance(item, TensorOperation) else item(value)
        return value
