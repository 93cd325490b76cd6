"""Runs a step under observation, or once more from the state before it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from debugging.contract import Debuggee, State
from debugging.executions import Watcher
from debugging.tensors.recording import Recorder, Recording
from debugging.tensors.step_nodes import StepNodes

__all__ = ["Runner"]


class Runner:
    """Runs steps.

    Args:
        debuggee: The training.
        nodes: Of the step.
    """

    def __init__(self, debuggee: Debuggee, nodes: StepNodes) -> None:
        self._debuggee = debuggee
        self._nodes = nodes
        #: The state after the step, held while the step runs again.
        self._after = debuggee.state()

    def record(self, step: int, batch: Sequence[Any], *watchers: Watcher) -> tuple[Any, Recording]:
        """Run a step and record it.

        Args:
            step: Its number.
            batch: Its arguments.
            watchers: Called with each node after it was recorded.

        Returns:
            The output of the step, and the recording.
        """
        recorder = Recorder(
            step, self._debuggee.mode(), self._debuggee.array_of, self._debuggee.weights(), batch, self._nodes.inputs
        )
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._debuggee.watching(recorder))
            for watcher in watchers:
                stack.enter_context(self._debuggee.watching(watcher))
            output = self._debuggee.run(tuple(batch), {})
        return output, recorder.finish(output)

    def again(self, before: State, step: int, batch: Sequence[Any], mode: str | None = None) -> Recording:
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
        with self.at(before, mode):
            return self.record(step, batch)[1]

    @contextlib.contextmanager
    def at(self, before: State, mode: str | None = None) -> Iterator[None]:
        """The state before a step and a mode, while this lasts; restores the current ones afterwards."""
        mode_before = self._debuggee.mode()
        self._after.take(before.step)
        try:
            before.restore()
            self._debuggee.set_mode(mode or mode_before)
            with self._debuggee.beside():
                yield
        finally:
            self._debuggee.set_mode(mode_before)
            self._after.restore()
            self._after.forget()
