"""Reads the pictures at the places of images, from any writer. Called by `api.py` and `rows.py`.

MindSpore's writer and TensorBoard's older ones record one picture per message. TensorFlow 2 records a tensor of
strings: width, height, and any number of pictures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.message import DecodeError

from mindinsight.api.problems import Problem
from mindinsight.images.headers import Header, read_header
from mindinsight.runs.recorded_values import named_problems, read_value
from summaries.beneath import FilePath
from summaries.schema.scan_pb2 import Value
from summaries.schema.tensorboard_pb2 import DataType, Summary, TensorProto

MAX_PIXELS = 1 << 26
"""Maximum pixels of a picture. A browser needs four bytes for each, however few bytes the picture has."""
MAX_SIDE = 1 << 15
"""Maximum pixels of a side. Browsers cannot draw longer sides."""


def read_pictures(path: FilePath, file: str, place: Mapping[str, Any]) -> Sequence[bytes]:
    """Returns the encoded pictures of one record.

    Args:
        path: path of the event file.
        file: the event file relative to the base directory, for errors.
        place: a row of places.

    Raises:
        Problem: `record_damaged`, `file_gone` or `file_unreadable`.
    """
    with named_problems(file, place["offset"]):
        return pictures_of(read_value(path, place))


def pictures_of(data: bytes) -> Sequence[bytes]:
    """Returns the encoded pictures in a serialized `Summary.Value`.

    Raises:
        ValueError: the value has no pictures or is broken. The message completes "the value ...".
    """
    try:
        value = Value.FromString(data)
        if value.HasField("image"):
            return [Summary.Image.FromString(value.image).encoded_image_string]
        if value.HasField("tensor"):
            return _of_tensor(TensorProto.FromString(value.tensor))
    except DecodeError as error:
        raise ValueError(f"cannot be understood: {error}") from None
    raise ValueError("is not an image")


def _of_tensor(tensor: TensorProto) -> Sequence[bytes]:
    if tensor.dtype != DataType.DT_STRING or len(tensor.string_val) < 2:
        raise ValueError("is a tensor, but not one of width, height and pictures")
    return tensor.string_val[2:]


def checked_header(picture: bytes) -> Header:
    """Returns type and size of a picture that is safe for a browser.

    Raises:
        Problem: `unsupported_picture`, `picture_damaged` or `picture_too_large`.
    """
    try:
        header = read_header(picture)
    except ValueError as error:
        raise Problem("picture_damaged", f"The picture {error}.", 422) from None
    if header is None:
        message = "The picture is not PNG, JPEG, GIF, BMP or WebP. No other type can be shown."
        raise Problem("unsupported_picture", message, 415)
    width, height = header.width, header.height
    if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
        limits = f"{MAX_PIXELS} pixels and {MAX_SIDE} on a side"
        message = f"The picture has {width} x {height} pixels by its header; up to {limits} are shown."
        raise Problem("picture_too_large", message, 422, width=width, height=height)
    return header
