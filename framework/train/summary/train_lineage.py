"""The lineage of a training, its settings and results, as messages of MindSpore's format.

`SummaryCollector` writes them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from framework.dataset.ir import Node
from framework.dataset.ir.lineage import dataset_graph
from framework.nn.cell import Cell
from framework.nn.loss.loss import LossBase
from framework.nn.optim.optimizer import Optimizer, optimizers_in
from framework.train.callback.base import CallbackParam
from framework.train.callback.checkpoint import ModelCheckpoint
from framework.train.callback.monitors import loss_of
from summaries.schema.lineage_pb2 import DatasetGraph, EvaluationLineage, TrainLineage

__all__ = ["data_lineage", "eval_lineage", "optimizer_of", "train_lineage"]


def train_lineage(run: CallbackParam) -> TrainLineage:
    """The message of a training at its end: hyper-parameters, data, network, loss and the newest checkpoint.

    Args:
        run: the state of the run.

    Returns:
        The message.
    """
    message = TrainLineage()
    hyper = message.hyper_parameters
    optimizer, loss = optimizer_of(run), _loss_function(run)
    if optimizer is not None:
        hyper.optimizer = type(optimizer).__name__
        hyper.learning_rate = _learning_rate(optimizer)
    if loss is not None:
        hyper.loss_function = getattr(loss, "__name__", type(loss).__name__)
    hyper.epoch = run.epoch_num
    hyper.parallel_mode = str(run.parallel_mode)
    hyper.device_num = run.device_number
    batch = _batch_size(run.train_dataset)
    hyper.batch_size = batch or _length_of(run.get("train_dataset_element"))
    message.train_dataset.train_dataset_size = run.batch_num * hyper.batch_size
    path = _path_of(run.train_dataset)
    if path:
        message.train_dataset.train_dataset_path = path
    message.algorithm.network = type(_backbone(run)).__name__
    reached = loss_of(run)
    if reached is not None:
        message.algorithm.loss = reached
    checkpoint = next((c.latest_ckpt_file_name for c in run.list_callback if isinstance(c, ModelCheckpoint)), "")
    file = Path(checkpoint).absolute() if checkpoint else None
    message.model.path = json.dumps({"ckpt": None if file is None else str(file)})
    message.model.size = file.stat().st_size if file is not None and file.exists() else 0
    return message


def eval_lineage(run: CallbackParam) -> EvaluationLineage:
    """The message of an evaluation at its end: the results of the metrics, and the data.

    Args:
        run: the state of the run.

    Returns:
        The message.
    """
    message = EvaluationLineage()
    results = {name: _plain(value) for name, value in (run.get("eval_results") or {}).items()}
    message.metric = json.dumps(results, ensure_ascii=False)
    batch = _batch_size(run.valid_dataset) or 1
    message.valid_dataset.valid_dataset_size = (run.batch_num or run.cur_step_num) * batch
    path = _path_of(run.valid_dataset)
    if path:
        message.valid_dataset.valid_dataset_path = path
    return message


def data_lineage(data: Any) -> DatasetGraph | None:
    """The message of a data pipeline; None for other batches.

    Args:
        data: the data of the run.

    Returns:
        The message, or None.
    """
    node = getattr(data, "node", None)
    return dataset_graph(node) if isinstance(node, Node) else None


def optimizer_of(run: CallbackParam) -> Optimizer | None:
    """The optimizer of a training; it may be inside the user's own training step.

    Args:
        run: the state of the run.

    Returns:
        The optimizer, or None.
    """
    if run.optimizer is not None:
        found: Optimizer = run.optimizer
        return found
    return next(optimizers_in(run.train_network), None)


def _loss_function(run: CallbackParam) -> Any:
    if run.loss_fn is not None:
        return run.loss_fn
    cells = (cell for _, cell in run.train_network.cells_and_names())
    return next((cell for cell in cells if isinstance(cell, LossBase)), None)


def _backbone(run: CallbackParam) -> Cell:
    """The network without its loss and training step."""
    network: Cell = run.network
    while True:
        inner = getattr(network, "_backbone", None) or getattr(network, "backbone", None)
        inner = inner or (getattr(network, "network", None) if hasattr(network, "optimizer") else None)
        if not isinstance(inner, Cell):
            return network
        network = inner


def _learning_rate(optimizer: Optimizer) -> float:
    return float(optimizer.current_rates()[0].asnumpy())


def _batch_size(data: Any) -> int:
    """Samples per batch; 0 if unknown."""
    asked = getattr(data, "get_batch_size", None)
    return int(asked()) if asked is not None else _first_length(data)


def _first_length(data: Any) -> int:
    return _length_of(data[0]) if isinstance(data, list | tuple) and data else 0


def _length_of(batch: Any) -> int:
    """The number of samples of a batch: the first dimension of its first item."""
    first = batch[0] if isinstance(batch, tuple | list) and batch else batch
    shape: tuple[int, ...] = tuple(getattr(first, "shape", ()))
    return int(shape[0]) if len(shape) else 0


def _path_of(data: Any) -> str:
    """The path of the files of a dataset; empty without files."""
    node = getattr(data, "node", None)
    while isinstance(node, Node):
        if "dataset_dir" in node.parameters:
            return str(Path(node.parameters["dataset_dir"]).absolute())
        node = node.children[0] if node.children else None
    return ""


def _plain(value: Any) -> Any:
    """A metric as a JSON value."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value
