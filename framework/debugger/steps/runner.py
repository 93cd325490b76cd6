"""Runs a step under observation, or once more from the state before it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from framework.common.noted import muted
from framework.debugger.steps.modes import mode_now, set_mode
from framework.debugger.steps.snapshot import Snapshot
from framework.debugger.tensors.recording import Recorder, Recording
from framework.debugger.tensors.step_nodes import StepNodes
from framework.nn.cell import Cell
from framework.observe import Watcher, beside, watching

__all__ = ["Runner"]


class Runner:
    """Runs steps.

    Args:
        network: The whole training step.
        nodes: Of the step.
    """

    def __init__(self, network: Cell, nodes: StepNodes) -> None:
        self._network = network
        self._nodes = nodes
        #: The state after the step, held while the step runs again.
        self._after = Snapshot(network)

    def record(self, step: int, batch: Sequence[Any], *watchers: Watcher) -> tuple[Any, Recording]:
        """Run a step and record it.

        Args:
            step: Its number.
            batch: Its arguments.
            watchers: Called with each node after it was recorded.

        Returns:
            The output of the step, and the recording.
        """
        recorder = Recorder(step, mode_now(), self._network, batch, self._nodes.inputs)
        with contextlib.ExitStack() as stack:
            stack.enter_context(watching(recorder))
            for watcher in watchers:
                stack.enter_context(watching(watcher))
            output = self._network(*batch)
        return output, recorder.finish(output)

    def again(self, before: Snapshot, step: int, batch: Sequence[Any], mode: str | None = None) -> Recording:
        """Run a step once more and record it, then restore the current state bit for bit.

        Args:
            before: The state before the step.
            step: Its number.
            batch: Its arguments.
            mode: In which to run it; by default the current one.

        Returns:
            The recording. Summary operators record nothing on the way.

        Raises:
            ValueError: There is no such mode.
            Exception: The step failed; the state is restored then too.
        """
        with self.at(before, mode), muted():
            return self.record(step, batch)[1]

    @contextlib.contextmanager
    def at(self, before: Snapshot, mode: str | None = None) -> Iterator[None]:
        """The state before a step and a mode, while this lasts; restores the current ones afterwards."""
        mode_before = mode_now()
        self._after.take(before.step)
        try:
            before.restore()
            set_mode(mode or mode_before)
            with beside():
                yield
        finally:
            set_mode(mode_before)
            self._after.restore()
            self._after.forget()
