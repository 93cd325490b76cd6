"""Transforms of pixel values: decoding, scaling, normalization, layouts, and conversions to and from Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from framework.common import dtype as mstype
from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.general import TypeCast
from framework.dataset.transforms.operation import TensorOperation
from framework.dataset.vision.image import ImageOperation, decoded, from_pillow, to_pillow

__all__ = [
    "HWC2CHW",
    "Decode",
    "Grayscale",
    "Invert",
    "Normalize",
    "Rescale",
    "ToNumpy",
    "ToPIL",
    "ToTensor",
    "ToType",
]

Random = np.random.Generator


class Decode(TensorOperation):
    """Decodes the bytes of a JPEG, PNG, BMP, GIF, TIFF or WebP file to pixels (height, width, 3) UInt8.

    Args:
        to_pil: return a Pillow image.
    """

    def __init__(self, to_pil: bool = False) -> None:
        super().__init__(to_pil=to_pil)
        self.to_pil = to_pil

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Decode an array of bytes."""
        pixels = decoded(np.asarray(values[0]))
        return to_pillow(pixels) if self.to_pil else pixels


class Rescale(TensorOperation):
    """Computes value * rescale + shift, as Float32.

    Args:
        rescale: factor; 1 / 255 maps pixels to 0..1.
        shift: number that is added.
    """

    def __init__(self, rescale: float, shift: float) -> None:
        super().__init__(rescale=float(rescale), shift=float(shift))
        self.rescale, self.shift = np.float32(rescale), np.float32(shift)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform a value of any shape."""
        return np.asarray(values[0]).astype(np.float32) * self.rescale + self.shift


class Normalize(ImageOperation):
    """Computes (value - mean) / std for each channel, as Float32.

    Args:
        mean: mean of each channel, in the unit of the pixels.
        std: standard deviation of each channel, above 0.
        is_hwc: channels are the last axis; otherwise the first.
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], is_hwc: bool = True) -> None:
        if len(mean) != len(std) or not mean or min(std) <= 0:
            raise ValueError(
                f"Normalize: mean and std need a number for each channel, std above 0, not {mean} and {std}"
            )
        super().__init__(mean=[float(item) for item in mean], std=[float(item) for item in std], is_hwc=is_hwc)
        self.mean, self.std = np.asarray(mean, np.float32), np.asarray(std, np.float32)
        self.is_hwc = is_hwc

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Normalize an array with as many channels as means, or any array with one mean for all."""
        channels = 1 if image.ndim == 2 else image.shape[-1 if self.is_hwc else 0]
        if len(self.mean) not in (1, channels):
            raise ValueError(f"Normalize: {len(self.mean)} means for an image {image.shape} of {channels} channels")
        shape = (-1,) if self.is_hwc or image.ndim == 2 else (-1, 1, 1)
        return (image.astype(np.float32) - self.mean.reshape(shape)) / self.std.reshape(shape)


class HWC2CHW(TensorOperation):
    """Moves channels to the front: (height, width, channels) becomes (channels, height, width)."""

    tensor_op_name = "HwcToChw"

    def __init__(self) -> None:
        super().__init__()

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform an image; an image without channels stays as it is."""
        image = from_pillow(values[0]) if isinstance(values[0], Image.Image) else np.asarray(values[0])
        if image.ndim not in (2, 3):
            raise ValueError(f"HWC2CHW: an image must have 2 or 3 dimensions, not the shape {image.shape}")
        return image if image.ndim == 2 else np.ascontiguousarray(image.transpose(2, 0, 1))


class ToTensor(TensorOperation):
    """Maps pixels 0..255 to 0..1 and moves channels to the front.

    (height, width[, channels]) becomes (channels, height, width).

    Args:
        output_type: element type of the result.
    """

    def __init__(self, output_type: Any = np.float32) -> None:
        dtype = output_type.numpy if isinstance(output_type, mstype.DType) else np.dtype(output_type)
        super().__init__(output_type=dtype.name)
        self.dtype = dtype

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform an image; only integers are divided by 255."""
        image = from_pillow(values[0]) if isinstance(values[0], Image.Image) else np.asarray(values[0])
        if image.ndim not in (2, 3):
            raise ValueError(f"ToTensor: an image must have 2 or 3 dimensions, not the shape {image.shape}")
        image = image[..., None] if image.ndim == 2 else image
        first = np.ascontiguousarray(image.transpose(2, 0, 1))
        return (first / np.float32(255) if image.dtype.kind == "u" else first).astype(self.dtype)


class ToPIL(TensorOperation):
    """Converts an array to a Pillow image."""

    def __init__(self) -> None:
        super().__init__()

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Convert a UInt8 array with 1, 3 or 4 channels."""
        return values[0] if isinstance(values[0], Image.Image) else to_pillow(np.asarray(values[0]))


class ToNumpy(TensorOperation):
    """Converts a Pillow image to an array."""

    def __init__(self) -> None:
        super().__init__()

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Convert a Pillow image or an array."""
        return from_pillow(values[0]) if isinstance(values[0], Image.Image) else np.asarray(values[0])


class ToType(TypeCast):
    """Casts elements to another type: `TypeCast` under its name among image transforms."""


class Grayscale(ImageOperation):
    """Converts to gray: 0.299 red + 0.587 green + 0.114 blue (ITU-R 601), as Pillow computes it.

    Args:
        num_output_channels: number of equal channels, 1 or 3.
    """

    def __init__(self, num_output_channels: int = 1) -> None:
        if num_output_channels not in (1, 3):
            raise ValueError(f"Grayscale: num_output_channels must be 1 or 3, not {num_output_channels}")
        super().__init__(num_output_channels=num_output_channels)
        self.channels = num_output_channels

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform a UInt8 image of 3 channels."""
        light = np.asarray(to_pillow(image).convert("L"))
        return light if self.channels == 1 else np.repeat(light[..., None], 3, axis=-1)


class Invert(ImageOperation):
    """Inverts pixels: 255 - value."""

    def __init__(self) -> None:
        super().__init__()

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform a UInt8 image."""
        return (255 - image).astype(image.dtype)
