"""Callbacks that print the progress of a training: its loss, its time, and a progress bar."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from framework.common.tensor import Tensor
from framework.train.callback.base import Callback, CallbackParam, RunContext

__all__ = ["LossMonitor", "ProgressBar", "TimeMonitor", "loss_of"]


def loss_of(run: CallbackParam) -> float | None:
    """The mean loss of the last step; None if the network returned no number.

    If the network returns a tuple, its first item is the loss.

    Args:
        run: the state of the run.

    Returns:
        The mean loss, or None.
    """
    outputs = run.get("net_outputs")
    if isinstance(outputs, tuple | list):
        outputs = outputs[0] if outputs else None
    if isinstance(outputs, Tensor):
        outputs = outputs.asnumpy()
    if isinstance(outputs, np.ndarray):
        return float(np.mean(outputs)) if outputs.size else None
    return float(outputs) if isinstance(outputs, int | float) else None


class LossMonitor(Callback):
    """Prints the loss, and stops a training whose loss is NaN or infinite.

    Args:
        per_print_times: number of steps between lines; 0 for one line at the end of each epoch.

    Raises:
        ValueError: `per_print_times` is not an integer of at least 0; at a step, the loss is NaN or infinite.
    """

    def __init__(self, per_print_times: int = 1) -> None:
        if not isinstance(per_print_times, int) or isinstance(per_print_times, bool) or per_print_times < 0:
            raise ValueError(f"per_print_times must be an integer of at least 0, not {per_print_times!r}")
        self._every = per_print_times
        self._last_print = 0

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Print the loss if it is due."""
        run = run_context.original_args()
        loss = loss_of(run)
        if loss is None:
            return
        if not np.isfinite(loss):
            place = f"epoch {run.cur_epoch_num}, step {run.cur_step_in_epoch}"
            raise ValueError(
                f"the loss is {loss} at {place}; a smaller learning rate, a loss scale or checked data may help"
            )
        if self._every and run.cur_step_num - self._last_print >= self._every:
            self._last_print = run.cur_step_num
            self._tell(run, loss)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Print the loss if lines are per epoch."""
        run = run_context.original_args()
        loss = loss_of(run)
        if self._every == 0 and loss is not None:
            self._tell(run, loss)
        results = run.get("eval_results")
        if results:
            text = {name.removeprefix("eval_"): _plain(value) for name, value in results.items()}
            _write(f"Eval result: epoch {run.cur_epoch_num}, metrics: {text}")

    @staticmethod
    def _tell(run: CallbackParam, loss: float) -> None:
        _write(f"epoch: {run.cur_epoch_num} step: {run.cur_step_in_epoch}, loss is {loss}")


class TimeMonitor(Callback):
    """Prints the time of each epoch and of its steps.

    Args:
        data_size: number of steps per epoch; None for that of the data.
        data_time: print the time spent waiting for data too.
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        self._steps = data_size
        self._data_time = data_time

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Start the clock."""
        self._start = time.perf_counter()
        self._waited, self._waiting_since = 0.0, self._start

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Stop the clock of waiting for data."""
        self._waited += time.perf_counter() - self._waiting_since

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Start the clock of waiting for data."""
        self._waiting_since = time.perf_counter()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Print the times."""
        run = run_context.original_args()
        took = (time.perf_counter() - self._start) * 1000
        steps = self._steps or run.cur_step_in_epoch
        waited = f", data time: {self._waited * 1000:.3f} ms" if self._data_time else ""
        _write(f"Train epoch time: {took:.3f} ms, per step time: {took / steps:.3f} ms{waited}")


class ProgressBar(Callback):
    """A progress bar for each epoch with steps, speed, remaining time and loss. `Model.train` adds one at a terminal.

    Args:
        leave: keep the bar after its epoch.
    """

    def __init__(self, leave: bool = True) -> None:
        self._leave = leave
        self._bar: Any = None

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Open a bar."""
        run = run_context.original_args()
        name = f"epoch {run.cur_epoch_num}/{run.epoch_num}"
        self._bar = tqdm(
            total=run.batch_num or None, initial=run.cur_step_in_epoch, desc=name, unit="step", leave=self._leave
        )

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Advance the bar."""
        loss = loss_of(run_context.original_args())
        if loss is not None:
            self._bar.set_postfix(loss=f"{loss:.4g}", refresh=False)
        self._bar.update()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Close the bar."""
        self._close()

    def on_train_end(self, run_context: RunContext) -> None:
        """Close the bar of an interrupted epoch."""
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, np.floating) else value


def _write(line: str) -> None:
    """Print a line, above an open bar."""
    tqdm.write(line, file=sys.stdout)
    sys.stdout.flush()
