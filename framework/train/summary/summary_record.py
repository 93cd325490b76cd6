"""`SummaryRecord`: writes what a training shows of itself, step by step, in MindSpore's files. Users and
`SummaryCollector` call it."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.common.device import to_numpy
from framework.common.noted import listen, stop_listening
from framework.common.tensor import Tensor
from framework.engine.call.cells import cell_programs
from framework.ir.summary_graph import summary_graph
from framework.nn.cell import Cell
from summaries import SummaryWriter
from summaries.schema.anf_ir_pb2 import GraphProto
from summaries.schema.lineage_pb2 import DatasetGraph, EvaluationLineage, LineageEvent, TrainLineage, UserDefinedInfo
from summaries.schema.summary_pb2 import Event
from summaries.writing.arrays import Held, held_array
from summaries.writing.lineage import user_event

__all__ = ["SummaryRecord"]

_log = logging.getLogger("framework")

_VALUES: Final = ("scalar", "image", "tensor", "histogram")
_LINEAGE: Final[dict[str, tuple[type[Any], ...]]] = {
    "train_lineage": (TrainLineage,),
    "eval_lineage": (EvaluationLineage,),
    "dataset_graph": (DatasetGraph,),
    "custom_lineage_data": (UserDefinedInfo, Mapping),
}
_FIELDS: Final = {
    "train_lineage": "train_lineage",
    "eval_lineage": "evaluation_lineage",
    "dataset_graph": "dataset_graph",
    "custom_lineage_data": "user_defined_info",
}
_MOST_NOTED: Final = 65_536
"""Most values of summary operators that wait for `record`; beyond it, the oldest are dropped."""


class SummaryRecord:
    """Writes summaries and lineage into a directory, which a dashboard shows while they grow.

    As a context manager it closes its files at the end. What summary operators such as `ops.ScalarSummary` note between
    two calls of `record` belongs to the step of the second one.

    Args:
        log_dir: directory of the run, created if it is missing.
        file_prefix: beginning of the file names.
        file_suffix: end of the name of the file with values.
        num_process: accepted for compatibility; one thread writes.
        network: Cell whose graph `record` writes, once it has run in graph mode.
        max_file_size: maximum size of a file in bytes, with a warning when values are left out; None for no limit.
        raise_exception: accepted for compatibility; a write error is logged, and the training continues.
        export_options: accepted for compatibility; the dashboard exports tensors.
        environment: record the environment of the run, as `summaries.SummaryWriter` does, with the seed of `set_seed`.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: `max_file_size` is not above 0, or prefix or suffix are invalid.
        OSError: the directory cannot be created.

    Example:
        >>> import tempfile
        >>> import framework as ms
        >>> with tempfile.TemporaryDirectory() as directory, ms.SummaryRecord(directory) as record:
        ...     for step in range(3):
        ...         record.add_value("scalar", "loss", ms.Tensor(1.0 / (step + 1)))
        ...         assert record.record(step)

    """

    def __init__(
        self,
        log_dir: str | Path,
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        num_process: int = 32,
        network: Cell | None = None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: Mapping[str, Any] | None = None,
        *,
        environment: bool = True,
    ) -> None:
        if not isinstance(log_dir, str | Path):
            raise TypeError(f"log_dir must be the path of a directory, not {log_dir!r}")
        if log_dir == "":
            raise ValueError("log_dir must be the path of a directory, not an empty text")
        if network is not None and not isinstance(network, Cell):
            raise TypeError(f"network must be a Cell, not {type(network).__name__}")
        if max_file_size is not None and (not isinstance(max_file_size, int) or max_file_size <= 0):
            raise ValueError(f"max_file_size must be a number of bytes above 0, not {max_file_size!r}")
        self._writer = SummaryWriter(
            log_dir,
            filename_prefix=file_prefix,
            filename_suffix=file_suffix,
            max_file_size=max_file_size,
            lazy=True,
            environment=environment,
        )
        self._network = network
        self._waiting: list[tuple[str, str, Any]] = []
        self._noted: deque[tuple[str, str, Any]] = deque(maxlen=_MOST_NOTED)
        self._mode = "train"
        self._has_graph = False
        self._closed = False
        listen(self._note)

    def __enter__(self) -> SummaryRecord:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def log_dir(self) -> str:
        """The path of the file with values, which may not exist yet."""
        path = self._writer.path
        return str(path if path is not None else self._writer.log_dir)

    def open(self) -> None:
        """Create the file with values now, so that a dashboard shows the run before its first step has ended."""
        self._writer.open()

    def set_mode(self, mode: str) -> None:
        """Set the mode. Summary operators are not recorded in an evaluation.

        Args:
            mode: "train" or "eval".

        Raises:
            ValueError: the mode is another one.
        """
        if mode not in ("train", "eval"):
            raise ValueError(f"mode must be 'train' or 'eval', not {mode!r}")
        self._mode = mode
        self.hear(mode == "train")

    def hear(self, wanted: bool) -> None:
        """Listen to summary operators or not; steps without a listener cost nothing.

        Args:
            wanted: whether to listen.
        """
        if wanted and self._mode == "train" and not self._closed:
            listen(self._note)
        else:
            stop_listening(self._note)

    def add_value(self, plugin: str, name: str, value: Any) -> None:
        """Add a value for the next `record`.

        Args:
            plugin: "scalar", "image", "tensor" or "histogram" with a tensor; "graph" with a Cell that has run in graph
                mode, or a `GraphProto`; "train_lineage", "eval_lineage" or "dataset_graph" with the message of that
                name; "custom_lineage_data" with a dictionary or a `UserDefinedInfo`.
            name: tag of the value.
            value: the value, as `plugin` needs it. An image is a batch of shape (N, C, H, W) or (N, H, W, C).

        Raises:
            ValueError: there is no such plugin, the tag is empty, or the shape does not fit.
            TypeError: the value has the wrong type.
        """
        if not isinstance(name, str) or not name:
            raise ValueError(f"the name of a value must be a text that is not empty, not {name!r}")
        if plugin in _VALUES:
            self._waiting.append((plugin, name, _held(plugin, name, value)))
        elif plugin == "graph":
            if not isinstance(value, Cell | GraphProto):
                raise TypeError(f"a graph must be a Cell or a GraphProto, not {type(value).__name__}")
            self._waiting.append((plugin, name, value))
        elif plugin in _LINEAGE:
            if not isinstance(value, _LINEAGE[plugin]):
                expected = " or ".join(kind.__name__ for kind in _LINEAGE[plugin])
                raise TypeError(f"{plugin} must be a {expected}, not {type(value).__name__}")
            self._waiting.append((plugin, name, value))
        else:
            raise ValueError(f"there is no plugin {plugin!r}, only graph, {', '.join([*_VALUES, *_LINEAGE])}")

    def record(
        self, step: int, train_network: Cell | None = None, plugin_filter: Callable[[str], bool] | None = None
    ) -> bool:
        """Write the values that were added and noted since the last call.

        Args:
            step: number of the step that the values belong to.
            train_network: Cell whose graph to write, if no graph is written yet and the Cell has run in graph mode.
            plugin_filter: function of a plugin's name; values of plugins for which it returns False are left out.

        Returns:
            Whether the values were accepted; False after `close`.

        Raises:
            TypeError: `step` is not an integer.
        """
        if not isinstance(step, int) or isinstance(step, bool):
            raise TypeError(f"step must be an integer, not {step!r}")
        if self._closed:
            _log.warning("the SummaryRecord of %s is closed, so step %d is not recorded", self._writer.log_dir, step)
            return False
        network = train_network if train_network is not None else self._network
        if network is not None and not self._has_graph:
            self._waiting.append(("graph", "train_network", network))
        values = [*self._waiting, *self._noted]
        self._waiting, self._noted = [], deque(maxlen=_MOST_NOTED)
        wall = time.time()
        for plugin, name, value in values:
            if plugin_filter is None or plugin_filter(plugin):
                self._write(plugin, name, value, step, wall)
        return True

    def add_event(self, event: Event) -> None:
        """Write an event about the training at once, such as what its data pipeline did so far. Any thread may call it.

        Args:
            event: the message.
        """
        if not self._closed:
            self._writer.add_event(event)

    def flush(self) -> None:
        """Wait until all values are in the files."""
        self._writer.flush()

    def close(self) -> None:
        """Write the remaining values and close the files. Further calls do nothing."""
        if self._closed:
            return
        self._closed = True
        stop_listening(self._note)
        self._writer.close()

    def _note(self, kind: str, tag: str, value: Any) -> None:
        # The operator's array may be overwritten after the call, so it is copied.
        array = np.array(to_numpy(value)) if hasattr(value, "dtype") else np.asarray(value)
        self._noted.append((kind, tag, Held(array)))

    def _write(self, plugin: str, name: str, value: Any, step: int, wall: float) -> None:
        writer = self._writer
        try:
            if plugin == "scalar":
                writer.add_scalar(name, float(value.array.reshape(-1)[0]), step, wall)
            elif plugin == "image":
                writer.add_image(name, value, step, wall, _layout(name, value.array.shape))
            elif plugin == "tensor":
                writer.add_tensor(name, value, step, wall)
            elif plugin == "histogram":
                writer.add_histogram(name, value, step, walltime=wall)
            elif plugin == "graph":
                self._write_graph(value)
            else:
                writer.add_lineage(_lineage_event(plugin, value, wall))
        except (TypeError, ValueError) as error:
            # A value that cannot be shown must not end a training.
            _log.warning("%s %r of step %d is not recorded: %s", plugin, name, step, error)

    def _write_graph(self, value: Cell | GraphProto) -> None:
        if isinstance(value, Cell):
            program = cell_programs(value).latest
            if program is None:
                return
            value = summary_graph(program.root)
        self._has_graph = True
        self._writer.add_graph(value)


def _held(plugin: str, name: str, value: Any) -> Held:
    """The value as an array of its own, with its type checked."""
    array = held_array(value)
    if array is None:
        array = np.array(value.asnumpy() if isinstance(value, Tensor) else value)
    if array.dtype.name == "bfloat16":
        array = array.astype(np.float32)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{plugin} {name!r} must be a tensor of numbers, not {type(value).__name__}")
    if plugin == "scalar" and array.size != 1:
        raise ValueError(f"scalar {name!r} must be one number, not a tensor of shape {array.shape}")
    if plugin == "image":
        _layout(name, array.shape)
    return Held(array)


def _layout(name: str, shape: tuple[int, ...]) -> str:
    """The layout of images by their shape."""
    if len(shape) == 4 and shape[1] in (1, 3):
        return "NCHW"
    if len(shape) == 4 and shape[3] in (1, 3):
        return "NHWC"
    raise ValueError(f"image {name!r} must have shape (N, C, H, W) with 1 or 3 channels, not {shape}")


def _lineage_event(plugin: str, value: Any, wall: float) -> LineageEvent:
    if isinstance(value, Mapping):
        return user_event(wall, None, value)
    event = LineageEvent(wall_time=wall)
    getattr(event, _FIELDS[plugin]).CopyFrom(value)
    return event
