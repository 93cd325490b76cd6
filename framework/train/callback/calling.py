"""Callbacks that call functions of the user: at any moment, or to set the learning rate."""

from __future__ import annotations

from collections.abc import Callable

from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.train.callback.base import Callback, RunContext

__all__ = ["LambdaCallback", "LearningRateScheduler"]

_MOMENTS = ("begin", "epoch_begin", "epoch_end", "step_begin", "step_end", "end")
MOMENTS = tuple(f"on_{kind}_{moment}" for kind in ("train", "eval") for moment in _MOMENTS)
"""Names of the moments that a `LambdaCallback` accepts."""


class LambdaCallback(Callback):
    """A callback made of functions: `LambdaCallback(on_train_epoch_end=lambda run_context: ...)`.

    Args:
        functions: functions of the `RunContext`, by the name of the moment.

    Raises:
        TypeError: there is no such moment.
    """

    def __init__(self, **functions: Callable[[RunContext], object] | None) -> None:
        for name, function in functions.items():
            if name not in MOMENTS:
                raise TypeError(f"there is no moment {name!r}, only {', '.join(MOMENTS)}")
            if function is not None:
                setattr(self, name, function)


class LearningRateScheduler(Callback):
    """Sets the learning rate after each step.

    Args:
        learning_rate_function: function of the current rate and the number of the step, from 1, that returns the next
            rate.
    """

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        self._function = learning_rate_function

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Set the learning rate.

        Raises:
            TypeError: the optimizer's learning rate is a schedule.
        """
        run = run_context.original_args()
        rate = run.optimizer.learning_rate
        if not isinstance(rate, Parameter):
            raise TypeError("LearningRateScheduler needs an optimizer whose learning rate is a number, not a schedule")
        next_rate = self._function(float(rate.asnumpy()), run.cur_step_num)
        rate.set_data(Tensor(next_rate, mstype.float32))
