"""A file of rows by number, which grows at its end: the disk of `data.cache(folder)`.

    "MIROWS1\\n" | key, 64 hexadecimal digits | records
    record: number of the row u64 | length of the form u32 | length of the data u64 | CRC-32 u32 | form | data
    form: JSON, for each column its numpy type and shape;  data: the columns, each filled up to 16 bytes

All numbers are little-endian, and the checksum is that of the record without it. A record that was cut off by a crash
is left out when the file is opened; what is damaged, or of another key, is refused and computed again. Nothing in the
file is run: types are checked, and their sizes must fit.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import math
import os
import re
import struct
import threading
import weakref
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.dataset.runtime.rows import Array

__all__ = ["RowFile", "shared_file"]

_log = logging.getLogger("framework.dataset")

_MAGIC: Final = b"MIROWS1\n"
_HEAD: Final = struct.Struct("<QIQI")
_ALIGNED: Final = 16
#: The names of numpy's types of numbers and texts.
_TYPE: Final = re.compile(r"[<>|][biufcSU][0-9]{1,9}")
_LONGEST_FORM: Final = 1 << 16
_MEGABYTE: Final = 1_000_000


class RowFile:
    """The rows in a file. The first program that opens it adds rows; others only read until then.

    Args:
        path: path of the file, in a folder that exists.
        key: 64 hexadecimal digits, which stand for all that the rows depend on.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path, key: str) -> None:
        self.path = path
        self._start = len(_MAGIC) + len(key)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        # The file stays open, and locked, as long as its rows are used.
        weakref.finalize(self, os.close, self._file)
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._places: dict[int, tuple[int, int, int, int]] = {}
        self._writes = True
        self._said = False
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            # Another program adds rows, and the file may grow behind what is read here.
            self._writes = False
        self._end = self._start
        self._open(_MAGIC + key.encode())

    def __len__(self) -> int:
        return len(self._places)

    def kept(self, number: int) -> tuple[Array, ...] | None:
        """The values of a row, which the caller may change; None if they are not there or damaged."""
        place = self._places.get(number)
        if place is None:
            return None
        start, form_size, size, checksum = place
        data = bytearray(form_size + size)
        read = os.preadv(self._file, [data], start + _HEAD.size)
        form = bytes(data[:form_size])
        known = _form(form)
        if read != len(data) or _checksum(number, data, form_size) != checksum or known is None or known[1] != size:
            self._places.pop(number, None)
            self._say(f"row {number} of {self.path} is damaged; it is computed again")
            return None
        return tuple(
            np.frombuffer(data, dtype, math.prod(shape), form_size + offset).reshape(shape)
            for dtype, shape, offset in known[0]
        )

    def keep(self, number: int, values: Sequence[Array], total: int) -> None:
        """Add a row, unless the disk is full or another program adds rows.

        Args:
            number: number of the row.
            values: its values; dictionaries are not kept.
            total: number of rows that there will be, for the message about a full disk.
        """
        if (
            not self._writes
            or os.getpid() != self._process
            or any(value.dtype.kind not in "biufcSU" for value in values)
        ):
            return
        form = json.dumps([[value.dtype.str, value.shape] for value in values]).encode()
        parts = [np.ascontiguousarray(value).tobytes() for value in values]
        # Columns begin at multiples of 16 in the buffer that the record is read into.
        form += b" " * (-len(form) % _ALIGNED)
        data = b"".join(part + bytes(-len(part) % _ALIGNED) for part in parts)
        checksum = _checksum(number, form + data, len(form))
        record = _HEAD.pack(number, len(form), len(data), checksum) + form + data
        with self._lock:
            if number in self._places or not self._writes:
                return
            try:
                written = os.pwrite(self._file, record, self._end)
                if written < len(record):
                    # The rest tells why.
                    os.pwrite(self._file, record[written:], self._end + written)
            except OSError as error:
                self._full(error, len(record), total)
                return
            self._places[number] = (self._end, len(form), len(data), checksum)
            self._end += len(record)

    def _open(self, head: bytes) -> None:
        size = os.fstat(self._file).st_size
        if os.pread(self._file, len(head), 0) != head:
            if size:
                self._say(f"{self.path} is no file of these rows, or is cut; it is written anew")
            if self._writes:
                os.ftruncate(self._file, 0)
                os.pwrite(self._file, head, 0)
            return
        place = self._start
        while place + _HEAD.size <= size:
            number, form_size, data_size, checksum = _HEAD.unpack(os.pread(self._file, _HEAD.size, place))
            after = place + _HEAD.size + form_size + data_size
            if form_size > _LONGEST_FORM or after > size:
                break
            self._places[number] = (place, form_size, data_size, checksum)
            place = after
        self._end = place
        if place < size and self._writes:
            self._say(f"{self.path} is cut or damaged after {len(self)} rows; the others are computed again")
            os.ftruncate(self._file, place)

    def _full(self, error: OSError, size: int, total: int) -> None:
        self._writes = False
        with contextlib.suppress(OSError):
            os.ftruncate(self._file, self._end)
        missing = max(total - len(self), 1) * size / _MEGABYTE
        self._say(
            f"{self.path}: {error.strerror} after {len(self)} rows; the others are computed in each epoch. To keep all,"
            f" free about {math.ceil(missing)} MB or choose another folder"
        )

    def _say(self, sentence: str) -> None:
        if not self._said:
            self._said = True
            _log.warning("%s", sentence)


_files: weakref.WeakValueDictionary[str, RowFile] = weakref.WeakValueDictionary()
_files_lock = threading.Lock()


def shared_file(path: Path, key: str) -> RowFile:
    """The file of a path, which all pipelines of this program share.

    Raises:
        OSError: the file cannot be opened.
    """
    with _files_lock:
        name = f"{path.resolve()} {key} {os.getpid()}"
        file = _files.get(name)
        if file is None:
            file = _files[name] = RowFile(path, key)
        return file


def _checksum(number: int, data: bytes | bytearray, form_size: int) -> int:
    return zlib.crc32(data, zlib.crc32(struct.pack("<QIQ", number, form_size, len(data) - form_size)))


@lru_cache(maxsize=256)
def _form(form: bytes) -> tuple[tuple[tuple[np.dtype[Any], tuple[int, ...], int], ...], int] | None:
    """The type, shape and offset of each column, and the bytes of all; None for a form that does not make sense."""
    columns, offset = [], 0
    try:
        for name, shape in json.loads(form):
            sizes = tuple(int(size) for size in shape)
            if not _TYPE.fullmatch(str(name)) or any(size < 0 for size in sizes) or len(sizes) > 32:
                return None
            dtype = np.dtype(str(name))
            columns.append((dtype, sizes, offset))
            size = math.prod(sizes) * dtype.itemsize
            offset += size + -size % _ALIGNED
    except (TypeError, ValueError):
        return None
    return tuple(columns), offset
