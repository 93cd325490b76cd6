"""The isolated measurement: each operator alone, without fusion and without shared memory.

It is another program than the one that trains. It tells what an operator costs by itself; `capture` tells what the
training does. `Profiler(mode="isolated")` uses it.
"""

from __future__ import annotations

import contextlib
import time
from typing import Final

from framework.observe import Execution, watching
from framework.profiler.sums import OperatorTime, Profile, Span
from framework.profiler.work import bytes_of, flops_of

__all__ = ["Isolated"]

MOST_SPANS: Final = 100_000
"""Most executions in the timeline; later ones only count in the sums."""


class Isolated:
    """Measures operators one by one, between `start` and `stop`.

    Args:
        profile: what is added to.
    """

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._began = 0.0
        self._watching = contextlib.ExitStack()

    def start(self) -> None:
        """Begin."""
        self._watching.enter_context(watching(self._note))
        self._began = time.perf_counter()

    def stop(self) -> None:
        """End."""
        self._profile.duration += time.perf_counter() - self._began
        self._watching.close()

    def _note(self, execution: Execution) -> None:
        if execution.aside:
            return
        operators = self._profile.operators
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
        if len(self._profile.spans) < MOST_SPANS:
            started = self._profile.duration + execution.started - self._began
            self._profile.spans.append(Span(execution.full_name, started, execution.duration, made, flops))
