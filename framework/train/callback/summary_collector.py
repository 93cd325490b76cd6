"""`SummaryCollector`: records a training for the dashboard, without changes to the network."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from framework.common.tensor import Tensor
from framework.dataset.ir import Node
from framework.dataset.monitor.recording import Recording
from framework.dataset.monitor.step_log import StepLog
from framework.engine.call.cells import cell_programs
from framework.ir.errors import GraphError
from framework.ir.summary_graph import summary_graph
from framework.train.callback.base import Callback, CallbackParam, RunContext
from framework.train.callback.monitors import loss_of
from framework.train.summary.summary_record import SummaryRecord
from framework.train.summary.train_lineage import data_lineage, eval_lineage, optimizer_of, train_lineage
from summaries.remote import is_remote

__all__ = ["SummaryCollector"]

_log = logging.getLogger("framework")

_DEFAULT: Final[Mapping[str, Any]] = {
    "collect_metric": True,
    "collect_graph": True,
    "collect_train_lineage": True,
    "collect_eval_lineage": True,
    "collect_input_data": True,
    "collect_dataset_graph": True,
    "collect_data_pipeline": True,
    "collect_environment": True,
    "collect_gradients": False,
    "histogram_regular": None,
}
_HISTOGRAMS = 5
"""Default number of recorded parameters."""
_TENSOR_STEPS = 20
"""Default maximum of steps at which tensors are recorded."""


class SummaryCollector(Callback):
    """Records a training or an evaluation in a directory that the dashboard shows.

    The first step and every `collect_freq`-th step are recorded, also in sink mode: `loss/auto`, the batch as
    `input_data/auto`, histograms of parameters as `NAME/auto`, and the values of summary operators. The graph and the
    data pipeline are recorded once, the lineage at the end.

    Args:
        summary_dir: directory of the run, created if it is missing. Each run needs its own directory.
        collect_freq: number of steps between records.
        num_process: accepted for compatibility; one thread writes.
        collect_specified_data: what to collect, True or False by name: `collect_metric` (the loss), `collect_graph`,
            `collect_train_lineage`, `collect_eval_lineage`, `collect_input_data` (batches of shape (N, C, H, W) or (N,
            H, W, C) with 1 or 3 channels), `collect_dataset_graph`, `collect_data_pipeline` (the speed of each operator
            of the data pipeline, at the interval of `ds.config.set_monitor_sampling_interval`), `collect_environment`
            (the environment of the run, from command line to seed), `collect_gradients` (histograms of gradients as
            `NAME/grad`; off by default).
            Also `histogram_regular`: a regular expression for the beginning of parameter names, None for the first five
            parameters.
        keep_default_action: collect everything that `collect_specified_data` does not name.
        custom_lineage_data: further texts and numbers by name for the lineage.
        collect_tensor_freq: number of steps between records of `ops.TensorSummary`; None for at most 20 records.
        max_file_size: maximum size of a file in bytes; None for no limit.
        export_options: accepted for compatibility; the dashboard exports tensors.

    Raises:
        ValueError: a number is not above 0, or a name is unknown.
        TypeError: an argument has the wrong type.
    """

    def __init__(
        self,
        summary_dir: str | Path,
        collect_freq: int = 10,
        num_process: int = 32,
        collect_specified_data: Mapping[str, Any] | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: Mapping[str, Any] | None = None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options: Mapping[str, Any] | None = None,
    ) -> None:
        for name, value in (("collect_freq", collect_freq), ("collect_tensor_freq", collect_tensor_freq)):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value <= 0):
                raise ValueError(f"{name} must be a number of steps above 0, not {value!r}")
        self._directory = str(summary_dir)
        self._every = collect_freq
        self._every_tensor = collect_tensor_freq
        self._wanted = _chosen(collect_specified_data, keep_default_action)
        self._custom = _checked(custom_lineage_data)
        self._max_file_size = max_file_size
        self._record: SummaryRecord | None = None
        self._begun = False
        self._tensor_steps = range(0)
        self._pipeline: Recording | None = None
        self._steps: StepLog | None = None

    def __enter__(self) -> SummaryCollector:
        self._record = SummaryRecord(
            self._directory,
            max_file_size=self._max_file_size,
            environment=bool(self._wanted.get("collect_environment")),
        )
        self._record.hear(False)
        self._begun = False
        return self

    def __exit__(self, *exception: object) -> None:
        """Write the remaining values and close the files."""
        self._stop_pipeline()
        if self._record is not None:
            self._record.close()
            self._record = None

    @property
    def summary_dir(self) -> str:
        """The directory of the run."""
        return self._directory

    def flush(self) -> None:
        """Wait until all values are in the files."""
        self._open().flush()

    def on_train_begin(self, run_context: RunContext) -> None:
        """Prepare the record of a training.

        Raises:
            RuntimeError: the training has two collectors, which would record everything twice.
        """
        run = run_context.original_args()
        if sum(isinstance(item, SummaryCollector) for item in run.list_callback) > 1:
            raise RuntimeError("a training takes one SummaryCollector, but the list of callbacks has several")
        self._open().open()
        self._note_gradients(run)
        self._watch_pipeline(self._open(), run)
        total = run.epoch_num * run.batch_num if run.batch_num else 0
        self._tensor_steps = range(0, total + 1, self._every_tensor or max(1, total // (_TENSOR_STEPS - 1)))

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Listen to summary operators in steps that are recorded."""
        step = run_context.original_args().cur_step_num
        self._open().hear(self._is_due(step) or self._is_due_for_tensors(step))

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Record the step if it is due."""
        run = run_context.original_args()
        record, step = self._open(), run.cur_step_num
        due, due_for_tensors = self._is_due(step), self._is_due_for_tensors(step)
        if not self._begun:
            self._begin(record, run)
        if due:
            self._collect(record, run)
            record.record(step, plugin_filter=lambda plugin: due_for_tensors or plugin != "tensor")
        elif due_for_tensors:
            record.record(step, plugin_filter=lambda plugin: plugin == "tensor")
        record.hear(False)
        if self._steps is not None:
            self._steps.step()

    def on_train_end(self, run_context: RunContext) -> None:
        """Record the lineage of the training."""
        self._stop_pipeline()
        run = run_context.original_args()
        record = self._open()
        if self._wanted.get("collect_train_lineage") and self._begun:
            record.add_value("train_lineage", "train_lineage", train_lineage(run))
            record.record(0)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Stop listening to summary operators."""
        self._open().set_mode("eval")

    def on_eval_end(self, run_context: RunContext) -> None:
        """Record the results of the evaluation."""
        record = self._open()
        if self._wanted.get("collect_eval_lineage"):
            record.add_value("eval_lineage", "eval_lineage", eval_lineage(run_context.original_args()))
            record.record(0)
        record.set_mode("train")
        record.hear(False)

    def _open(self) -> SummaryRecord:
        if self._record is None:
            raise RuntimeError("a SummaryCollector records only inside `with`: pass it to Model, or use `with`")
        return self._record

    def _is_due(self, step: int) -> bool:
        return step % self._every == 0 or not self._begun

    def _is_due_for_tensors(self, step: int) -> bool:
        if not self._begun:
            return True
        # Without a known length, the records cannot be spread over all steps.
        return step in self._tensor_steps if len(self._tensor_steps) > 1 else self._is_due(step)

    def _begin(self, record: SummaryRecord, run: CallbackParam) -> None:
        """Record the graph, the data pipeline and the user's lineage, once each."""
        if self._wanted.get("collect_graph"):
            self._add_graph(record, run)
        pipeline = data_lineage(run.train_dataset) if self._wanted.get("collect_dataset_graph") else None
        if pipeline is not None:
            record.add_value("dataset_graph", "train_dataset", pipeline)
        if self._custom:
            record.add_value("custom_lineage_data", "custom_lineage_data", self._custom)
        self._begun = True

    @staticmethod
    def _add_graph(record: SummaryRecord, run: CallbackParam) -> None:
        programs = cell_programs(run.train_network)
        try:
            program = programs.latest or programs.compile(*run.train_dataset_element)
        except GraphError as error:
            _log.warning("the graph is not recorded: the network cannot be compiled, %s", error)
            return
        record.add_value("graph", "train_network/auto", summary_graph(program.root))

    def _collect(self, record: SummaryRecord, run: CallbackParam) -> None:
        if self._wanted.get("collect_input_data"):
            self._add_input(record, run)
        if self._wanted.get("collect_metric"):
            loss = loss_of(run)
            if loss is None:
                self._leave_out("collect_metric", "the network's first output is not a number")
            else:
                record.add_value("scalar", "loss/auto", loss)
        if "histogram_regular" in self._wanted:
            self._add_histograms(record, run)

    def _add_input(self, record: SummaryRecord, run: CallbackParam) -> None:
        batch = run.train_dataset_element
        first = batch[0] if isinstance(batch, tuple | list) and batch else batch
        shape = tuple(getattr(first, "shape", ()))
        if not isinstance(first, Tensor) or len(shape) != 4 or not {shape[1], shape[3]} & {1, 3}:
            self._leave_out("collect_input_data", f"a batch of shape {shape} holds no pictures")
            return
        record.add_value("image", "input_data/auto", first)

    def _add_histograms(self, record: SummaryRecord, run: CallbackParam) -> None:
        optimizer, pattern = optimizer_of(run), self._wanted["histogram_regular"]
        if optimizer is None:
            self._leave_out("histogram_regular", "there is no optimizer")
            return
        chosen = [p for p in optimizer.parameters if pattern is None or re.match(pattern, p.name)]
        for parameter in chosen if pattern is not None else chosen[:_HISTOGRAMS]:
            if parameter.ndim:
                record.add_value("histogram", f"{parameter.name}/auto", parameter)

    def _watch_pipeline(self, record: SummaryRecord, run: CallbackParam) -> None:
        waits = run.get("data_waits")
        if self._wanted.get("collect_data_pipeline") and waits is not None and not is_remote(self._directory):
            self._steps = StepLog(Path(self._directory), waits)
        node = getattr(run.train_dataset, "node", None)
        if self._wanted.get("collect_data_pipeline") and isinstance(node, Node):
            folder = None if is_remote(self._directory) else Path(self._directory)
            self._pipeline = Recording(node, record.add_event, folder, waits)
            self._pipeline.start()

    def _stop_pipeline(self) -> None:
        if self._pipeline is not None:
            self._pipeline.stop()
            self._pipeline = None
        if self._steps is not None:
            self._steps.close()
            self._steps = None

    def _note_gradients(self, run: CallbackParam) -> None:
        optimizer, collects = optimizer_of(run), bool(self._wanted.get("collect_gradients"))
        if optimizer is not None:
            optimizer.note_gradients(collects)
        elif collects:
            self._leave_out("collect_gradients", "there is no optimizer")

    def _leave_out(self, name: str, reason: str) -> None:
        """Stop collecting something, with a warning."""
        _log.warning("SummaryCollector leaves out %s: %s", name, reason)
        del self._wanted[name]


def _chosen(specified: Mapping[str, Any] | None, others: bool) -> dict[str, Any]:
    """The settings of what to collect, by name."""
    if not isinstance(others, bool):
        raise TypeError(f"keep_default_action must be True or False, not {others!r}")
    settings = dict(specified or {})
    settings.pop("collect_landscape", None)
    unknown = settings.keys() - _DEFAULT.keys()
    if unknown:
        raise ValueError(f"collect_specified_data has no {', '.join(sorted(unknown))}, only {', '.join(_DEFAULT)}")
    for name, value in settings.items():
        kinds = (str, type(None)) if name == "histogram_regular" else (bool,)
        if not isinstance(value, kinds):
            raise TypeError(f"{name} must be {'a text or None' if len(kinds) == 2 else 'True or False'}, not {value!r}")
    if isinstance(settings.get("histogram_regular"), str):
        try:
            re.compile(settings["histogram_regular"])
        except re.error as error:
            raise ValueError(
                f"histogram_regular {settings['histogram_regular']!r} is not a regular expression: {error}"
            ) from None
    return {**_DEFAULT, **settings} if others else settings


def _checked(custom: Mapping[str, Any] | None) -> dict[str, Any]:
    for name, value in (custom or {}).items():
        if not isinstance(name, str) or not isinstance(value, str | int | float):
            raise TypeError(f"custom_lineage_data takes texts and numbers by name, not {name!r}: {value!r}")
    return dict(custom or {})
