"""Whether a training runs or is paused, why, and where within its step; `State` messages show it."""

from __future__ import annotations

from typing import NamedTuple

from debugging.steps.stepper import Stop
from summaries.schema import debugger_pb2 as wire

__all__ = ["Position", "Status"]


class Position(NamedTuple):
    """Where a training is paused.

    Attributes:
        reason: Why, as in `State`.
        stop: Where within a step; None between steps.
        before_step: Whether the current step has not begun.

    """

    reason: str = ""
    stop: Stop | None = None
    before_step: bool = False


class Status:
    """The status of a training.

    Attributes:
        value: `State.Status`.
        position: Where it is paused. A pause within a step may surround a step that runs again, with its own pauses.

    """

    def __init__(self) -> None:
        self.value: wire.State.Status.ValueType = wire.State.STARTING
        self.position = Position()

    @property
    def is_paused(self) -> bool:
        """Whether the training is paused."""
        return self.value == wire.State.PAUSED

    @property
    def stop(self) -> Stop | None:
        """Where it is paused within a step; None between steps."""
        return self.position.stop

    def pause(self, position: Position) -> Position:
        """Begin a pause; returns the position outside it."""
        outer, self.position = self.position, position
        self.value = wire.State.PAUSED
        return outer

    def stay_paused(self) -> None:
        """Go on with the pause after a command, which may have had pauses of its own."""
        self.value = wire.State.PAUSED

    def resume(self, outer: Position) -> None:
        """End a pause; `outer` is the position that `pause` returned."""
        self.value = wire.State.RUNNING
        self.position = outer

    def run(self) -> bool:
        """Begin a step; returns whether the status has changed."""
        before, self.value = self.value, wire.State.RUNNING
        return before != wire.State.RUNNING

    def end(self) -> None:
        """End the training or its debugging."""
        self.value = wire.State.ENDED

    def explain(self, reason: str) -> None:
        """Change the reason of the current pause."""
        self.position = self.position._replace(reason=reason)

    def place_before_step(self, before: bool) -> None:
        """Note whether commands run before the current step begins."""
        self.position = self.position._replace(before_step=before)
