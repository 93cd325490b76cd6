"""What waits to be sent to one browser: the newest of what replaces itself, every one of the rest. Used by `viewer.py`.

Messages of the rest are kept as text, so that their bytes are known. A browser that is too slow gets the whole session
anew instead of a queue that grows; answers to its own commands cannot be had anew, so with too many of them it is sent
away.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

import orjson

from mindinsight.debugger.json_words import Json
from mindinsight.debugger.limits import MOST_UNSENT, MOST_UNSENT_BYTES
from mindinsight.debugger.told import REPLACED

_ANSWERS = frozenset({"reply", "control", "removed", "pong", "error"})
_NEWEST = frozenset({*REPLACED, "program", "graph", "viewers", "connection", "sessions", "session"})


@dataclass(slots=True, eq=False)
class _Entry:
    """A message that waits: `text`, or `newest` where a later one takes its place; neither where one has."""

    session: str
    is_answer: bool
    newest: Json | None = None
    text: bytes = b""

    @property
    def is_empty(self) -> bool:
        return self.newest is None and not self.text


class Outbox:
    """Messages in their order; of those that replace what came before, only the last one.

    Attributes:
        urgent: whether something waits that a person waits for.
        behind: sessions of which too much has waited: what waited of them is dropped, they are to be told anew.
        bytes: of the messages that wait and are not replaced by later ones.
        overflowed: set when more answers wait than may; there is nothing left that could be dropped.
    """

    def __init__(self) -> None:
        self.behind: set[str] = set()
        self.urgent = asyncio.Event()
        self.bytes = 0
        self.overflowed = asyncio.Event()
        self._waiting: deque[_Entry] = deque()
        self._newest: dict[tuple[str, ...], _Entry] = {}
        self._wake = asyncio.Event()
        self._taken = asyncio.Event()

    def put(self, message: Json) -> None:
        """Adds a message; called in the event loop."""
        session = str(message.get("session", ""))
        is_answer = message["type"] in _ANSWERS
        if session in self.behind and not is_answer:
            return
        self._add(message, session, is_answer)
        self._wake.set()
        if not _can_wait(message):
            self.urgent.set()
        if len(self._waiting) > 2 * MOST_UNSENT:
            self._drop_empty()
        if len(self._waiting) > MOST_UNSENT or self.bytes > MOST_UNSENT_BYTES:
            self._fall_behind(session)

    async def wait(self) -> int:
        """Waits until there is something; returns how many messages to `take` before the next pause."""
        await self._wake.wait()
        self._wake.clear()
        self.urgent.clear()
        return len(self._waiting)

    def take(self) -> bytes | None:
        """Returns the text of the next message; None where it was replaced or dropped."""
        if not self._waiting:
            return None
        entry = self._waiting.popleft()
        self.bytes -= len(entry.text)
        self._taken.set()
        if entry.newest is None:
            return entry.text or None
        self._newest.pop(_key(entry.newest) or (), None)
        return orjson.dumps(entry.newest)

    async def room(self, most: int) -> None:
        """Waits until at most `most` bytes wait."""
        while self.bytes > most:
            self._taken.clear()
            await self._taken.wait()

    def caught_up(self) -> set[str]:
        """Returns sessions that are to be told anew, and forgets that they are."""
        behind, self.behind = self.behind, set()
        return behind

    def _add(self, message: Json, session: str, is_answer: bool) -> None:
        key = _key(message)
        if key is None:
            entry = _Entry(session, is_answer, text=orjson.dumps(message))
            self.bytes += len(entry.text)
        else:
            if (older := self._newest.get(key)) is not None:
                # In the place of the older one, for what came between is no older than that.
                older.newest = None
            entry = self._newest[key] = _Entry(session, is_answer, newest=message)
        self._waiting.append(entry)

    def _drop_empty(self) -> None:
        self._waiting = deque(entry for entry in self._waiting if not entry.is_empty)

    def _fall_behind(self, session: str) -> None:
        """Drops what waits of a session; of all that are watched, where that is not enough."""
        self._drop_empty()
        if session and self._is_over():
            self._drop(session)
        for other in {entry.session for entry in self._waiting if not entry.is_answer} - {""}:
            if self._is_over():
                self._drop(other)
        if self.bytes > MOST_UNSENT_BYTES:
            self.overflowed.set()

    def _is_over(self) -> bool:
        return len(self._waiting) > MOST_UNSENT or self.bytes > MOST_UNSENT_BYTES

    def _drop(self, session: str) -> None:
        dropped = [entry for entry in self._waiting if entry.session == session and not entry.is_answer]
        if dropped:
            self._waiting = deque(entry for entry in self._waiting if entry.session != session or entry.is_answer)
            self._newest = {key: entry for key, entry in self._newest.items() if key[1] != session}
            self.bytes = sum(len(entry.text) for entry in self._waiting)
            self.behind.add(session)


def _key(message: Json) -> tuple[str, ...] | None:
    kind, session = str(message["type"]), str(message.get("session", ""))
    if kind == "tensor":
        return kind, session, str(message["tensor"]["number"])
    return (kind, session) if kind in _NEWEST else None


def _can_wait(message: Json) -> bool:
    """Whether it is one of many that come while a training runs."""
    kind = message["type"]
    if kind == "state":
        return bool(message["state"]["status"] == "RUNNING")
    if kind == "tensor":
        return bool(message["tensor"]["state"] == "arriving")
    return kind in ("watching", "sessions", "viewers", "log")
