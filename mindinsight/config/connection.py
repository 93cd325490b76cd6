"""The web server's HTTP connections: who opened them, and what a client can make them keep in memory.

Named in uvicorn's options by the supervisor (`supervisor/children/commands.py`). Uvicorn itself bounds neither the
headers of a request nor the number of requests that a client sends before it has read an answer.
"""

from __future__ import annotations

import asyncio
from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mindinsight.gate.peers import PEER, Peer

HEAD_BYTES: Final = 256 << 10
"""Bytes of a request's line and headers at most. A page that names thousands of runs has an address of 64 KiB."""
MOST_PIPELINED: Final = 64
"""Requests that may wait for the answer to the one before. Browsers send one at a time."""


class _TooMuchError(Exception):
    """The client sends more than a connection keeps; uvicorn answers 400 and closes."""


class Connection(HttpToolsProtocol):
    """An HTTP connection that tells its requests, and the socket that it may become, who opened it."""

    _head_bytes = 0
    _is_in_head = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Called by the event loop when a client has connected."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, PEER: Peer(self.client, self.server)}

    def data_received(self, data: bytes) -> None:
        """Called by the event loop with what the client has sent."""
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
        """Called by the parser when all headers of a request are there."""
        self._is_in_head = False
        super().on_headers_complete()
        if len(self.pipeline) > MOST_PIPELINED:
            self.pipeline.clear()
            raise _TooMuchError
