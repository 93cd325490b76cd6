"""The socket `/ws/debug`: one object per open page, speaking `api.md`. Made by `debugger.asgi`."""

from __future__ import annotations

import contextlib
import secrets
import time
from typing import Final

import orjson

from mindinsight.debugger.background_tasks import Background
from mindinsight.debugger.between_servers.relay import SilentError
from mindinsight.debugger.browsers.viewer import Viewer
from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.limits import MOST_ASKED, MOST_ASKED_BYTES, MOST_WATCHED
from mindinsight.debugger.sessions.files import is_key
from mindinsight.debugger.sessions.handle import SessionHandle
from mindinsight.debugger.sessions.registry import Registry
from mindinsight.debugger.training.commands import refusal
from mindinsight.gate.gate import Receive, Scope, Send
from mindinsight.sockets.json_socket import JsonSocket, first_of
from mindinsight.sockets.messages import ClosedError, identity

PROTOCOL: Final = 1


class DebugSocket:
    """The ASGI application at the socket's path.

    Args:
        registry: this process's sessions.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one browser until either side closes."""
        await receive()
        await send({"type": "websocket.accept"})
        await Conversation(self._registry, receive, send).hold()


class Conversation:
    """One open socket.

    Args:
        registry: this process's sessions.
        receive: ASGI's receive function.
        send: ASGI's send function.
    """

    def __init__(self, registry: Registry, receive: Receive, send: Send) -> None:
        self.name = secrets.token_hex(4)
        self._registry = registry
        self._line = JsonSocket(receive, send)
        self._viewer = Viewer(self.name, self._line.say_text, self._anew)
        self._asked_bytes = 0
        self._handles: dict[str, SessionHandle] = {}
        self._background = Background()

    async def hold(self) -> None:
        """Handles messages until either side closes."""
        await self._line.say({"type": "hello", "protocol": PROTOCOL, "you": self.name})
        self._registry.browsers.add(self)
        self.tell({"type": "sessions", "sessions": self._registry.rows()})
        try:
            await first_of(self._listen(), self._viewer.pump(), self._watch_unread())
        except ClosedError as error:
            await self._line.close(error.code, str(error))
        finally:
            self._registry.browsers.discard(self)
            await self._background.stop()
            for handle in self._handles.values():
                await handle.leave(self.name)
            self._registry.gone(self.name)

    # Outgoing messages

    def tell(self, message: Json) -> None:
        """Queues a message for the browser."""
        self._viewer.tell(message)

    def moved(self, key: str) -> None:
        """Handles a session's move to another process."""
        if key in self._handles:
            self._background.start(self._watch(key))

    async def _anew(self, key: str) -> Json | None:
        handle = self._handles.get(key)
        with contextlib.suppress(SilentError):
            return None if handle is None else {**await handle.look(), "you": self.name}
        return None

    # Incoming messages

    async def _listen(self) -> None:
        while (request := await self._line.hear()) is not None:
            await self._answer(request)
            del request
            await self._viewer.room()

    async def _watch_unread(self) -> None:
        await self._viewer.overflow()
        raise ClosedError(4429, "too much waits to be read")

    async def _answer(self, request: Json) -> None:
        kind, key = request.get("type"), request.get("session")
        if kind == "ping":
            self.tell({"type": "pong", "id": identity(request), "now": time.time()})
        elif kind not in ("watch", "unwatch", "control", "command"):
            raise ClosedError(4400, f"unknown type {str(kind)[:60]!r}")
        elif not isinstance(key, str) or not is_key(key):
            self._unknown(str(key)[:40])
        elif kind == "watch":
            await self._watch(key)
        elif kind == "unwatch":
            handle = self._handles.pop(key, None)
            if handle is not None:
                await handle.leave(self.name)
        elif kind == "control":
            await self._control(key, request)
        else:
            self._ask(key, request)

    async def _watch(self, key: str) -> None:
        if key not in self._handles and len(self._handles) >= MOST_WATCHED:
            raise ClosedError(4429, f"at most {MOST_WATCHED} sessions on one socket")
        try:
            handle = await self._registry.handle(key)
            if handle is None:
                self._handles.pop(key, None)
                self._unknown(key)
                return
            whole = await handle.join(self._viewer)
        except SilentError as error:
            self.tell(_error("session_silent", str(error), key))
            return
        self._handles[key] = handle
        self.tell({**whole, "you": self.name})

    async def _control(self, key: str, request: Json) -> None:
        handle = self._handles.get(key)
        if handle is None:
            message = "Watch the session first."
            refused = {"type": "control", "session": key, "granted": False, "controller": None}
            self.tell({**refused, "problem": "not_watching", "message": message})
            return
        try:
            self.tell(await handle.control(self.name, request.get("take") is True, request.get("force") is True))
        except SilentError as error:
            self.tell(_error("session_silent", str(error), key))

    def _ask(self, key: str, request: Json) -> None:
        """Runs a command in the background, unless too many of this browser's commands wait for answers."""
        name, command = identity(request), request.get("command")
        size = len(orjson.dumps(command))
        if len(self._background) >= MOST_ASKED or self._asked_bytes > MOST_ASKED_BYTES:
            message = f"{len(self._background)} commands of this browser are already waiting for an answer."
            self._reply(key, name, refusal("too_busy", message))
        else:
            self._asked_bytes += size
            self._background.start(self._command(key, name, command, size))

    async def _command(self, key: str, name: str | int | None, command: object, size: int) -> None:
        try:
            handle = self._handles.get(key)
            if handle is None:
                reply = refusal("not_watching", "Watch the session first.")
            else:
                reply = await handle.command(self.name, command)
        finally:
            self._asked_bytes -= size
        self._reply(key, name, reply)

    def _reply(self, key: str, name: str | int | None, reply: Json) -> None:
        self.tell({"tensor": None, **reply, "type": "reply", "id": name, "session": key})

    def _unknown(self, key: str) -> None:
        self.tell(_error("unknown_session", f"There is no session {key!r}; it may have been removed.", key))


def _error(code: str, message: str, key: str) -> Json:
    return {"type": "error", "code": code, "message": message, "detail": {"session": key}}
