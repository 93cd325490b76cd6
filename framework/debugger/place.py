"""Where a training is, in epochs and steps: of `Model.train`, or of a loop that a user wrote."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from framework.common import seed
from framework.common.tensor import Tensor
from framework.train.callback.base import CallbackParam, RunContext

__all__ = ["Place"]


class Place:
    """What is known of a training from outside its steps.

    Args:
        told: what `Model.train` tells its callbacks; None for a loop that a user wrote, whose steps are counted.

    Attributes:
        begun: steps that began under the debugger.
        output: what the last of them returned.

    """

    def __init__(self, told: RunContext | None = None) -> None:
        self._told = told
        self._run: CallbackParam | None = None if told is None else told.original_args()
        self.begun = 0
        self.output: Any = None
        self._seen = (time.monotonic(), 0)
        self._rate = 0.0

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

    def steps_per_second(self) -> float:
        """Since this was asked last."""
        now, (then, before) = time.monotonic(), self._seen
        if self.begun > before and now > then:
            self._rate = (self.begun - before) / (now - then)
            self._seen = (now, self.begun)
        return self._rate

    def stood_still(self) -> None:
        """Leave a pause out of the steps per second."""
        self._seen = (time.monotonic(), self.begun)

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
