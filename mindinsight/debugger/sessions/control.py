"""The browsers that watch a session, and the one that controls it. Used by the session."""

from __future__ import annotations

from typing import Protocol

from mindinsight.debugger.json_messages import Json


class Watcher(Protocol):
    """A browser, as sessions see it."""

    @property
    def name(self) -> str:
        """Unique name among the watching browsers."""

    def tell(self, message: Json) -> None:
        """Queues a message for the browser."""


class Watchers:
    """The browsers that watch a session.

    Attributes:
        controller: name of the controlling browser.
        holder: name of the browser that holds the lease.
    """

    def __init__(self) -> None:
        self.controller: str | None = None
        self.holder: str | None = None
        self._watchers: dict[str, Watcher] = {}

    def __len__(self) -> int:
        return len(self._watchers)

    def __contains__(self, name: object) -> bool:
        return name in self._watchers

    def add(self, watcher: Watcher) -> None:
        """Adds a browser."""
        self._watchers[watcher.name] = watcher

    def discard(self, name: str) -> bool:
        """Removes a browser. Returns whether it was watching."""
        if self.controller == name:
            self.controller = None
        return self._watchers.pop(name, None) is not None

    def tell(self, message: Json) -> None:
        """Sends a message to all of them."""
        for watcher in self._watchers.values():
            watcher.tell(message)

    def control(self, name: str, *, take: bool, force: bool) -> bool:
        """Takes or releases control. Returns whether that succeeded."""
        if not take:
            if self.controller == name:
                self.controller = None
            return True
        if self.controller not in (None, name) and not force:
            return False
        self.controller = name
        return True
