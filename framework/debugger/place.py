"""Where a training is, in epochs and steps: of `Model.train`, or of a loop that a user wrote."""

from __future__ import annotations

import math
import time
from typing import Any, Final

import numpy as np

from framework.common import seed
from framework.common.tensor import Tensor
from framework.train.callback.base import CallbackParam, RunContext

__all__ = ["Place"]

_PACE_SECONDS: Final = 0.2
"""Steps are counted over so long at least."""


class Place:
    """What is known of a training from outside its steps.

    Args:
        told: what `Model.train` tells its callbacks; None for a loop that a user wrote, whose steps are counted.

    Attributes:
        begun: steps that began under the debugger.
        output: what the last of them returned.
        steps_per_second: while it runs, pauses left out; 0: not known yet.

    """

    def __init__(self, told: RunContext | None = None) -> None:
        self._told = told
        self._run: CallbackParam | None = None if told is None else told.original_args()
        self.begun = 0
        self.output: Any = None
        self.steps_per_second = 0.0
        self._seen: tuple[float, int] | None = None
        self._plain = 0.0
        self._mode = ""

    @property
    def step(self) -> int:
        """Of a step that is under way its number; between steps that of the last one; from 1."""
        return self.begun if self._run is None else int(self._run.cur_step_num)

    @property
    def epoch(self) -> int:
        """The number of the epoch; 0 where there are none."""
        return 0 if self._run is None else int(self._run.cur_epoch_num)

    @property
    def steps_per_epoch(self) -> int:
        """0: not known."""
        return 0 if self._run is None else int(self._run.batch_num or 0)

    @property
    def steps(self) -> int:
        """Of the whole training; 0: not known."""
        return 0 if self._run is None else self.steps_per_epoch * int(self._run.epoch_num)

    @property
    def has_loss(self) -> bool:
        """Whether the last step returned one number first."""
        first = self._first
        return isinstance(first, Tensor) and first.size == 1

    @property
    def loss(self) -> float:
        """What the last step returned first, if that is one number; else NaN."""
        return float(np.asarray(self._first.asnumpy()).reshape(-1)[0]) if self.has_loss else math.nan

    @property
    def _first(self) -> Any:
        several = isinstance(self.output, tuple | list) and self.output
        return self.output[0] if several else self.output

    def note_pace(self) -> None:
        """Called when a step begins, every now and then: count those that were done since it was counted last."""
        now = time.monotonic()
        then, before = self._seen or (now, self.begun)
        if self._seen is not None and now - then < _PACE_SECONDS:
            return
        if self.begun > before:
            self.steps_per_second = (self.begun - before) / (now - then)
        self._seen = (now, self.begun)

    def stood_still(self, between: bool) -> None:
        """Leave a pause out of the steps per second.

        Args:
            between: whether it was between two steps, so that the next one is measured from here on.
        """
        self._seen = (time.monotonic(), self.begun + between)

    def took(self, seconds: float, mode: str) -> None:
        """What a step took by itself; of those in a mode the first one, which compiles, is no measure."""
        if mode == self._mode:
            self._plain = seconds
        self._mode = mode

    @property
    def step_seconds(self) -> float:
        """What a step takes while nothing is watched; 0: not known yet."""
        return 1.0 / self.steps_per_second if self.steps_per_second else self._plain

    def request_stop(self) -> bool:
        """End the training after this step; whether somebody was there to ask."""
        if self._told is not None:
            self._told.request_stop()
        return self._told is not None

    @property
    def saved(self) -> dict[str, Any]:
        """What a checkpoint says of it, so that `Model.train(resume_from=...)` can go on."""
        in_epoch = self.step if self._run is None else int(self._run.cur_step_in_epoch)
        return {
            "epoch_num": max(1, self.epoch),
            "step_num": self.step,
            "step_in_epoch": in_epoch,
            "random_state": seed.get_state(),
        }
