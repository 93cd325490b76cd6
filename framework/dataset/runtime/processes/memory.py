"""Values between two processes: arrays in memory that both map, the rest through a socket."""

from __future__ import annotations

import mmap
import os
import pickle
import socket
import struct
import tempfile
from typing import Any

__all__ = ["Channel", "SharedMemory"]

_LENGTH = struct.Struct("<Q")
#: Arrays begin at multiples of this; the bytes before the first one are for a number.
_ALIGNMENT = 64
_LARGEST_READ = 1 << 20


class SharedMemory:
    """Memory without a name, which is free again when the last process that maps it ends.

    Either side makes it larger when a value does not fit.

    Args:
        file: descriptor of the memory; it belongs to this object from now on.
    """

    def __init__(self, file: int) -> None:
        self.file = file
        self._map = mmap.mmap(file, os.fstat(file).st_size)
        self._first_size = len(self._map)

    @classmethod
    def create(cls, size: int) -> SharedMemory:
        """New memory. A page of it takes no room before it is written."""
        if hasattr(os, "memfd_create"):
            file = os.memfd_create("rows")
        else:
            with tempfile.TemporaryFile() as opened:
                file = os.dup(opened.fileno())
        os.ftruncate(file, max(size, mmap.PAGESIZE))
        return cls(file)

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self._map)

    @property
    def grown(self) -> bool:
        """Whether a value did not fit into the memory as it was first."""
        return self.size > self._first_size

    @property
    def number(self) -> int:
        """A number that the other process may read at any time."""
        return int(_LENGTH.unpack_from(self._map)[0])

    @number.setter
    def number(self, value: int) -> None:
        _LENGTH.pack_into(self._map, 0, value)

    def dump(self, value: Any) -> bytes:
        """Write the arrays of a value; the rest of it as bytes for the other process."""
        buffers: list[pickle.PickleBuffer] = []
        body = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        views = [buffer.raw() for buffer in buffers]
        places = _places([view.nbytes for view in views])
        if places[-1] > self.size:
            os.ftruncate(self.file, max(places[-1], 2 * self.size))
            self._remap()
        for place, view in zip(places, views, strict=False):
            self._map[place : place + view.nbytes] = view
        return pickle.dumps(([view.nbytes for view in views], body))

    def load(self, data: bytes) -> Any:
        """The value, with arrays of its own."""
        sizes, body = pickle.loads(data)  # noqa: S301 - from our own process
        places = _places(sizes)
        if places[-1] > self.size:
            self._remap()
        buffers = [bytearray(self._map[place : place + size]) for place, size in zip(places, sizes, strict=False)]
        return pickle.loads(body, buffers=buffers)  # noqa: S301 - from our own process

    def close(self) -> None:
        """Let go of the memory."""
        self._map.close()
        os.close(self.file)

    def _remap(self) -> None:
        self._map.close()
        self._map = mmap.mmap(self.file, os.fstat(self.file).st_size)


def _places(sizes: list[int]) -> list[int]:
    """Where each array begins, and the end of all."""
    places = [_ALIGNMENT]
    for size in sizes:
        places.append(places[-1] + -(-size // _ALIGNMENT) * _ALIGNMENT)
    return places


class Channel:
    """Messages through a socket.

    Args:
        connection: the socket.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection

    def send(self, message: bytes) -> None:
        """Send a message.

        Raises:
            OSError: the other process has ended.
        """
        self.connection.sendall(_LENGTH.pack(len(message)))
        self.connection.sendall(message)

    def receive(self) -> bytes | None:
        """Wait for a message; None when the other process has ended."""
        head = self._exactly(_LENGTH.size)
        return None if head is None else self._exactly(_LENGTH.unpack(head)[0])

    def _exactly(self, count: int) -> bytes | None:
        parts = bytearray()
        while len(parts) < count:
            try:
                part = self.connection.recv(min(count - len(parts), _LARGEST_READ))
            except OSError:
                return None
            if not part:
                return None
            parts += part
        return bytes(parts)
