"""Who opened a connection: this process's own account, or another one. Used by the gate.

The web server's connections (`config/connection.py`) each keep one `Peer`, so that its owner is looked up once.
"""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mindinsight.gate.socket_owner import Address, ask_kernel, find_in_tables, plain

PEER = "mindinsight.peer"
# A proxy adds one of these headers. The socket then belongs to the proxy, not to the user.
_PROXY_HEADERS = frozenset({b"forwarded", b"x-forwarded-for", b"x-real-ip", b"via"})
_OVERFLOW_USER = Path("/proc/sys/kernel/overflowuid")


class Peer:
    """The other end of one connection.

    Args:
        client: its address and port, or None if the server does not know them.
        server: address and port of this end, or None if the server does not know them.
    """

    def __init__(self, client: tuple[str, int | None] | None, server: tuple[str, int | None] | None) -> None:
        self._client = _with_port(client)
        self._server = _with_port(server)
        self._is_own: bool | None = None

    async def is_own_account(self) -> bool:
        """Returns whether this account opened the connection over the loopback interface."""
        if self._is_own is None:
            self._is_own = await self._look()
        return self._is_own

    async def _look(self) -> bool:
        if self._client is None or self._server is None:
            return False
        try:
            if not plain(self._client[0]).is_loopback:
                return False
            user = await _owner(self._client, self._server)
        except (OSError, ValueError):
            return False
        return user == os.geteuid() and user != _overflow_user()


async def is_own_account(scope: Mapping[str, Any]) -> bool:
    """Returns whether a process of this account sent the request, without a proxy in between.

    Args:
        scope: the ASGI scope of a request or a socket.
    """
    if any(name.lower() in _PROXY_HEADERS for name, _ in scope["headers"]):
        return False
    # Servers other than ours store nothing for a connection.
    peer = scope.get("state", {}).get(PEER) or Peer(scope.get("client"), scope.get("server"))
    return bool(await peer.is_own_account())


async def _owner(client: Address, server: Address) -> int | None:
    try:
        return ask_kernel(client, server)
    except OSError:
        return await asyncio.to_thread(find_in_tables, client, server)


def _with_port(address: tuple[str, int | None] | None) -> Address | None:
    return None if address is None or address[1] is None else (address[0], address[1])


@functools.cache
def _overflow_user() -> int | None:
    """The user ID that stands for all accounts outside this process's user namespace."""
    try:
        return int(_OVERFLOW_USER.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
