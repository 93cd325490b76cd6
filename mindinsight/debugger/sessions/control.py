"""Who watches a session, and who of them controls it. Used by the session."""

from __future__ import annotations

from typing import Protocol

from mindinsight.debugger.json_messages import Json


class Watcher(Protocol):
    """A browser, as sessions see it."""

    @property
    def name(self) -> str:
        """Names it among those that watch."""

    def tell(self, message: Json) -> None:
        """Sends a message as soon as the browser takes it."""


class Watchers:
    """The browsers that watch a session.

    Attributes:
        controller: the name of the one that controls.
        holder: the name of the one that holds the lease.
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
        """A browser begins to watch."""
        self._watchers[watcher.name] = watcher

    def discard(self, name: str) -> bool:
        """A browser watches no longer; returns whether it did."""
        if self.controller == name:
            self.controller = None
        return self._watchers.pop(name, None) is not None

    def tell(self, message: Json) -> None:
        """Tells all of them."""
        for watcher in self._watchers.values():
            watcher.tell(message)

    def control(self, name: str, *, take: bool, force: bool) -> bool:
        """Gives or takes control; returns whether it was as wished."""
        if not take:
            if self.controller == name:
                self.controller = None
            return True
        if self.controller not in (None, name) and not force:
            return False
        self.controller = name
        return True
