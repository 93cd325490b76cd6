"""A browser as sessions see it. Messages wait in its outbox and are sent as fast as it reads.

Made by socket and relay.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import orjson

from mindinsight.debugger.browsers.outbox import Outbox
from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.limits import TOLD_EVERY_S, UNREAD_BYTES


class Viewer:
    """One browser.

    Args:
        name: unique among the watching browsers.
        send: sends one message as text. Waits while the browser does not read.
        whole: returns the full state of a session, for a browser that has fallen behind; None if the session is gone.
    """

    def __init__(
        self, name: str, send: Callable[[bytes], Awaitable[None]], whole: Callable[[str], Awaitable[Json | None]]
    ) -> None:
        self.name = name
        self._send = send
        self._whole = whole
        self._outbox = Outbox()

    def tell(self, message: Json) -> None:
        """Queues a message for the browser."""
        self._outbox.put(message)

    async def room(self) -> None:
        """Waits until the browser has read most of what was sent to it."""
        await self._outbox.room(UNREAD_BYTES)

    async def overflow(self) -> None:
        """Waits while too many answers are unread."""
        await self._outbox.overflowed.wait()

    async def pump(self) -> None:
        """Sends messages until the browser disconnects."""
        while True:
            last = await self._outbox.wait()
            while (text := self._outbox.take(last)) is not None:
                await self._send(text)
            for session in self._outbox.caught_up():
                whole = await self._whole(session)
                if whole is not None:
                    await self._send(orjson.dumps(whole))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._outbox.urgent.wait(), TOLD_EVERY_S)
