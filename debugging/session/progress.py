"""The progress of a training in epochs and steps, and its speed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, Final

from debugging.tensors.arrays import to_numpy

__all__ = ["Progress"]

_PACE_SECONDS: Final = 0.2
"""Least seconds over which steps per second are measured."""


class Progress:
    """The progress of a training. The session counts its steps and notes their outputs.

    This class serves a hand-written loop. A framework whose own loop knows epochs, and can be stopped, overrides the
    properties.

    Args:
        array_of: The array of a tensor; None for anything else.

    Attributes:
        begun: Number of steps that began under the debugger.
        output: The return value of the last step.
        steps_per_second: Speed without pauses; 0 if unknown yet.

    """

    def __init__(self, array_of: Callable[[Any], Any]) -> None:
        self._array_of = array_of
        self.begun = 0
        self.output: Any = None
        self.steps_per_second = 0.0
        self._measured: tuple[float, int] | None = None
        self._step_seconds = 0.0
        self._mode = ""

    @property
    def step(self) -> int:
        """The number of the current step, or of the last finished one. Counts from 1."""
        return self.begun

    @property
    def epoch(self) -> int:
        """The number of the epoch; 0 if there are none."""
        return 0

    @property
    def steps_per_epoch(self) -> int:
        """Steps per epoch; 0 if unknown."""
        return 0

    @property
    def steps(self) -> int:
        """Steps of the whole training; 0 if unknown."""
        return 0

    @property
    def has_loss(self) -> bool:
        """Whether the first output of the last step is a single number."""
        return self._loss is not None

    @property
    def loss(self) -> float:
        """The first output of the last step if it is a single number, else NaN."""
        found = self._loss
        return math.nan if found is None else float(to_numpy(found).reshape(-1)[0])

    @property
    def _loss(self) -> Any:
        several = isinstance(self.output, tuple | list) and self.output
        array = self._array_of(self.output[0] if several else self.output)
        return array if array is not None and math.prod(array.shape) == 1 else None

    def note_pace(self) -> None:
        """Measure the speed since the last measurement; called at the beginning of some steps."""
        now = time.monotonic()
        then, before = self._measured or (now, self.begun)
        if self._measured is not None and now - then < _PACE_SECONDS:
            return
        if self.begun > before:
            self.steps_per_second = (self.begun - before) / (now - then)
        self._measured = (now, self.begun)

    def leave_out_pause(self, between: bool) -> None:
        """Leave a pause that ends now out of the speed.

        Args:
            between: Whether it was between two steps.

        """
        self._measured = (time.monotonic(), self.begun + between)

    def note_duration(self, seconds: float, mode: str) -> None:
        """Note the duration of a step. The first step in a mode compiles and does not count."""
        if mode == self._mode:
            self._step_seconds = seconds
        self._mode = mode

    @property
    def step_seconds(self) -> float:
        """Seconds per step without watchpoints; 0 if unknown yet."""
        return 1.0 / self.steps_per_second if self.steps_per_second else self._step_seconds

    def request_stop(self) -> bool:
        """End the framework's own loop after this step; False in a hand-written loop."""
        return False

    @property
    def saved(self) -> dict[str, Any]:
        """The progress that a checkpoint records."""
        return {"epoch_num": max(1, self.epoch), "step_num": self.step, "step_in_epoch": self.step}
