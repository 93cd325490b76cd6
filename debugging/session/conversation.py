"""The training's side of the link: commands that wait, and replies, state and program that are sent.

The link's thread puts commands into an inbox. Everything else happens in the training's thread.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

from google.protobuf.message import Message

from debugging.link.inbox import Inbox
from debugging.link.link import Link
from debugging.session.messages import send_program, state_of
from debugging.session.training import Training
from summaries.schema import debugger_pb2 as wire

__all__ = ["Conversation"]

_log = logging.getLogger("debugging")

_RUNNING_SECONDS: Final = 0.2
"""Least seconds between two reports of a running training."""


class Conversation:
    """Talks with the dashboard from the attaching of a training to its end.

    Args:
        training: Whose state is sent.
        attend: Called in the link's thread when a command has come.

    Attributes:
        inbox: Commands that wait.

    """

    def __init__(self, training: Training, attend: Callable[[], None]) -> None:
        self._training = training
        self._attend = attend
        self._link: Link | None = None
        self._handle: Callable[[wire.Command], None] = lambda command: None
        self.inbox = Inbox()
        #: Numbers of nodes and files in the program that was sent last.
        self._sent_program = (-1, 0)
        self._sent_at = 0.0

    @property
    def link(self) -> Link | None:
        """The link to the dashboard; None before the beginning and after the end."""
        return self._link

    @property
    def is_due(self) -> bool:
        """Whether a running training has sent nothing for a while."""
        return time.monotonic() - self._sent_at >= _RUNNING_SECONDS

    def begin(self, link: Link, handle: Callable[[wire.Command], None]) -> None:
        """Connect.

        Args:
            link: To the dashboard, not yet started.
            handle: Carries out a command, in the training's thread.

        """
        self._link = link
        self._handle = handle
        link.start()

    def end(self, bye: wire.Bye) -> None:
        """Send the last state and a goodbye. Commands that still wait are refused."""
        if self._link is None:
            return
        link, self._link = self._link, None
        while (command := self.inbox.take()) is not None:
            _refuse(link, command, "ended", "the training has ended, or the debugger is detached")
        link.send(state_of(self._training))
        link.close(bye)

    # ---- commands

    def hear(self, command: wire.Command) -> None:
        """Take a command; called in the link's thread."""
        if self.inbox.put(command):
            self._attend()
        elif (link := self._link) is not None:
            _refuse(link, command, "too_busy", "too many commands are waiting already")

    def wait(self, seconds: float) -> wire.Command | None:
        """The next command; None if none comes in this time."""
        return self.inbox.take(seconds)

    def carry_out_all(self) -> None:
        """Carry out the commands that wait."""
        # A command that crosses the goodbye finds the training detached.
        while self._link is not None and (command := self.inbox.take()) is not None:
            self.carry_out(command)

    def carry_out(self, command: wire.Command) -> None:
        """Carry out a command; one that fails is answered with its error."""
        try:
            self._handle(command)
        except Exception as error:
            _log.exception("The debugger could not carry out a command: %s.", command.WhichOneof("action"))
            if self._link is not None:
                _refuse(self._link, command, "failed", f"{type(error).__name__}: {error}")

    # ---- messages

    def send(self, message: Message, *, keep: bool = False) -> None:
        """Send a message, if the training is attached.

        Args:
            message: What to send.
            keep: Send it again after a lost connection.

        """
        if self._link is not None:
            self._link.send(message, keep=keep)

    def send_state(self) -> None:
        """Send the current state."""
        if self._link is None:
            return
        self._sent_at = time.monotonic()
        self.send_program()
        self.send(state_of(self._training), keep=True)

    def send_program(self) -> None:
        """Send the nodes of the step, if there are new ones."""
        link, nodes = self._link, self._training.steps.nodes
        if link is None or nodes is None:
            return
        if (now := (len(nodes), len(nodes.files))) != self._sent_program:
            self._sent_program = now
            send_program(link, nodes.program, nodes.graph)


def _refuse(link: Link, command: wire.Command, problem: str, message: str) -> None:
    link.send(wire.Reply(id=command.id, problem=problem, message=message))
