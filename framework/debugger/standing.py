"""A training that is paused: stands still, does what commands say, and goes on when one says so or the lease is over.

The session calls, in the training's thread.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from framework.debugger.stepping import Stop
from summaries.schema import debugger_pb2 as wire

if TYPE_CHECKING:
    from framework.debugger.session import Session

__all__ = ["stand"]

_log = logging.getLogger("framework")

_TELL_SECONDS: Final = 1.0
"""So often a paused training says how much is left of its lease."""


def stand(session: Session, reason: str, stop: Stop | None = None, before: bool = False) -> None:
    """Stand still until a command or the lease says how to go on.

    Args:
        session: whose training it is.
        reason: as in `State`.
        stop: where, within a step.
        before: whether the step that is under way has not begun.

    """
    outer = (session.reason, session.stop, session.is_before)
    session.status, session.reason, session.stop, session.is_before = wire.State.PAUSED, reason, stop, before
    session.lease.renew()
    session.leave = False
    session.steps.know_nodes()
    session.talk.tell()
    if session.guard.is_armed:
        session.guard.tell()
    while not session.leave and (link := session.talk.link) is not None:
        command = session.talk.wait(min(_TELL_SECONDS, session.lease.left))
        if link.lost_since is not None:
            session.lease.hold(False)
        if command is not None:
            session.lease.renew()
            session.talk.obey(command)
            session.status = wire.State.PAUSED  # Also where a step was run again, with pauses of its own.
        elif session.lease.left <= 0:
            _go_on_alone(session)
        if not session.leave:
            session.talk.tell()
    session.status = wire.State.RUNNING
    session.reason, session.stop, session.is_before = outer
    # The pauses around this one are their own; only who made them ends them.
    session.leave = session.is_to_end
    session.place.stood_still(between=stop is None and not before)
    if stop is None and (link := session.talk.link) is not None:
        link.forget(wire.Hits, wire.Cause, wire.Divergence)
    session.talk.tell()


def _go_on_alone(session: Session) -> None:
    """Do what is to come when nobody has renewed the lease."""
    lease = session.lease
    _log.warning("Nobody has renewed the debugger's pause for %s s; what comes now: %s.", lease.length, lease.at_end)
    session.leave = True
    session.pause_in = None
    session.stepper.clear()
    if lease.at_end == "save_and_stop":
        session.ask_to_stop(saving=True)
