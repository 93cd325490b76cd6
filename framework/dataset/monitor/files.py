"""`pipeline_profiling_<id>.json`: the queues of a pipeline over time, in the format of MindSpore's profiler.

    {"sampling_interval": ms, "op_info": [{"op_id", "op_type", "num_workers", "children",
     "metrics": {"output_queue": {"size": [...], "length": n}} or null}]}

An operator without a queue has no metrics. `recorder` is our own key: it says that the same training is recorded with
more detail in its summaries. The file always has a whole content, as it is replaced as one.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

from framework.dataset.monitor.states import PipelineState, QueueState

__all__ = ["ProfilingFile"]

_MOST_SAMPLES: Final = 1000


class ProfilingFile:
    """The file of one pipeline. When it has many samples, every second one is dropped and the interval doubled.

    Args:
        folder: its folder.
        rank: the number in its name.
        interval: milliseconds between samples.
    """

    def __init__(self, folder: Path, rank: int, interval: int) -> None:
        self.path = folder / f"pipeline_profiling_{rank}.json"
        self._interval = interval
        self._every = 1
        self._seen = 0
        self._sizes: list[list[int]] = []
        self._lengths: list[int] = []

    def add(self, state: PipelineState) -> None:
        """Add a sample. The queue in front of the reader is that of the last operator."""
        queues = _queues(state)
        self._sizes = self._sizes or [[] for _ in queues]
        self._lengths = [max(queue.length if queue else 0, 0) for queue in queues]
        self._seen += 1
        if self._seen % self._every:
            return
        for sizes, queue in zip(self._sizes, queues, strict=True):
            sizes.append(queue.size if queue else 0)
        if len(self._sizes[0]) > _MOST_SAMPLES:
            self._sizes = [sizes[1::2] for sizes in self._sizes]
            self._every *= 2

    def write(self, state: PipelineState) -> None:
        """Replace the file.

        Raises:
            OSError: it cannot be written.
        """
        content = {
            "sampling_interval": self._interval * self._every,
            "recorder": "mindinsight",
            "op_info": [
                {
                    "op_id": operator.number,
                    "op_type": operator.op_type,
                    "num_workers": operator.workers,
                    "metrics": self._metrics(operator.number),
                    "children": list(operator.children) or None,
                }
                for operator in reversed(state.operators)
            ],
        }
        waiting = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            waiting.write_text(json.dumps(content), encoding="utf-8")
            waiting.replace(self.path)
        finally:
            waiting.unlink(missing_ok=True)

    def _metrics(self, number: int) -> dict[str, Any] | None:
        if not self._lengths or not self._lengths[number]:
            return None
        return {"output_queue": {"size": self._sizes[number], "length": self._lengths[number]}}


def _queues(state: PipelineState) -> list[QueueState | None]:
    return [operator.queue for operator in state.operators[:-1]] + [state.queue or state.root.queue]
