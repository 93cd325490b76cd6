"""The way out to one training: messages in their order, bounded. Made by the training's socket, used by its session."""

from __future__ import annotations

import asyncio
from typing import Final

from google.protobuf.message import Message

from mindinsight.config.gate import Send
from summaries.debugging import written

_MOST_UNSENT: Final = 1000


class Link:
    """One connection of a training, seen from what wants to say something.

    Args:
        send: ASGI's way out.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._waiting: asyncio.Queue[bytes | tuple[int, str]] = asyncio.Queue()
        self._closed = False

    def send(self, body: Message) -> None:
        """Sends a message; a training that does not read loses its connection.

        Raises:
            MessageError: it is longer than the link takes.
        """
        made = written(body)
        if self._closed:
            return
        if self._waiting.qsize() < _MOST_UNSENT:
            self._waiting.put_nowait(made)
        else:
            self.close(4429, "the training does not read")

    def close(self, code: int, reason: str) -> None:
        """Closes the connection once everything before has been sent."""
        if not self._closed:
            self._closed = True
            self._waiting.put_nowait((code, reason))

    async def pump(self) -> None:
        """Sends what is put in, until the connection is closed from here."""
        while True:
            made = await self._waiting.get()
            if isinstance(made, tuple):
                await self._send({"type": "websocket.close", "code": made[0], "reason": made[1]})
                return
            await self._send({"type": "websocket.send", "bytes": made})
