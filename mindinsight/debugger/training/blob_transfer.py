"""Receives the blobs of one training into files: checks the size, reserves disk space, then accepts bytes against
credit.

Used by the training's session in the event loop. A chunk is copied once, from the message into the mapped file.
"""

from __future__ import annotations

import asyncio
import math
import mmap
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from google.protobuf.message import Message

from mindinsight.debugger.limits import (
    CREDIT_AFTER,
    MOST_ARRIVING,
    MOST_GRAPH_BYTES,
    MOST_TENSOR_BYTES,
)
from summaries.debugging import BlobError, Incoming
from summaries.schema.debugger_pb2 import BlobBegin, BlobChunk, BlobEnd, Credit

ELEMENTS = {
    "bfloat16": 2,
    **{
        name: np.dtype(name).itemsize
        for name in (
            "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
            "float16", "float32", "float64", "complex64", "complex128",
        )
    },
}  # fmt: skip
"""Bytes per element, by data type."""
_MOST_AXES = 32


class TooLargeError(BlobError):
    """A blob that is larger than the dashboard accepts."""


@dataclass
class BlobTransfer:
    """A blob that is being received.

    Attributes:
        begin: the message that announced it.
        path: the file for its bytes. When the blob is complete, the file belongs to the receiver.
    """

    begin: BlobBegin
    path: Path
    incoming: Incoming
    mapped: mmap.mmap | None
    view: memoryview
    uncredited: int = 0

    @property
    def received(self) -> int:
        """Number of received bytes."""
        return self.incoming.received

    def close(self) -> None:
        """Releases the memory. The file stays."""
        del self.incoming
        self.view.release()
        if self.mapped is not None:
            self.mapped.close()


class BlobTransfers:
    """The blobs of one training.

    Args:
        directory: directory of their files.
        send: sends messages with credit.
    """

    def __init__(self, directory: Path, send: Callable[[Message], None]) -> None:
        self._directory = directory
        self._send = send
        self._under_way: dict[int, BlobTransfer] = {}

    @property
    def bytes(self) -> int:
        """Announced bytes of all blobs that are being received."""
        return sum(int(arrival.begin.bytes) for arrival in self._under_way.values())

    def refuse(self, number: int) -> None:
        """Tells the training that a blob is not needed. Chunks that are already on their way are ignored."""
        self._send(Credit(id=number, cancel=True))

    async def begin(self, begin: BlobBegin) -> BlobTransfer:
        """Reserves space for a blob.

        Raises:
            BlobError: the blob is rejected. The message says why.
            OSError: the disk has too little space.
        """
        size = announced_bytes(begin)
        if begin.id in self._under_way:
            raise BlobError(f"blob {begin.id} is under way already")
        if len(self._under_way) >= MOST_ARRIVING:
            raise BlobError(f"{MOST_ARRIVING} blobs are under way already")
        arrival = await asyncio.to_thread(_prepared, begin, size, self._directory)
        self._under_way[begin.id] = arrival
        return arrival

    def take(self, chunk: BlobChunk) -> BlobTransfer | None:
        """Stores a chunk. Returns None if its blob is not needed.

        Raises:
            BlobError: more bytes arrived than were announced. The blob is dropped.
        """
        arrival = self._under_way.get(chunk.id)
        if arrival is None:
            return None
        try:
            arrival.incoming.take(chunk)
        except BlobError:
            self.drop(chunk.id)
            raise
        arrival.uncredited += 1
        if arrival.uncredited >= CREDIT_AFTER:
            self._send(Credit(id=chunk.id, chunks=arrival.uncredited))
            arrival.uncredited = 0
        return arrival

    def end(self, end: BlobEnd) -> BlobTransfer | None:
        """Returns a complete blob and releases its memory; None if the blob is not needed.

        Raises:
            BlobError: the blob is incomplete. Its file is removed.
        """
        arrival = self._under_way.get(end.id)
        if arrival is None:
            return None
        try:
            arrival.incoming.finish(end)
        except BlobError:
            self.drop(end.id)
            raise
        del self._under_way[end.id]
        arrival.close()
        return arrival

    def drop(self, number: int) -> None:
        """Drops a blob and its file."""
        arrival = self._under_way.pop(number, None)
        if arrival is not None:
            arrival.close()
            arrival.path.unlink(missing_ok=True)

    def drop_all(self) -> list[BlobTransfer]:
        """Drops all blobs that are being received, and returns them."""
        dropped = list(self._under_way.values())
        for arrival in dropped:
            self.drop(arrival.begin.id)
        return dropped


def announced_bytes(begin: BlobBegin) -> int:
    """Returns the size of an announced blob in bytes.

    Raises:
        TooLargeError: the blob is too large.
        BlobError: the blob is not a tensor that can be shown.
    """
    if not (math.isfinite(begin.bytes) and begin.bytes >= 0 and begin.bytes == int(begin.bytes)):
        raise BlobError(f"blob {begin.id} is announced with {begin.bytes} bytes")
    size = int(begin.bytes)
    tensor = begin.content == BlobBegin.TENSOR
    most = MOST_TENSOR_BYTES if tensor else MOST_GRAPH_BYTES
    if size > most:
        raise TooLargeError(f"blob {begin.id} has {size:,} bytes; at most {most:,} are taken")
    if not tensor:
        return size
    if begin.dtype not in ELEMENTS:
        raise BlobError(f"blob {begin.id} has elements of type {begin.dtype[:40]!r}, which cannot be shown")
    if len(begin.shape) > _MOST_AXES:
        raise BlobError(f"blob {begin.id} has {len(begin.shape)} axes; up to {_MOST_AXES} are shown")
    if math.prod(begin.shape) * ELEMENTS[begin.dtype] != size:
        shape = f"{begin.dtype} of shape {list(begin.shape)}"
        raise BlobError(f"blob {begin.id} is announced with {size:,} bytes, which does not match {shape}")
    return size


def _prepared(begin: BlobBegin, size: int, directory: Path) -> BlobTransfer:
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = directory / f"blob-{begin.id}.part"
    with path.open("w+b") as file:
        if not size:
            view = memoryview(bytearray())
            return BlobTransfer(begin, path, Incoming(begin, view), None, view)
        try:
            # The disk space is really allocated, because writing to a mapped page without disk space would kill the
            # process.
            os.posix_fallocate(file.fileno(), 0, size)
        except OSError:
            path.unlink(missing_ok=True)
            raise
        mapped = mmap.mmap(file.fileno(), size)
    view = memoryview(mapped)
    return BlobTransfer(begin, path, Incoming(begin, view), mapped, view)
