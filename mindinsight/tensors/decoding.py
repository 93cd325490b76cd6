"""Decodes serialized tensors of all writers to arrays. Called by `records.py` with the bytes of one value.

MindSpore's writer stores all element types as float32; ours adds the exact bytes; TensorBoard's has lists by type, or
bytes. Bytes and packed floats are not copied: the array uses the memory of the record.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from summaries.schema import anf_ir_pb2, summary_pb2, tensorboard_pb2

MAX_ELEMENTS = 1 << 28
"""Maximum number of elements that a tensor may declare."""
MAX_RANK = 32
"""Maximum number of axes, which is that of numpy 1. Tensors with more are rejected."""

_MINDSPORE = {
    1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64",
    10: "float16", 11: "float32", 12: "float64", 43: "complex64", 44: "complex128", 46: "bfloat16",
}  # fmt: skip
_TENSORBOARD = {
    1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 8: "complex64", 9: "int64", 10: "bool",
    14: "bfloat16", 17: "uint16", 18: "complex128", 19: "float16", 22: "uint32", 23: "uint64",
}  # fmt: skip
_TENSORBOARD_STRING = 7
# For tensors that do not store their elements as bytes.
_LISTS = {
    "float32": "float_val", "float64": "double_val", "int64": "int64_val", "bool": "bool_val", "uint32": "uint32_val",
    "uint64": "uint64_val", "complex64": "scomplex_val", "complex128": "dcomplex_val", "float16": "half_val",
    "bfloat16": "half_val",
}  # fmt: skip

Read = Callable[[int, int], bytes]
"""`read(offset, count)` returns up to `count` bytes of the value from `offset` on."""


@dataclass
class Layout:
    """The description of a serialized tensor, and the position of its elements.

    Attributes:
        dtype: element type: numpy's name or "bfloat16".
        shape: its shape.
        writer: its format: "mindspore", "exact" or "tensorboard".
        message: start and end of the tensor's message in the value.
        content: start and end of the elements' bytes; None if they cannot be used directly.
    """

    dtype: str
    shape: tuple[int, ...]
    writer: str
    message: tuple[int, int]
    content: tuple[int, int] | None = None

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def item_bytes(self) -> int:
        """Bytes of an element in its own type."""
        return 2 if self.dtype == "bfloat16" else np.dtype(self.dtype).itemsize


@dataclass
class _Found:
    dims: list[int] = field(default_factory=list)
    kind: int = 0
    spans: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    nested: tuple[int, int] | None = None


def read_layout(read: Read, size: int) -> Layout:
    """Returns the layout of the tensor in a value of `size` bytes, without reading its elements.

    Raises:
        ValueError: it is not a tensor or cannot be shown. The message completes "the value ...".
    """
    spans = {number: span for number, wire, span in _fields(read, 0, size) if wire == 2}
    if 1001 in spans:
        found = _look(read, spans[1001])
        layout = _layout(found, "exact", _MINDSPORE, spans[1001])
        layout.content = _only(found, 3)
        return layout
    if 8 not in spans:
        raise ValueError("has no tensor")
    found = _look(read, spans[8])
    if found.nested is not None or (2 not in found.spans and not found.kind):
        return _tensorboard(read, found, spans[8])
    layout = _layout(found, "mindspore", _MINDSPORE, spans[8])
    layout.content = _only(found, 3)
    return layout


def _tensorboard(read: Read, found: _Found, span: tuple[int, int]) -> Layout:
    # Here field 1 is the type, and field 2 is a message with the shape.
    found.kind, found.dims = (found.dims or [0])[-1], []
    for number, wire, (first, behind) in _fields(read, *found.nested) if found.nested else ():
        if number == 2 and wire == 2:
            sizes = [
                _number(read, place)
                for axis, kind, (place, _) in _fields(read, first, behind)
                if (axis, kind) == (1, 0)
            ]
            found.dims.append(_signed(sizes[-1]) if sizes else 0)
    layout = _layout(found, "tensorboard", _TENSORBOARD, span)
    layout.content = _only(found, 4)
    return layout


def _layout(found: _Found, writer: str, types: dict[int, str], span: tuple[int, int]) -> Layout:
    if writer == "tensorboard" and found.kind == _TENSORBOARD_STRING:
        raise ValueError("holds strings, which cannot be shown as a tensor")
    if found.kind not in types:
        raise ValueError(f"is a tensor of element type {found.kind}, which is not shown")
    if len(found.dims) > MAX_RANK:
        raise ValueError(f"is a tensor of {len(found.dims)} axes; up to {MAX_RANK} are shown")
    for axis, size in enumerate(found.dims):
        if size < 0:
            raise ValueError(f"is a tensor whose axis {axis} has the size {size}")
    layout = Layout(types[found.kind], tuple(found.dims), writer, span)
    if layout.size > MAX_ELEMENTS:
        raise ValueError(
            f"is a tensor of shape {list(found.dims)}, of {layout.size} elements; up to {MAX_ELEMENTS} are shown"
        )
    return layout


def _look(read: Read, span: tuple[int, int]) -> _Found:
    """Collects dimensions, type and the positions of long fields, for the formats of both writers."""
    found = _Found()
    for number, wire, (first, behind) in _fields(read, *span):
        if number == 1 and wire == 0:
            found.dims.append(_signed(_number(read, first)))
        elif number == 1 and wire == 2:
            found.dims += _packed(read, first, behind)
        elif number == 2 and wire == 0:
            found.kind = _number(read, first)
        elif number == 2 and wire == 2:
            found.nested = (first, behind)
        else:
            found.spans.setdefault(number, []).append((first, behind))
        if len(found.dims) > 1000 or sum(map(len, found.spans.values())) > 1000:
            break  # Elements one by one: the parser reads the rest.
    return found


def _only(found: _Found, number: int) -> tuple[int, int] | None:
    spans = found.spans.get(number, [])
    return spans[0] if len(spans) == 1 else None


def array_of(layout: Layout, data: memoryview) -> npt.NDArray[Any]:
    """Returns the elements as a read-only array of the layout's shape; bfloat16 as float32.

    Args:
        layout: layout of the value.
        data: the value, whose memory the array uses if possible.

    Raises:
        ValueError: the elements do not fill the shape, or the value is broken. The message completes "the value ...".
    """
    try:
        flat = _bytes_as_they_stand(layout, data)
        array = _parsed(layout, data) if flat is None else flat
    except DecodeError as error:
        raise ValueError(f"cannot be understood: {error}") from None
    if array.size != layout.size:
        raise ValueError(f"has {array.size} elements, but its shape {list(layout.shape)} needs {layout.size}")
    array = array.reshape(layout.shape)
    array.flags.writeable = False
    return array


def _bytes_as_they_stand(layout: Layout, data: memoryview) -> npt.NDArray[Any] | None:
    if layout.content is None:
        return None
    first, behind = layout.content
    stored = "<f4" if layout.writer == "mindspore" else "<u2" if layout.dtype == "bfloat16" else layout.dtype
    element = np.dtype(stored).newbyteorder("<")
    if (behind - first) % element.itemsize:
        raise ValueError(f"has {behind - first} bytes of elements, which is not a whole number of {layout.dtype}")
    flat = np.frombuffer(data[first:behind], element)
    if layout.writer == "mindspore":
        return _typed(flat, layout.dtype)
    return _widened(flat) if layout.dtype == "bfloat16" else flat


def _typed(flat: npt.NDArray[Any], dtype: str) -> npt.NDArray[Any]:
    """Converts MindSpore's float32 to the declared type."""
    if dtype in ("float32", "bfloat16", "complex64", "complex128"):
        return flat
    with np.errstate(invalid="ignore", over="ignore"):
        return flat.astype(dtype)


def _widened(bits: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return (bits.astype("<u4") << 16).view("<f4")


def _parsed(layout: Layout, data: memoryview) -> npt.NDArray[Any]:
    message = bytes(data[slice(*layout.message)])
    if layout.writer == "mindspore":
        return _typed(np.array(anf_ir_pb2.TensorProto.FromString(message).float_data, np.float32), layout.dtype)
    if layout.writer == "exact":
        content = summary_pb2.ExactTensor.FromString(message).content
        raw = np.frombuffer(content, "<u2" if layout.dtype == "bfloat16" else np.dtype(layout.dtype).newbyteorder("<"))
        return _widened(raw) if layout.dtype == "bfloat16" else raw
    listed = getattr(tensorboard_pb2.TensorProto.FromString(message), _LISTS.get(layout.dtype, "int_val"))
    if layout.dtype in ("float16", "bfloat16"):
        bits = np.array(listed, np.int64).astype(np.uint16)
        flat: npt.NDArray[Any] = bits.view(np.float16) if layout.dtype == "float16" else _widened(bits)
    elif layout.dtype.startswith("complex"):
        flat = np.array(listed, np.float32 if layout.dtype == "complex64" else np.float64).view(layout.dtype)
    else:
        flat = np.array(listed, np.int64 if layout.dtype.startswith("int") else None).astype(layout.dtype)
    # TensorFlow leaves out repeated elements at the end.
    if 0 < flat.size < layout.size:
        return np.concatenate((flat, np.full(layout.size - flat.size, flat[-1])))
    return flat


def _fields(read: Read, start: int, end: int) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Yields number, wire type, and start and end of the content of each field in a message."""
    position = start
    while position < end:
        key, position = _varint(read, position)
        number, wire = key >> 3, key & 7
        first = position
        if wire == 0:
            _, position = _varint(read, position)
        elif wire == 2:
            length, first = _varint(read, position)
            position = first + length
        elif wire in (1, 5):
            position += 8 if wire == 1 else 4
        else:
            raise ValueError(f"cannot be understood: the field at byte {first} is of no known form")
        if position > end:
            raise ValueError(f"cannot be understood: the field at byte {first} is cut off")
        yield number, wire, (first, position)


def _varint(read: Read, position: int) -> tuple[int, int]:
    total = 0
    for index, byte in enumerate(read(position, 10)):
        total |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return total, position + index + 1
    raise ValueError(f"cannot be understood: the number at byte {position} is cut off")


def _number(read: Read, position: int) -> int:
    return _varint(read, position)[0]


def _signed(number: int) -> int:
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number


def _packed(read: Read, position: int, end: int) -> list[int]:
    numbers: list[int] = []
    while position < end and len(numbers) <= MAX_RANK:
        number, position = _varint(read, position)
        numbers.append(_signed(number))
    return numbers
