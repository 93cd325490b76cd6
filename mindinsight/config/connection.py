"""The web server's HTTP connections: who opened them, and how much memory a client can use.

Named in uvicorn's options by the supervisor (`supervisor/children/commands.py`). Uvicorn itself limits neither the
headers of a request nor the number of requests that a client sends before it has read an answer.
"""

from __future__ import annotations

import asyncio
from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mindinsight.gate.peers import PEER, Peer

HEAD_BYTES: Final = 256 << 10
"""Maximum bytes of a request's line and headers. A page that names thousands of runs has an address of 64 KiB."""
MOST_PIPELINED: Final = 64
"""Maximum number of requests that wait for an earlier answer. Browsers send one at a time."""


class _TooMuchError(Exception):
    """The client sent more than a connection may hold. Uvicorn answers 400 and closes."""


class Connection(HttpToolsProtocol):
    """An HTTP connection that tells its requests, and a socket that it may become, who opened it."""

    _head_bytes = 0
    _is_in_head = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Called by the event loop when a client has connected."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, PEER: Peer(self.client, self.server)}

    def data_received(self, data: bytes) -> None:
        """Called by the event loop with received data."""
        super().data_received(data)
        if not self._is_in_head or self.transport.is_closing():
            return
        self._head_bytes += len(data)
        if self._head_bytes > HEAD_BYTES:
            self.send_400_response(f"The line and headers of a request may have {HEAD_BYTES} bytes.")

    def on_message_begin(self) -> None:
        """Called by the parser when a request begins."""
        super().on_message_begin()
        self._head_bytes, self._is_in_head = 0, True

    def on_headers_complete(self) -> None:
        """Called by the parser after the last header of a request."""
        self._is_in_head = False
        super().on_headers_complete()
        if len(self.pipeline) > MOST_PIPELINED:
            self.pipeline.clear()
            raise _TooMuchError
