"""Connects web server processes. Each has the sessions of the trainings connected to it, and all can watch every
session.

The messages go through the channel layer, like live points. Each process has a group named after it; changes go to a
group of all processes. `registry.py` answers the requests of other processes.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from channels.layers import get_channel_layer
from redis.exceptions import RedisError

from mindinsight.debugger.background_tasks import Background
from mindinsight.debugger.json_messages import Json

logger = logging.getLogger(__name__)

ALL: Final = "debugger"
_TYPE: Final = "debugger"
_RETRY_S: Final = 1.0


class SilentError(RuntimeError):
    """Another web server does not answer."""


class Relay:
    """Sends and receives messages between this process and the other web servers.

    Args:
        owner: the name of this process.
        serve: answers a request of another process. Takes the kind, the content and the sender.
        heard: handles a message of another process. Takes the kind and the content.
    """

    def __init__(
        self,
        owner: str,
        serve: Callable[[str, Json, str], Awaitable[Any]],
        heard: Callable[[str, Json], None],
    ) -> None:
        self.owner = owner
        self._serve = serve
        self._heard = heard
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._background = Background()

    async def listen(self) -> None:
        """Receives messages as long as the process lives. Nothing arrives while the broker is away."""
        layer = get_channel_layer()
        logged = False
        while True:
            try:
                channel = await layer.new_channel()
                await layer.group_add(ALL, channel)
                await layer.group_add(_group(self.owner), channel)
                logged = False
                while True:
                    self._receive(await layer.receive(channel))
            except (RedisError, OSError) as error:
                if not logged:
                    logger.warning(
                        "The broker is away (%s); the debugger sees only trainings that are connected here", error
                    )
                logged = True
                await asyncio.sleep(_RETRY_S)

    async def tell(self, to: str | None, what: str, content: Json) -> None:
        """Sends a message to another web server or to all of them. It is lost if the broker is away."""
        await self._send(to, {"kind": "tell", "what": what, "content": content})

    async def ask(self, to: str, what: str, content: Json, within: float) -> Any:
        """Sends a request to another web server and returns the answer.

        Raises:
            SilentError: the other process does not answer in time.
        """
        number = next(self._numbers)
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            await self._send(to, {"kind": "ask", "what": what, "content": content, "number": number})
            async with asyncio.timeout(within):
                return await answer
        except TimeoutError:
            raise SilentError("The web server that has the training's connection does not answer.") from None
        finally:
            del self._asked[number]

    async def _send(self, to: str | None, message: Json) -> None:
        with contextlib.suppress(RedisError, OSError, TimeoutError):
            async with asyncio.timeout(2):
                await get_channel_layer().group_send(
                    ALL if to is None else _group(to), {"type": _TYPE, "sender": self.owner, **message}
                )

    def _receive(self, message: Json) -> None:
        if message["type"] != _TYPE or message["sender"] == self.owner:
            return
        if message["kind"] == "answer":
            waiting = self._asked.get(message["number"])
            if waiting is not None and not waiting.done():
                waiting.set_result(message["content"])
        elif message["kind"] == "tell":
            self._heard(message["what"], message["content"])
        else:
            self._background.start(self._answer(message))

    async def _answer(self, message: Json) -> None:
        content = await self._serve(message["what"], message["content"], message["sender"])
        await self._send(message["sender"], {"kind": "answer", "number": message["number"], "content": content})


def _group(owner: str) -> str:
    return f"debugger.{owner}"
