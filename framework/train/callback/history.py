"""A callback that keeps the results of the epochs of a training."""

from __future__ import annotations

from framework.train.callback.base import Callback, RunContext
from framework.train.callback.monitors import loss_of

__all__ = ["History"]


class History(Callback):
    """Keeps the loss of each epoch's last step and the evaluations of `Model.fit`, to read after the training.

    A second training with the same callback clears it.

    Attributes:
        epoch: {"epoch": the numbers of the epochs, from 1}.
        history: lists of values by name: "net_output", the loss of each epoch, and "eval_loss" and the like, with a
            value for each evaluation.

    After `model.fit(2, data, test, callbacks=history)`, `history.history` may be `{"net_output": [0.61, 0.32],
    "eval_loss": [0.58, 0.35]}`.
    """

    def __init__(self) -> None:
        self.epoch: dict[str, list[int]] = {"epoch": []}
        self.history: dict[str, list[object]] = {}

    def on_train_begin(self, run_context: RunContext) -> None:
        """Clear the results of an earlier training."""
        self.epoch, self.history = {"epoch": []}, {}

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Keep the results of the epoch."""
        run = run_context.original_args()
        self.epoch["epoch"].append(run.cur_epoch_num)
        loss = loss_of(run)
        results = ({} if loss is None else {"net_output": loss}) | (run.get("eval_results") or {})
        for name, value in results.items():
            self.history.setdefault(name, []).append(value)
