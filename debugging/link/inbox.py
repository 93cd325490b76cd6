"""The queue of commands from the link's thread to the training's."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Final

from summaries.schema.debugger_pb2 import Command

__all__ = ["Inbox"]

_WAITING: Final = 256


class Inbox:
    """A bounded queue of commands."""

    def __init__(self) -> None:
        self._commands: deque[Command] = deque()
        self._news = threading.Condition()

    def __bool__(self) -> bool:
        return bool(self._commands)

    def put(self, command: Command) -> bool:
        """Add a command; returns whether there was room."""
        with self._news:
            if len(self._commands) >= _WAITING:
                return False
            self._commands.append(command)
            self._news.notify()
            return True

    def take(self, seconds: float = 0.0) -> Command | None:
        """The oldest command; None if none comes in this time."""
        deadline = time.monotonic() + seconds
        with self._news:
            while not self._commands and (left := deadline - time.monotonic()) > 0:
                self._news.wait(left)
            return self._commands.popleft() if self._commands else None
