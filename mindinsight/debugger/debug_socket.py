"""The socket `/ws/debug`: one object per open page, speaking `api.md`. Made by the door of the debugger."""

from __future__ import annotations

import contextlib
import secrets
import time
from typing import Final

import orjson

from mindinsight.config.gate import Receive, Scope, Send
from mindinsight.debugger.background import Background
from mindinsight.debugger.commands import refusal
from mindinsight.debugger.desk import Desk
from mindinsight.debugger.json_words import Json
from mindinsight.debugger.limits import MOST_ASKED, MOST_ASKED_BYTES, MOST_WATCHED
from mindinsight.debugger.places import is_key
from mindinsight.debugger.relay import SilentError
from mindinsight.debugger.seats import Seat
from mindinsight.debugger.viewer import Viewer
from mindinsight.sockets.line import Line, first_of
from mindinsight.sockets.messages import ClosedError, identity

PROTOCOL: Final = 1


class DebugSocket:
    """The ASGI application of the socket's path.

    Args:
        desk: this process's sessions.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one browser until either side closes."""
        await receive()
        await send({"type": "websocket.accept"})
        await Conversation(self._desk, receive, send).hold()


class Conversation:
    """One open socket.

    Args:
        desk: this process's sessions.
        receive: ASGI's way in.
        send: ASGI's way out.
    """

    def __init__(self, desk: Desk, receive: Receive, send: Send) -> None:
        self.name = secrets.token_hex(4)
        self._desk = desk
        self._line = Line(receive, send)
        self._viewer = Viewer(self.name, self._line.say_text, self._anew)
        self._asked_bytes = 0
        self._seats: dict[str, Seat] = {}
        self._background = Background()

    async def hold(self) -> None:
        """Talks until either side closes."""
        await self._line.say({"type": "hello", "protocol": PROTOCOL, "you": self.name})
        self._desk.browsers.add(self)
        self.tell({"type": "sessions", "sessions": self._desk.rows()})
        try:
            await first_of(self._listen(), self._viewer.pump(), self._watch_unread())
        except ClosedError as error:
            await self._line.close(error.code, str(error))
        finally:
            self._desk.browsers.discard(self)
            await self._background.stop()
            for seat in self._seats.values():
                await seat.leave(self.name)
            self._desk.gone(self.name)

    # What is told

    def tell(self, message: Json) -> None:
        """Sends a message as soon as the browser takes it."""
        self._viewer.tell(message)

    def moved(self, key: str) -> None:
        """A session is at another process now."""
        if key in self._seats:
            self._background.start(self._watch(key))

    async def _anew(self, key: str) -> Json | None:
        seat = self._seats.get(key)
        with contextlib.suppress(SilentError):
            return None if seat is None else {**await seat.look(), "you": self.name}
        return None

    # What the browser says

    async def _listen(self) -> None:
        while (said := await self._line.hear()) is not None:
            await self._answer(said)
            del said
            await self._viewer.room()

    async def _watch_unread(self) -> None:
        await self._viewer.overflow()
        raise ClosedError(4429, "too much waits to be read")

    async def _answer(self, said: Json) -> None:
        kind, key = said.get("type"), said.get("session")
        if kind == "ping":
            self.tell({"type": "pong", "id": identity(said), "now": time.time()})
        elif kind not in ("watch", "unwatch", "control", "command"):
            raise ClosedError(4400, f"unknown type {str(kind)[:60]!r}")
        elif not isinstance(key, str) or not is_key(key):
            self._unknown(str(key)[:40])
        elif kind == "watch":
            await self._watch(key)
        elif kind == "unwatch":
            seat = self._seats.pop(key, None)
            if seat is not None:
                await seat.leave(self.name)
        elif kind == "control":
            await self._control(key, said)
        else:
            self._ask(key, said)

    async def _watch(self, key: str) -> None:
        if key not in self._seats and len(self._seats) >= MOST_WATCHED:
            raise ClosedError(4429, f"at most {MOST_WATCHED} sessions on one socket")
        try:
            seat = await self._desk.seat(key)
            if seat is None:
                self._seats.pop(key, None)
                self._unknown(key)
                return
            whole = await seat.join(self._viewer)
        except SilentError as error:
            self.tell(_error("session_silent", str(error), key))
            return
        self._seats[key] = seat
        self.tell({**whole, "you": self.name})

    async def _control(self, key: str, said: Json) -> None:
        seat = self._seats.get(key)
        if seat is None:
            message = "Watch the session first."
            told = {"type": "control", "session": key, "granted": False, "controller": None}
            self.tell({**told, "problem": "not_watching", "message": message})
            return
        try:
            self.tell(await seat.control(self.name, said.get("take") is True, said.get("force") is True))
        except SilentError as error:
            self.tell(_error("session_silent", str(error), key))

    def _ask(self, key: str, said: Json) -> None:
        """Asks for a command's answer beside the conversation, unless too many wait for theirs."""
        name, command = identity(said), said.get("command")
        size = len(orjson.dumps(command))
        if len(self._background) >= MOST_ASKED or self._asked_bytes > MOST_ASKED_BYTES:
            message = f"{len(self._background)} commands of this browser wait for an answer already."
            self._reply(key, name, refusal("too_busy", message))
        else:
            self._asked_bytes += size
            self._background.start(self._command(key, name, command, size))

    async def _command(self, key: str, name: str | int | None, command: object, size: int) -> None:
        try:
            seat = self._seats.get(key)
            if seat is None:
                reply = refusal("not_watching", "Watch the session first.")
            else:
                reply = await seat.command(self.name, command)
        finally:
            self._asked_bytes -= size
        self._reply(key, name, reply)

    def _reply(self, key: str, name: str | int | None, reply: Json) -> None:
        self.tell({"tensor": None, **reply, "type": "reply", "id": name, "session": key})

    def _unknown(self, key: str) -> None:
        self.tell(_error("unknown_session", f"There is no session {key!r}; somebody may have removed it.", key))


def _error(code: str, message: str, key: str) -> Json:
    return {"type": "error", "code": code, "message": message, "detail": {"session": key}}
