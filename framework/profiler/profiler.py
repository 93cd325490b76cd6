"""`ms.Profiler`: starts and stops a measurement, and writes the result. Its interface is MindSpore's."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from framework.observe import Execution, watching
from framework.profiler.profile import OperatorTime, Profile, Span
from framework.profiler.work import bytes_of, flops_of
from summaries import SummaryWriter

__all__ = ["Profiler"]

MOST_SPANS: Final = 100_000
"""Most executions in the timeline; later ones only count in the sums."""


class Profiler:
    """Measures each operator that runs between start and stop, in graph mode and in PyNative mode.

    Each operator is measured alone: meanwhile nothing is fused, and values do not share memory. So compare shares and
    counts; the total is slower than without the profiler. After the stop, everything is as fast as before. As a context
    manager, the profiler starts and stops itself.

    Args:
        output_path: the directory that `analyse` writes to.
        start_profile: whether to start at once.
        summary_dir: the directory of a run's summaries. `analyse` writes there as well, and the dashboard can colour
            the run's graph by the measurements.

    Example:
        >>> net = nn.Dense(4, 2)
        >>> with ms.Profiler(start_profile=False) as profiler:
        ...     out = net(Tensor(np.ones((3, 4), np.float32)))
        >>> [(item.op_type, item.flops) for item in profiler.profile.operators.values()]
        [('MatMul', 48), ('BiasAdd', 6)]

    """

    def __init__(
        self,
        output_path: str | Path = "./data",
        start_profile: bool = True,
        *,
        summary_dir: str | Path | None = None,
    ) -> None:
        self.output_path = Path(output_path)
        self.summary_dir = None if summary_dir is None else Path(summary_dir)
        self.profile = Profile()
        self._watching: contextlib.ExitStack | None = None
        self._began = 0.0
        if start_profile:
            self.start()

    def start(self) -> None:
        """Start measuring. Earlier measurements are kept.

        Raises:
            RuntimeError: it is already started.

        """
        if self._watching is not None:
            raise RuntimeError("the profiler is started already: stop() it first")
        self._watching = contextlib.ExitStack()
        self._watching.enter_context(watching(self._note))
        self._began = time.perf_counter()

    def stop(self) -> None:
        """Stop measuring.

        Raises:
            RuntimeError: it is not started.

        """
        if self._watching is None:
            raise RuntimeError("the profiler is not started: start() it, or make it with start_profile=True")
        self.profile.duration += time.perf_counter() - self._began
        self._watching.close()
        self._watching = None

    def analyse(self) -> None:
        """Stop if it is started, and write `operators.csv` and `trace.json` into the directory, and the sums into a
        file of their own among the summaries where there are any."""
        if self._watching is not None:
            self.stop()
        self.output_path.mkdir(parents=True, exist_ok=True)
        (self.output_path / "operators.csv").write_text(self.profile.rows(), encoding="utf-8")
        (self.output_path / "trace.json").write_text(self.profile.trace(), encoding="utf-8")
        if self.summary_dir is not None:
            with SummaryWriter(self.summary_dir, filename_suffix="_profile", environment=False) as writer:
                writer.add_profile(self.profile.message())

    def __enter__(self) -> Self:
        if self._watching is None:
            self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._watching is not None:
            self.stop()

    def _note(self, execution: Execution) -> None:
        if execution.aside:
            return
        operators = self.profile.operators
        known = operators.get(execution.full_name)
        if known is None:
            known = operators[execution.full_name] = OperatorTime(execution.full_name, execution.primitive.name)
        read, made = bytes_of(execution.inputs, execution.outputs)
        flops = flops_of(execution.primitive, execution.inputs, execution.outputs)
        known.calls += 1
        known.duration += execution.duration
        known.flops += flops
        known.bytes_moved += read + made
        known.memory = max(known.memory, made)
        if len(self.profile.spans) < MOST_SPANS:
            started = self.profile.duration + execution.started - self._began
            self.profile.spans.append(Span(execution.full_name, started, execution.duration, made, flops))
