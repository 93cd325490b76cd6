"""One open socket of a client that uses JSON: receives, sends, closes. Used by `/ws/live` and `/ws/debug`."""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections.abc import Coroutine, Mapping
from typing import Any, Final

import orjson

from mindinsight.gate.gate import Receive, Send
from mindinsight.sockets.messages import ClosedError, Json, parsed

CLOSE_WITHIN_S: Final = 2.0
"""Seconds that a client without reads has for the close frame."""


class JsonSocket:
    """Both directions of a socket.

    Args:
        receive: ASGI's receive function.
        send: ASGI's send function. Waits while the client does not read.
    """

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send

    async def hear(self) -> Json | None:
        """Returns the client's next message, or None after it has closed.

        Raises:
            ClosedError: the message is invalid.
        """
        # If many messages are already waiting, other sockets get their turn after each.
        await asyncio.sleep(0)
        message = await self._receive()
        return None if message["type"] == "websocket.disconnect" else parsed(message)

    async def say(self, message: Mapping[str, Any]) -> None:
        """Sends a message. Waits while the client does not read."""
        await self.say_text(orjson.dumps(message))

    async def say_text(self, message: bytes) -> None:
        """Sends a message that is already JSON."""
        await self._send({"type": "websocket.send", "text": message.decode()})

    async def say_bytes(self, message: bytes) -> None:
        """Sends a binary message."""
        await self._send({"type": "websocket.send", "bytes": message})

    async def close(self, code: int, reason: str) -> None:
        """Closes. A client that does not read gets no close frame, and its connection is cut soon afterwards."""
        with contextlib.suppress(OSError, RuntimeError, TimeoutError):
            async with asyncio.timeout(CLOSE_WITHIN_S):
                await self._send({"type": "websocket.close", "code": code, "reason": short(reason)})


async def first_of(*parts: Coroutine[Any, Any, None]) -> None:
    """Runs the parts of a conversation concurrently. When one of them ends, all end.

    Raises:
        ClosedError: one part raised it. Its frames are cleared, because they refer to the client's message and would
        keep it until the next garbage collection.
    """
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            _raise_of(task)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _raise_of(task: asyncio.Task[None]) -> None:
    error = task.exception()
    if isinstance(error, ClosedError):
        traceback.clear_frames(error.__traceback__)
        raise ClosedError(error.code, str(error))
    if error is not None and not isinstance(error, OSError):
        raise error


def short(reason: str) -> str:
    """Returns the part of a reason that fits into a close frame."""
    return reason.encode()[:120].decode(errors="ignore")
