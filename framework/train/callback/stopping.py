"""Callbacks that watch a figure over the epochs: stop when it no longer improves, or lower the learning rate."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from framework.common.tensor import Tensor
from framework.train.callback.base import Callback, CallbackParam, RunContext
from framework.train.callback.monitors import loss_of

__all__ = ["EarlyStopping", "ReduceLROnPlateau"]

_SMALLER_IS_BETTER = ("loss", "mae", "mse", "error", "perplexity")


class _Watch:
    """The best value of a figure so far, and for how many epochs there was no better one."""

    def __init__(self, monitor: str, mode: str, min_delta: float) -> None:
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"mode is 'auto', 'min' or 'max', not {mode!r}")
        smaller = any(word in monitor.lower() for word in _SMALLER_IS_BETTER) if mode == "auto" else mode == "min"
        self.monitor = monitor
        self._sign = 1.0 if smaller else -1.0
        self._min_delta = abs(float(min_delta))
        self.best = math.inf * self._sign
        self.epochs_without = 0

    def see(self, value: float) -> bool:
        """Whether a value is better than all before it, by at least the least difference."""
        better = self._sign * (self.best - value) > self._min_delta
        self.epochs_without = 0 if better else self.epochs_without + 1
        if better:
            self.best = value
        return better

    def value_of(self, run: CallbackParam) -> float | None:
        """The figure at the end of an epoch; None and a warning where it is not known."""
        results = run.get("eval_results") or {}
        name = self.monitor.removeprefix("eval_")
        value = results.get(self.monitor, results.get(name))
        if value is None and self.monitor == "loss":
            value = loss_of(run)
        if value is None:
            known = ", ".join(["loss", *results])
            sys.stderr.write(f"No {self.monitor!r} to watch after epoch {run.cur_epoch_num}; there is {known}.\n")
            return None
        return float(np.mean(value))


class EarlyStopping(Callback):
    """Stops a training when a figure no longer improves.

    Args:
        monitor: its name: "loss", or "eval_loss" and what `Model.fit` evaluates.
        min_delta: a smaller change is no improvement.
        patience: Epochs without an improvement after which to stop.
        verbose: print when and why it stopped.
        mode: whether smaller ("min") or larger ("max") is better; "auto" knows by the name.
        baseline: what the figure has to reach to begin with.
        restore_best_weights: at the end, give the network the parameters of its best epoch.

    Raises:
        ValueError: `mode` or `patience` is out of its range.

    """

    def __init__(
        self,
        monitor: str = "eval_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: bool = False,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        if patience < 0:
            raise ValueError(f"patience is at least 0 epochs, not {patience!r}")
        self._settings = (monitor, mode, min_delta)
        self._watch = _Watch(*self._settings)
        self._patience = patience
        self._verbose = verbose
        self._baseline = baseline
        self._restore = restore_best_weights
        self._best_weights: dict[str, np.ndarray[Any, Any]] = {}

    def on_train_begin(self, run_context: RunContext) -> None:
        """Reset the counts."""
        self._watch = _Watch(*self._settings)
        if self._baseline is not None:
            self._watch.best = self._baseline
        self._best_weights = {}

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Look at the figure."""
        run = run_context.original_args()
        value = self._watch.value_of(run)
        if value is None:
            return
        better = self._watch.see(value)
        if self._restore and (better or not self._best_weights):
            self._best_weights = {p.name: p.asnumpy().copy() for p in run.train_network.get_parameters()}
        if not better and self._watch.epochs_without >= self._patience:
            self._stop(run_context, value)

    def on_train_end(self, run_context: RunContext) -> None:
        """Give back the best parameters."""
        for parameter in run_context.original_args().train_network.get_parameters() if self._best_weights else ():
            parameter.set_data(Tensor(self._best_weights[parameter.name]))

    def _stop(self, run_context: RunContext, value: float) -> None:
        if self._verbose:
            epoch = run_context.original_args().cur_epoch_num
            sys.stdout.write(
                f"Stopped after epoch {epoch}: {self._watch.monitor} is {value:.6g} and was {self._watch.best:.6g} "
                f"{self._watch.epochs_without} epochs ago.\n"
            )
        run_context.request_stop()


class ReduceLROnPlateau(Callback):
    """Lowers the learning rate when a figure no longer improves.

    Args:
        monitor: its name: "loss", or "eval_loss" and what `Model.fit` evaluates.
        factor: what the rate is multiplied by, below 1.
        patience: Epochs without an improvement after which to lower it.
        verbose: print it.
        mode: whether smaller ("min") or larger ("max") is better; "auto" knows by the name.
        min_delta: a smaller change is no improvement.
        cooldown: Epochs after a reduction that do not count.
        min_lr: the rate does not fall below it.

    Raises:
        ValueError: `factor` or `mode` is out of its range.

    """

    def __init__(
        self,
        monitor: str = "eval_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0.0,
    ) -> None:
        if not 0 < factor < 1:
            raise ValueError(f"factor is between 0 and 1, not {factor!r}")
        self._settings = (monitor, mode, min_delta)
        self._watch = _Watch(*self._settings)
        self._factor, self._patience, self._verbose = factor, patience, verbose
        self._cooldown, self._min_lr = cooldown, min_lr
        self._cooling = 0

    def on_train_begin(self, run_context: RunContext) -> None:
        """Reset the counts."""
        self._watch, self._cooling = _Watch(*self._settings), 0

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Look at the figure."""
        run = run_context.original_args()
        value = self._watch.value_of(run)
        if value is None:
            return
        better = self._watch.see(value)
        if self._cooling > 0:
            self._cooling -= 1
            self._watch.epochs_without = 0
        elif not better and self._watch.epochs_without >= self._patience:
            self._lower(run)

    def _lower(self, run: CallbackParam) -> None:
        rate = run.optimizer.learning_rate
        before = rate.asnumpy()
        after = np.maximum(before * self._factor, self._min_lr).astype(before.dtype)
        self._watch.epochs_without, self._cooling = 0, self._cooldown
        if (after == before).all():
            return
        rate.set_data(Tensor(after))
        if self._verbose:
            rate_now = float(after.max())
            sys.stdout.write(f"Epoch {run.cur_epoch_num}: the learning rate is {rate_now:.6g} from here on.\n")
