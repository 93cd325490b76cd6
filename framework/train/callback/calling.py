"""Callbacks that call functions of the user: at any moment, or for the learning rate of a step."""

from __future__ import annotations

from collections.abc import Callable

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.train.callback.base import Callback, RunContext

__all__ = ["LambdaCallback", "LearningRateScheduler"]

_MOMENTS = ("begin", "epoch_begin", "epoch_end", "step_begin", "step_end", "end")
MOMENTS = tuple(f"on_{kind}_{moment}" for kind in ("train", "eval") for moment in _MOMENTS)
"""What a `LambdaCallback` takes."""


class LambdaCallback(Callback):
    """A callback of functions: `LambdaCallback(on_train_epoch_end=lambda run_context: ...)`.

    Args:
        functions: by the name of the moment, what is called with the `RunContext`.

    Raises:
        TypeError: there is no such moment.

    """

    def __init__(self, **functions: Callable[[RunContext], object] | None) -> None:
        for name, function in functions.items():
            if name not in MOMENTS:
                raise TypeError(f"there is no moment {name!r}; there are {', '.join(MOMENTS)}")
            if function is not None:
                setattr(self, name, function)


class LearningRateScheduler(Callback):
    """Sets the learning rate after each step.

    Args:
        learning_rate_function: takes the rate of the optimizer and the number of the step, from 1; returns the rate of
            the next one.

    """

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        self._function = learning_rate_function

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Set it.

        Raises:
            TypeError: the optimizer's rate is a schedule of its own.
        """
        run = run_context.original_args()
        rate = run.optimizer.learning_rate
        if isinstance(rate, Cell) or rate.ndim:
            raise TypeError("LearningRateScheduler needs an optimizer whose learning rate is a number, not a schedule")
        now = self._function(float(rate.asnumpy()), run.cur_step_num)
        rate.set_data(Tensor(now, mstype.float32))
