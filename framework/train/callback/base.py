"""The base class of callbacks, and the run context that `Model` passes to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework.common.validator import check_type
from framework.dataset import WaitedDSCallback

__all__ = ["Callback", "CallbackParam", "Callbacks", "RunContext"]


class CallbackParam(dict[str, Any]):
    """The state of a run: a dictionary whose entries are also attributes.

    In training: `mode` ("train"), `network`, `train_network`, `loss_fn`, `optimizer`, `train_dataset`, `epoch_num`,
    `batch_num` (steps of an epoch, 0 if unknown), `cur_epoch_num`, `cur_step_num` (from 1, over all epochs),
    `cur_step_in_epoch` (from 1; 0 before the first step), `net_outputs` (the loss), `train_dataset_element`,
    `list_callback`, `dataset_sink_mode`, `data_waits` (how long
    steps wait for data); `eval_results` after an evaluation; `failed` at the end of a failed training.
    In an evaluation: `mode` ("eval"), `eval_network`, `valid_dataset`, `metrics`, `net_outputs`.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            if name == "cur_step_in_epoch" and "cur_step_num" in self:
                # A loop of a user's own counts steps over all epochs only.
                return (self["cur_step_num"] - 1) % (self.get("batch_num") or self["cur_step_num"] or 1) + 1
            raise AttributeError(f"the run has no entry {name!r}, only {', '.join(sorted(self))}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class RunContext:
    """The argument of callbacks: the state of the run, and a way to stop it.

    Args:
        original_args: the state of the run.

    Raises:
        TypeError: it is no `CallbackParam`.
    """

    def __init__(self, original_args: CallbackParam) -> None:
        check_type("original_args", original_args, CallbackParam)
        self._original_args = original_args
        self._stop_requested = False

    def original_args(self) -> CallbackParam:
        """The state of the run."""
        return self._original_args

    def request_stop(self) -> None:
        """Stop training after this step."""
        self._stop_requested = True

    def get_stop_requested(self) -> bool:
        """Whether a callback asked to stop."""
        return self._stop_requested


class _Kind(type):
    """The class of callbacks. Data's callbacks that wait for the training are some, too, but stand below it."""

    def __instancecheck__(cls, instance: object) -> bool:
        return super().__instancecheck__(instance) or (cls is Callback and isinstance(instance, WaitedDSCallback))


class Callback(metaclass=_Kind):
    """Base class of callbacks, which are called at fixed moments of training and evaluation.

    Methods that start with `on_` are called in training or in evaluation only. The others are called in both, unless a
    subclass defines the `on_` method. As a context manager, a callback holds its resources from `__enter__` to
    `__exit__`.
    """

    def __enter__(self) -> Callback:
        return self

    def __exit__(self, *exception: object) -> None:
        """Release resources."""

    def begin(self, run_context: RunContext) -> None:
        """Called before the first epoch."""

    def epoch_begin(self, run_context: RunContext) -> None:
        """Called before each epoch."""

    def epoch_end(self, run_context: RunContext) -> None:
        """Called after each epoch."""

    def step_begin(self, run_context: RunContext) -> None:
        """Called before each step."""

    def step_end(self, run_context: RunContext) -> None:
        """Called after each step."""

    def end(self, run_context: RunContext) -> None:
        """Called after the last epoch, also if the run was stopped or failed."""

    def on_train_begin(self, run_context: RunContext) -> None:
        """Called before the first epoch of a training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Called before each epoch of a training."""
        self.epoch_begin(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Called after each epoch of a training."""
        self.epoch_end(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Called before each step of a training."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Called after each step of a training."""
        self.step_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """Called after a training."""
        self.end(run_context)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Called before an evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """Called before the data of an evaluation."""
        self.epoch_begin(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """Called after the data of an evaluation."""
        self.epoch_end(run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """Called before each step of an evaluation."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Called after each step of an evaluation."""
        self.step_end(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Called after an evaluation."""
        self.end(run_context)


class Callbacks:
    """The callbacks of one run, called in order.

    Args:
        callbacks: one callback, several, or None.
        kind: "train" or "eval".

    Raises:
        TypeError: one of them is not a `Callback`.
    """

    def __init__(self, callbacks: Callback | Iterable[Callback] | None, kind: str) -> None:
        if callbacks is None:
            callbacks = ()
        self.items: Sequence[Callback] = (callbacks,) if isinstance(callbacks, Callback) else tuple(callbacks)
        for item in self.items:
            if not isinstance(item, Callback):
                raise TypeError(f"a callback must be a train.Callback, not {type(item).__name__}: {item!r}")
        self._kind = kind
        names = [f"{prefix}{moment}" for prefix in ("", f"on_{kind}_") for moment in ("step_begin", "step_end")]
        #: Whether any of them is called at steps, where it may change parameters.
        self.in_steps = any(
            getattr(getattr(item, name), "__func__", None) is not getattr(Callback, name)
            for item in self.items
            for name in names
        )

    def __call__(self, moment: str, run_context: RunContext) -> None:
        """Call all callbacks.

        Args:
            moment: "begin", "epoch_begin", "step_begin", "step_end", "epoch_end" or "end".
            run_context: the run.
        """
        name = f"on_{self._kind}_{moment}"
        for item in self.items:
            getattr(item, name)(run_context)
