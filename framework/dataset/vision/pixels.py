"""Transforms of pixel values: decoding, scaling, normalization, layouts, and conversions to and from Pillow."""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from PIL import Image

from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.checks import FLOAT_INTEGER, check_interval, check_type, single
from framework.dataset.transforms.general import TypeCast, cast_to, element_type
from framework.dataset.transforms.operation import Joined, TensorOperation
from framework.dataset.vision.codecs.coding import decoded, decoded_to_pillow, encoded_bytes
from framework.dataset.vision.image import ImageOperation, PillowOperation, from_pillow, to_pillow
from framework.dataset.vision.opencv import cv
from framework.dataset.vision.utils import ConvertMode

__all__ = [
    "HWC2CHW",
    "ConvertColor",
    "Decode",
    "Grayscale",
    "HsvToRgb",
    "Invert",
    "LinearTransformation",
    "Normalize",
    "NormalizePad",
    "Rescale",
    "RgbToHsv",
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

    json_names = {"to_pil": "rgb"}
    has_device = True

    def __init__(self, to_pil: bool = False) -> None:
        check_type(to_pil, (bool,), "to_pil")
        super().__init__(to_pil=to_pil)
        self.to_pil = self.makes_pillow = to_pil

    def to_json(self) -> dict[str, Any]:
        """The name and parameters for JSON, where `rgb` says that the result is an array."""
        made = super().to_json()
        made["tensor_op_params"]["rgb"] = not self.to_pil
        return made

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        return cls(to_pil=not parameters.get("rgb", True))

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Decode an array of bytes."""
        data = encoded_bytes(values[0])
        return decoded_to_pillow(data) if self.to_pil else decoded(data)


class Rescale(TensorOperation):
    """Computes value * rescale + shift, as Float32.

    Args:
        rescale: factor; 1 / 255 maps pixels to 0..1.
        shift: number that is added.
    """

    batchable = True

    def __init__(self, rescale: float, shift: float) -> None:
        for name, value in (("rescale", rescale), ("shift", shift)):
            check_type(value, (int, float, np.number), name)
            check_interval(value, (-FLOAT_INTEGER, FLOAT_INTEGER), name)
        super().__init__(rescale=single(rescale), shift=single(shift))
        self.rescale, self.shift = np.float32(rescale), np.float32(shift)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform a value of any shape."""
        return np.asarray(values[0]).astype(np.float32) * self.rescale + self.shift

    def apply_batch(self, values: Array) -> Array:
        """Transform a batch at once."""
        return np.asarray(self.apply(None, values))

    def joined(self, following: Sequence[Callable[..., Any]]) -> Joined | None:
        """One pass over the pixels for this transform and those behind it."""
        from framework.dataset.vision.joining import join  # It knows this class.

        return join((self, *following))


def _channel_numbers(mean: Sequence[float], std: Sequence[float]) -> tuple[list[float], list[float]]:
    """The means and standard deviations, checked and rounded to Float32."""
    check_type(mean, (list, tuple), "mean")
    check_type(std, (list, tuple), "std")
    if len(mean) != len(std):
        raise ValueError("Length of mean and std must be equal.")
    if not mean:
        raise ValueError("Length of mean and std must be above 0.")
    for name, values in (("mean", mean), ("std", std)):
        for number, value in enumerate(values):
            check_type(value, (int, float), f"{name}[{number}]")
            check_interval(value, (0, 255), f"{name}[{number}]", left_open=name == "std")
    return [single(value) for value in mean], [single(value) for value in std]


class Normalize(ImageOperation):
    """Computes (value - mean) / std for each channel, as Float32.

    Args:
        mean: mean of each channel, in the unit of the pixels, from 0 to 255; one for all channels.
        std: standard deviation of each channel, above 0 and up to 255; one for all channels.
        is_hwc: channels are the last axis; otherwise the first.
    """

    has_device = True
    batchable = True

    def __init__(self, mean: Sequence[float], std: Sequence[float], is_hwc: bool = True) -> None:
        means, deviations = _channel_numbers(mean, std)
        check_type(is_hwc, (bool,), "is_hwc")
        super().__init__(mean=means, std=deviations, is_hwc=is_hwc)
        self.mean, self.std = np.asarray(means, np.float32), np.asarray(deviations, np.float32)
        self.is_hwc = is_hwc

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Normalize an array with as many channels as means, or any array with one mean for all."""
        return self._normalized(image, image.ndim)

    def apply_batch(self, values: Array) -> Array:
        """Normalize a batch at once."""
        if values.ndim not in (3, 4) or values.dtype.kind not in "uifb":
            return super().apply_batch(values)
        return self._normalized(values, values.ndim - 1)

    def _normalized(self, image: Array, rank: int) -> Array:
        """The values of images with a number of dimensions, of which there may be several along an axis before them."""
        channels = 1 if rank == 2 else image.shape[-1 if self.is_hwc else -3]
        if len(self.mean) not in (1, channels):
            raise RuntimeError(
                f"{type(self).__name__}: number of channels does not match the size of mean and std vectors, got"
                f" channels: {channels}, size of mean: {len(self.mean)}"
            )
        shape = (-1,) if self.is_hwc or rank == 2 else (-1, 1, 1)
        return (image.astype(np.float32) - self.mean.reshape(shape)) / self.std.reshape(shape)

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Any:
        """Normalize the pixels of a Pillow image: the result is an array."""
        return self.on_array(rng, from_pillow(image))

    def joined(self, following: Sequence[Callable[..., Any]]) -> Joined | None:
        """One pass over the pixels for this transform and those behind it."""
        from framework.dataset.vision.joining import join  # It knows this class.

        return join((self, *following))


class NormalizePad(Normalize):
    """Normalizes like `Normalize`, and adds a channel of zeros.

    Args:
        mean: mean of each channel, in the unit of the pixels.
        std: standard deviation of each channel, above 0.
        dtype: "float32" or "float16".
        is_hwc: channels are the last axis; otherwise the first.
    """

    has_device = False
    batchable = False

    def __init__(
        self, mean: Sequence[float], std: Sequence[float], dtype: str = "float32", is_hwc: bool = True
    ) -> None:
        if not isinstance(dtype, str):
            raise TypeError("dtype should be string.")
        if dtype not in ("float32", "float16"):
            raise ValueError("dtype only supports float32 or float16.")
        super().__init__(mean, std, is_hwc)
        self.parameters = {**self.parameters, "dtype": dtype}
        self.dtype = np.dtype(dtype)

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Normalize an image with 3 dimensions."""
        if image.ndim != 3:
            raise RuntimeError(f"NormalizePad: image shape is not <H,W,C>, but got rank: {image.ndim}")
        normal = super().on_array(rng, image)
        added = [(0, 0), (0, 0), (0, 1)] if self.is_hwc else [(0, 1), (0, 0), (0, 0)]
        return np.pad(normal, added).astype(self.dtype)


class HWC2CHW(TensorOperation):
    """Moves channels to the front: (height, width, channels) becomes (channels, height, width)."""

    tensor_op_name = "HwcToChw"
    batchable = True

    def __init__(self) -> None:
        super().__init__()

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform an image; an image without channels stays as it is."""
        image = from_pillow(values[0]) if isinstance(values[0], Image.Image) else np.asarray(values[0])
        if image.ndim < 2:
            raise RuntimeError("[Internal ERROR] HWC2CHW: load image failed.")
        if image.ndim > 3:
            raise RuntimeError(f"HWC2CHW: image shape is not <H,W,C>, but got rank: {image.ndim}")
        return image if image.ndim == 2 else np.ascontiguousarray(image.transpose(2, 0, 1))

    def apply_batch(self, values: Array) -> Array:
        """Transform a batch at once."""
        return np.ascontiguousarray(values.transpose(0, 3, 1, 2)) if values.ndim == 4 else super().apply_batch(values)


class ToTensor(TensorOperation):
    """Maps pixels 0..255 to 0..1 and moves channels to the front.

    (height, width[, channels]) becomes (channels, height, width).

    Args:
        output_type: element type of the result.
    """

    batchable = True

    def __init__(self, output_type: Any = np.float32) -> None:
        self.dtype = element_type(output_type, "output_type")
        super().__init__(output_type=self.dtype.name)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform an image; its numbers are divided by 255 whatever their type."""
        image = from_pillow(values[0]) if isinstance(values[0], Image.Image) else np.asarray(values[0])
        if image.ndim not in (2, 3):
            raise RuntimeError(f"ToTensor: image shape is not <H,W,C> or <H, W>, but got rank:{image.ndim}")
        image = image[..., None] if image.ndim == 2 else image
        first = np.ascontiguousarray(image.transpose(2, 0, 1))
        kind = np.dtype(np.float64 if self.dtype == np.float64 else np.float32)
        return cast_to(first.astype(kind) / kind.type(255), self.dtype)


class ToPIL(TensorOperation):
    """Converts an array to a Pillow image."""

    makes_pillow = True

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


class Grayscale(PillowOperation):
    """Converts Pillow images to gray: 0.299 red + 0.587 green + 0.114 blue (ITU-R 601).

    Args:
        num_output_channels: number of equal channels, 1 or 3.
    """

    def __init__(self, num_output_channels: int = 1) -> None:
        check_type(num_output_channels, (int,), "num_output_channels")
        if num_output_channels not in (1, 3):
            raise ValueError(
                f"Number of channels of the output grayscale imageshould be either 1 or 3. Got {num_output_channels}."
            )
        super().__init__(num_output_channels=num_output_channels)
        self.channels = num_output_channels

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        light = image.convert("L")
        return light if self.channels == 1 else Image.merge("RGB", (light, light, light))


class Invert(ImageOperation):
    """Inverts pixels: 255 - value."""

    has_device = True
    batchable = True

    def __init__(self) -> None:
        super().__init__()

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform a UInt8 image."""
        return (255 - image).astype(image.dtype)


class ConvertColor(ImageOperation):
    """Converts between orders and numbers of channels.

    Args:
        convert_mode: the conversion.
    """

    json_readers = {"convert_mode": ConvertMode}
    has_device = True

    def __init__(self, convert_mode: ConvertMode) -> None:
        check_type(convert_mode, (ConvertMode,), "convert_mode")
        self.mode = convert_mode
        super().__init__(convert_mode=int(convert_mode))

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image with the channels that the conversion begins with."""
        try:
            return np.asarray(cv.cvtColor(image, int(self.mode)))
        except cv.error as error:
            raise RuntimeError(
                f"ConvertColor: an image of shape {image.shape} and type {image.dtype} cannot be converted by"
                f" {self.mode.name}"
            ) from error


class _Colors(TensorOperation):
    """Base class of conversions of three numbers at each place, with channels last or first, of one image or many."""

    def __init__(self, is_hwc: bool = False) -> None:
        check_type(is_hwc, (bool,), "is_hwc")
        super().__init__(is_hwc=is_hwc)
        self.axis = -1 if is_hwc else -3

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform an array."""
        image = np.asarray(values[0])
        if image.ndim not in (3, 4):
            raise TypeError(f"img shape should be (H, W, C)/(N, H, W, C)/(C, H, W)/(N, C, H, W). Got {image.shape}.")
        if image.shape[self.axis] != 3:
            raise TypeError(f"img should be 3 channels RGB img. Got {image.shape[self.axis]} channels.")
        channels = np.moveaxis(image, self.axis, 0)
        return np.stack(self.converted(*channels), axis=self.axis)

    def converted(self, first: Array, second: Array, third: Array) -> tuple[Array, Array, Array]:
        """The three numbers at all places."""
        raise NotImplementedError


class RgbToHsv(_Colors):
    """Computes hue, saturation and value of red, green and blue; the hue is 0..1.

    Args:
        is_hwc: channels are the last axis; otherwise the first.
    """

    def converted(self, first: Array, second: Array, third: Array) -> tuple[Array, Array, Array]:
        """Hue, saturation and value in Float64."""
        return _everywhere(colorsys.rgb_to_hsv, first, second, third)


class HsvToRgb(_Colors):
    """Computes red, green and blue of hue, saturation and value; the hue is 0..1.

    Args:
        is_hwc: channels are the last axis; otherwise the first.
    """

    def converted(self, first: Array, second: Array, third: Array) -> tuple[Array, Array, Array]:
        """Red, green and blue in Float64."""
        return _everywhere(colorsys.hsv_to_rgb, first, second, third)


def _everywhere(convert: Callable[..., Any], *channels: Array) -> tuple[Array, Array, Array]:
    """A function of three numbers at all places; not of numpy's small integers, whose sums would not fit."""
    wide = [channel.astype(np.float64) for channel in channels]
    first, second, third = np.vectorize(convert, otypes=[float] * 3)(*wide)
    return first, second, third


class LinearTransformation(TensorOperation):
    """Computes (image - mean) @ matrix for the flattened image.

    Args:
        transformation_matrix: array (n, n), where n is the size of the image.
        mean_vector: array of n numbers.
    """

    def __init__(self, transformation_matrix: Array, mean_vector: Array) -> None:
        check_type(transformation_matrix, (np.ndarray,), "transformation_matrix")
        check_type(mean_vector, (np.ndarray,), "mean_vector")
        shape = transformation_matrix.shape
        if shape[0] != shape[1]:
            raise ValueError(f"transformation_matrix should be a square matrix. Got shape {shape} instead.")
        if mean_vector.shape[0] != shape[0]:
            raise ValueError(
                f"mean_vector length {mean_vector.shape[0]} should match either one dimension of the square"
                f"transformation_matrix {shape}."
            )
        self.matrix, self.mean = transformation_matrix, mean_vector
        super().__init__(transformation_matrix=transformation_matrix.tolist(), mean_vector=mean_vector.tolist())

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        return cls(np.asarray(parameters["transformation_matrix"]), np.asarray(parameters["mean_vector"]))

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform an array (channels, height, width)."""
        image = np.asarray(values[0])
        if image.size != self.matrix.shape[0]:
            raise ValueError(
                f"transformation_matrix shape {self.matrix.shape} not compatible with Numpy image shape {image.shape}."
            )
        return ((image.reshape(1, -1) - self.mean) @ self.matrix).reshape(image.shape)
