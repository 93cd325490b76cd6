"""Callbacks that watch a metric over the epochs: they stop the training or lower the learning rate."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.train.callback.base import Callback, CallbackParam, RunContext
from framework.train.callback.monitors import loss_of

__all__ = ["EarlyStopping", "ReduceLROnPlateau"]

_SMALLER_IS_BETTER = ("loss", "mae", "mse", "error", "perplexity")


class _Watch:
    """The best value of a metric so far, and the number of epochs since."""

    def __init__(self, monitor: str, mode: str, min_delta: float) -> None:
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"mode must be 'auto', 'min' or 'max', not {mode!r}")
        smaller = any(word in monitor.lower() for word in _SMALLER_IS_BETTER) if mode == "auto" else mode == "min"
        self.monitor = monitor
        self._sign = 1.0 if smaller else -1.0
        self._min_delta = abs(float(min_delta))
        self.best = math.inf * self._sign
        self.epochs_without = 0

    def see(self, value: float) -> bool:
        """Record a value, and return whether it is better than all before by at least `min_delta`."""
        better = self._sign * (self.best - value) > self._min_delta
        self.epochs_without = 0 if better else self.epochs_without + 1
        if better:
            self.best = value
        return better

    def value_of(self, run: CallbackParam) -> float | None:
        """The metric at the end of an epoch; None with a warning if it is unknown."""
        results = run.get("eval_results") or {}
        name = self.monitor.removeprefix("eval_")
        value = results.get(self.monitor, results.get(name))
        if value is None and self.monitor == "loss":
            value = loss_of(run)
        if value is None:
            names = ", ".join(["loss", *results])
            sys.stderr.write(f"There is no {self.monitor!r} to watch after epoch {run.cur_epoch_num}, only {names}.\n")
            return None
        return float(np.mean(value))


class EarlyStopping(Callback):
    """Stops a training when a metric no longer improves.

    Args:
        monitor: name of the metric: "loss", "eval_loss", or another result of `Model.fit`.
        min_delta: smallest change that counts as an improvement.
        patience: number of epochs without an improvement after which to stop.
        verbose: print when and why the training stopped.
        mode: "min" if smaller is better, "max" if larger is; "auto" decides by the name.
        baseline: value that the metric has to reach; None for none.
        restore_best_weights: restore the parameters of the best epoch at the end.

    Raises:
        ValueError: `mode` or `patience` is out of range.
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
            raise ValueError(f"patience must be at least 0 epochs, not {patience!r}")
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
        """Check the metric."""
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
        """Restore the best parameters, if asked for."""
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
    """Lowers the learning rate when a metric no longer improves.

    Args:
        monitor: name of the metric: "loss", "eval_loss", or another result of `Model.fit`.
        factor: factor of the rate, below 1.
        patience: number of epochs without an improvement after which to lower the rate.
        verbose: print each reduction.
        mode: "min" if smaller is better, "max" if larger is; "auto" decides by the name.
        min_delta: smallest change that counts as an improvement.
        cooldown: number of epochs after a reduction that do not count.
        min_lr: lower limit of the rate.

    Raises:
        ValueError: `factor` or `mode` is out of range.
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
            raise ValueError(f"factor must lie between 0 and 1, not {factor!r}")
        self._settings = (monitor, mode, min_delta)
        self._watch = _Watch(*self._settings)
        self._factor, self._patience, self._verbose = factor, patience, verbose
        self._cooldown, self._min_lr = cooldown, min_lr
        self._cooling = 0

    def on_train_begin(self, run_context: RunContext) -> None:
        """Reset the counts."""
        self._watch, self._cooling = _Watch(*self._settings), 0

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Check the metric."""
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
        self._watch.epochs_without, self._cooling = 0, self._cooldown
        rates = [rate for rate in run.optimizer.rates if isinstance(rate, Parameter)]
        if not rates:
            raise TypeError("ReduceLROnPlateau needs an optimizer whose learning rate is a number, not a schedule")
        before = [rate.asnumpy() for rate in rates]
        after = [np.maximum(one * self._factor, self._min_lr).astype(one.dtype) for one in before]
        if all((new == old).all() for new, old in zip(after, before, strict=True)):
            return
        for rate, new in zip(rates, after, strict=True):
            rate.set_data(Tensor(new))
        if self._verbose:
            rate_now = max(float(new.max()) for new in after)
            sys.stdout.write(f"Epoch {run.cur_epoch_num}: the learning rate is {rate_now:.6g} from here on.\n")
