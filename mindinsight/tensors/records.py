"""Reads the tensors at places as arrays, after checking the record's checksums. Called by `api.py`.

A large record is copied once into an unnamed file in the data directory, from which its array is mapped: requests need
no copies, the kernel may drop its pages, and truncating the event file does no harm.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import google_crc32c
import numpy as np
import numpy.typing as npt

from mindinsight.runs.recorded_values import named_problems
from mindinsight.tensors.cache import Cache, array_bytes
from mindinsight.tensors.decoding import Layout, array_of, read_layout
from summaries.beneath import FilePath, open_file
from summaries.records import HEADER_BYTES, OVERHEAD_BYTES, DamagedRecordError, masked_crc, read_record

Place = Mapping[str, Any]
Array = npt.NDArray[Any]

MAPPED_FROM = 4 << 20
"""Bytes from which a record is mapped. Smaller ones stay in memory."""
KEPT_BYTES = 512 << 20
"""Maximum bytes of cached decoded tensors, in unnamed files or in memory."""
_CHUNK = 4 << 20
_HEAD = 4096
_MISUNDERSTOOD = ("tensor_unreadable", 422)


@dataclass(frozen=True)
class Tensor:
    """A decoded tensor.

    Attributes:
        array: the elements, read-only; bfloat16 as float32.
        dtype: original element type.
    """

    array: Array
    dtype: str

    @property
    def nbytes(self) -> int:
        """Bytes of its elements in their original type."""
        return int(self.array.size) * (2 if self.dtype == "bfloat16" else self.array.itemsize)


_tensors: Cache[Tensor] = Cache(KEPT_BYTES, lambda tensor: array_bytes(tensor.array))


def open_tensor(key: tuple[object, ...], path: FilePath, file: str, place: Place, scratch: Path) -> Tensor:
    """Returns a tensor, which is decoded if it is not cached.

    Args:
        key: unique key of the tensor.
        path: path of the event file.
        file: the event file relative to the base directory, for errors.
        place: a row of places.
        scratch: directory for unnamed files.

    Raises:
        Problem: `record_damaged`, `file_gone`, `file_unreadable` or `tensor_unreadable`.
    """
    return _tensors.get(key, lambda: _decode(path, file, place, scratch))


def read_head(path: FilePath, file: str, place: Place) -> Layout:
    """Returns type and shape of a tensor. It reads only a few kilobytes of the record and checks no checksums.

    Raises:
        Problem: as for `open_tensor`.
    """
    with named_problems(file, place["offset"], _MISUNDERSTOOD), os.fdopen(open_file(path), "rb", buffering=0) as opened:
        start = place["offset"] + HEADER_BYTES + place["start"]
        head = os.pread(opened.fileno(), min(_HEAD, place["size"]), start)

        def read(offset: int, count: int) -> bytes:
            count = min(count, place["size"] - offset)
            if offset + count <= len(head):
                return head[offset : offset + count]
            return os.pread(opened.fileno(), count, start + offset)

        return read_layout(read, place["size"])


def _decode(path: FilePath, file: str, place: Place, scratch: Path) -> Tensor:
    with named_problems(file, place["offset"], _MISUNDERSTOOD):
        if place["length"] < MAPPED_FROM:
            payload = memoryview(read_record(path, place["offset"], place["length"]))
        else:
            payload = _mapped_record(path, place["offset"], place["length"], scratch)
        value = payload[place["start"] : place["start"] + place["size"]]
        layout = read_layout(lambda offset, count: bytes(value[offset : offset + count]), len(value))
        array = array_of(layout, value)
        if not np.may_share_memory(array, np.frombuffer(value, np.uint8)) and array.nbytes >= MAPPED_FROM:
            array = _mapped_array(array, scratch)
        return Tensor(array, layout.dtype)


def _mapped_record(path: FilePath, offset: int, length: int, scratch: Path) -> memoryview:
    """Returns the checked payload of a record, mapped from an unnamed file."""
    opened = os.fdopen(open_file(path), "rb", buffering=0)
    with opened as source, tempfile.TemporaryFile(dir=scratch, buffering=0) as copy:
        header = os.pread(source.fileno(), HEADER_BYTES, offset)
        sound = header[:8] == length.to_bytes(8, "little") and header[8:] == masked_crc(header[:8]).to_bytes(
            4, "little"
        )
        crc = 0
        done = 0
        while sound and done < length:
            chunk = os.pread(source.fileno(), min(_CHUNK, length - done), offset + HEADER_BYTES + done)
            if not chunk:
                break
            crc = google_crc32c.extend(crc, chunk)
            _write(copy, chunk)
            done += len(chunk)
        masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
        tail = os.pread(source.fileno(), 4, offset + length + OVERHEAD_BYTES - 4)
        if not sound or done < length or tail != masked.to_bytes(4, "little"):
            raise DamagedRecordError(f"{path}: no sound record of {length} bytes stands at byte {offset}.")
        return memoryview(mmap.mmap(copy.fileno(), length, access=mmap.ACCESS_READ))


def _mapped_array(array: Array, scratch: Path) -> Array:
    with tempfile.TemporaryFile(dir=scratch, buffering=0) as copy:
        _write(copy, np.ascontiguousarray(array).view(np.uint8).reshape(-1).data)
        kept = np.frombuffer(mmap.mmap(copy.fileno(), array.nbytes, access=mmap.ACCESS_READ), array.dtype)
        return kept.reshape(array.shape)


def _write(file: IO[bytes], data: bytes | memoryview) -> None:
    written = 0
    while written < len(data):
        written += file.write(data[written:])
