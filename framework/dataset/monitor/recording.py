"""Watches the pipeline of a training from a thread of its own, and records what it sees.

`SummaryCollector` and `ds.Monitor` use it.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, time
from typing import Final

from framework.dataset import config
from framework.dataset.ir.nodes import Node
from framework.dataset.monitor.bottleneck import Finding, find_bottleneck
from framework.dataset.monitor.files import ProfilingFile
from framework.dataset.monitor.messages import pipeline_event
from framework.dataset.monitor.running import Running, running
from framework.dataset.monitor.states import PipelineState, difference
from framework.dataset.monitor.step_log import StepLog
from framework.dataset.monitor.waits import Waits
from summaries.schema.summary_pb2 import Event

__all__ = ["Recording", "processors"]

_log = logging.getLogger("framework.dataset")

#: The bottleneck is that of so many intervals.
_SPAN: Final = 10
#: Records come less often in a long training: each after this share of the time so far, at the latest after so long.
_SHARE: Final = 1 / 200
_LATEST: Final = 30.0


def processors() -> int:
    """The number of processors that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Recording:
    """Records one pipeline every `ds.config.get_monitor_sampling_interval()` milliseconds, from `start` to `stop`.

    A training that ends before the first interval is not recorded.

    Args:
        node: last node of the data set.
        put: takes the records; None for none.
        folder: folder of `pipeline_profiling_<rank>.json`; None for no file.
        waits: how long the training waits; None for what the pipeline itself knows of its reader.
        rank: number in the file's name.
    """

    def __init__(
        self,
        node: Node,
        put: Callable[[Event], None] | None,
        folder: Path | None,
        waits: Waits | None = None,
        rank: int = 0,
    ) -> None:
        self._node = node
        self._put = put
        self._waits = waits
        self._folder, self._rank = folder, rank
        #: The times of steps, where no training writes them itself.
        self._steps: StepLog | None = None
        self._interval = max(config.get_monitor_sampling_interval(), 1)
        self._file = None if folder is None else ProfilingFile(folder, rank, self._interval)
        self._states: deque[PipelineState] = deque(maxlen=_SPAN + 1)
        self._tree: Running | None = None
        self._began = 0.0
        self._recorded = 0.0
        self._samples = 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to record, as soon as the data set is read."""
        self._began = self._recorded = perf_counter()
        self._thread = threading.Thread(target=self._watch, name="data pipeline monitor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Record the end, and stop."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._samples:
            self._safely(lambda: self._sample(last=True))
        if self._steps is not None:
            self._safely(self._steps.close)
        self._tree = None

    def finding(self) -> Finding | None:
        """The bottleneck of the last intervals; None without one."""
        if len(self._states) < 2:
            return None
        return find_bottleneck(difference(self._states[0], self._states[-1]), processors())

    def _watch(self) -> None:
        """The life of the thread."""
        self._safely(self._look)
        while not self._stop.wait(self._interval / 1000) and self._safely(self._sample):
            pass

    @staticmethod
    def _safely(step: Callable[[], object]) -> bool:
        """Do something, and tell whether it worked: a training does not end because it cannot be watched."""
        try:
            step()
        except Exception as error:
            _log.warning("the data pipeline is not recorded any longer: %s", error)
            return False
        return True

    def _look(self) -> PipelineState | None:
        """The state now; the pipeline may not have begun, or another one of the same data set may have."""
        found = running(self._node)
        if found is not None and found is not self._tree:
            self._tree = found
            self._states.clear()
        if self._tree is None:
            return None
        state = self._tree.state()
        self._states.append(state)
        return state

    def _sample(self, last: bool = False) -> None:
        state = self._look()
        if state is None or self._tree is None:
            return
        self._samples += 1
        now = perf_counter()
        pause = min(max(self._interval / 1000, (now - self._began) * _SHARE), _LATEST)
        # A sample that comes a moment early is not late by a whole interval.
        due = last or now - self._recorded >= 0.9 * pause
        if self._file is not None:
            self._file.add(state)
            if due:
                self._file.write(state)
        if due and self._put is not None:
            waits = self._waits or self._tree.waits
            self._put(pipeline_event(time(), state, now - self._began, processors(), waits, self.finding()))
        if due:
            self._recorded = now
            self._log_steps(self._tree)

    def _log_steps(self, tree: Running) -> None:
        """Write the times of the reader's steps, if there is no training that does."""
        if self._folder is None or self._waits is not None:
            return
        if self._steps is None or self._steps.waits is not tree.waits:
            if self._steps is not None:
                self._steps.close()
            self._steps = StepLog(self._folder, tree.waits, self._rank)
        self._steps.write()
