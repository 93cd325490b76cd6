"""Blobs: tensors and graphs sent over the debugger's link in chunks, with a checksum over the whole."""

from __future__ import annotations

from collections.abc import Iterator

import google_crc32c

from summaries.debugging.messages import CHUNK_BYTES
from summaries.schema.debugger_pb2 import BlobBegin, BlobChunk, BlobEnd

__all__ = ["BlobError", "Incoming", "checksum", "chunks"]


class BlobError(ValueError):
    """A blob does not match its announcement; the message says how."""


def checksum(data: memoryview | bytes) -> int:
    """Return the CRC-32C of bytes."""
    found = 0
    for piece in chunks(memoryview(data)):
        found = _extended(found, bytes(piece))
    return found


def _extended(before: int, data: bytes) -> int:
    return int(google_crc32c.extend(before, data))


def chunks(data: memoryview) -> Iterator[memoryview]:
    """Yield bytes in chunks of one message each."""
    for first in range(0, len(data), CHUNK_BYTES):
        yield data[first : first + CHUNK_BYTES]


class Incoming:
    """A blob that is being received.

    Args:
        begin: what announced it.
        target: where its bytes go, as many as announced.

    Attributes:
        begin: what announced it.
        received: bytes that are there.

    Raises:
        BlobError: the target is of another size.
    """

    def __init__(self, begin: BlobBegin, target: memoryview) -> None:
        self.begin = begin
        self.received = 0
        self._target = target
        self._sum = 0
        if len(target) != begin.bytes:
            raise BlobError(f"blob {begin.id} has {begin.bytes:,.0f} bytes, and there is room for {len(target):,}")

    def take(self, chunk: BlobChunk) -> None:
        """Add the next chunk.

        Raises:
            BlobError: more came than was announced.
        """
        end = self.received + len(chunk.data)
        if end > len(self._target):
            raise BlobError(f"blob {self.begin.id}: {end:,} bytes came, and {len(self._target):,} were announced")
        self._target[self.received : end] = chunk.data
        self._sum = _extended(self._sum, chunk.data)
        self.received = end

    def finish(self, end: BlobEnd) -> None:
        """Check the received bytes and return them.

        Raises:
            BlobError: the sender gave up, bytes are missing, or they are not those that were sent.
        """
        if end.problem:
            raise BlobError(f"blob {self.begin.id}: {end.problem}")
        if self.received != len(self._target):
            raise BlobError(f"blob {self.begin.id} ended after {self.received:,} of {len(self._target):,} bytes")
        if self._sum != end.checksum:
            raise BlobError(f"blob {self.begin.id}: the checksum of its {self.received:,} bytes is wrong")
