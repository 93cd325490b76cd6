"""MindSpore's `_CallbackManager`: several callbacks as one, for loops that users write themselves."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from framework.train.callback.base import Callback, Callbacks, RunContext

__all__ = ["CallbackManager"]


class CallbackManager(Callback):
    """Calls several callbacks in order.

    Args:
        callbacks: one callback, several, or None.

    Raises:
        TypeError: one of them is not a `Callback`.

    """

    def __init__(self, callbacks: Callback | Iterable[Callback] | None) -> None:
        self.callbacks = Callbacks(callbacks, "train").items
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> CallbackManager:
        for callback in self.callbacks:
            self._stack.enter_context(callback)
        return self

    def __exit__(self, *exception: object) -> None:
        """Release the resources of all."""
        self._stack.close()

    def begin(self, run_context: RunContext) -> None:
        """Called before the first epoch."""
        for callback in self.callbacks:
            callback.begin(run_context)

    def epoch_begin(self, run_context: RunContext) -> None:
        """Called before each epoch."""
        for callback in self.callbacks:
            callback.epoch_begin(run_context)

    def epoch_end(self, run_context: RunContext) -> None:
        """Called after each epoch."""
        for callback in self.callbacks:
            callback.epoch_end(run_context)

    def step_begin(self, run_context: RunContext) -> None:
        """Called before each step."""
        for callback in self.callbacks:
            callback.step_begin(run_context)

    def step_end(self, run_context: RunContext) -> None:
        """Called after each step."""
        for callback in self.callbacks:
            callback.step_end(run_context)

    def end(self, run_context: RunContext) -> None:
        """Called after the last epoch."""
        for callback in self.callbacks:
            callback.end(run_context)
