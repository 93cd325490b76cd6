"""Runs a step of a training: as usual, with watchers, or once more from the state before it; the session calls it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

from framework import context
from framework.common.noted import muted
from framework.debugger.nodes import Nodes
from framework.debugger.recording import Recorder, Recording
from framework.debugger.snapshot import Snapshot
from framework.nn.cell import Cell
from framework.observe import Watcher, beside, watching

__all__ = ["MODES", "Runner", "mode_now", "set_mode"]

MODES: Final = {"graph": context.GRAPH_MODE, "pynative": context.PYNATIVE_MODE}
"""By the link's name, MindSpore's constants."""


def mode_now() -> str:
    """The mode of the next step, by the link's name."""
    return "graph" if context.get_context("mode") == context.GRAPH_MODE else "pynative"


def set_mode(mode: str) -> None:
    """Run all steps from the next one on in a mode.

    Raises:
        ValueError: there is no such mode.
    """
    if mode not in MODES:
        raise ValueError(f"a mode is one of {', '.join(MODES)}, not {mode!r}")
    context.set_context(mode=MODES[mode])


class Runner:
    """Runs steps.

    Args:
        network: the whole training step.
        nodes: those of the step.
    """

    def __init__(self, network: Cell, nodes: Nodes) -> None:
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
