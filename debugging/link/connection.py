"""One connection with a dashboard, from the greeting to its end."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from google.protobuf.message import Message
from websockets.asyncio.client import ClientConnection

from debugging.link.address import Address
from debugging.link.handshake import OPEN_SECONDS, Refused
from debugging.link.outbox import Outbox
from summaries.debugging import PROTOCOL, MessageError, body_of, read, written
from summaries.schema.debugger_pb2 import Command, Credit, Hello, Reply, Welcome

__all__ = ["Connection", "Queues"]

_log = logging.getLogger("debugging")

_TICK_SECONDS: Final = 0.25
_WIDEST_WINDOW: Final = 64
_MOST_WARNINGS: Final = 5
"""Warnings about one kind of invalid message per connection."""


@dataclass(frozen=True, slots=True)
class Queues:
    """What a link shares with its connections.

    Attributes:
        outgoing: Messages and blobs to send.
        more: Set when something was added to it.
        closing: Set when the connection ends after the queued messages.
        on_command: Called with each command.
        on_tick: Called a few times a second.

    """

    outgoing: Outbox
    more: asyncio.Event
    closing: threading.Event
    on_command: Callable[[Command], None]
    on_tick: Callable[[], None]


class Connection:
    """Talks until the connection is lost or the link is closed.

    Args:
        socket: An open one.
        address: Of the dashboard, for messages.
        queues: Of the link.

    """

    def __init__(self, socket: ClientConnection, address: Address, queues: Queues) -> None:
        self._socket = socket
        self._address = address
        self._queues = queues
        self._warnings: Counter[str] = Counter()

    async def greet(self, hello: Hello) -> int:
        """Say hello and read the answer, which fills in the session.

        Returns:
            How many chunks of a blob may be sent without credit.

        Raises:
            Refused: The dashboard does not accept the training.

        """
        await self._socket.send(written(hello))
        async with asyncio.timeout(OPEN_SECONDS):
            answer = await self._socket.recv()
        try:
            body = body_of(read(answer)) if isinstance(answer, bytes) else None
        except MessageError:
            body = None
        if not isinstance(body, Welcome):
            raise Refused(f"The server at {self._address.shown} is not a dashboard with a debugger.")
        if body.protocol != PROTOCOL:
            raise Refused(
                f"The dashboard at {self._address.shown} speaks version {body.protocol} of the debugger's protocol, "
                f"and this training speaks version {PROTOCOL}: install the same version of mindinsight for both.",
                for_ever=True,
            )
        hello.session = body.session or hello.session
        return max(1, min(body.window, _WIDEST_WINDOW))

    async def talk(self) -> None:
        """Send and receive until the connection or the link ends."""
        tasks = [asyncio.create_task(work) for work in (self._read(), self._write(), self._tick())]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        for end in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(end, Exception):
                raise end

    async def _write(self) -> None:
        queues = self._queues
        while True:
            queues.more.clear()
            # Checked before the queue is emptied: the goodbye is queued first, and then the link is closed.
            is_closing = queues.closing.is_set()
            while (message := queues.outgoing.take()) is not None:
                try:
                    data = written(message)
                except MessageError as error:
                    self._warn("too long", f"{error}; it is left out")
                    data = _too_long(message)
                if data:
                    await self._socket.send(data)
            if is_closing:
                return
            await queues.more.wait()

    async def _tick(self) -> None:
        while True:
            self._queues.on_tick()
            await asyncio.sleep(_TICK_SECONDS)

    async def _read(self) -> None:
        async for data in self._socket:
            if not isinstance(data, bytes):
                self._warn("text", "a text, but messages are bytes")
                continue
            try:
                body = body_of(read(data))
            except MessageError as error:
                self._warn("unreadable", str(error))
                continue
            self._hear(body)

    def _hear(self, body: object) -> None:
        if isinstance(body, Credit):
            self._queues.outgoing.credit(body)
            self._queues.more.set()
        elif isinstance(body, Command) and body.WhichOneof("action") is not None:
            self._queues.on_command(body)
        elif isinstance(body, Command):
            self._refuse(body.id, "this training does not know this command: it has another version")
        elif isinstance(body, Welcome):
            self._warn("welcome", "a second welcome")
        else:
            self._refuse("", "this training does not know this kind of message: it has another version")

    def _refuse(self, number: str, message: str) -> None:
        self._warn("unknown", message)
        self._queues.outgoing.put(Reply(id=number, problem="unknown_command", message=message))

    def _warn(self, kind: str, what: str) -> None:
        self._warnings[kind] += 1
        if self._warnings[kind] <= _MOST_WARNINGS:
            _log.warning("The debugger's link with %s: %s.", self._address.shown, what)


def _too_long(message: Message) -> bytes:
    """The message that replaces one that is too long."""
    if isinstance(message, Reply):
        text = "the answer is longer than one message may be"
        return written(Reply(id=message.id, problem="too_long", message=text))
    return b""
