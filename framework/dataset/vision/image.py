"""The base class of image transforms, conversions between arrays and Pillow images, and checks of sizes and ranges."""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PIL import Image

from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.operation import TensorOperation

__all__ = [
    "ImageOperation",
    "as_range",
    "by_channel",
    "decoded",
    "from_pillow",
    "in_pillow",
    "padding_of",
    "probability",
    "size_of",
    "to_pillow",
]

Random = np.random.Generator


class ImageOperation(TensorOperation):
    """Base class of transforms of an image: an array (height, width) or (height, width, channels), or a Pillow image.

    An array becomes an array, and a Pillow image a Pillow image.
    """

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform an image.

        Raises:
            TypeError: the value is not an image.
        """
        value = values[0]
        if isinstance(value, Image.Image):
            return to_pillow(self.on_array(rng, from_pillow(value)))
        array = np.asarray(value)
        if array.ndim not in (2, 3) or array.dtype.kind not in "uifb":
            raise TypeError(
                f"an image must be an array (height, width) or (height, width, channels) of numbers, not {array.shape} "
                f"of {array.dtype}" + ("; decode files first, with Decode" if array.ndim == 1 else "")
            )
        return self.on_array(rng, array)

    @abstractmethod
    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform the array of an image."""


def decoded(data: Array) -> Array:
    """The pixels (height, width, 3) of an encoded image.

    Args:
        data: the bytes of a file, of numpy's type UInt8 or S.

    Returns:
        A UInt8 array (height, width, 3).

    Raises:
        ValueError: Pillow cannot read them.
    """
    encoded = data if data.dtype.kind == "S" else np.asarray(data, np.uint8)
    try:
        with Image.open(io.BytesIO(encoded.tobytes())) as image:
            return np.asarray(image.convert("RGB"))
    except (OSError, SyntaxError) as error:
        raise ValueError(f"these {np.size(data)} bytes are not an image that can be read ({error})") from error


def to_pillow(array: Array) -> Image.Image:
    """A UInt8 array as a Pillow image.

    Raises:
        TypeError: the element type is another one, or there are not 1, 3 or 4 channels.
    """
    if array.dtype != np.uint8:
        raise TypeError(f"a Pillow image must be UInt8, not {array.dtype}")
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[..., 0]
    if array.ndim == 3 and array.shape[2] not in (3, 4):
        raise TypeError(f"a Pillow image must have 1, 3 or 4 channels, not {array.shape[2]}")
    return Image.fromarray(np.ascontiguousarray(array))


def from_pillow(image: Image.Image) -> Array:
    """The pixels of a Pillow image."""
    return np.asarray(image.convert("RGB") if image.mode in ("P", "CMYK", "YCbCr", "HSV", "LAB") else image)


def in_pillow(array: Array, change: Callable[[Image.Image], Image.Image]) -> Array:
    """Apply a change of Pillow images to an array, channel by channel where Pillow does not support the whole."""
    plain = array.dtype == np.uint8 and (array.ndim == 2 or array.shape[2] in (1, 3, 4))
    if plain:
        out = np.asarray(change(to_pillow(array)))
        return out[..., None] if array.ndim == 3 and out.ndim == 2 else out
    return by_channel(array, lambda channel: np.asarray(change(Image.fromarray(channel.astype(np.float32)))))


def by_channel(array: Array, change: Callable[[Array], Array]) -> Array:
    """Apply a change to each channel, in the element type of the whole; integers are rounded and clipped."""
    channels = [array] if array.ndim == 2 else [array[..., number] for number in range(array.shape[2])]
    changed = [change(channel) for channel in channels]
    out = changed[0] if array.ndim == 2 else np.stack(changed, axis=-1)
    if array.dtype.kind in "ui":
        limits = np.iinfo(array.dtype)
        out = np.clip(np.rint(out), limits.min, limits.max)
    return out.astype(array.dtype)


def size_of(operator: str, size: int | Sequence[int]) -> tuple[int, int]:
    """The height and width of an argument that is one number for both, or both.

    Raises:
        ValueError: it is neither, or not above 0.
    """
    pair = (size, size) if isinstance(size, int) else tuple(size)
    if len(pair) == 1:
        pair = (pair[0], pair[0])
    if len(pair) != 2 or any(isinstance(item, bool) or not isinstance(item, int) or item < 1 for item in pair):
        raise ValueError(f"{operator}: size must be an int above 0, or a pair (height, width) of them, not {size!r}")
    return int(pair[0]), int(pair[1])


def padding_of(operator: str, padding: int | Sequence[int]) -> tuple[int, int, int, int]:
    """The left, top, right and bottom padding of an argument.

    The argument is one number, (left and right, top and bottom), or all four.

    Raises:
        ValueError: it is none of these, or below 0.
    """
    sides = (padding,) * 4 if isinstance(padding, int) else tuple(padding)
    if len(sides) == 2:
        sides = (sides[0], sides[1], sides[0], sides[1])
    if len(sides) != 4 or any(isinstance(item, bool) or not isinstance(item, int) or item < 0 for item in sides):
        raise ValueError(f"{operator}: padding must be 1, 2 or 4 ints of at least 0, not {padding!r}")
    return sides[0], sides[1], sides[2], sides[3]


def as_range(
    operator: str, name: str, value: float | Sequence[float], center: float, low: float, high: float
) -> tuple[float, float]:
    """The range of an argument that is a distance from a center, or the range itself.

    Raises:
        ValueError: the range exceeds the limits, or its ends are in the wrong order.
    """
    if isinstance(value, int | float):
        if value < 0:
            raise ValueError(f"{operator}: {name} must be at least 0, not {value}")
        limits = (max(center - value, low), center + value)
    else:
        limits = (float(value[0]), float(value[1]))
    if not low <= limits[0] <= limits[1] <= high:
        raise ValueError(f"{operator}: {name} must be a range within {low} and {high}, not {value!r}")
    return limits


def probability(operator: str, prob: float) -> float:
    """Check a probability and return it.

    Raises:
        ValueError: it is outside of 0 and 1.
    """
    if not 0 <= prob <= 1:
        raise ValueError(f"{operator}: prob must lie between 0 and 1, not {prob}")
    return float(prob)
