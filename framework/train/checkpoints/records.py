"""A checkpoint as a sequence of protobuf records, with checksums between them. `ckpt` uses it.

    checksum  value checksum  value checksum  ...  checksum with the number of values

Each checksum is the CRC-32C of all bytes before it. Bytes that were changed, left out, repeated or moved are therefore
noticed at the value where it happened. The first checksum announces the others; files of MindSpore have values alone.
MindSpore's reader skips the field of the checksums (`framework/schema/checkpoint.proto`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import google_crc32c
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from framework.schema.checkpoint_pb2 import Checkpoint, Checksum
from framework.train.checkpoints.elements import Array
from framework.train.checkpoints.errors import CheckpointError, damaged

__all__ = ["RecordReader", "RecordWriter", "Sink", "Source", "has_checksums", "is_checkpoint"]

_VALUE: Final = Checkpoint.VALUE_FIELD_NUMBER
_CHECKSUM: Final = Checkpoint.CHECKSUM_FIELD_NUMBER

_CHECKSUM_TAG: Final = Checkpoint(checksum=[Checksum(crc32c=0)]).SerializeToString()[:3]
# The tag of a value, its length, and the tag of its name.
_VALUE_HEAD: Final = re.compile(rb"\x0a[\x80-\xff]{0,4}[\x00-\x7f]\x0a")

_LONGEST_VARINT: Final = 5
_MOST_BYTES: Final = 2 << 30
"""Limit of a protobuf message in bytes."""


class Sink(Protocol):
    """Something that records are written to."""

    def write(self, data: bytes | memoryview, /) -> object:
        """Write more bytes."""


class Source(Protocol):
    """Something that records are read from."""

    @property
    def left(self) -> int:
        """Upper limit of the number of bytes that are left."""

    def read(self, count: int, /) -> bytes:
        """The next `count` bytes; fewer only at the end."""


def has_checksums(head: bytes) -> bool:
    """Whether a checkpoint has checksums.

    Args:
        head: its first bytes, at least three.
    """
    return head.startswith(_CHECKSUM_TAG)


def is_checkpoint(head: bytes) -> bool:
    """Whether a file can be a checkpoint.

    Args:
        head: its first bytes, at least seven.
    """
    return has_checksums(head) or _VALUE_HEAD.match(head) is not None


class RecordWriter:
    """Writes values with a checksum after each.

    Args:
        file: the file to write to.
    """

    def __init__(self, file: Sink) -> None:
        self._file = file
        self._crc32c = self._count = 0
        self._write(_checksum(0))

    def add(self, head: bytes, content: Array) -> None:
        """Write the message of one value, as from `to_messages`.

        Args:
            head: the beginning of the message.
            content: the bytes that follow, as uint8.
        """
        self._write(head)
        self._write(content)
        self._count += 1
        self._write(_checksum(self._crc32c))

    def close(self) -> None:
        """Write the last checksum, without which a file is incomplete."""
        self._write(_checksum(self._crc32c, self._count))

    def _write(self, data: bytes | Array) -> None:
        self._file.write(data if isinstance(data, bytes) else data.data)
        self._crc32c = google_crc32c.extend(self._crc32c, data)


def _checksum(crc32c: int, count: int | None = None) -> bytes:
    return Checkpoint(checksum=[Checksum(crc32c=crc32c, count=count)]).SerializeToString()


@dataclass(frozen=True, slots=True)
class _Record:
    """A field of the outermost message: its position, the CRC-32C of all bytes before, its number and content."""

    at: int
    crc32c: int
    field: int
    content: bytes


class RecordReader:
    """Reads the values of a checkpoint and verifies its checksums, if it has any.

    Args:
        source: the bytes.
        path: path of the file, for messages.
    """

    def __init__(self, source: Source, path: Path) -> None:
        self._source, self._path = source, path
        self._at = self._crc32c = 0
        self._head = b""

    def values(self) -> Iterator[Checkpoint.Value]:
        """The values, in order.

        Raises:
            CheckpointError: the bytes are not a checkpoint, end too early, or do not match the checksums.
        """
        first = self._next()
        if first is None:
            raise CheckpointError(f"{self._path} is empty: it is not a checkpoint, or writing it was interrupted")
        yield from self._summed(first) if first.field == _CHECKSUM else self._unsummed(first)

    def _unsummed(self, record: _Record | None) -> Iterator[Checkpoint.Value]:
        while record is not None:
            yield self._value(record)
            record = self._next()

    def _summed(self, first: _Record) -> Iterator[Checkpoint.Value]:
        self._verify(first, "its first record")
        count = 0
        while (record := self._next()) is not None:
            if record.field == _CHECKSUM:
                self._verify_end(record, count)
                return
            value = self._value(record)
            self._verify(self._next(), f"{value.tag!r} (bytes {record.at:,} to {self._at:,})")
            count += 1
            yield value
        raise damaged(self._path, f"it ends at byte {self._at:,}, after {count} values, without its last checksum")

    def _verify(self, record: _Record | None, name: str) -> Checksum:
        if record is None or record.field != _CHECKSUM:
            raise damaged(self._path, f"the checksum of {name} is missing")
        checksum = Checksum()
        try:
            checksum.ParseFromString(record.content)
        except DecodeError:
            raise damaged(self._path, f"the checksum of {name} cannot be read") from None
        if checksum.crc32c != record.crc32c:
            raise damaged(self._path, f"the checksum of {name} does not match")
        return checksum

    def _verify_end(self, record: _Record, count: int) -> None:
        checksum = self._verify(record, "the whole file")
        if not checksum.HasField("count") or checksum.count != count:
            raise damaged(
                self._path, f"{count} values precede byte {record.at:,}, which is not the number that was written"
            )
        if self._next() is not None:
            raise damaged(self._path, f"further bytes follow its end, from byte {record.at + len(record.content):,} on")

    def _value(self, record: _Record) -> Checkpoint.Value:
        if record.field != _VALUE:
            raise damaged(self._path, f"byte {record.at:,} begins a checksum where a value is expected")
        value = Checkpoint.Value()
        try:
            value.ParseFromString(record.content)
        except DecodeError as error:
            raise damaged(self._path, f"the value at byte {record.at:,} cannot be read ({error})") from None
        # Protobuf returns bytes if the name is not valid UTF-8.
        tag: object = value.tag
        if not isinstance(tag, str):
            raise damaged(self._path, f"the name of the value at byte {record.at:,} cannot be read")
        if value.WhichOneof("what") != "tensor":
            raise CheckpointError(
                f"{self._path}: {tag!r} at byte {record.at:,} is not a tensor; only tensors can be read"
            )
        if len(UnknownFieldSet(value)) or len(UnknownFieldSet(value.tensor)):
            raise damaged(self._path, f"{tag!r} at byte {record.at:,} has fields that the format does not know")
        return value

    def _next(self) -> _Record | None:
        """The next record; None at the end of the bytes."""
        at, before = self._at, self._crc32c
        self._head = b""
        first = self._source.read(1)
        if not first:
            return None
        tag = self._varint(at, first)
        if tag not in (_VALUE << 3 | 2, _CHECKSUM << 3 | 2):
            raise CheckpointError(
                f"{self._path} is not a checkpoint in MindSpore's format, or is damaged: no value begins at byte "
                f"{at:,}. Check that it is the right file, or restore it from a copy."
            )
        length = self._varint(at, self._source.read(1))
        if length >= _MOST_BYTES:
            raise damaged(self._path, f"the value at byte {at:,} has {length:,} bytes by its header, more than allowed")
        if length > self._source.left:
            raise self._ends_within(at, length)
        content = self._source.read(length)
        if len(content) < length:
            raise self._ends_within(at, length)
        self._crc32c = google_crc32c.extend(google_crc32c.extend(before, self._head), content)
        self._at = at + len(self._head) + length
        return _Record(at, before, tag >> 3, content)

    def _varint(self, at: int, byte: bytes) -> int:
        """A number in the head of the record at `at`, whose first byte was read before."""
        number = 0
        for shift in range(0, 7 * _LONGEST_VARINT, 7):
            if not byte:
                raise damaged(self._path, f"it ends in the middle of the value at byte {at:,}")
            self._head += byte
            number |= (byte[0] & 0x7F) << shift
            if byte[0] < 0x80:
                return number
            byte = self._source.read(1) if shift < 7 * (_LONGEST_VARINT - 1) else b"\0"
        raise damaged(self._path, f"the value at byte {at:,} has no length")

    def _ends_within(self, at: int, length: int) -> CheckpointError:
        return damaged(self._path, f"it ends in the middle of the value at byte {at:,}, which has {length:,} bytes")
