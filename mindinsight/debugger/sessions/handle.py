"""A session as a browser sees it, wherever its training is connected: here, or at another web server process."""

from __future__ import annotations

from typing import Protocol

from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.sessions.control import Watcher
from summaries.schema.debugger_pb2 import TensorName


class SessionHandle(Protocol):
    """What a browser can do with a session."""

    key: str

    async def join(self, watcher: Watcher) -> Json:
        """A browser begins to watch; returns all that is known."""

    async def look(self) -> Json:
        """Returns all that is known."""

    async def leave(self, name: str) -> None:
        """A browser watches no longer."""

    async def control(self, name: str, take: bool, force: bool) -> Json:
        """Gives or takes control; returns the answer."""

    async def command(self, name: str, content: object) -> Json:
        """Asks something of the training; returns the reply."""

    async def want(self, tensor: TensorName, previous: bool) -> Json | None:
        """Makes sure that values come; returns their row, or None where the training is not there to ask."""
