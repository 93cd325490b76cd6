"""Geometric transforms of images: resizing, cropping, padding, flipping and rotating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np

from framework.dataset.runtime.rows import Array
from framework.dataset.vision.image import ImageOperation, in_pillow, padding_of, size_of
from framework.dataset.vision.utils import RESAMPLING, Border, Inter, border_json, border_of, inter_json, inter_of

__all__ = [
    "CenterCrop",
    "Crop",
    "HorizontalFlip",
    "Pad",
    "Resize",
    "Rotate",
    "Turn",
    "VerticalFlip",
    "cut",
    "padded",
    "resized",
]

Random = np.random.Generator


def resized(image: Array, height: int, width: int, interpolation: Inter) -> Array:
    """An image resized as Pillow does it: smaller images are averages over all pixels."""
    if image.shape[:2] == (height, width):
        return image
    return in_pillow(image, lambda pillow: pillow.resize((width, height), RESAMPLING[interpolation]))


def padded(image: Array, sides: tuple[int, int, int, int], fill: Any, mode: Border) -> Array:
    """An image with padding on the left, the top, the right and the bottom."""
    left, top, right, bottom = sides
    widths = [(top, bottom), (left, right)] + [(0, 0)] * (image.ndim - 2)
    if mode is not Border.CONSTANT:
        kinds: dict[Border, Literal["edge", "reflect", "symmetric"]] = {
            Border.EDGE: "edge",
            Border.REFLECT: "reflect",
            Border.SYMMETRIC: "symmetric",
        }
        return np.pad(image, widths, kinds[mode])
    out = np.empty([size + sum(width) for size, width in zip(image.shape, widths, strict=True)], image.dtype)
    out[...] = fill if image.ndim == 3 or isinstance(fill, int | float) else fill[0]
    out[top : top + image.shape[0], left : left + image.shape[1]] = image
    return out


def cut(operator: str, image: Array, top: int, left: int, height: int, width: int) -> Array:
    """Cut a part out of an image.

    Raises:
        ValueError: the part exceeds the image.
    """
    if top + height > image.shape[0] or left + width > image.shape[1]:
        raise ValueError(
            f"{operator}: a part of {height} x {width} from ({top}, {left}) on does not lie within an image of"
            f" {image.shape[0]} x {image.shape[1]}"
        )
    return np.ascontiguousarray(image[top : top + height, left : left + width])


class Resize(ImageOperation):
    """Resizes images.

    Args:
        size: (height, width) in pixels; one number is the length of the shorter side, and the longer one follows.
        interpolation: kind of interpolation between pixels.
    """

    def __init__(self, size: int | Sequence[int], interpolation: Inter = Inter.LINEAR) -> None:
        pair = size_of("Resize", size)
        self.keeps_ratio = isinstance(size, int) or len(size) == 1
        self.interpolation = Inter(interpolation)
        self.height, self.width = pair
        super().__init__(
            size=[pair[0]] if self.keeps_ratio else list(pair), interpolation=inter_json(self.interpolation)
        )

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        return cls(parameters["size"], inter_of(parameters["interpolation"]))

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        height, width = self.height, self.width
        if self.keeps_ratio:
            rows, columns = image.shape[:2]
            short = self.height
            height, width = (short, short * columns // rows) if rows < columns else (short * rows // columns, short)
        return resized(image, height, width, self.interpolation)


class CenterCrop(ImageOperation):
    """Crops the center of images; smaller images get a border of 0.

    Args:
        size: (height, width) in pixels, or one number for both.
    """

    def __init__(self, size: int | Sequence[int]) -> None:
        self.height, self.width = size_of("CenterCrop", size)
        super().__init__(size=[self.height, self.width])

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        down, right = max(self.height - image.shape[0], 0), max(self.width - image.shape[1], 0)
        if down or right:
            sides = (right // 2 + right % 2, down // 2 + down % 2, right // 2, down // 2)
            image = padded(image, sides, 0, Border.CONSTANT)
        top, left = (image.shape[0] - self.height) // 2, (image.shape[1] - self.width) // 2
        return cut("CenterCrop", image, top, left, self.height, self.width)


class Crop(ImageOperation):
    """Crops a part of images.

    Args:
        coordinates: (top, left) of its first pixel.
        size: (height, width) in pixels, or one number for both.
    """

    def __init__(self, coordinates: Sequence[int], size: int | Sequence[int]) -> None:
        if len(coordinates) != 2 or min(coordinates) < 0:
            raise ValueError(f"Crop: coordinates must be (top, left), both at least 0, not {coordinates!r}")
        self.top, self.left = coordinates
        self.height, self.width = size_of("Crop", size)
        super().__init__(coordinates=list(coordinates), size=[self.height, self.width])

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image that contains the part."""
        return cut("Crop", image, self.top, self.left, self.height, self.width)


class Pad(ImageOperation):
    """Pads images.

    Args:
        padding: width of the border in pixels on all sides; or (left and right, top and bottom); or (left, top, right,
            bottom).
        fill_value: value of the border with Border.CONSTANT: one number, or one per channel.
        padding_mode: CONSTANT; EDGE repeats the last pixels; REFLECT mirrors without and SYMMETRIC with the last
            pixels.
    """

    def __init__(
        self,
        padding: int | Sequence[int],
        fill_value: int | Sequence[int] = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        self.sides = padding_of("Pad", padding)
        self.fill = fill_value if isinstance(fill_value, int) else list(fill_value)
        self.mode = Border(padding_mode)
        super().__init__(padding=list(self.sides), fill_value=self.fill, padding_mode=border_json(self.mode))

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        return cls(parameters["padding"], parameters["fill_value"], border_of(parameters["padding_mode"]))

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        return padded(image, self.sides, self.fill, self.mode)


class HorizontalFlip(ImageOperation):
    """Flips images horizontally, left to right."""

    def __init__(self) -> None:
        super().__init__()

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        return np.ascontiguousarray(image[:, ::-1])


class VerticalFlip(ImageOperation):
    """Flips images vertically, top to bottom."""

    def __init__(self) -> None:
        super().__init__()

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        return np.ascontiguousarray(image[::-1])


class Rotate(ImageOperation):
    """Rotates images counter-clockwise.

    Args:
        degrees: angle in degrees.
        resample: kind of interpolation between pixels: NEAREST, BILINEAR or BICUBIC.
        expand: enlarge the image so that all of it is visible.
        center: (x, y) of the center of rotation; None for the middle of the image.
        fill_value: value of pixels outside of the image: one number, or one per channel.
    """

    def __init__(
        self,
        degrees: float,
        resample: Inter = Inter.NEAREST,
        expand: bool = False,
        center: Sequence[float] | None = None,
        fill_value: int | Sequence[int] = 0,
    ) -> None:
        self.turn = Turn("Rotate", resample, expand, center, fill_value)
        self.degrees = degrees
        super().__init__(degrees=float(degrees), **self.turn.parameters())

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        return cls(**{**parameters, "resample": inter_of(parameters["resample"])})

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        return self.turn.applied(image, self.degrees)


class Turn:
    """The settings of a rotation without the angle; the arguments are those of `Rotate`."""

    def __init__(
        self, operator: str, resample: Inter, expand: bool, center: Sequence[float] | None, fill: int | Sequence[int]
    ) -> None:
        self.resample = Inter(resample)
        if self.resample not in (Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC):
            raise ValueError(f"{operator}: resample must be NEAREST, BILINEAR or BICUBIC, not {self.resample.name}")
        self.expand = expand
        self.center = None if center is None else (float(center[0]), float(center[1]))
        self.fill = fill if isinstance(fill, int) else tuple(fill)

    def parameters(self) -> dict[str, Any]:
        """The parameters for JSON."""
        return {
            "resample": inter_json(self.resample),
            "expand": self.expand,
            "center": None if self.center is None else list(self.center),
            "fill_value": self.fill if isinstance(self.fill, int) else list(self.fill),
        }

    def applied(self, image: Array, degrees: float) -> Array:
        """A rotated image."""
        channels = 1 if image.ndim == 2 else image.shape[2]
        fill: Any = self.fill
        if channels == 1 or image.dtype != np.uint8:
            fill = fill if isinstance(fill, int) else fill[0]
        elif isinstance(fill, int):
            fill = (fill,) * channels
        kind: Any = RESAMPLING[self.resample]
        return in_pillow(
            image,
            lambda pillow: pillow.rotate(degrees, kind, self.expand, self.center, fillcolor=fill),
        )
