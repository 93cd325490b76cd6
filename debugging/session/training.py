"""The training that a session debugs: its parts, each of which owns its own fields."""

from __future__ import annotations

from dataclasses import dataclass

from debugging.contract import Debuggee
from debugging.session.control import Control
from debugging.session.lease import Lease
from debugging.session.progress import Progress
from debugging.session.status import Status
from debugging.steps.last_steps import LastSteps

__all__ = ["Training"]


@dataclass(frozen=True, slots=True)
class Training:
    """A training under the debugger.

    Attributes:
        debuggee: The training, as its framework offers it.
        progress: Its progress, in epochs and steps.
        lease: The length of its pauses.
        steps: The kept state of its last two steps.
        status: Whether it runs or is paused.
        control: The requests of the dashboard.

    """

    debuggee: Debuggee
    progress: Progress
    lease: Lease
    steps: LastSteps
    status: Status
    control: Control

    @property
    def last_step(self) -> int:
        """The number of the current or last finished step. A step counts once it has begun."""
        return max(0, self.progress.step - self.status.position.before_step)

    @property
    def is_within_step(self) -> bool:
        """Whether it is paused within a step, or a step is being observed."""
        return self.status.stop is not None or self.steps.partial is not None
