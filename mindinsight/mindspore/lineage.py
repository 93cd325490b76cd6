"""The settings of a MindSpore training, named as MindInsight names them. Written by `Recorder`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mindspore as ms

from mindinsight.mindspore.training import MindSporeTraining
from summaries.schema.lineage_pb2 import LineageEvent

__all__ = ["settings_of", "train_lineage"]

_LARGEST = (1 << 31) - 1


def train_lineage(
    training: MindSporeTraining, run: Mapping[str, Any], batch: Any, wall: float, loss: float = math.nan
) -> LineageEvent:
    """The record of a training that MindInsight's `SummaryCollector` writes.

    Args:
        training: The training.
        run: What `Model.train` gives to callbacks; empty for a hand-written loop.
        batch: The arguments of a step.
        wall: Seconds since 1970.
        loss: The last loss; NaN if it is not known.
    """
    event = LineageEvent(wall_time=wall)
    message = event.train_lineage
    _add_settings(message.hyper_parameters, training, run)
    batch_size = _batch_size(run.get("train_dataset")) or _length_of(batch)
    message.hyper_parameters.batch_size = batch_size
    message.train_dataset.train_dataset_size = min(int(run.get("batch_num") or 0) * batch_size, _LARGEST)
    path = _path_of(run.get("train_dataset"))
    if path:
        message.train_dataset.train_dataset_path = path
    message.algorithm.network = type(_backbone(run.get("network") or training.network)).__name__
    if math.isfinite(loss):
        message.algorithm.loss = loss
    checkpoint = str(run.get("latest_ckpt_file") or "")
    message.model.path = json.dumps({"ckpt": checkpoint or None})
    message.model.size = Path(checkpoint).stat().st_size if checkpoint and Path(checkpoint).is_file() else 0
    return event


def _add_settings(hyper: Any, training: MindSporeTraining, run: Mapping[str, Any]) -> None:
    if training.optimizers:
        hyper.optimizer = type(training.optimizers[0]).__name__
        rates = training.learning_rates
        if rates and math.isfinite(rates[0].value):
            hyper.learning_rate = rates[0].value
    function = run.get("loss_fn") or _loss_cell(training.network)
    if function is not None:
        hyper.loss_function = getattr(function, "__name__", type(function).__name__)
    hyper.epoch = int(run.get("epoch_num") or 1)
    hyper.parallel_mode = str(run.get("parallel_mode") or ms.get_auto_parallel_context("parallel_mode"))
    hyper.device_num = int(run.get("device_number") or 1)


def settings_of(training: MindSporeTraining, run: Mapping[str, Any]) -> dict[str, Any]:
    """What MindInsight's record has no place for: sizes, the schedule, the mode, the kind of data."""
    trained = training.trained.values()
    states = {id(one) for optimizer in training.optimizers for one in optimizer.get_parameters()} - {*training.trained}
    weights = [one for one in training.parameters if id(one) not in states]
    found: dict[str, Any] = {
        "parameters": sum(one.size for one in weights),
        "trainable_parameters": sum(one.size for one in trained),
        "mode": training.mode(),
        "mindspore": ms.__version__,
    }
    schedules = [rate.holder for rate in training.learning_rates if rate.parameter is None]
    if schedules:
        found["schedule"] = " ".join(type(one).__name__.lstrip("_") for one in schedules)
    if run.get("train_dataset") is not None:
        found["data_set"] = type(_source_of(run["train_dataset"])).__name__
    for optimizer in training.optimizers[:1]:
        found.update(_numbers_of(optimizer))
    return found


def _numbers_of(optimizer: Any) -> dict[str, float]:
    """Settings of an optimizer that are single numbers."""
    found: dict[str, float] = {}
    for name in ("weight_decay", "momentum"):
        value = getattr(optimizer, name, None)
        if isinstance(value, ms.Tensor) and value.size == 1:
            found[name] = float(value.asnumpy())
        elif isinstance(value, int | float):
            found[name] = value
    return found


def _loss_cell(network: Any) -> Any:
    return next((cell for _, cell in network.cells_and_names() if isinstance(cell, ms.nn.LossBase)), None)


def _backbone(network: Any) -> Any:
    """The network without its loss and training step."""
    inner = getattr(network, "_backbone", None) or (getattr(network, "network", None) if _is_step(network) else None)
    return network if not isinstance(inner, ms.nn.Cell) else _backbone(inner)


def _is_step(network: Any) -> bool:
    return hasattr(network, "optimizer")


def _batch_size(data: Any) -> int:
    """Samples per batch; 0 if unknown."""
    asked = getattr(data, "get_batch_size", None)
    return int(asked() or 0) if asked is not None else 0


def _length_of(batch: Any) -> int:
    """The number of samples of a batch: the first dimension of its first item."""
    first = batch[0] if isinstance(batch, tuple | list) and batch else batch
    shape = tuple(getattr(first, "shape", ()))
    return int(shape[0]) if shape else 0


def _source_of(data: Any) -> Any:
    """The data set at the beginning of a pipeline."""
    while children := getattr(data, "children", None):
        data = children[0]
    return data


def _path_of(data: Any) -> str:
    """The path of the files of a data set; empty without files."""
    folder = getattr(_source_of(data), "dataset_dir", None)
    return str(Path(folder).absolute()) if isinstance(folder, str) else ""
