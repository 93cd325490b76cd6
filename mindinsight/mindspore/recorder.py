"""What is recorded of each step: the loss and learning rates; now and then histograms of weights; graph and lineage."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np

from mindinsight.mindspore.arrays import to_array
from mindinsight.mindspore.lineage import settings_of, train_lineage
from mindinsight.mindspore.training import MindSporeTraining
from summaries.schema.anf_ir_pb2 import GraphProto
from summaries.writing.pace import Pace
from summaries.writing.writer import SummaryWriter

__all__ = ["Recorder"]

_log = logging.getLogger("mindinsight.mindspore")


class Recorder:
    """Records into a run's files.

    Args:
        training: The training.
        folder: The run's folder.
        histograms: Steps between histograms of weights; 0 for none.
        budget: The largest part of a step's time that recording may take.
        run: What `Model.train` gives to callbacks; empty for a hand-written loop.
    """

    def __init__(
        self, training: MindSporeTraining, folder: Path, histograms: int, budget: float, run: Mapping[str, Any]
    ) -> None:
        self._training = training
        self._histograms = histograms
        self._pace = Pace(budget)
        self._run = run
        self._writer: SummaryWriter | None = SummaryWriter(str(folder))
        self._batch: Any = None
        self._logged: set[str] = set()
        self._rates: dict[str, float] = {}
        #: The last step and its loss, which a device may still be computing.
        self._waiting: tuple[int, Any] | None = None
        self._loss = math.nan

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Record numbers of a step under their tags."""
        if self._writer is not None:
            self._logged.update(values)
            self._writer.add_scalars({name: _number(value) for name, value in values.items()}, step=step)

    def add_graph(self, graph: GraphProto) -> None:
        """Record the graph of the step."""
        if self._writer is not None:
            self._writer.add_graph(graph)

    def add_note(self, text: str, step: int) -> None:
        """Record a sentence about the recording."""
        if self._writer is not None:
            self._writer.add_text("recording", text, step)

    def begin(self, step: int) -> None:
        """Note the learning rates of a step that begins: at its end, schedules are one step further."""
        if self._writer is not None and (step == 1 or step % self._pace.every == 0):
            rates = self._training.learning_rates
            self._rates = {rate.name: rate.value for rate in rates if rate.name not in self._logged}

    def record(self, step: int, output: Any, batch: Any, seconds: float) -> None:
        """Record a step that has ended.

        Args:
            step: Its number, from 1.
            output: What it returned; the first tensor is the loss.
            batch: Its arguments.
            seconds: How long it took.
        """
        if self._writer is None:
            return
        began = time.perf_counter()
        if self._batch is None:
            self._batch = batch if batch else ()
            self._writer.add_lineage(train_lineage(self._training, self._run, batch, time.time()))
            self._writer.add_hparams(settings_of(self._training, self._run))
        if step % self._pace.every == 0 or step == 1:
            self._scalars(self._writer, step, output)
        if self._histograms and step % (self._histograms * self._pace.every) == 0:
            self._distributions(self._writer, step)
        if note := self._pace.note(step, time.perf_counter() - began, seconds):
            self.add_note(note, step)

    def _scalars(self, writer: SummaryWriter, step: int, output: Any) -> None:
        # The loss of the step before is there by now, so nobody waits for a device.
        self._write_loss(writer)
        known = {name: value for name, value in self._rates.items() if not math.isnan(value)}
        if known:
            writer.add_scalars(known, step=step)
        loss = output[0] if isinstance(output, tuple | list) and output else output
        if "loss" not in self._logged and isinstance(loss, ms.Tensor) and loss.size == 1:
            self._waiting = (step, loss)

    def _write_loss(self, writer: SummaryWriter) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            step, loss = waiting
            self._loss = _number(loss)
            writer.add_scalars({"loss": self._loss}, step=step)

    def _distributions(self, writer: SummaryWriter, step: int) -> None:
        for parameter in self._training.trained.values():
            array = to_array(parameter)
            if array.size and array.dtype.kind in "fiuc":
                writer.add_histogram(parameter.name, np.abs(array) if array.dtype.kind == "c" else array, step)

    def close(self) -> None:
        """Record the last loss and the lineage at the end; what is recorded stays."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        try:
            self._write_loss(writer)
            if self._batch is not None:
                writer.add_lineage(train_lineage(self._training, self._run, self._batch, time.time(), self._loss))
        except Exception:
            _log.exception("The numbers of the last step are not recorded.")
        writer.close()


def _number(value: Any) -> float:
    return float(to_array(value).reshape(-1)[0]) if isinstance(value, ms.Tensor) else float(value)
