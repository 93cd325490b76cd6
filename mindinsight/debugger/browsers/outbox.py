"""The messages waiting for one browser. Of messages that replace each other only the newest waits.

All other messages wait in order and as text, so that their size is known. A browser that is too slow is sent the
whole session again, so that its queue cannot grow. Answers to its own commands cannot be sent again, so a browser with
too many of them is disconnected. Used by `viewer.py`.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

import orjson

from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.limits import MOST_UNSENT, MOST_UNSENT_BYTES
from mindinsight.debugger.training.report import REPLACED

_ANSWERS = frozenset({"reply", "control", "removed", "pong", "error"})
_NEWEST = frozenset({*REPLACED, "program", "graph", "viewers", "connection", "sessions", "session"})


_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A waiting message: as text, or as an object if a later message may replace it."""

    number: int
    session: str
    is_answer: bool
    content: bytes | Json

    @property
    def size(self) -> int:
        """The bytes that count. Messages that can be replaced count as 0."""
        return len(self.content) if isinstance(self.content, bytes) else 0


class Outbox:
    """Messages in order. Of messages that replace each other, only the last one.

    Attributes:
        urgent: whether a person waits for one of the messages.
        behind: sessions with too many waiting messages. These were dropped, and the sessions have to be sent again.
        bytes: size of the waiting messages that cannot be replaced.
        overflowed: set when too many answers wait and nothing can be dropped.
    """

    def __init__(self) -> None:
        self.behind: set[str] = set()
        self.urgent = asyncio.Event()
        self.bytes = 0
        self.overflowed = asyncio.Event()
        self._waiting: OrderedDict[_Key | int, _Entry] = OrderedDict()
        self._last = 0
        self._wake = asyncio.Event()
        self._taken = asyncio.Event()

    def put(self, message: Json) -> None:
        """Adds a message. Called in the event loop."""
        session = str(message.get("session", ""))
        is_answer = message["type"] in _ANSWERS
        if session in self.behind and not is_answer:
            return
        self._add(message, session, is_answer)
        self._wake.set()
        if not _can_wait(message):
            self.urgent.set()
        if self._is_over():
            self._fall_behind(session)

    async def wait(self) -> int:
        """Waits for a message. Returns the number of the last one, up to which `take` may be called before a pause."""
        await self._wake.wait()
        self._wake.clear()
        self.urgent.clear()
        return self._last

    def take(self, last: int) -> bytes | None:
        """Returns the text of the next message, or None if all waiting messages have numbers above `last`."""
        first = next(iter(self._waiting.values()), None)
        if first is None or first.number > last:
            return None
        self._waiting.popitem(last=False)
        self.bytes -= first.size
        self._taken.set()
        return first.content if isinstance(first.content, bytes) else orjson.dumps(first.content)

    async def room(self, most: int) -> None:
        """Waits until at most `most` bytes wait."""
        while self.bytes > most:
            self._taken.clear()
            await self._taken.wait()

    def caught_up(self) -> set[str]:
        """Returns the sessions that have to be sent again, and clears the list."""
        behind, self.behind = self.behind, set()
        return behind

    def _add(self, message: Json, session: str, is_answer: bool) -> None:
        self._last += 1
        key = _key(message)
        if key is None:
            entry = _Entry(self._last, session, is_answer, orjson.dumps(message))
            self.bytes += entry.size
            self._waiting[self._last] = entry
        else:
            # At the end, because older messages must not follow a newer one.
            self._waiting.pop(key, None)
            self._waiting[key] = _Entry(self._last, session, is_answer, message)

    def _fall_behind(self, session: str) -> None:
        """Drops the waiting messages of a session, and of all watched sessions if that is not enough."""
        if session and self._is_over():
            self._drop(session)
        for other in {entry.session for entry in self._waiting.values() if not entry.is_answer} - {""}:
            if self._is_over():
                self._drop(other)
        if self.bytes > MOST_UNSENT_BYTES:
            self.overflowed.set()

    def _is_over(self) -> bool:
        return len(self._waiting) > MOST_UNSENT or self.bytes > MOST_UNSENT_BYTES

    def _drop(self, session: str) -> None:
        dropped = [key for key, entry in self._waiting.items() if entry.session == session and not entry.is_answer]
        for key in dropped:
            self.bytes -= self._waiting.pop(key).size
        if dropped:
            self.behind.add(session)
            self._taken.set()  # Wakes the tasks that wait for room.


def _key(message: Json) -> _Key | None:
    """Returns the key that messages replacing each other share, or None for a message that cannot be replaced."""
    kind, session = str(message["type"]), str(message.get("session", ""))
    if kind == "tensor":
        return kind, session, str(message["tensor"]["number"])
    return (kind, session) if kind in _NEWEST else None


def _can_wait(message: Json) -> bool:
    """Whether a running training sends many such messages."""
    kind = message["type"]
    if kind == "state":
        return bool(message["state"]["status"] == "RUNNING")
    if kind == "tensor":
        return bool(message["tensor"]["state"] == "arriving")
    return kind in ("watching", "sessions", "viewers", "log")
