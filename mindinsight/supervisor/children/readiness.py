"""Polls the web server over HTTP until the database, Redis and the reader of files are ready.

Runs inside the supervisor's loop without blocking it. The listening socket exists before the web server, so the first
request waits in its queue and is answered as soon as the server is up.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from functools import partial

from mindinsight.supervisor.loop import Loop, Timer

_AGAIN_S = 0.05
_PATIENCE_S = 5.0
_LONGEST_ANSWER = 65536


class ReadinessProbe:
    """Repeats a request until the response is 200.

    Args:
        loop: the loop to run in.
        address: the address of the web server.
        path: the path to request.
        on_ready: called once.
    """

    def __init__(self, loop: Loop, address: tuple[str, int], path: str, on_ready: Callable[[], None]) -> None:
        self._loop = loop
        self._address = address
        self._request = (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{address[1]}\r\n"
            "Accept: application/json\r\nConnection: close\r\n\r\n"
        ).encode()
        self._on_ready = on_ready
        self._connection: socket.socket | None = None
        self._timer: Timer | None = None
        self._answer = b""
        self.last_answer = "no answer"

    def ask(self) -> None:
        """Sends the request now, and repeats it until the response is 200."""
        self._answer = b""
        family = socket.AF_INET6 if ":" in self._address[0] else socket.AF_INET
        connection = socket.socket(family, socket.SOCK_STREAM)
        connection.setblocking(False)
        connection.connect_ex(self._address)
        self._connection = connection
        self._loop.watch(connection.fileno(), partial(self._send, connection), writing=True)
        self._timer = self._loop.after(_PATIENCE_S, partial(self._again, f"no answer within {_PATIENCE_S:g} s"))

    def stop(self) -> None:
        """Stops the requests."""
        if self._timer is not None:
            self._timer.cancel()
        if self._connection is not None:
            self._loop.unwatch(self._connection.fileno())
            self._connection.close()
            self._connection = None

    def _again(self, because: str) -> None:
        self.last_answer = because
        self.stop()
        self._timer = self._loop.after(_AGAIN_S, self.ask)

    def _send(self, connection: socket.socket) -> None:
        error = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            self._again(os.strerror(error))
            return
        try:
            connection.send(self._request)
        except OSError as refusal:
            self._again(str(refusal))
            return
        self._loop.unwatch(connection.fileno())
        self._loop.watch(connection.fileno(), partial(self._receive, connection))

    def _receive(self, connection: socket.socket) -> None:
        try:
            block = connection.recv(4096)
        except BlockingIOError:
            return
        except OSError as error:
            self._again(str(error))
            return
        self._answer += block
        if not block or len(self._answer) > _LONGEST_ANSWER:
            self._judge()

    def _judge(self) -> None:
        head, _, body = self._answer.partition(b"\r\n\r\n")
        status_line = head.partition(b"\r\n")[0].decode("latin-1")
        if status_line.split(" ")[1:2] == ["200"]:
            self.stop()
            self._on_ready()
            return
        text = body.decode("utf-8", "replace").strip()
        self._again(f"{status_line} {text}".strip() or "a closed connection")
