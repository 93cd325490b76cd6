"""What the training's thread says to the dashboard and hears from it; the session keeps one from attaching to its end.

Commands come in the link's thread and wait in an inbox; everything else happens in the training's.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from framework.debugger.inbox import Inbox
from framework.debugger.link import Link
from framework.debugger.telling import program_of, state_of
from summaries.schema import debugger_pb2 as wire

if TYPE_CHECKING:
    from framework.debugger.session import Session

__all__ = ["Conversation"]

_log = logging.getLogger("framework")

_RUNNING_SECONDS: Final = 0.2
"""So often at most a training that runs tells where it is."""


class Conversation:
    """A session's side of the link.

    Args:
        session: whose state is told.

    Attributes:
        inbox: commands that wait.

    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._link: Link | None = None
        self._handle: Callable[[wire.Command], None] = lambda command: None
        self.inbox = Inbox()
        self._program_told = (-1, 0)
        self._told_at = 0.0

    @property
    def link(self) -> Link | None:
        """To the dashboard; None before the beginning and after the end."""
        return self._link

    @property
    def is_due(self) -> bool:
        """Whether a training that runs has told nothing for a while."""
        return time.monotonic() - self._told_at >= _RUNNING_SECONDS

    def begin(self, link: Link, handle: Callable[[wire.Command], None]) -> None:
        """Connect.

        Args:
            link: to the dashboard, not yet started.
            handle: does what a command says, in the training's thread.

        """
        self._link = link
        self._handle = handle
        link.start()

    def end(self, bye: wire.Bye) -> None:
        """Say the last state and goodbye. What waits is answered, and not obeyed."""
        if self._link is None:
            return
        link, self._link = self._link, None
        while (command := self.inbox.take()) is not None:
            _answer(link, command, "ended", "the training has ended, or the debugger is detached")
        link.send(state_of(self._session))
        link.close(bye)

    # ---- heard

    def hear(self, command: wire.Command) -> None:
        """Take a command; called in the link's thread."""
        if self.inbox.put(command):
            self._session.attention = True
        elif (link := self._link) is not None:
            _answer(link, command, "too_busy", "too many commands wait already")

    def wait(self, seconds: float) -> wire.Command | None:
        """The next command, waited for so long at most."""
        return self.inbox.take(seconds)

    def obey_all(self) -> None:
        """Do what the commands say that wait."""
        # What comes in while the last word is on its way out finds the training detached.
        while self._link is not None and (command := self.inbox.take()) is not None:
            self.obey(command)

    def obey(self, command: wire.Command) -> None:
        """Do what a command says; one that fails is answered with its reason."""
        try:
            self._handle(command)
        except Exception as error:
            _log.exception("The debugger could not do what it was asked to: %s.", command.WhichOneof("action"))
            if self._link is not None:
                _answer(self._link, command, "failed", f"{type(error).__name__}: {error}")

    # ---- said

    def reply(self, reply: wire.Reply) -> None:
        """Answer a command."""
        if self._link is not None:
            self._link.send(reply)

    def tell(self) -> None:
        """Tell the state as it is now."""
        link = self._link
        if link is None:
            return
        self._told_at = time.monotonic()
        self.tell_program()
        link.send(state_of(self._session), keep=True)

    def tell_program(self) -> None:
        """Tell the nodes, if there are others than were told."""
        link, nodes = self._link, self._session.steps.nodes
        if link is None or nodes is None:
            return
        if (now := (len(nodes), len(nodes.files))) != self._program_told:
            self._program_told = now
            program_of(link, nodes.program, nodes.graph)


def _answer(link: Link, command: wire.Command, problem: str, message: str) -> None:
    link.send(wire.Reply(id=command.id, problem=problem, message=message))
