"""`MindInsightCallback` for Keras 3, on each back end: `model.fit(x, y, callbacks=[MindInsightCallback("runs/x")])`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mindinsight.frameworks import missing

try:
    import keras
except ModuleNotFoundError as error:
    raise missing(error, __name__, "keras") from None

from mindinsight.integrations.numbers import options_of, write
from summaries.writing.writer import SummaryWriter

__all__ = ["MindInsightCallback"]


class MindInsightCallback(keras.callbacks.Callback):  # type: ignore[misc]  # not installed where this is checked
    """Records what Keras logs, under its names: `loss` and `val_loss` of an epoch, `batch_loss` of a batch.

    Numbers of an epoch stand at the epoch, from 0, those of a batch at the batch, from 1, as in Keras' own callback for
    TensorBoard. There is no debugger: Keras' step is not PyTorch's.

    Args:
        folder: The run's folder.
        update_freq: "epoch"; "batch" or 1 for each batch, too; N for each Nth batch.
        histogram_freq: Epochs between histograms of weights; 0 for none.

    Raises:
        ValueError: `update_freq` is neither "epoch", "batch", nor a number above 0.
    """

    def __init__(self, folder: str | Path, update_freq: int | str = "epoch", histogram_freq: int = 1) -> None:
        super().__init__()
        if update_freq not in ("epoch", "batch") and not (isinstance(update_freq, int) and update_freq > 0):
            raise ValueError(f'update_freq must be "epoch", "batch" or a number above 0, not {update_freq!r}')
        self._folder = Path(folder)
        self._every = (
            {"epoch": 0, "batch": 1}.get(update_freq, update_freq) if isinstance(update_freq, str) else update_freq
        )
        self._histograms = histogram_freq
        self._writer: SummaryWriter | None = None
        self._batches = 0

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Open the run."""
        self._batches = 0
        self._writer = SummaryWriter(str(self._folder))
        optimizer = self.model.optimizer
        config = {} if optimizer is None else {f"optimizer/{name}": one for name, one in optimizer.get_config().items()}
        self._writer.add_hparams(
            options_of({
                "model": self.model.name, "parameters": self.model.count_params(), "backend": keras.backend.backend(),
                **(self.params or {}), **config,
            })
        )  # fmt: skip

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Record the numbers of a batch."""
        self._batches += 1
        if self._writer is not None and self._every and self._batches % int(self._every) == 0 and logs:
            write(self._writer, {f"batch_{name}": value for name, value in logs.items()}, self._batches)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Record the numbers of an epoch, the learning rate, and histograms."""
        if self._writer is None:
            return
        values = dict(logs or {})
        rate = getattr(self.model.optimizer, "learning_rate", None)
        if rate is not None:
            values.setdefault("learning_rate", float(keras.ops.convert_to_numpy(rate)))
        write(self._writer, values, epoch)
        if self._histograms and epoch % self._histograms == 0:
            for weight in self.model.weights:
                array = np.array(keras.ops.convert_to_numpy(weight.value))
                if array.size and array.dtype.kind in "fiu":
                    self._writer.add_histogram(weight.path, array, epoch)

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Close the run."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
