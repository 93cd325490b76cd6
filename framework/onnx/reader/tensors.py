"""Tensors of an ONNX file as arrays: the size is checked by integers of any length before an array is made.

The loader calls it for weights, constants and values of attributes. External data is read beside the model only.
"""

from __future__ import annotations

import os
import stat
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ir.model_values import ModelError
from framework.onnx.limits import Limits
from framework.schema.onnx_pb2 import TensorData
from summaries.beneath import Beneath

__all__ = ["ELEMENT_TYPES", "array_of", "element_type", "type_name"]

ELEMENT_TYPES: Final[dict[int, DType]] = {
    1: mstype.float32, 2: mstype.uint8, 3: mstype.int8, 4: mstype.uint16, 5: mstype.int16, 6: mstype.int32,
    7: mstype.int64, 9: mstype.bool_, 10: mstype.float16, 11: mstype.float64, 12: mstype.uint32, 13: mstype.uint64,
    14: mstype.complex64, 15: mstype.complex128,
}  # fmt: skip
"""The element types that can be read, by their numbers in the format."""
_OTHERS: Final = {
    8: "string", 16: "bfloat16", 17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz",
    21: "uint4", 22: "int4", 23: "float4e2m1", 24: "float8e8m0", 25: "uint2", 26: "int2",
}  # fmt: skip
_KEYS: Final = frozenset({"location", "offset", "length", "checksum"})
_EXTERNAL: Final = 1
MOST_DIMENSIONS: Final = 64


def element_type(number: int) -> DType:
    """The element type with a number of the format.

    Raises:
        ModelError: there is none, or the framework has none like it.
    """
    if number not in ELEMENT_TYPES:
        raise ModelError(f"elements of type {type_name(number)} are not supported")
    return ELEMENT_TYPES[number]


def type_name(number: int) -> str:
    """The name of an element type for messages, known or not."""
    if number in ELEMENT_TYPES:
        return str(ELEMENT_TYPES[number])
    return _OTHERS.get(number, f"number {number}, which ONNX does not define,")


def array_of(tensor: TensorData, folder: Path, limits: Limits) -> np.ndarray[Any, Any]:
    """A tensor of the file as an array.

    Args:
        tensor: the message.
        folder: the folder of the model, below which external data must lie.
        limits: what the file may ask for.

    Raises:
        ModelError: its dimensions do not fit its elements, its type is unknown, or its external data is not to be had.
    """
    dtype = element_type(tensor.data_type).numpy
    dims = tuple(tensor.dims)
    if any(length < 0 for length in dims):
        raise ModelError(f"it has a negative dimension: {list(dims)}")
    if len(dims) > MOST_DIMENSIONS:
        raise ModelError(f"it has {len(dims)} dimensions, and arrays have at most {MOST_DIMENSIONS}")
    count = prod(dims)
    nbytes = count * dtype.itemsize
    limits.ask(nbytes, f"the tensor {tensor.name!r}")
    if tensor.data_location == _EXTERNAL:
        data = np.frombuffer(_external(tensor, folder, nbytes), dtype)
    elif tensor.raw_data:
        if len(tensor.raw_data) != nbytes:
            raise ModelError(f"its dimensions {list(dims)} need {nbytes:,} bytes, and it has {len(tensor.raw_data):,}")
        data = np.frombuffer(tensor.raw_data, dtype)
    else:
        data = _typed(tensor, dtype, count)
    try:
        return data.reshape(dims).copy()
    except ValueError:
        raise ModelError(f"its dimensions {list(dims)} are too large") from None


def _typed(tensor: TensorData, dtype: np.dtype[Any], count: int) -> np.ndarray[Any, Any]:
    """The elements that are stored as numbers of the format, one by one."""
    kind, size = dtype.kind, dtype.itemsize
    stored: Any
    if kind == "c":
        stored = np.asarray(tensor.float_data if size == 8 else tensor.double_data, f"f{size // 2}")
        count *= 2
    elif dtype == np.float32:
        stored = np.asarray(tensor.float_data, dtype)
    elif dtype == np.float64:
        stored = np.asarray(tensor.double_data, dtype)
    elif dtype == np.int64:
        stored = np.asarray(tensor.int64_data, dtype)
    elif dtype in (np.uint32, np.uint64):
        stored = np.asarray(tensor.uint64_data, np.uint64).astype(dtype)
    elif dtype == np.float16:
        stored = np.asarray(tensor.int32_data, np.int32).astype(np.uint16).view(dtype)
    else:
        stored = np.asarray(tensor.int32_data, np.int32).astype(dtype)
    if len(stored) != count:
        raise ModelError(f"its dimensions {list(tensor.dims)} need {count:,} elements, and it has {len(stored):,}")
    return np.asarray(stored.view(dtype) if kind == "c" else stored)


def _external(tensor: TensorData, folder: Path, nbytes: int) -> bytes:
    """The bytes of a tensor that are in another file."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    unknown = sorted(entries.keys() - _KEYS)
    if unknown:
        raise ModelError(f"its external data has the unknown key {', '.join(map(repr, unknown))}")
    location = entries.get("location", "")
    try:
        offset = int(entries.get("offset", 0))
        length = int(entries.get("length", nbytes))
    except ValueError:
        raise ModelError("the offset and the length of its external data must be numbers") from None
    if length != nbytes:
        raise ModelError(f"its dimensions {list(tensor.dims)} need {nbytes:,} bytes, and its external data {length:,}")
    try:
        descriptor = Beneath(folder.resolve(), location).open()
    except ValueError:
        raise ModelError(f"its external data {location!r} is outside of the model's folder") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelError(f"its external data {location!r} cannot be opened: {reason}") from None
    try:
        return _read(descriptor, location, offset, length)
    finally:
        os.close(descriptor)


def _read(descriptor: int, location: str, offset: int, length: int) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        raise ModelError(f"its external data {location!r} is no regular file, or a link to another one")
    if offset < 0 or length < 0 or offset + length > status.st_size:
        raise ModelError(
            f"its external data is {length:,} bytes at {offset:,} of {location!r}, which has {status.st_size:,}"
        )
    parts = []
    while length > 0:
        part = os.pread(descriptor, min(length, 1 << 30), offset)
        if not part:
            raise ModelError(f"{location!r} became shorter while it was read")
        parts.append(part)
        offset, length = offset + len(part), length - len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
