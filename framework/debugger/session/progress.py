"""The progress of a training in epochs and steps, and its speed; for `Model.train` and for a hand-written loop."""

from __future__ import annotations

import math
import time
from typing import Any, Final

import numpy as np

from framework.common import seed
from framework.common.tensor import Tensor
from framework.train.callback.base import CallbackParam, RunContext

__all__ = ["Progress"]

_PACE_SECONDS: Final = 0.2
"""Least seconds over which steps per second are measured."""


class Progress:
    """The progress of a training. The session counts its steps and notes their outputs.

    Args:
        run_context: Of the callbacks of `Model.train`; None for a hand-written loop.

    Attributes:
        begun: Number of steps that began under the debugger.
        output: The return value of the last step.
        steps_per_second: Speed without pauses; 0 if unknown yet.

    """

    def __init__(self, run_context: RunContext | None = None) -> None:
        self._run_context = run_context
        self._run: CallbackParam | None = None if run_context is None else run_context.original_args()
        self.begun = 0
        self.output: Any = None
        self.steps_per_second = 0.0
        self._measured: tuple[float, int] | None = None
        self._step_seconds = 0.0
        self._mode = ""

    @property
    def step(self) -> int:
        """The number of the current step, or of the last finished one. Counts from 1."""
        return self.begun if self._run is None else int(self._run.cur_step_num)

    @property
    def epoch(self) -> int:
        """The number of the epoch; 0 if there are none."""
        return 0 if self._run is None else int(self._run.cur_epoch_num)

    @property
    def steps_per_epoch(self) -> int:
        """Steps per epoch; 0 if unknown."""
        return 0 if self._run is None else int(self._run.batch_num or 0)

    @property
    def steps(self) -> int:
        """Steps of the whole training; 0 if unknown."""
        return 0 if self._run is None else self.steps_per_epoch * int(self._run.epoch_num)

    @property
    def has_loss(self) -> bool:
        """Whether the first output of the last step is a single number."""
        first = self._first
        return isinstance(first, Tensor) and first.size == 1

    @property
    def loss(self) -> float:
        """The first output of the last step if it is a single number, else NaN."""
        return float(np.asarray(self._first.asnumpy()).reshape(-1)[0]) if self.has_loss else math.nan

    @property
    def _first(self) -> Any:
        several = isinstance(self.output, tuple | list) and self.output
        return self.output[0] if several else self.output

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
        """End `Model.train` after this step; False in a hand-written loop."""
        if self._run_context is not None:
            self._run_context.request_stop()
        return self._run_context is not None

    @property
    def saved(self) -> dict[str, Any]:
        """The progress that a checkpoint records for `Model.train(resume_from=...)`."""
        in_epoch = self.step if self._run is None else int(self._run.cur_step_in_epoch)
        return {
            "epoch_num": max(1, self.epoch),
            "step_num": self.step,
            "step_in_epoch": in_epoch,
            "random_state": seed.get_state(),
        }
