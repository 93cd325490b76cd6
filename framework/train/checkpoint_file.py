"""Files of named arrays in MindSpore's checkpoint format: written whole or not at all, read one array at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from google.protobuf.message import DecodeError

from framework.common.replacing import replacing
from framework.schema.checkpoint_pb2 import Checkpoint, CheckpointTensor

__all__ = ["CheckpointError", "read_values", "write_values"]

Array = np.ndarray[Any, Any]

PART_BYTES = 256 << 20
"""A larger array is written in several parts, because a protobuf message has less than 2 GiB."""

_VALUE = b"\x0a"
"""The tag of `Checkpoint.value` on the wire."""

_TYPES = {
    "Bool": "?", "Int8": "<i1", "Int16": "<i2", "Int32": "<i4", "Int64": "<i8", "UInt8": "<u1", "UInt16": "<u2",
    "UInt32": "<u4", "UInt64": "<u8", "Float16": "<f2", "Float32": "<f4", "Float64": "<f8", "Complex64": "<c8",
    "Complex128": "<c16",
}  # fmt: skip
_NAMES = {np.dtype(code): name for name, code in _TYPES.items()}


class CheckpointError(ValueError):
    """A checkpoint cannot be read or written; the message says which, where and why."""


def write_values(path: Path, values: Iterable[tuple[str, Array | str]]) -> None:
    """Write a file: beside it first, in its place when it is whole and on the disk.

    Args:
        path: the file; one that is there is replaced.
        values: names, each with an array or a text.

    Raises:
        CheckpointError: an array's type cannot be written.
        OSError: the file cannot be written; what was there before is as it was.

    """
    with replacing(path) as file:
        for tag, value in values:
            for message in _messages(tag, value):
                file.write(message.SerializeToString())


def _messages(tag: str, value: Array | str) -> Iterator[Checkpoint]:
    if isinstance(value, str):
        yield _message(tag, [0], "str", value.encode("utf-32-le"))
        return
    # A byte order of another machine is brought to the file's.
    kind = value.dtype.newbyteorder("<") if value.dtype.byteorder == ">" else value.dtype
    if kind not in _NAMES:
        raise CheckpointError(f"{tag}: arrays of type {value.dtype} cannot be saved; those of {', '.join(_TYPES)} can")
    flat = np.ascontiguousarray(value, kind).reshape(-1)
    step = max(1, PART_BYTES // kind.itemsize)
    for start in range(0, max(1, flat.size), step):
        yield _message(tag, list(value.shape), _NAMES[kind], flat[start : start + step].tobytes())


def _message(tag: str, dims: list[int], kind: str, content: bytes) -> Checkpoint:
    tensor = CheckpointTensor(dims=dims, tensor_type=kind, tensor_content=content)
    return Checkpoint(value=[Checkpoint.Value(tag=tag, tensor=tensor)])


def read_values(path: Path) -> Iterator[tuple[str, Array | str]]:
    """The values of a file, in their order.

    Args:
        path: the file.

    Raises:
        CheckpointError: the file is no checkpoint, ends too early, or is damaged; where, the message says.
        OSError: it cannot be read.

    """
    waiting: list[CheckpointTensor] = []
    tag = ""
    for at, value in _records(path):
        if waiting and value.tag != tag:
            yield tag, _value(path, tag, waiting)
            waiting = []
        if value.WhichOneof("what") != "tensor":
            raise CheckpointError(f"{path}: {value.tag!r} at byte {at} is no tensor; only tensors can be read")
        tag = value.tag
        waiting.append(value.tensor)
    if waiting:
        yield tag, _value(path, tag, waiting)


def _records(path: Path) -> Iterator[tuple[int, Checkpoint.Value]]:
    size = path.stat().st_size
    if size == 0:
        raise CheckpointError(f"{path} is empty: no checkpoint, or writing it was interrupted")
    with path.open("rb") as file:
        at = 0
        while at < size:
            length = _head(file, path, at)
            start = file.tell()
            if start + length > size:
                raise CheckpointError(
                    f"{path} ends at byte {size}, in the middle of the value at byte {at}, which has {length} bytes"
                )
            value = Checkpoint.Value()
            try:
                value.ParseFromString(file.read(length))
            except DecodeError as error:
                raise CheckpointError(f"{path} is damaged at byte {at}: {error}") from None
            yield at, value
            at = start + length


def _head(file: BinaryIO, path: Path, at: int) -> int:
    """The length of the value that begins here."""
    if file.read(1) != _VALUE:
        raise CheckpointError(
            f"{path} is no checkpoint of MindSpore's format, or is damaged: no value begins at byte {at}"
        )
    length = shift = 0
    while shift < 35:
        byte = file.read(1)
        if not byte:
            raise CheckpointError(f"{path} ends in the middle of the value at byte {at}")
        length |= (byte[0] & 0x7F) << shift
        shift += 7
        if byte[0] < 0x80:
            return length
    raise CheckpointError(f"{path} is damaged at byte {at}: the value there has no length")


def _value(path: Path, tag: str, parts: list[CheckpointTensor]) -> Array | str:
    kind, dims = parts[0].tensor_type, list(parts[0].dims)
    content = parts[0].tensor_content if len(parts) == 1 else b"".join(part.tensor_content for part in parts)
    if kind == "str":
        return content.decode("utf-32-le", errors="replace")
    if kind == "BFloat16":
        # Every bfloat16 is the upper half of a float32.
        flat: Array = (np.frombuffer(content[: len(content) // 2 * 2], "<u2").astype(np.uint32) << 16).view(np.float32)
    elif kind in _TYPES:
        itemsize = np.dtype(_TYPES[kind]).itemsize
        flat = np.frombuffer(content[: len(content) // itemsize * itemsize], _TYPES[kind])
    else:
        raise CheckpointError(f"{path}: {tag!r} has elements of type {kind!r}, which cannot be read")
    if dims == [0] and flat.size == 1:
        dims = []
    if any(dim < 0 for dim in dims) or flat.size != int(np.prod(dims, dtype=object)):
        shape = tuple(dims)
        raise CheckpointError(f"{path} is damaged: {tag!r} has {flat.size} elements, and the shape {shape} is said")
    return flat.reshape(dims).copy()
