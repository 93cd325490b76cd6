"""The requests of the dashboard to a training: when to pause next, in which mode to continue, whether to stop."""

from __future__ import annotations

from debugging.contract import Debuggee
from debugging.session.termination import Termination
from debugging.steps.stepper import Stepper

__all__ = ["Control"]


class Control:
    """The requests that the training's thread carries out.

    Args:
        debuggee: The training.
        stepper: Stops within a step.
        termination: Ends the training.

    """

    def __init__(self, debuggee: Debuggee, stepper: Stepper, termination: Termination) -> None:
        self._debuggee = debuggee
        self.stepper = stepper
        self.termination = termination
        self._steps_left: int | None = None
        self._reason = "asked"
        self._resumed = False
        self._next_mode = ""

    # ---- pauses

    @property
    def is_resumed(self) -> bool:
        """Whether the current pause is over."""
        return self._resumed

    @property
    def will_pause(self) -> bool:
        """Whether a pause after some steps is requested."""
        return self._steps_left is not None

    @property
    def will_stop(self) -> bool:
        """Whether a pause after some steps or within a step is requested."""
        return self.will_pause or self.stepper.is_asked

    @property
    def reason(self) -> str:
        """The reason of the requested pause: "asked" or "step"."""
        return self._reason

    def will_pause_within(self, steps: int) -> bool:
        """Whether a pause comes after at most this many steps."""
        return self._steps_left is not None and self._steps_left <= steps

    def begin_pause(self) -> None:
        """Wait in a pause until `resume` or `stop`."""
        self._resumed = False

    def end_pause(self) -> None:
        """Leave a pause. Pauses around it continue, unless the training is to stop."""
        self._resumed = self.termination.asked

    def pause_after_step(self) -> None:
        """Request a pause after the current step."""
        self._steps_left, self._reason = 1, "asked"

    def cancel_pause(self) -> None:
        """Forget a requested pause after some steps."""
        self._steps_left = None

    def resume(self, steps: int | None = None) -> None:
        """End the current pause.

        Args:
            steps: Pause again after this many steps; None: run on.

        """
        self.stepper.clear()
        self._steps_left = steps
        if steps is not None:
            self._reason = "step"
        self._resumed = True

    def count_step(self) -> str:
        """Count a finished step; returns the reason to pause now, or an empty string."""
        if self._steps_left is None:
            return ""
        self._steps_left -= 1
        return self._reason if self._steps_left <= 0 else ""

    def stop(self, saving: bool) -> None:
        """End the training after the current step.

        Args:
            saving: Write a checkpoint first.

        """
        self.termination.ask(saving)
        self.resume()

    # ---- the mode

    @property
    def mode(self) -> str:
        """The mode of the next step: "graph" or "pynative"."""
        return self._next_mode or self._debuggee.mode()

    def change_mode(self, mode: str, *, after_step: bool) -> None:
        """Change the mode now, or after the current step."""
        if after_step:
            self._next_mode = mode
        else:
            self._debuggee.set_mode(mode)

    def apply_mode(self) -> None:
        """Change the mode as requested, between two steps."""
        if self._next_mode:
            self._debuggee.set_mode(self._next_mode)
            self._next_mode = ""
