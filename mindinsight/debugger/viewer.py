"""A browser as sessions see it: news go into its outbox, and out at its own pace. Made by the socket and the relay."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from mindinsight.debugger.json_words import Json
from mindinsight.debugger.limits import TOLD_EVERY_S
from mindinsight.debugger.outbox import Outbox


class Viewer:
    """One browser.

    Args:
        name: names it among those that watch.
        send: sends one message; waits as long as the browser does not read.
        anew: returns all of a session, for one that has fallen behind; None where it is gone.
    """

    def __init__(
        self, name: str, send: Callable[[Json], Awaitable[None]], anew: Callable[[str], Awaitable[Json | None]]
    ) -> None:
        self.name = name
        self._send = send
        self._anew = anew
        self._outbox = Outbox()

    def tell(self, message: Json) -> None:
        """Sends a message as soon as the browser takes it."""
        self._outbox.put(message)

    @property
    def waiting(self) -> int:
        """How many messages it has not taken."""
        return self._outbox.waiting

    async def pump(self) -> None:
        """Sends what is told, as long as the browser is there."""
        while True:
            for message in await self._outbox.take():
                await self._send(message)
            for session in self._outbox.caught_up():
                whole = await self._anew(session)
                if whole is not None:
                    await self._send(whole)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._outbox.urgent.wait(), TOLD_EVERY_S)
