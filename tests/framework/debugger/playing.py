"""A WebSocket server that plays the dashboard: takes trainings on a free port, keeps what they say, cuts connections.

Run as a program it serves in a process of its own, which can be killed: `python -m tests.framework.debugger.playing
TOKEN [PORT]` prints its port.
"""

from __future__ import annotations

import hmac
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

import numpy as np
from google.protobuf.message import Message
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import Server, ServerConnection, serve

from summaries.debugging import LONGEST_MESSAGE, PATH, PROTOCOL, WINDOW, Incoming, body_of, read, written
from summaries.schema.debugger_pb2 import (
    BlobBegin,
    BlobChunk,
    BlobEnd,
    Bye,
    Command,
    Credit,
    Hello,
    Reply,
    State,
    Welcome,
)

__all__ = ["TOKEN", "WAIT", "Dashboard", "played"]

TOKEN = "token-of-the-tests"
WAIT = 30.0


class Dashboard:
    """A server, and the messages that trainings have sent to it.

    Attributes:
        heard: all messages, in order, but the chunks of blobs.
        blobs: by their number, what announced each that has come whole, and its bytes.
        credits: whether chunks are acknowledged.
        connections: how many there have been.

    """

    def __init__(self, port: int = 0, token: str = TOKEN, window: int = WINDOW) -> None:
        self.heard: list[Message] = []
        self.blobs: dict[int, tuple[BlobBegin, np.ndarray[Any, Any]]] = {}
        self.chunks = 0
        self.credits = True
        self.protocol = PROTOCOL
        self.window = window
        self._token = token
        self._news = threading.Condition()
        self._connection: ServerConnection | None = None
        self._asked = 0
        self.connections = 0
        self._server: Server = serve(
            self._talk, "127.0.0.1", port, process_request=self._admit, compression=None, max_size=LONGEST_MESSAGE
        )
        self.port: int = self._server.socket.getsockname()[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def connected(self) -> bool:
        return self._connection is not None

    def close(self) -> None:
        self._server.shutdown()
        self.cut()

    def successor(self) -> Dashboard:
        """Another one at the same address, which knows nothing of what this one has heard."""
        return Dashboard(self.port, self._token, self.window)

    def cut(self) -> None:
        """Lose the connection without a word, as when a cable is pulled."""
        connection = self._connection
        if connection is not None:
            connection.socket.shutdown(2)
            self.wait_for(lambda: self._connection is not connection)

    def refuse(self, code: int) -> None:
        """Close the connection with a code."""
        assert self._connection is not None
        self._connection.close(code)

    def send(self, message: Message) -> None:
        assert self._connection is not None
        self._connection.send(written(message))

    def send_raw(self, data: bytes | str) -> None:
        assert self._connection is not None
        self._connection.send(data)

    def ask(self, **action: Message) -> Reply:
        """Send a command and wait for its answer."""
        self._asked += 1
        number = str(self._asked)
        self.send(Command(id=number, **action))  # type: ignore[arg-type]
        return self.wait_for(lambda: next((item for item in self.of(Reply) if item.id == number), None))

    def of(self, kind: type[Any]) -> list[Any]:
        """What was heard of a kind."""
        return [item for item in list(self.heard) if isinstance(item, kind)]

    @property
    def state(self) -> State:
        """The newest state."""
        return self.wait_for(lambda: (self.of(State) or [None])[-1])

    def wait_for(self, found: Callable[[], Any], seconds: float = WAIT) -> Any:
        """What `found` returns as soon as it is something, within some seconds."""
        deadline = time.monotonic() + seconds
        with self._news:
            while not (result := found()):
                left = deadline - time.monotonic()
                assert left > 0, f"waited in vain; heard {[type(item).__name__ for item in self.heard[-20:]]}"
                self._news.wait(min(left, 0.5))
        return result

    def wait_state(self, status: int, **fields: Any) -> State:
        """The newest state, once it is such."""

        def found() -> State | None:
            states = self.of(State)
            newest = states[-1] if states else None
            fits = newest is not None and newest.status == status
            return newest if fits and all(getattr(newest, name) == value for name, value in fields.items()) else None

        return self.wait_for(found)

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        shown = request.headers.get("Authorization", "")
        if request.path != PATH or not hmac.compare_digest(shown, f"Bearer {self._token}"):
            return Response(HTTPStatus.FORBIDDEN, "Forbidden", Headers({"Content-Length": "0"}), b"")
        return None

    def _talk(self, connection: ServerConnection) -> None:
        arriving: dict[int, tuple[Incoming, np.ndarray[Any, Any]]] = {}
        try:
            hello = body_of(read(connection.recv()))
            assert isinstance(hello, Hello)
            session = hello.session or f"s{len(self.of(Hello)) + 1}"
            connection.send(written(Welcome(protocol=self.protocol, session=session, window=self.window)))
            self.connections += 1
            self._connection = connection
            self._hear(hello)
            for data in connection:
                body = body_of(read(data))
                if isinstance(body, BlobBegin | BlobChunk | BlobEnd):
                    self._take(connection, body, arriving)
                if not isinstance(body, BlobChunk):
                    self._hear(body)
        except ConnectionClosed:
            pass
        finally:
            if self._connection is connection:
                self._connection = None
            with self._news:
                self._news.notify_all()

    def _take(self, connection: ServerConnection, body: Any, arriving: dict[int, Any]) -> None:
        if isinstance(body, BlobBegin):
            room = np.empty(int(body.bytes), np.uint8)
            arriving[body.id] = (Incoming(body, memoryview(room)), room)
            return
        incoming, room = arriving[body.id]
        if isinstance(body, BlobChunk):
            incoming.take(body)
            self.chunks += 1
            with self._news:
                self._news.notify_all()
            if self.credits:
                connection.send(written(Credit(id=body.id, chunks=1)))
            return
        incoming.finish(body)
        self.blobs[body.id] = (incoming.begin, room)

    def _hear(self, message: Message) -> None:
        with self._news:
            self.heard.append(message)
            self._news.notify_all()


@contextmanager
def played(**settings: Any) -> Iterator[Dashboard]:
    """A dashboard that is closed at the end."""
    dashboard = Dashboard(**settings)
    try:
        yield dashboard
    finally:
        dashboard.close()


def said_goodbye(dashboard: Dashboard) -> Bye:
    """The last word of a training."""
    return dashboard.wait_for(lambda: (dashboard.of(Bye) or [None])[-1])


if __name__ == "__main__":
    alone = Dashboard(int(sys.argv[2]) if len(sys.argv) > 2 else 0, sys.argv[1])
    sys.stdout.write(f"{alone.port}\n")
    sys.stdout.flush()
    threading.Event().wait()
