"""What waits to be sent to one browser: the newest of what replaces itself, every one of the rest. Used by `viewer.py`.

A browser that is too slow gets the whole session anew instead of a queue that grows.
"""

from __future__ import annotations

import asyncio
from collections import deque

from mindinsight.debugger.json_words import Json
from mindinsight.debugger.limits import MOST_UNSENT
from mindinsight.debugger.told import REPLACED

_ANSWERS = frozenset({"reply", "control", "removed"})
_NEWEST = frozenset({*REPLACED, "program", "graph", "viewers", "connection", "sessions", "session"})


class Outbox:
    """Messages in their order; of those that replace what came before, only the last one.

    Attributes:
        urgent: whether something waits that a person waits for.
        behind: sessions of which too much has waited: what waited of them is dropped, they are to be told anew.
    """

    def __init__(self) -> None:
        self.behind: set[str] = set()
        self._waiting: deque[Json] = deque()
        self._newest: dict[tuple[str, ...], Json] = {}
        self._wake = asyncio.Event()
        self.urgent = asyncio.Event()

    def put(self, message: Json) -> None:
        """Adds a message; called in the event loop."""
        message = dict(message)  # What is replaced is cleared, and others may have the same message.
        session = str(message.get("session", ""))
        if session in self.behind and message["type"] not in _ANSWERS:
            return
        key = _key(message)
        if key is not None and key in self._newest:
            # In the place of the older one, for what came between is no older than that.
            self._newest[key].clear()
        if key is not None:
            self._newest[key] = message
        self._waiting.append(message)
        self._wake.set()
        if not _can_wait(message):
            self.urgent.set()
        if len(self._waiting) > 2 * MOST_UNSENT:
            self._drop_cleared()
        if len(self._waiting) > MOST_UNSENT and session:
            self._fall_behind(session)

    async def take(self) -> list[Json]:
        """Waits until there is something, and returns all of it."""
        await self._wake.wait()
        self._wake.clear()
        self.urgent.clear()
        taken = [message for message in self._waiting if message]
        self._waiting.clear()
        self._newest.clear()
        return taken

    def caught_up(self) -> set[str]:
        """Returns sessions that are to be told anew, and forgets that they are."""
        behind, self.behind = self.behind, set()
        return behind

    @property
    def waiting(self) -> int:
        """How many messages wait."""
        return sum(1 for message in self._waiting if message)

    def _drop_cleared(self) -> None:
        self._waiting = deque(message for message in self._waiting if message)

    def _fall_behind(self, session: str) -> None:
        self._drop_cleared()
        if len(self._waiting) <= MOST_UNSENT:
            return
        self._waiting = deque(
            message for message in self._waiting if message.get("session") != session or message["type"] in _ANSWERS
        )
        self._newest = {key: message for key, message in self._newest.items() if key[1] != session}
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
