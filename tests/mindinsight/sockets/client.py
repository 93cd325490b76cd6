"""A client that speaks WebSocket byte by byte, so that it can do what no library lets it do."""

from __future__ import annotations

import os
import socket
import struct
import time
from base64 import b64encode
from contextlib import suppress
from types import TracebackType

from tests.dashboard import Dashboard

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
CUT = 1006
"""In the place of a close code, where the connection ended without one."""


def frame(opcode: int, data: bytes, *, final: bool = True, masked: bool = True, reserved: int = 0) -> bytes:
    """The bytes of one frame; the mask of a client's is zeros, so that its bytes are those of the data."""
    head = bytes([final << 7 | reserved << 4 | opcode])
    flag = masked << 7
    if len(data) < 126:
        head += bytes([flag | len(data)])
    elif len(data) < 1 << 16:
        head += bytes([flag | 126]) + struct.pack("!H", len(data))
    else:
        head += bytes([flag | 127]) + struct.pack("!Q", len(data))
    return head + bytes(4 * masked) + data


class Client:
    """One connection, after its handshake.

    Args:
        dashboard: where it calls.
        path: of the socket.
        patience: seconds that reading and writing wait at most.
    """

    def __init__(self, dashboard: Dashboard, path: str, patience: float = 20.0) -> None:
        self.socket = socket.socket()
        self.socket.settimeout(patience)
        # So that what the other side sends soon has to wait there.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 13)
        self.socket.connect(("127.0.0.1", dashboard.port))
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: 127.0.0.1:{dashboard.port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {b64encode(os.urandom(16)).decode()}",
            f"Authorization: Bearer {dashboard.token}",
        ]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self._read = b""
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += self._take(1)
        assert answer.startswith(b"HTTP/1.1 101"), answer

    def send(self, data: bytes) -> None:
        """Sends bytes."""
        self.socket.sendall(data)

    def push(self, data: bytes, seconds: float) -> int:
        """Sends bytes again and again for some seconds, or until the connection ends; returns how many went."""
        end, sent, all_bytes = time.monotonic() + seconds, 0, memoryview(data)
        with suppress(OSError):
            while (left := end - time.monotonic()) > 0:
                self.socket.settimeout(left)
                sent += self.socket.send(all_bytes[sent % len(data) :])
        return sent

    def take_in(self) -> bool:
        """Reads the available bytes; returns False if the connection has ended."""
        data = self.socket.recv(1 << 16)
        self._read += data
        return bool(data)

    def hear(self) -> tuple[int, bytes]:
        """Returns opcode and data of the next frame.

        Raises:
            ConnectionError: the connection has ended.
        """
        first, length = self._take(2)
        if length == 126:
            (length,) = struct.unpack("!H", self._take(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self._take(8))
        return first & 15, self._take(length)

    def code(self) -> int:
        """Reads until the connection ends; returns the close code, and says goodbye as the other side does."""
        while True:
            try:
                opcode, data = self.hear()
            except ConnectionError:
                return CUT
            if opcode == CLOSE:
                return int(struct.unpack("!H", data[:2])[0]) if data else 1005

    def close(self) -> None:
        """Ends the connection without a word."""
        self.socket.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, count: int) -> bytes:
        while len(self._read) < count:
            data = self.socket.recv(1 << 16)
            if not data:
                raise ConnectionError
            self._read += data
        taken, self._read = self._read[:count], self._read[count:]
        return taken
