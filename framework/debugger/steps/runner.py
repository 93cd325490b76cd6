"""Runs a step of a training: as usual, with watchers, or once more from the state before it; the session calls it."""

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
        network: the whole training step.
        nodes: those of the step.
    """

    def __init__(self, network: Cell, nodes: StepNodes) -> None:
        self._network = network
        self._nodes = nodes
        #: Where the state of after a step waits while the step runs again.
        self._after = Snapshot(network)

    def record(self, step: int, batch: Sequence[Any], *watchers: Watcher) -> tuple[Any, Recording]:
        """Run a step for good, and record it.

        Args:
            step: its number.
            batch: what it is called with.
            watchers: see each node when it is in the recording.

        Returns:
            What the step returned, and the recording.
        """
        recorder = Recorder(step, mode_now(), self._network, batch, self._nodes.inputs)
        with contextlib.ExitStack() as stack:
            stack.enter_context(watching(recorder))
            for watcher in watchers:
                stack.enter_context(watching(watcher))
            output = self._network(*batch)
        return output, recorder.finish(output)

    def again(self, before: Snapshot, step: int, batch: Sequence[Any], mode: str | None = None) -> Recording:
        """Run a step once more and record it; everything is as it was afterwards, bit for bit.

        Args:
            before: the state from before the step.
            step: its number.
            batch: what it was called with.
            mode: to run it in; that of now where it is left out.

        Returns:
            The recording. What summary operators note on the way is heard by nobody.

        Raises:
            ValueError: there is no such mode.
            Exception: what the step raises; everything is as it was then too.
        """
        with self.at(before, mode), muted():
            return self.record(step, batch)[1]

    @contextlib.contextmanager
    def at(self, before: Snapshot, mode: str | None = None) -> Iterator[None]:
        """The state from before a step, and a mode, while this lasts; then everything is as it was."""
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
