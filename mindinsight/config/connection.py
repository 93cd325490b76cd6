"""The web server's connections. Named in uvicorn's options by the supervisor (`supervisor/commands.py`)."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mindinsight.config.peers import PEER, Peer


class Connection(HttpToolsProtocol):
    """An HTTP connection that tells its requests, and the socket that it may become, who opened it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Called by the event loop when a client has connected."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, PEER: Peer(self.client, self.server)}
