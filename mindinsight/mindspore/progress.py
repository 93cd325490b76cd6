"""The progress of `Model.train`, in epochs and steps. Used by `Debugger`."""

from __future__ import annotations

from typing import Any

import mindspore as ms

from debugging.session.progress import Progress
from mindinsight.mindspore.arrays import to_array

__all__ = ["ModelProgress"]


class ModelProgress(Progress):
    """The progress of `Model.train`.

    Args:
        run_context: Of the callbacks.
    """

    def __init__(self, run_context: Any) -> None:
        super().__init__(lambda item: to_array(item) if isinstance(item, ms.Tensor) else None)
        self._run_context = run_context
        self._run = run_context.original_args()

    @property
    def step(self) -> int:
        """The number of the current step, or of the last finished one. Counts from 1."""
        return int(self._run.cur_step_num)

    @property
    def epoch(self) -> int:
        """The number of the epoch."""
        return int(self._run.get("cur_epoch_num") or 0)

    @property
    def steps_per_epoch(self) -> int:
        """Steps per epoch; 0 if unknown."""
        return int(self._run.batch_num or 0)

    @property
    def steps(self) -> int:
        """Steps of the whole training; 0 if unknown."""
        return self.steps_per_epoch * int(self._run.epoch_num)

    def request_stop(self) -> bool:
        """End `Model.train` after this step."""
        self._run_context.request_stop()
        return True

    @property
    def saved(self) -> dict[str, Any]:
        """The progress that a checkpoint records."""
        in_epoch = self.step - max(0, self.epoch - 1) * self.steps_per_epoch
        return {**super().saved, "step_in_epoch": in_epoch}
