"""A callback that keeps what the epochs of a training gave."""

from __future__ import annotations

from framework.train.callback.base import Callback, RunContext
from framework.train.callback.monitors import loss_of

__all__ = ["History"]


class History(Callback):
    """Keeps the loss of each epoch's last step, and what `Model.fit` evaluates, for reading after the training.

    A second training with the same callback clears it.

    Attributes:
        epoch: {"epoch": the numbers of the epochs, from 1}.
        history: for each figure its values in order: "net_output", the loss, and "eval_loss" and the like, which have
            a value for each epoch that was evaluated.

    After `model.fit(2, data, test, callbacks=history)`, `history.history` is such as
    `{"net_output": [0.61, 0.32], "eval_loss": [0.58, 0.35]}`.

    """

    def __init__(self) -> None:
        self.epoch: dict[str, list[int]] = {"epoch": []}
        self.history: dict[str, list[object]] = {}

    def on_train_begin(self, run_context: RunContext) -> None:
        """Forget the training before."""
        self.epoch, self.history = {"epoch": []}, {}

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Keep what the epoch gave."""
        run = run_context.original_args()
        self.epoch["epoch"].append(run.cur_epoch_num)
        loss = loss_of(run)
        found = ({} if loss is None else {"net_output": loss}) | (run.get("eval_results") or {})
        for name, value in found.items():
            self.history.setdefault(name, []).append(value)
