"""A paused training: waits, carries out commands, and continues when a command says so or the lease ends.

The session calls it in the training's thread.
"""

from __future__ import annotations

import logging
from typing import Final

from debugging.session.conversation import Conversation
from debugging.session.monitor import Monitor
from debugging.session.status import Position
from debugging.session.training import Training
from summaries.schema import debugger_pb2 as wire

__all__ = ["Pauses"]

_log = logging.getLogger("debugging")

_REPORT_SECONDS: Final = 1.0
"""Seconds between two reports of a paused training."""


class Pauses:
    """Pauses a training.

    Args:
        training: The training.
        conversation: With the dashboard.
        monitor: Its watchpoints.

    """

    def __init__(self, training: Training, conversation: Conversation, monitor: Monitor) -> None:
        self._training = training
        self._conversation = conversation
        self._monitor = monitor

    def pause(self, position: Position) -> None:
        """Wait until a command or the end of the lease ends the pause."""
        training, conversation = self._training, self._conversation
        outer = training.status.pause(position)
        training.lease.renew()
        training.control.begin_pause()
        training.steps.know_nodes()
        conversation.send_state()
        if self._monitor.is_armed:
            self._monitor.send_counts()
        while not training.control.is_resumed and (link := conversation.link) is not None:
            command = conversation.wait(min(_REPORT_SECONDS, training.lease.left))
            if link.lost_since is not None:
                training.lease.hold(False)
            if command is not None:
                training.lease.renew()
                conversation.carry_out(command)
                training.status.stay_paused()
            elif training.lease.left <= 0:
                self._expire()
            if not training.control.is_resumed:
                conversation.send_state()
        training.status.resume(outer)
        training.control.end_pause()
        training.progress.leave_out_pause(between=position.stop is None and not position.before_step)
        if position.stop is None and (link := conversation.link) is not None:
            link.forget(wire.Hits, wire.Cause, wire.Divergence)
        conversation.send_state()

    def _expire(self) -> None:
        """Continue without the dashboard: nobody has renewed the lease."""
        lease, control = self._training.lease, self._training.control
        _log.warning("The debugger's pause ended after %s s without a command: %s.", lease.length, lease.at_end)
        control.resume()
        if lease.at_end == "save_and_stop":
            control.stop(saving=True)
