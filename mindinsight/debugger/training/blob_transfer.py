"""Blobs of one training on their way into files: bounds first, then room on the disk, then bytes against credit.

Used by the training's session, in the server's loop. A chunk is copied once, from the message into the mapped file.
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
"""Bytes of an element by the name of its type."""
_MOST_AXES = 32


class TooLargeError(BlobError):
    """A blob that is larger than the dashboard takes."""


@dataclass
class BlobTransfer:
    """A blob that is on its way.

    Attributes:
        begin: what announced it.
        path: the file that its bytes go into; it is the receiver's once the blob is whole.
    """

    begin: BlobBegin
    path: Path
    incoming: Incoming
    mapped: mmap.mmap | None
    view: memoryview
    uncredited: int = 0

    @property
    def received(self) -> int:
        """Bytes that are there."""
        return self.incoming.received

    def close(self) -> None:
        """Lets go of the memory; the file stays."""
        del self.incoming
        self.view.release()
        if self.mapped is not None:
            self.mapped.close()


class BlobTransfers:
    """The blobs of one training.

    Args:
        directory: where their files are made.
        send: sends credit.
    """

    def __init__(self, directory: Path, send: Callable[[Message], None]) -> None:
        self._directory = directory
        self._send = send
        self._under_way: dict[int, BlobTransfer] = {}

    @property
    def bytes(self) -> int:
        """What all that are under way have announced."""
        return sum(int(arrival.begin.bytes) for arrival in self._under_way.values())

    def refuse(self, number: int) -> None:
        """Tells the training that nobody wants a blob; chunks that are under way are not looked at."""
        self._send(Credit(id=number, cancel=True))

    async def begin(self, begin: BlobBegin) -> BlobTransfer:
        """Makes room for a blob.

        Raises:
            BlobError: it is none that is taken; says why.
            OSError: there is no room on the disk.
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
        """Takes a chunk; None for one of a blob that nobody wants.

        Raises:
            BlobError: more came than was announced; nothing more of it is taken.
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
        """Returns a blob that has come whole, with its memory let go; None for one that nobody wants.

        Raises:
            BlobError: it has not; its file is gone.
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
        """Forgets a blob and its file."""
        arrival = self._under_way.pop(number, None)
        if arrival is not None:
            arrival.close()
            arrival.path.unlink(missing_ok=True)

    def drop_all(self) -> list[BlobTransfer]:
        """Forgets all that are under way, and returns them."""
        dropped = list(self._under_way.values())
        for arrival in dropped:
            self.drop(arrival.begin.id)
        return dropped


def announced_bytes(begin: BlobBegin) -> int:
    """Returns how many bytes a blob will have.

    Raises:
        TooLargeError: it is larger than is taken.
        BlobError: it is no tensor that can be shown.
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
        raise BlobError(f"blob {begin.id} has elements of type {begin.dtype[:40]!r}, which is not shown")
    if len(begin.shape) > _MOST_AXES:
        raise BlobError(f"blob {begin.id} has {len(begin.shape)} axes; up to {_MOST_AXES} are shown")
    if math.prod(begin.shape) * ELEMENTS[begin.dtype] != size:
        shape = f"{begin.dtype} of shape {list(begin.shape)}"
        raise BlobError(f"blob {begin.id} is announced with {size:,} bytes, which is no {shape}")
    return size


def _prepared(begin: BlobBegin, size: int, directory: Path) -> BlobTransfer:
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = directory / f"blob-{begin.id}.part"
    with path.open("w+b") as file:
        if not size:
            view = memoryview(bytearray())
            return BlobTransfer(begin, path, Incoming(begin, view), None, view)
        try:
            # Really taken from the disk: a mapped page without room on the disk would end the process.
            os.posix_fallocate(file.fileno(), 0, size)
        except OSError:
            path.unlink(missing_ok=True)
            raise
        mapped = mmap.mmap(file.fileno(), size)
    view = memoryview(mapped)
    return BlobTransfer(begin, path, Incoming(begin, view), mapped, view)
