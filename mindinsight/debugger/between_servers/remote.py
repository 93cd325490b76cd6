"""Sessions at other processes, and browsers at other processes that watch sessions of this one."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

import orjson

from mindinsight.debugger.between_servers.relay import Relay, SilentError
from mindinsight.debugger.browsers.viewer import Viewer
from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.limits import LONG_ANSWER_WITHIN_S
from mindinsight.debugger.sessions.control import Watcher
from mindinsight.debugger.sessions.handle import SessionHandle
from mindinsight.debugger.training.commands import refusal
from summaries.schema.debugger_pb2 import TensorName

_SOON_S: Final = 3.0
GONE_AFTER_S: Final = 30.0
"""Seconds without confirmation after which a browser of another process counts as gone."""


class RemoteSession:
    """A session of another process.

    Args:
        relay: the connection to the other process.
        key: the session's key.
        owner: the process that has the session.
        watchers: this process's browsers by name, for the owner's messages to them.
    """

    def __init__(self, relay: Relay, key: str, owner: str, watchers: dict[str, Watcher]) -> None:
        self.key = key
        self.owner = owner
        self._relay = relay
        self._watchers = watchers

    async def join(self, watcher: Watcher) -> Json:
        """Adds a watching browser and returns the session's full state.

        Raises:
            SilentError: the other process does not answer.
        """
        self._watchers[watcher.name] = watcher
        return dict(await self._ask("join", _SOON_S, name=watcher.name))

    async def look(self) -> Json:
        """Returns the session's full state.

        Raises:
            SilentError: the other process does not answer.
        """
        return dict(await self._ask("look", _SOON_S))

    async def leave(self, name: str) -> None:
        """Removes a watching browser."""
        await self._relay.tell(self.owner, "leave", {"session": self.key, "name": name})

    async def control(self, name: str, take: bool, force: bool) -> Json:
        """Takes or releases control; returns the answer.

        Raises:
            SilentError: the other process does not answer.
        """
        return dict(await self._ask("control", _SOON_S, name=name, take=take, force=force))

    async def command(self, name: str, content: object) -> Json:
        """Sends a command to the training and returns its reply."""
        try:
            return dict(await self._ask("command", LONG_ANSWER_WITHIN_S + _SOON_S, name=name, command=content))
        except SilentError as error:
            return refusal("not_connected", str(error))

    async def want(self, tensor: TensorName, previous: bool) -> Json | None:
        """Requests values; returns their row, or None if the training is not connected.

        Raises:
            SilentError: the other process does not answer.
        """
        names = {"full_name": tensor.full_name, "slot": tensor.slot, "iteration": tensor.iteration}
        row: Json | None = await self._ask("want", _SOON_S, tensor=names, previous=previous)
        return row

    async def _ask(self, what: str, within: float, **content: Any) -> Any:
        return await self._relay.ask(self.owner, what, {"session": self.key, **content}, within)


class Guests:
    """Browsers of other processes that watch sessions of this one.

    Args:
        relay: the connection to the other processes.
    """

    def __init__(self, relay: Relay) -> None:
        self._relay = relay
        self._guests: dict[tuple[str, str], _Guest] = {}

    async def serve(self, handle: SessionHandle, what: str, content: Json, sender: str) -> Any:
        """Answers a request of another process about a session of this one."""
        name = str(content.get("name", ""))
        match what:
            case "join":
                return await handle.join(self._remote_viewer(handle, name, sender))
            case "look":
                return await handle.look()
            case "control":
                return await handle.control(name, bool(content["take"]), bool(content["force"]))
            case "command":
                return await handle.command(name, content["command"])
            case "want":
                return await handle.want(TensorName(**content["tensor"]), bool(content["previous"]))
        return None

    async def leave(self, key: str, name: str) -> None:
        """Removes a browser of another process."""
        guest = self._guests.pop((key, name), None)
        if guest is not None:
            guest.pumping.cancel()
            await guest.handle.leave(name)

    def confirm(self, names: list[str]) -> None:
        """Notes that browsers of another process still watch."""
        for (_, name), guest in self._guests.items():
            if name in names:
                guest.confirmed = time.monotonic()

    async def sweep(self) -> None:
        """Removes browsers whose process has gone."""
        now = time.monotonic()
        for (key, name), guest in list(self._guests.items()):
            if now - guest.confirmed > GONE_AFTER_S:
                await self.leave(key, name)

    def close(self) -> None:
        """Removes all browsers."""
        for guest in self._guests.values():
            guest.pumping.cancel()

    def _remote_viewer(self, handle: SessionHandle, name: str, sender: str) -> Viewer:
        async def send(text: bytes) -> None:
            await self._relay.tell(sender, "told", {"name": name, "message": orjson.loads(text)})

        async def whole(_: str) -> Json | None:
            return {**await handle.look(), "you": name}

        old = self._guests.pop((handle.key, name), None)
        if old is not None:
            old.pumping.cancel()
        viewer = Viewer(name, send, whole)
        self._guests[handle.key, name] = _Guest(handle, asyncio.create_task(viewer.pump()))
        return viewer


class _Guest:
    def __init__(self, handle: SessionHandle, pumping: asyncio.Task[None]) -> None:
        self.handle = handle
        self.pumping = pumping
        self.confirmed = time.monotonic()
