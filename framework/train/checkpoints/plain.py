"""Unencrypted checkpoint files with MindSpore's own checksum, for `crc_check`. `ckpt` uses it.

The checksum is zlib's CRC-32 of the whole file. It follows the file as the text `crc_num` and a number of 10 bytes,
big-endian. Source: `mindspore/train/serialization.py` of MindSpore 2.10.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import BinaryIO, Final

from framework.train.checkpoints.errors import damaged
from framework.train.checkpoints.records import Sink

__all__ = ["PlainSource", "SummingSink"]

_MARK: Final = b"crc_num"
_TRAILER_BYTES: Final = len(_MARK) + 10


class SummingSink:
    """Writes to a file and computes the checksum of the bytes.

    Args:
        file: the file.
    """

    def __init__(self, file: Sink) -> None:
        self._file = file
        self._crc32 = 0

    def write(self, data: bytes | memoryview, /) -> None:
        """Write more bytes."""
        self._file.write(data)
        self._crc32 = zlib.crc32(data, self._crc32)

    def close(self) -> None:
        """Append the checksum."""
        self._file.write(_MARK + self._crc32.to_bytes(_TRAILER_BYTES - len(_MARK), "big"))


class PlainSource:
    """The bytes of a file, without a checksum at its end.

    Args:
        file: the file.
        size: its size in bytes.

    Attributes:
        left: number of bytes that are not read yet.
        crc_num: the checksum of the file; None without one.
    """

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self.left = size
        self.crc_num: int | None = None
        self._crc32: int | None = None
        if size >= _TRAILER_BYTES:
            file.seek(size - _TRAILER_BYTES)
            trailer = file.read(_TRAILER_BYTES)
            if trailer.startswith(_MARK):
                self.crc_num = int.from_bytes(trailer[len(_MARK) :], "big")
                self.left -= _TRAILER_BYTES
            file.seek(0)

    def sum_up(self) -> None:
        """Compute the checksum while reading; call this before the first byte is read."""
        self._crc32 = 0

    def read(self, count: int, /) -> bytes:
        """The next `count` bytes; fewer only at the end."""
        data = self._file.read(min(count, self.left))
        self.left -= len(data)
        if self._crc32 is not None:
            self._crc32 = zlib.crc32(data, self._crc32)
        return data

    def verify(self, path: Path) -> None:
        """Compare the checksums if they were asked for; call this after the last byte is read.

        Args:
            path: path of the file, for messages.

        Raises:
            CheckpointError: the checksums differ.
        """
        if self._crc32 is not None and self._crc32 != self.crc_num:
            raise damaged(path, f"its CRC-32 is {self._crc32:#010x}, and {self.crc_num:#x} was written as crc_num")
