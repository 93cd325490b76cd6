"""A browser as the dashboard sees it: the socket `/ws/debug`, and questions by HTTP."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from websockets.sync.client import connect
from websockets.typing import Origin

from .fake_training import Place

Json = dict[str, Any]

_PATIENCE_S = 20.0


class Browser:
    """One open page.

    Args:
        dashboard: whose page it is.
    """

    def __init__(self, dashboard: Place) -> None:
        self.dashboard = dashboard
        self._open = ExitStack()
        address, origin = f"ws{dashboard.address[4:]}/ws/debug", Origin(dashboard.address)
        self.socket = self._open.enter_context(connect(address, origin=origin, compression=None))
        self._numbers = itertools.count(1)
        self.name: str = self.hear("hello")["you"]

    def say(self, **message: Any) -> None:
        """Sends a message."""
        self.socket.send(json.dumps(message))

    def hear(self, kind: str, fits: Callable[[Json], object] = lambda _: True) -> Json:
        """Returns the next message of a type that fits; others are left out."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            message: Json = json.loads(self.socket.recv(timeout=max(0.0, deadline - time.monotonic())))
            if message["type"] == kind and fits(message):
                return message

    def watch(self, session: str) -> Json:
        """Watches a session; returns all of it."""
        self.say(type="watch", session=session)
        return self.hear("session")

    def control(self, session: str, take: bool = True, force: bool = False) -> Json:
        """Takes or gives control; returns the answer."""
        self.say(type="control", session=session, take=take, force=force)
        return self.hear("control")

    def ask(self, session: str, command: object) -> str:
        """Sends a command; returns the name by which its reply comes."""
        name = f"c{next(self._numbers)}"
        self.say(type="command", id=name, session=session, command=command)
        return name

    def reply(self, name: str) -> Json:
        """Returns the reply to a command."""
        return self.hear("reply", lambda message: message["id"] == name)

    def send(self, path: str, body: object, method: str = "POST") -> tuple[int, Any]:
        """Asks by HTTP for something that changes something."""
        request = Request(
            self.dashboard.address + path,
            json.dumps(body).encode(),
            {"Origin": self.dashboard.address, "Content-Type": "application/json"},
            method=method,
        )
        try:
            with urlopen(request, timeout=10) as answer:
                return int(answer.status), json.loads(answer.read() or "null")
        except HTTPError as refusal:
            with refusal:
                return refusal.code, json.loads(refusal.read())

    def close(self) -> None:
        """Closes the page."""
        self._open.close()

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
