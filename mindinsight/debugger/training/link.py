"""The outgoing connection to one training: messages in order, limited in number and bytes.

Made by the training's socket, used by its session.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Final

from google.protobuf.message import Message

from mindinsight.debugger.limits import MOST_UNSENT_TO_TRAINING
from mindinsight.gate.gate import Send
from mindinsight.sockets.json_socket import CLOSE_WITHIN_S, short
from summaries.debugging import written

_MOST_UNSENT: Final = 1000


class Link:
    """The sending side of one training's connection.

    Args:
        send: ASGI's send function.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._wake = asyncio.Event()
        self._closing = asyncio.Event()
        self._close: tuple[int, str] = (1000, "")

    @property
    def is_closing(self) -> bool:
        """Whether this side has closed the connection."""
        return self._closing.is_set()

    def send(self, body: Message) -> None:
        """Queues a message. A training that does not read is disconnected.

        Raises:
            MessageError: the message is too long.
        """
        made = written(body)
        if self._closing.is_set():
            return
        if len(self._waiting) >= _MOST_UNSENT or self._bytes + len(made) > MOST_UNSENT_TO_TRAINING:
            self.close(4429, "the training does not read")
            return
        self._waiting.append(made)
        self._bytes += len(made)
        self._wake.set()

    def close(self, code: int, reason: str) -> None:
        """Closes the connection after all earlier messages are sent, or after two seconds if the training does not
        read.
        """
        if not self._closing.is_set():
            self._close = code, reason
            self._closing.set()
            self._wake.set()

    async def pump(self) -> None:
        """Sends queued messages until this side closes the connection."""
        sending = asyncio.create_task(self._send_all())
        closing = asyncio.create_task(self._closing.wait())
        try:
            await asyncio.wait([sending, closing], return_when=asyncio.FIRST_COMPLETED)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(sending, CLOSE_WITHIN_S)
        finally:
            sending.cancel()
            closing.cancel()
            self._waiting.clear()

    async def _send_all(self) -> None:
        while self._waiting or not self._closing.is_set():
            if not self._waiting:
                self._wake.clear()
                await self._wake.wait()
                continue
            made = self._waiting.popleft()
            self._bytes -= len(made)
            await self._send({"type": "websocket.send", "bytes": made})
        code, reason = self._close
        await self._send({"type": "websocket.close", "code": code, "reason": short(reason)})
