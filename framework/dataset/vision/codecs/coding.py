"""Decodes and encodes images, and reads and writes their files.

OpenCV decodes JPEG, PNG and BMP as MindSpore does; Pillow decodes what MindSpore cannot: GIF, TIFF, WebP and others.
The size that a header claims is checked first, so that a damaged file cannot ask for all memory.
"""

from __future__ import annotations

import io
import warnings
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from framework.dataset import config
from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.checks import check_interval, check_type
from framework.dataset.vision.codecs.headers import Header, header_of
from framework.dataset.vision.image import from_pillow
from framework.dataset.vision.opencv import cv
from framework.dataset.vision.utils import ImageReadMode

__all__ = [
    "decoded",
    "decoded_to_pillow",
    "encode_jpeg",
    "encode_png",
    "encoded_bytes",
    "get_image_num_channels",
    "get_image_size",
    "read_file",
    "read_image",
    "write_file",
    "write_jpeg",
    "write_png",
]

Bytes = npt.NDArray[np.uint8]
Place = str | PathLike[str]


def encoded_bytes(data: Any) -> Bytes:
    """The bytes of an encoded image, from an array of bytes, or of one bytes object as MindRecord files have it.

    Raises:
        TypeError: it is something else.
    """
    array = np.frombuffer(data, np.uint8) if isinstance(data, bytes | bytearray) else np.asarray(data)
    if array.dtype.kind == "U":
        raise TypeError(f"The data type of the encoded image can not be {array.dtype.type}.")
    if array.dtype.kind == "S" and array.size == 1:
        return np.frombuffer(array.tobytes(), np.uint8)
    if array.ndim != 1:
        raise TypeError(f"The number of array dimensions of the encoded image should be 1, but got {array.ndim}.")
    if array.dtype != np.uint8:
        raise TypeError(f"The encoded image must be an array of UInt8, not of {array.dtype}.")
    return np.ascontiguousarray(array)


def _checked_header(data: Bytes) -> Header:
    header = header_of(data)
    if not header.kind:
        raise RuntimeError(_cannot(data, "of no known format" if data.size else "empty"))
    pixels, most = header.height * header.width, config.get_max_image_pixels()
    if pixels > most:
        raise RuntimeError(
            f"the image of {header.width} x {header.height} pixels is larger than {most} pixels; trust it by"
            " config.set_max_image_pixels"
        )
    if header.cut:
        raise RuntimeError(_cannot(data, f"a {header.kind} file that ends early"))
    return header


def _cannot(data: Bytes, why: str) -> str:
    return f"these {data.size} bytes are not an image that can be read ({why})"


def decoded(data: Bytes) -> npt.NDArray[np.uint8]:
    """The pixels (height, width, 3) of an encoded image; gray is repeated, alpha is dropped, 16 bits become 8.

    Args:
        data: the bytes of a file.

    Returns:
        A UInt8 array (height, width, 3).

    Raises:
        RuntimeError: they are damaged, no image, or an image that is too large.
    """
    header = _checked_header(data)
    if header.kind == "JPEG" and header.channels == 4:
        return _from_cmyk(data)
    if header.kind not in ("JPEG", "PNG", "BMP"):
        return np.asarray(_opened(data, header).convert("RGB"))
    pixels = _in_opencv(data, cv.IMREAD_COLOR_RGB | cv.IMREAD_IGNORE_ORIENTATION)
    return np.asarray(pixels, np.uint8)


def _in_opencv(data: Bytes, flags: int) -> Array:
    try:
        pixels = cv.imdecode(data, flags)
    except cv.error as error:
        raise RuntimeError(_cannot(data, str(error).strip().splitlines()[0])) from error
    if pixels is None:
        raise RuntimeError(_cannot(data, "its contents are damaged"))
    return np.asarray(pixels)


def _opened(data: Bytes, header: Header) -> Image.Image:
    try:
        with warnings.catch_warnings():
            # The size has been checked.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data.tobytes()))
            image.load()
    except Exception as error:  # Pillow's readers fail in many ways on damaged files.
        raise RuntimeError(_cannot(data, f"{header.kind}: {error}")) from error
    return image


def _from_cmyk(data: Bytes) -> npt.NDArray[np.uint8]:
    """Red, green and blue from cyan, magenta, yellow and black, which Adobe's files have inverted."""
    image = _opened(data, header_of(data))
    inks = np.asarray(image).astype(np.int32)
    # Pillow has set Adobe's values right.
    rest = 255 - inks
    return (rest[..., :3] * rest[..., 3:] // 255).astype(np.uint8)


def decoded_to_pillow(data: Bytes) -> Image.Image:
    """A Pillow image in the mode RGB.

    Raises:
        RuntimeError: they are damaged, no image, or an image that is too large.
    """
    return _opened(data, _checked_header(data)).convert("RGB")


def _array_of(image: Any) -> npt.NDArray[np.uint8]:
    """The pixels to encode.

    Raises:
        TypeError: it is no array, or not of UInt8.
        RuntimeError: it has no shape of an image.
    """
    array = image.asnumpy() if hasattr(image, "asnumpy") else image
    if not isinstance(array, np.ndarray):
        raise TypeError(f"Input image is not of type [<class 'numpy.ndarray'>], but got: {type(image)}.")
    if array.dtype != np.uint8:
        raise RuntimeError(f"The type of the image data should be UINT8, but got {array.dtype}.")
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (1, 3)) or not array.size:
        raise RuntimeError(f"The image has invalid shape {array.shape}: it should be <H,W>, <H,W,1> or <H,W,3>.")
    return array


def _encoded(extension: str, image: Any, parameters: list[int]) -> Bytes:
    array = _array_of(image)
    ordered = cv.cvtColor(array, cv.COLOR_RGB2BGR) if array.ndim == 3 and array.shape[2] == 3 else array
    done, data = cv.imencode(extension, ordered, parameters)
    if not done:
        raise RuntimeError(f"an image of shape {array.shape} cannot be encoded as {extension}")
    return np.asarray(data, np.uint8).ravel()


def encode_jpeg(image: Any, quality: int = 75) -> Bytes:
    """Encode an image as JPEG.

    Args:
        image: a UInt8 array or tensor (height, width), (height, width, 1) or (height, width, 3).
        quality: from 1 to 100.

    Returns:
        The bytes of the file, an array.

    Raises:
        TypeError: the image is no array, or the quality no integer.
        ValueError: the quality is out of range.
        RuntimeError: the image has another shape or type.
    """
    check_type(quality, (int,), "quality")
    check_interval(quality, (1, 100), "quality")
    return _encoded(".jpg", image, [cv.IMWRITE_JPEG_QUALITY, quality])


def encode_png(image: Any, compression_level: int = 6) -> Bytes:
    """Encode an image as PNG.

    Args:
        image: a UInt8 array or tensor (height, width), (height, width, 1) or (height, width, 3).
        compression_level: from 0, the fastest, to 9, the smallest.

    Returns:
        The bytes of the file, an array.

    Raises:
        TypeError: the image is no array, or the level no integer.
        ValueError: the level is out of range.
        RuntimeError: the image has another shape or type.
    """
    check_type(compression_level, (int,), "compression_level")
    check_interval(compression_level, (0, 9), "compression_level")
    return _encoded(".png", image, [cv.IMWRITE_PNG_COMPRESSION, compression_level])


def read_file(filename: Place) -> Bytes:
    """The bytes of a file, an array.

    Raises:
        OSError: it cannot be read.
    """
    return np.fromfile(Path(filename), np.uint8)


def write_file(filename: Place, data: Any) -> None:
    """Write bytes to a file.

    Args:
        filename: the path of the file.
        data: a UInt8 array or tensor of one dimension.

    Raises:
        TypeError: the data is no array.
        RuntimeError: it has another type or shape.
    """
    array = data.asnumpy() if hasattr(data, "asnumpy") else data
    if not isinstance(array, np.ndarray):
        raise TypeError(f"Input data is not of type [<class 'numpy.ndarray'>], but got: {type(data)}.")
    if array.dtype != np.uint8 or array.ndim != 1:
        raise RuntimeError(f"The data should be UINT8 of one dimension, but got {array.dtype} of {array.shape}.")
    Path(filename).write_bytes(array.tobytes())


def write_jpeg(filename: Place, image: Any, quality: int = 75) -> None:
    """Write an image to a JPEG file; the arguments are those of `encode_jpeg`."""
    write_file(filename, encode_jpeg(image, quality))


def write_png(filename: Place, image: Any, compression_level: int = 6) -> None:
    """Write an image to a PNG file; the arguments are those of `encode_png`."""
    write_file(filename, encode_png(image, compression_level))


def read_image(filename: Place, mode: ImageReadMode = ImageReadMode.UNCHANGED) -> Array:
    """Read an image.

    Args:
        filename: the path of the file.
        mode: UNCHANGED keeps the channels and, of PNG and TIFF files, 16 bits; GRAYSCALE gives one channel, COLOR
            three.

    Returns:
        An array (height, width, channels).

    Raises:
        OSError: the file cannot be read.
        RuntimeError: it holds no image that can be read; the message names the file.
    """
    check_type(mode, (ImageReadMode,), "mode")
    try:
        return _read_image(read_file(filename), mode)
    except RuntimeError as error:
        raise RuntimeError(f"{filename}: {error}") from error


def _read_image(data: Bytes, mode: ImageReadMode) -> Array:
    header = _checked_header(data)
    if header.kind not in ("JPEG", "PNG", "BMP", "TIFF"):
        kinds = {ImageReadMode.GRAYSCALE: "L", ImageReadMode.COLOR: "RGB"}
        image = _opened(data, header)
        pixels = from_pillow(image.convert(kinds[mode]) if mode in kinds else image)
        return pixels[..., None] if pixels.ndim == 2 else pixels
    flags = {
        ImageReadMode.UNCHANGED: cv.IMREAD_UNCHANGED,
        ImageReadMode.GRAYSCALE: cv.IMREAD_GRAYSCALE | cv.IMREAD_IGNORE_ORIENTATION,
        ImageReadMode.COLOR: cv.IMREAD_COLOR_RGB | cv.IMREAD_IGNORE_ORIENTATION,
    }
    pixels = _in_opencv(data, flags[mode])
    if pixels.ndim == 2:
        return pixels[..., None]
    if mode is ImageReadMode.UNCHANGED:
        return np.asarray(cv.cvtColor(pixels, cv.COLOR_BGR2RGB if pixels.shape[2] == 3 else cv.COLOR_BGRA2RGBA))
    return pixels


def _shape_of(image: Any) -> tuple[int, ...]:
    if isinstance(image, Image.Image):
        return image.height, image.width, len(image.getbands())
    if not isinstance(image, np.ndarray):
        raise TypeError(
            f"Input image is not of type [<class 'numpy.ndarray'>, <class 'PIL.Image.Image'>], but got: {type(image)}."
        )
    if image.ndim == 1:
        header = _checked_header(encoded_bytes(image))
        return header.height, header.width, header.channels
    if image.ndim not in (2, 3):
        raise RuntimeError(f"The image has invalid dimensions: {image.ndim}, it should be 2 or 3.")
    shape: tuple[int, ...] = image.shape
    return shape


def get_image_num_channels(image: Any) -> int:
    """The number of channels of an image: an array (height, width[, channels]), a Pillow image, or encoded bytes.

    Raises:
        TypeError: it is none of these.
        RuntimeError: the array has another shape, or the bytes are no image.
    """
    shape = _shape_of(image)
    return 1 if len(shape) == 2 else shape[2]


def get_image_size(image: Any) -> list[int]:
    """The height and width of an image: an array (height, width[, channels]), a Pillow image, or encoded bytes.

    Raises:
        TypeError: it is none of these.
        RuntimeError: the array has another shape, or the bytes are no image.
    """
    return list(_shape_of(image)[:2])
