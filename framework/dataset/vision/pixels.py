"""Transforms of what pixels are: decoding, scaling, layouts, between arrays and Pillow's images."""

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
    """The pixels (height, width, 3) UInt8 of the bytes of a JPEG, PNG, BMP, GIF, TIFF or WebP file.

    Args:
        to_pil: give an image of Pillow's.

    """

    def __init__(self, to_pil: bool = False) -> None:
        super().__init__(to_pil=to_pil)
        self.to_pil = to_pil

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """An array of bytes."""
        pixels = decoded(np.asarray(values[0]))
        return to_pillow(pixels) if self.to_pil else pixels


class Rescale(TensorOperation):
    """value * rescale + shift, as Float32.

    Args:
        rescale: the factor; 1 / 255 brings pixels to 0..1.
        shift: what is added.

    """

    def __init__(self, rescale: float, shift: float) -> None:
        super().__init__(rescale=float(rescale), shift=float(shift))
        self.rescale, self.shift = np.float32(rescale), np.float32(shift)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """A value of any shape."""
        return np.asarray(values[0]).astype(np.float32) * self.rescale + self.shift


class Normalize(ImageOperation):
    """(value - mean) / std for each channel, as Float32.

    Args:
        mean: of each channel, in the unit of the pixels.
        std: of each channel, above 0.
        is_hwc: channels are the last axis, not the first.

    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], is_hwc: bool = True) -> None:
        if len(mean) != len(std) or not mean or min(std) <= 0:
            raise ValueError(f"Normalize: mean and std need a number for each channel, std above 0; not {mean}, {std}")
        super().__init__(mean=[float(item) for item in mean], std=[float(item) for item in std], is_hwc=is_hwc)
        self.mean, self.std = np.asarray(mean, np.float32), np.asarray(std, np.float32)
        self.is_hwc = is_hwc

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """An array with as many channels as there are means, or one of them for all."""
        channels = 1 if image.ndim == 2 else image.shape[-1 if self.is_hwc else 0]
        if len(self.mean) not in (1, channels):
            raise ValueError(f"Normalize: {len(self.mean)} means for an image {image.shape} of {channels} channels")
        shape = (-1,) if self.is_hwc or image.ndim == 2 else (-1, 1, 1)
        return (image.astype(np.float32) - self.mean.reshape(shape)) / self.std.reshape(shape)


class HWC2CHW(TensorOperation):
    """Channels first: (height, width, channels) becomes (channels, height, width)."""

    tensor_op_name = "HwcToChw"

    def __init__(self) -> None:
        super().__init__()

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """An image; one without channels stays as it is."""
        image = from_pillow(values[0]) if isinstance(values[0], Image.Image) else np.asarray(values[0])
        if image.ndim not in (2, 3):
            raise ValueError(f"HWC2CHW: an image has 2 or 3 dimensions, not the shape {image.shape}")
        return image if image.ndim == 2 else np.ascontiguousarray(image.transpose(2, 0, 1))


class ToTensor(TensorOperation):
    """Pixels 0..255 as 0..1, channels first: (height, width[, channels]) becomes (channels, height, width).

    Args:
        output_type: the element type of the result.

    """

    def __init__(self, output_type: Any = np.float32) -> None:
        dtype = output_type.numpy if isinstance(output_type, mstype.DType) else np.dtype(output_type)
        super().__init__(output_type=dtype.name)
        self.dtype = dtype

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """An image; elements that are no whole numbers are not divided by 255."""
        image = from_pillow(values[0]) if isinstance(values[0], Image.Image) else np.asarray(values[0])
        if image.ndim not in (2, 3):
            raise ValueError(f"ToTensor: an image has 2 or 3 dimensions, not the shape {image.shape}")
        image = image[..., None] if image.ndim == 2 else image
        first = np.ascontiguousarray(image.transpose(2, 0, 1))
        return (first / np.float32(255) if image.dtype.kind == "u" else first).astype(self.dtype)


class ToPIL(TensorOperation):
    """An image of Pillow's."""

    def __init__(self) -> None:
        super().__init__()

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """An array UInt8 with 1, 3 or 4 channels."""
        return values[0] if isinstance(values[0], Image.Image) else to_pillow(np.asarray(values[0]))


class ToNumpy(TensorOperation):
    """The pixels of an image of Pillow's."""

    def __init__(self) -> None:
        super().__init__()

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """An image of Pillow's, or an array."""
        return from_pillow(values[0]) if isinstance(values[0], Image.Image) else np.asarray(values[0])


class ToType(TypeCast):
    """Elements of another type: `TypeCast` under the name that it has among transforms of images."""


class Grayscale(ImageOperation):
    """Light without color: 0.299 red + 0.587 green + 0.114 blue (ITU-R 601), as Pillow computes it.

    Args:
        num_output_channels: 1, or 3 equal ones.

    """

    def __init__(self, num_output_channels: int = 1) -> None:
        if num_output_channels not in (1, 3):
            raise ValueError(f"Grayscale: num_output_channels must be 1 or 3, not {num_output_channels}")
        super().__init__(num_output_channels=num_output_channels)
        self.channels = num_output_channels

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """An image UInt8 with 3 channels."""
        light = np.asarray(to_pillow(image).convert("L"))
        return light if self.channels == 1 else np.repeat(light[..., None], 3, axis=-1)


class Invert(ImageOperation):
    """255 - value."""

    def __init__(self) -> None:
        super().__init__()

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """An image UInt8."""
        return (255 - image).astype(image.dtype)
