"""What is recorded of each step: the loss, learning rates, norms; and now and then histograms, within a budget."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from mindinsight.torch.arrays import to_array
from mindinsight.torch.private import is_lazy, norms_of
from mindinsight.torch.training import TorchTraining
from summaries.schema.anf_ir_pb2 import GraphProto
from summaries.writing.pace import Pace
from summaries.writing.writer import SummaryWriter

__all__ = ["Recorder", "norm_of"]

_log = logging.getLogger("mindinsight.torch")


class Recorder:
    """Records into a run's files.

    Args:
        training: the model and its optimizers.
        folder: the run's folder.
        histograms: steps between histograms; 0 for none.
        budget: the largest part of a step's time that recording may take.
        clock: gives the seconds that have passed.

    Attributes:
        folder: the run's folder.
        skipped: how many steps a gradient scaler has skipped.
    """

    def __init__(
        self, training: TorchTraining, folder: Path, histograms: int, budget: float, clock: Callable[[], float]
    ) -> None:
        self.folder = folder
        self.skipped = 0
        self._training = training
        self._histograms = histograms
        self._pace = Pace(budget)
        self._clock = clock
        self._writer: SummaryWriter | None = SummaryWriter(str(folder))
        self._logged: set[str] = set()
        self._has_lineage = False
        #: Numbers of a step that a device may still be computing.
        self._waiting: tuple[int, dict[str, Any]] | None = None

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Record numbers of a step under their tags."""
        if self._writer is not None:
            self._logged.update(values)
            self._writer.add_scalars(dict(values), step=step)

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
        began = self._clock()
        if not self._has_lineage:
            self._has_lineage = True
            self._writer.add_hparams(self._lineage())
        if step % self._pace.every == 0 or step == 1:
            self._scalars(self._writer, step, loss)
        if self._histograms and step % (self._histograms * self._pace.every) == 0:
            self._distributions(self._writer, step)
        if note := self._pace.note(step, self._clock() - began, seconds):
            self._writer.add_text("recording", note, step)

    def _scalars(self, writer: SummaryWriter, step: int, loss: Any) -> None:
        values: dict[str, Any] = {}
        if loss is not None and "loss" not in self._logged:
            # The absolute value of a complex number.
            values["loss"] = loss.abs() if loss.is_complex() else loss
        values.update((rate.name, rate.value) for rate in self._training.rates())
        if self._training.scale is not None:
            values["loss_scale"] = self._training.scale
            values["skipped_steps"] = self.skipped
        norm = norm_of([weight.grad for weight in self._training.trained() if weight.grad is not None])
        if norm is not None:
            values["gradient_norm"] = norm
        waiting, self._waiting = self._waiting, (step, values)
        if waiting is not None:
            self._write(writer, *waiting)
        if not any(isinstance(value, torch.Tensor) and value.device.type != "cpu" for value in values.values()):
            self._write(writer, *self._waiting)
            self._waiting = None

    def _write(self, writer: SummaryWriter, step: int, values: Mapping[str, Any]) -> None:
        """Write the numbers of a step. A device is asked one step late, so that nobody waits for it."""
        kept = {name: value for name, value in values.items() if name == "loss" or name not in self._logged}
        known = {name: float(value) for name, value in kept.items() if getattr(value, "layout", None) is None}
        on_device = {name: value for name, value in kept.items() if name not in known and value.device.type != "meta"}
        if len(on_device) == 1:
            known.update((name, float(value)) for name, value in on_device.items())
        elif on_device:
            first = next(iter(on_device.values())).device
            together = torch.stack([value.reshape(()).to(first, torch.float64) for value in on_device.values()])
            known.update(zip(on_device, together.tolist(), strict=True))
        writer.add_scalars(known, step=step)

    def _distributions(self, writer: SummaryWriter, step: int) -> None:
        for name, weight in self._training.model.named_parameters():
            for tag, tensor in ((name, weight), (f"{name}/gradient", weight.grad)):
                array = None if tensor is None or is_lazy(tensor) else to_array(_stored(tensor))
                if array is not None and array.size:
                    writer.add_histogram(tag, np.abs(array) if array.dtype.kind == "c" else array, step)

    def _lineage(self) -> dict[str, Any]:
        """What a person would write down about the training."""
        model, optimizers = self._training.model, self._training.optimizers
        weights = [weight for weight in model.parameters() if not is_lazy(weight)]
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
        if writer is None:
            return
        try:
            if self._waiting is not None:
                self._write(writer, *self._waiting)
        except Exception:
            _log.exception("The numbers of the last step are not recorded.")
        writer.close()

    close = stop


def norm_of(tensors: Sequence[torch.Tensor]) -> torch.Tensor | None:
    """The L2 norm of all elements of some tensors, on the device of the first; None if there are none.

    Tensors of one device and type are one call of PyTorch. Sparse tensors count with their stored elements, types of
    16 bits in float32.
    """
    groups: dict[tuple[torch.device, torch.dtype], list[torch.Tensor]] = {}
    for tensor in tensors:
        if tensor.device.type != "meta":
            plain = _stored(tensor)
            groups.setdefault((plain.device, plain.dtype), []).append(plain.detach())
    norms: list[torch.Tensor] = []
    for (_, dtype), group in groups.items():
        wide = torch.float32 if dtype in (torch.float16, torch.bfloat16) else None
        if dtype.is_complex:
            norms += [torch.linalg.vector_norm(tensor) for tensor in group]
        else:
            norms += norms_of(group, wide)
    if not norms:
        return None
    first = norms[0].device
    return torch.linalg.vector_norm(torch.stack([norm.to(first) for norm in norms] if len(groups) > 1 else norms))


def _stored(tensor: torch.Tensor) -> torch.Tensor:
    """The stored elements of a sparse tensor, duplicates added up; another tensor itself."""
    return tensor.coalesce().values() if tensor.layout is torch.sparse_coo else tensor
