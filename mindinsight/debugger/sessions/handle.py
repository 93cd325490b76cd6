"""A session as a browser sees it. Its training may be connected to this or to another web server process."""

from __future__ import annotations

from typing import Protocol

from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.sessions.control import Watcher
from summaries.schema.debugger_pb2 import TensorName


class SessionHandle(Protocol):
    """The operations of a browser on a session."""

    key: str

    async def join(self, watcher: Watcher) -> Json:
        """Adds a watching browser and returns the session's full state."""

    async def look(self) -> Json:
        """Returns the session's full state."""

    async def leave(self, name: str) -> None:
        """Removes a watching browser."""

    async def control(self, name: str, take: bool, force: bool) -> Json:
        """Takes or releases control; returns the answer."""

    async def command(self, name: str, content: object) -> Json:
        """Sends a command to the training and returns its reply."""

    async def want(self, tensor: TensorName, previous: bool) -> Json | None:
        """Requests values; returns their row, or None if the training is not connected."""
