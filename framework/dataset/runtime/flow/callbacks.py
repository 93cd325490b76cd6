"""Callbacks of a `map`: called at the start and the end of the data, of epochs and of steps, in the order of rows."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from framework.common.validator import check_positive_int
from framework.dataset import config
from framework.dataset.runtime.connector import Closed
from framework.dataset.runtime.resources import Resources
from framework.dataset.runtime.rows import Pass, Row

__all__ = ["CallbackParam", "DSCallback", "Progress", "WaitedDSCallback"]


@dataclass(frozen=True)
class CallbackParam:
    """Where the data is, for callbacks.

    Args:
        cur_epoch_num: number of the epoch, from 1.
        cur_step_num_in_epoch: number of the row in the epoch, from 1; 0 before the first one.
        cur_step_num: number of the row over all epochs, from 1; 0 before the first one.
    """

    cur_epoch_num: int
    cur_step_num_in_epoch: int
    cur_step_num: int


class DSCallback:
    """Base class of the user's callbacks of a `map`; subclasses define some of the methods.

    Args:
        step_size: number of rows of a step.
    """

    def __init__(self, step_size: int = 1) -> None:
        self.step_size = check_positive_int(step_size, "step_size")

    def ds_begin(self, ds_run_context: CallbackParam) -> None:
        """Called before the first row of all."""

    def ds_epoch_begin(self, ds_run_context: CallbackParam) -> None:
        """Called before each epoch."""

    def ds_epoch_end(self, ds_run_context: CallbackParam) -> None:
        """Called after each epoch."""

    def ds_step_begin(self, ds_run_context: CallbackParam) -> None:
        """Called before the first row of each step."""

    def ds_step_end(self, ds_run_context: CallbackParam) -> None:
        """Called after the first row of each step, as in MindSpore."""

    def attach(self, resources: Resources) -> None:
        """Called when a pipeline is about to run, with the owner of its threads."""


class WaitedDSCallback(DSCallback):
    """Base class of callbacks that are both the data's and the training's: an epoch and a step of the data begin when
    the training has ended the one before. Give it to `map` and to `Model.train`.

    Args:
        step_size: number of rows of a step of the training, which is the size of a batch.
    """

    def __init__(self, step_size: int = 1) -> None:
        super().__init__(step_size)
        self.step_run_context: Any = None
        self.epoch_run_context: Any = None
        self._steps = self._epochs = 0
        self._over = False
        self._resources: Resources | None = None
        self._changed = threading.Condition()

    def sync_epoch_begin(self, train_run_context: Any, ds_run_context: CallbackParam) -> None:
        """Called before each epoch of the data but the first, after the training's epoch before.

        Args:
            train_run_context: the training at the end of its epoch.
            ds_run_context: where the data is.
        """

    def sync_step_begin(self, train_run_context: Any, ds_run_context: CallbackParam) -> None:
        """Called before each step of the data but the first, after the training's step before.

        Args:
            train_run_context: the training at the end of its step.
            ds_run_context: where the data is.
        """

    def step_end(self, run_context: Any) -> None:
        """Called by the training after each step."""
        with self._changed:
            self._steps, self.step_run_context = self._steps + 1, run_context
            self._changed.notify_all()

    def epoch_end(self, run_context: Any) -> None:
        """Called by the training after each epoch."""
        with self._changed:
            self._epochs, self.epoch_run_context = self._epochs + 1, run_context
            self._changed.notify_all()

    def end(self, run_context: Any) -> None:
        """Called by the training at its end: nothing waits any more."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def ds_epoch_begin(self, ds_run_context: CallbackParam) -> None:
        """Wait for the training's epoch."""
        if ds_run_context.cur_epoch_num > 1:
            self._wait("_epochs", ds_run_context.cur_epoch_num - 1, "ds_epoch_begin")
            self.sync_epoch_begin(self.epoch_run_context, ds_run_context)

    def ds_step_begin(self, ds_run_context: CallbackParam) -> None:
        """Wait for the training's step."""
        if ds_run_context.cur_step_num > self.step_size:
            self._wait("_steps", (ds_run_context.cur_step_num - 1) // self.step_size, "ds_step_begin")
            self.sync_step_begin(self.step_run_context, ds_run_context)

    def attach(self, resources: Resources) -> None:
        """Called when a pipeline is about to run, with the owner of its threads."""
        resources.one_by_one = True
        self._resources, self._steps, self._epochs, self._over = resources, 0, 0, False
        resources.keep(self, self._wake)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _wait(self, counter: str, count: int, moment: str) -> None:
        resources, seconds = self._resources, config.get_callback_timeout()

        def is_over() -> bool:
            return getattr(self, counter) >= count or self._over or (resources is not None and resources.closed)

        with self._changed:
            if not self._changed.wait_for(is_over, seconds):
                raise RuntimeError(
                    f"{moment} waited {seconds} seconds for the training; give this callback to Model.train, too, or"
                    " set ds.config.set_callback_timeout to more"
                )
        if resources is not None and resources.closed:
            raise Closed

    def _ignore(self, run_context: Any) -> None:
        """A moment of the training that does not matter here."""

    begin = epoch_begin = step_begin = _ignore
    on_eval_begin = on_eval_epoch_begin = on_eval_epoch_end = on_eval_step_begin = on_eval_step_end = _ignore
    on_eval_end = _ignore

    def on_train_begin(self, run_context: Any) -> None:
        """Called by the training at its start."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: Any) -> None:
        """Called by the training before each epoch."""
        self.epoch_begin(run_context)

    def on_train_epoch_end(self, run_context: Any) -> None:
        """Called by the training after each epoch."""
        self.epoch_end(run_context)

    def on_train_step_begin(self, run_context: Any) -> None:
        """Called by the training before each step."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: Any) -> None:
        """Called by the training after each step."""
        self.step_end(run_context)

    def on_train_end(self, run_context: Any) -> None:
        """Called by the training at its end."""
        self.end(run_context)

    def __enter__(self) -> WaitedDSCallback:
        return self

    def __exit__(self, *exception: object) -> None:
        """Nothing is held."""


class Progress:
    """Calls the callbacks of one Map, and counts its rows.

    Args:
        callbacks: the callbacks.
        resources: owner of the threads.
    """

    def __init__(self, callbacks: Sequence[DSCallback], resources: Resources) -> None:
        self._callbacks = callbacks
        self._begun = False
        self._total = 0
        for callback in callbacks:
            callback.attach(resources)

    def rows(self, this: Pass, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows that go into the Map, with calls before an epoch and before each step."""
        if not self._begun:
            self._begun = True
            self._call("ds_begin", this, 0)
        self._call("ds_epoch_begin", this, 0)
        for number, row in enumerate(rows, 1):
            self._total += 1
            self._call("ds_step_begin", this, number)
            yield row

    def results(self, this: Pass, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows that come out of the Map, with calls after each step and after the epoch."""
        number = 0
        for number, row in enumerate(rows, 1):
            self._call("ds_step_end", this, number)
            yield row
        self._call("ds_epoch_end", this, number)

    def _call(self, moment: str, this: Pass, number: int) -> None:
        param = CallbackParam(this.epoch + 1, number, self._total)
        for callback in self._callbacks:
            if not moment.startswith("ds_step") or (number - 1) % callback.step_size == 0:
                getattr(callback, moment)(param)
