"""What is recorded of each step: the loss, learning rates, norms; and now and then histograms, within a budget."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import torch

from mindinsight.torch.arrays import to_array
from mindinsight.torch.training import TorchTraining
from summaries.schema.anf_ir_pb2 import GraphProto
from summaries.writing.writer import SummaryWriter

__all__ = ["Recorder"]

_MOST_STRETCH: Final = 64
"""The largest factor by which intervals are stretched to keep to the budget."""
_WARM_UP: Final = 5
"""Steps before the cost of recording is measured: the first ones allocate and compile."""


class Recorder:
    """Records into a run's files.

    Args:
        training: the model and its optimizers.
        folder: the run's folder.
        histograms: steps between histograms; 0 for none.
        budget: the largest part of a step's time that recording may take.

    Attributes:
        folder: the run's folder.
    """

    def __init__(self, training: TorchTraining, folder: Path, histograms: int, budget: float) -> None:
        self.folder = folder
        self._training = training
        self._histograms = histograms
        self._budget = budget
        self._writer: SummaryWriter | None = SummaryWriter(str(folder))
        self._logged: set[str] = set()
        self._spent = self._ran = 0.0
        #: A step is recorded if its number is a multiple of this.
        self._every = 1
        self._has_lineage = False

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Record numbers of a step under their tags."""
        if self._writer is not None:
            self._logged.update(values)
            self._writer.add_scalars({name: float(value) for name, value in values.items()}, step=step)

    def add_graph(self, graph: GraphProto) -> None:
        """Record the graph of the step."""
        if self._writer is not None:
            self._writer.add_graph(graph)

    def record(self, step: int, loss: Any, seconds: float) -> None:
        """Record a step that has ended.

        Args:
            step: its number, from 1.
            loss: a tensor of one element; None if it is not known.
            seconds: how long it took.
        """
        if self._writer is None:
            return
        began = time.perf_counter()
        if not self._has_lineage:
            self._has_lineage = True
            self._writer.add_hparams(self._lineage())
        if step % self._every == 0 or step == 1:
            self._scalars(self._writer, step, loss)
        if self._histograms and step % (self._histograms * self._every) == 0:
            self._distributions(self._writer, step)
        self._keep_to_budget(self._writer, step, time.perf_counter() - began, seconds)

    def _scalars(self, writer: SummaryWriter, step: int, loss: Any) -> None:
        values: dict[str, float] = {}
        if loss is not None and "loss" not in self._logged:
            values["loss"] = float(loss)
        for rate in self._training.rates():
            values[rate.name] = rate.value
        gradients = [weight.grad for weight in self._training.model.parameters() if weight.grad is not None]
        plain = [gradient for gradient in gradients if gradient.layout is torch.strided]
        if plain:
            norms = torch._foreach_norm(plain)
            first = norms[0].device
            values["gradient_norm"] = float(torch.linalg.vector_norm(torch.stack([norm.to(first) for norm in norms])))
        writer.add_scalars(values, step=step)

    def _distributions(self, writer: SummaryWriter, step: int) -> None:
        for name, weight in self._training.model.named_parameters():
            array = to_array(weight)
            if array is not None and array.size:
                writer.add_histogram(name, array, step)
            gradient = None if weight.grad is None else to_array(weight.grad)
            if gradient is not None and gradient.size:
                writer.add_histogram(f"{name}/gradient", gradient, step)

    def _keep_to_budget(self, writer: SummaryWriter, step: int, spent: float, seconds: float) -> None:
        """Stretch the intervals if recording takes more than its part of the time."""
        if step <= _WARM_UP:
            return
        self._spent += spent
        self._ran += seconds
        if self._spent > self._budget * self._ran and self._every < _MOST_STRETCH and step % 50 == 0:
            self._every *= 2
            self._spent = self._ran = 0.0
            text = f"Curves have every {self._every}th step: recording stays below {self._budget:.0%} of the time."
            writer.add_text("recording", text, step)

    def _lineage(self) -> dict[str, Any]:
        """What a person would write down about the training."""
        model, optimizers = self._training.model, self._training.optimizers
        weights = list(model.parameters())
        found: dict[str, Any] = {
            "model": type(model).__name__,
            "parameters": sum(weight.numel() for weight in weights),
            "trainable_parameters": sum(weight.numel() for weight in weights if weight.requires_grad),
            "optimizer": " ".join(type(optimizer).__name__ for optimizer in optimizers),
            "torch": torch.__version__,
        }
        for name in ("lr", "momentum", "weight_decay", "betas", "eps", "nesterov", "amsgrad"):
            value = optimizers[0].param_groups[0].get(name)
            if value is not None:
                found["learning_rate" if name == "lr" else name] = (
                    float(value) if isinstance(value, torch.Tensor) else str(value) if name == "betas" else value
                )
        return found

    def stop(self) -> None:
        """Record nothing any more; what is recorded stays."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    close = stop
