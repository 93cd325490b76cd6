"""The socket `/ws/train`: one object per connected training, speaking `api.md`. Made by `debugger.asgi`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import Any

from mindinsight.debugger.json_messages import TooManyPartsError, hello_as_json
from mindinsight.debugger.limits import BYTES_A_MESSAGE, HELLO_WITHIN_S, MESSAGES_A_SECOND, MESSAGES_AT_ONCE
from mindinsight.debugger.sessions.registry import Registry, TooManyTrainingsError
from mindinsight.debugger.sessions.session import Session
from mindinsight.debugger.training.blobs import TooManyNodesError
from mindinsight.debugger.training.link import Link
from mindinsight.gate.gate import Receive, Scope, Send
from mindinsight.sockets.json_socket import CLOSE_WITHIN_S
from summaries.debugging import PROTOCOL, WINDOW, MessageError, read
from summaries.schema.debugger_pb2 import Envelope, Hello, Welcome

logger = logging.getLogger(__name__)


class _RefusedError(Exception):
    """The training sent a message that ends the connection."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class TrainSocket:
    """The ASGI application at the socket's path.

    Args:
        registry: this process's sessions.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one training until either side closes."""
        await receive()
        await send({"type": "websocket.accept"})
        link = Link(send)
        pump = asyncio.create_task(link.pump())
        talk = asyncio.create_task(self._talk(receive, link))
        try:
            # If this side closes the connection, the conversation ends too.
            await asyncio.wait([pump, talk], return_when=asyncio.FIRST_COMPLETED)
            if talk.done() and (error := talk.exception()) is not None:
                await self._refuse(error, link, pump)
        finally:
            for task in (pump, talk):
                task.cancel()
            await asyncio.gather(pump, talk, return_exceptions=True)

    async def _refuse(self, error: BaseException, link: Link, pump: asyncio.Task[None]) -> None:
        if isinstance(error, OSError):
            return
        if not isinstance(error, _RefusedError):
            raise error
        link.close(error.code, str(error))
        with contextlib.suppress(OSError, RuntimeError, TimeoutError):
            await asyncio.wait_for(asyncio.shield(pump), 2 * CLOSE_WITHIN_S)

    async def _talk(self, receive: Receive, link: Link) -> None:
        hello = await _greeting(receive, link)
        if hello is None:
            return
        try:
            with self._registry.place():
                session = await self._registry.welcome(hello)
                # Must precede all other messages: watching browsers may send commands at once.
                link.send(Welcome(protocol=PROTOCOL, session=session.key, window=WINDOW))
                session.connect(link, hello_as_json(hello))
                await _listen(receive, link, session)
        except (TooManyTrainingsError, TooManyNodesError, TooManyPartsError) as error:
            raise _RefusedError(4429, str(error)) from None


async def _greeting(receive: Receive, link: Link) -> Hello | None:
    """Returns the training's first message, or None if it has disconnected."""
    try:
        envelope = await asyncio.wait_for(_next(receive), HELLO_WITHIN_S)
    except TimeoutError:
        raise _RefusedError(4408, f"no Hello within {HELLO_WITHIN_S:g} s") from None
    if envelope is None:
        return None
    if envelope.WhichOneof("body") != "hello":
        raise _RefusedError(4400, "the first message is not Hello")
    hello = envelope.hello
    if hello.protocol != PROTOCOL:
        link.send(Welcome(protocol=PROTOCOL))
        raise _RefusedError(4406, f"this dashboard speaks protocol {PROTOCOL}, not {hello.protocol}")
    return hello


async def _listen(receive: Receive, link: Link, session: Session) -> None:
    """Handles a training's messages until it disconnects."""
    pace = _Pace()
    try:
        while (envelope := await _next(receive)) is not None:
            name = envelope.WhichOneof("body")
            if name is not None:
                wanted = name == "blob_chunk" and session.tensor_requests.expects(envelope.blob_chunk.id)
                await session.take(name, getattr(envelope, name))
                await pace.keep(1 if wanted else 1 + envelope.ByteSize() / BYTES_A_MESSAGE)
    finally:
        session.disconnect(link)


class _Pace:
    """Slows down reading from a training that sends far too much. Only its own socket is held up."""

    def __init__(self) -> None:
        self._left = MESSAGES_AT_ONCE
        self._at = time.monotonic()

    async def keep(self, cost: float) -> None:
        """Counts a message (a long one as several), and waits if there were too many."""
        now = time.monotonic()
        self._left = min(MESSAGES_AT_ONCE, self._left + (now - self._at) * MESSAGES_A_SECOND) - cost
        self._at = now
        if self._left < 0:
            await asyncio.sleep(-self._left / MESSAGES_A_SECOND)


async def _next(receive: Receive) -> Envelope | None:
    """Returns the next message, or None if the training has closed."""
    message: Any = await receive()
    if message["type"] == "websocket.disconnect":
        return None
    content = message.get("bytes")
    if content is None:
        raise _RefusedError(4400, "a text message; the training speaks protobuf")
    try:
        return read(content)
    except MessageError as error:
        raise _RefusedError(4400, str(error)) from None
