"""Arrays and texts as messages of the checkpoint format, and back. `ckpt` uses it.

The format stores an array as its dimensions, the name of its element type and its bytes, little-endian and in C order.
Each message is checked for consistency, as files of MindSpore have no checksum.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.schema.checkpoint_pb2 import Checkpoint, CheckpointTensor
from framework.train.checkpoints.errors import CheckpointError, damaged

__all__ = ["Array", "from_bfloat16", "from_messages", "to_messages"]

Array = np.ndarray[Any, Any]

PART_BYTES = 256 << 20
"""Size in bytes of the parts of a large array; a protobuf message must be smaller than 2 GiB."""

_TYPES = {
    "Bool": "?", "Int8": "<i1", "Int16": "<i2", "Int32": "<i4", "Int64": "<i8", "UInt8": "<u1", "UInt16": "<u2",
    "UInt32": "<u4", "UInt64": "<u8", "Float16": "<f2", "Float32": "<f4", "Float64": "<f8", "Complex64": "<c8",
    "Complex128": "<c16", "BFloat16": "<u2",
}  # fmt: skip
_NAMES = {np.dtype(code): name for name, code in _TYPES.items() if name != "BFloat16"}
_NARROW = "BFloat16"

_VALUE, _TENSOR, _CONTENT = (
    bytes([field << 3 | 2])
    for field in (
        Checkpoint.VALUE_FIELD_NUMBER,
        Checkpoint.Value.TENSOR_FIELD_NUMBER,
        CheckpointTensor.TENSOR_CONTENT_FIELD_NUMBER,
    )
)
"""Tags of fields on the wire."""

_MOST_DIMENSIONS = 64
"""Limit of numpy's number of dimensions."""

_EMPTY_TEXT = bytes(4)
"""MindSpore's content for an empty text."""


def to_messages(tag: str, value: Array | str) -> Iterator[tuple[bytes, Array]]:
    """An array or a text as messages of one element each, without copying the elements.

    Args:
        tag: its name.
        value: the array or the text.

    Returns:
        For each message its beginning and, as uint8, the bytes that follow.

    Raises:
        CheckpointError: arrays of this type cannot be saved.
    """
    if isinstance(value, str):
        content = np.frombuffer(value.encode("utf-32-le", "surrogatepass") or _EMPTY_TEXT, np.uint8)
        yield _head(tag, [0], "str", content.size), content
        return
    # The file is little-endian.
    kind = value.dtype.newbyteorder("<") if value.dtype.byteorder == ">" else value.dtype
    if kind not in _NAMES and kind.name != "bfloat16":
        raise CheckpointError(
            f"{tag}: arrays of type {value.dtype} cannot be saved; those of {', '.join(_NAMES.values())} can"
        )
    name = _NAMES.get(kind, _NARROW)
    flat = np.ascontiguousarray(value, kind).reshape(-1)
    step = max(1, PART_BYTES // kind.itemsize)
    for start in range(0, max(1, flat.size), step):
        content = flat[start : start + step].view(np.uint8)
        yield _head(tag, list(value.shape), name, content.size), content


def _head(tag: str, dims: list[int], kind: str, size: int) -> bytes:
    """The message up to its last field, the `size` bytes of the elements."""
    tensor = CheckpointTensor(dims=dims, tensor_type=kind).SerializePartialToString()
    tensor += _CONTENT + _varint(size)
    name = Checkpoint.Value(tag=tag).SerializeToString()
    value = name + _TENSOR + _varint(len(tensor) + size) + tensor
    return _VALUE + _varint(len(value) + size) + value


def _varint(number: int) -> bytes:
    written = bytearray()
    while number >= 0x80:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


def from_messages(path: Path, tag: str, parts: Sequence[CheckpointTensor]) -> Array | str:
    """The array or the text of consecutive messages with one name.

    Args:
        path: path of the file, for messages.
        tag: the name.
        parts: the messages, at least one.

    Returns:
        A text, or a read-only array.

    Raises:
        CheckpointError: the messages contradict themselves or each other, or have an unknown type.
    """
    kind, dims = parts[0].tensor_type, list(parts[0].dims)
    if any(part.tensor_type != kind or list(part.dims) != dims for part in parts):
        raise damaged(path, f"the parts of {tag!r} have different shapes or types")
    content = parts[0].tensor_content if len(parts) == 1 else b"".join(part.tensor_content for part in parts)
    if kind == "str":
        return _text(path, tag, content)
    if kind not in _TYPES:
        raise CheckpointError(
            f"{path}: {tag!r} has elements of type {kind!r}, which cannot be read; those of {', '.join(_TYPES)} can"
        )
    if not _fits(content, kind, dims):
        problem = f"{tag!r} has {len(content)} bytes, which do not fit {kind} elements of shape {_shown(dims)}"
        raise damaged(path, problem)
    flat = np.frombuffer(content, _TYPES[kind])
    if kind == "Bool" and content.translate(None, b"\0\1"):
        raise damaged(path, f"{tag!r} has elements that are neither true nor false")
    found = from_bfloat16(flat) if kind == _NARROW else flat
    # A number from append_dict may have the dimensions [0] in place of none.
    return found.reshape(() if dims == [0] and flat.size else dims)


def _fits(content: bytes, kind: str, dims: list[int]) -> bool:
    size = np.dtype(_TYPES[kind]).itemsize
    if len(dims) > _MOST_DIMENSIONS or any(dim < 0 for dim in dims):
        return False
    # numpy refuses such a shape even if another dimension is 0.
    if math.prod(dim or 1 for dim in dims) * size >= 1 << 63:
        return False
    return len(content) == math.prod(dims) * size or (dims == [0] and len(content) == size)


def _shown(dims: Sequence[int]) -> str:
    """A shape for a message, shortened to its first dimensions."""
    return f"({', '.join(map(str, dims[:8]))}{', …' if len(dims) > 8 else ''})"


def _text(path: Path, tag: str, content: bytes) -> str:
    if content == _EMPTY_TEXT:
        return ""
    try:
        return content.decode("utf-32-le", "surrogatepass")
    except UnicodeDecodeError as error:
        raise damaged(path, f"the text {tag!r} is not UTF-32 ({error.reason})") from None


def from_bfloat16(halves: Array) -> Array:
    """Numbers of bfloat16 from their bits.

    Args:
        halves: their bits as uint16.

    Returns:
        The numbers.
    """
    return halves.view(mstype.bfloat16.numpy)
