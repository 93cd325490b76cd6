"""What is kept of a training's last two steps, and how any tensor of them is got: the session's memory."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from framework.common.noted import muted
from framework.debugger.steps.divergence import compare
from framework.debugger.steps.modes import mode_now
from framework.debugger.steps.runner import Runner
from framework.debugger.steps.snapshot import Snapshot
from framework.debugger.steps.stepper import Stepper
from framework.debugger.tensors.recording import Recorder, Recording
from framework.debugger.tensors.step_nodes import StepNodes
from framework.nn.cell import Cell
from framework.observe import Execution, watching
from summaries.schema import debugger_pb2 as wire

__all__ = ["LastSteps", "NotKeptError"]

_log = logging.getLogger("framework")


class NotKeptError(LookupError):
    """What is asked for was not kept; says what to do to have it."""


@dataclass(slots=True)
class _Kept:
    """A step: what it was called with and, as far as kept, the state before it and what it executed."""

    step: int
    batch: tuple[Any, ...]
    by_name: bool
    mode: str = ""
    before: Snapshot | None = None
    recording: Recording | None = None


class LastSteps:
    """The step under way, or the last one, and the one before it.

    Args:
        network: the whole training step.

    Attributes:
        nodes: those of the step, None as long as nobody has needed them.
        partial: what the step under way has executed, while it is observed.

    """

    def __init__(self, network: Cell) -> None:
        self._network = network
        self.nodes: StepNodes | None = None
        self.partial: Recording | None = None
        self._runner: Runner | None = None
        self._now: _Kept | None = None
        self._last: _Kept | None = None
        self._spare: list[Snapshot] = []

    # ---- a step of the training

    def begin(self, step: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Note a step that is about to run, or has run."""
        self._release(self._last)
        self._last = self._now
        if self._last is not None and self._last.step != step - 1:
            self._release(self._last)
            self._last = None
        self._now = _Kept(step, args, bool(kwargs), mode_now())

    def settle(self, keep: bool) -> None:
        """Nothing comes between this and the step.

        Args:
            keep: take the state, so that the step can be run again.

        """
        now = self._noted()
        now.mode = mode_now()
        if keep and not now.by_name:
            now.before = self._spare.pop() if self._spare else Snapshot(self._network)
            now.before.take(now.step - 1)

    def observed(self, stepper: Stepper, between: Callable[[Execution], None]) -> Any:
        """Run the step with all its nodes recorded, and return what it returns.

        Args:
            stepper: stops between nodes and lines.
            between: called with each node, before the stepper.

        """
        now = self._noted()
        nodes = self.know_nodes()
        recorder = Recorder(now.step, now.mode, self._network, now.batch, nodes.inputs)
        self.partial = recorder.recording
        try:
            with stepper.following(), watching(recorder), watching(between), watching(stepper):
                output = self._network(*now.batch)
        finally:
            self.partial = None
        now.recording = recorder.finish(output)
        nodes.add_recorded(now.recording)
        return output

    def can_observe(self) -> bool:
        """Whether the step under way can be observed: it is called with what networks take by place."""
        return self._now is not None and not self._now.by_name

    def forget(self) -> None:
        """Keep nothing of the steps that are over."""
        self._release(self._last)
        self._release(self._now)
        self._now = self._last = None

    def know_nodes(self) -> StepNodes:
        """The nodes, found at the first call; compiles the step, whatever the mode."""
        if self.nodes is None:
            try:
                self.nodes = StepNodes.of(self._network, self._noted().batch)
            except Exception:
                _log.exception("The training's graph is not known; the debugger shows what executes.")
                self.nodes = StepNodes(self._network)
            self._runner = Runner(self._network, self.nodes)
        return self.nodes

    # ---- what was kept

    @property
    def cannot_run_again(self) -> str:
        """Why the last step cannot be run again; empty if it can."""
        if self._now is None:
            return "no step has run under the debugger yet"
        if self._now.by_name:
            return "the step is called with arguments by name; call it with arguments by place"
        if self._now.before is None:
            return "the state before this step was not kept; let one step run from here, and that one can be"
        return ""

    @property
    def has_previous(self) -> bool:
        """Whether tensors of the step before the last one can be had."""
        return self._last is not None and (self._last.recording is not None or self._last.before is not None)

    @property
    def nbytes(self) -> int:
        """Bytes that snapshots and recordings take."""
        kept = [item for item in (self._now, self._last) if item is not None]
        recordings = sum(item.recording.nbytes for item in kept if item.recording is not None)
        return recordings + sum(item.before.nbytes for item in kept if item.before is not None)

    @property
    def before(self) -> Snapshot | None:
        """The state before the last step, None if it was not kept."""
        return None if self._now is None else self._now.before

    @property
    def last_recording(self) -> Recording | None:
        """What the last step executed, where it was observed."""
        return None if self._now is None else self._now.recording

    def recording(self, previous: bool = False) -> Recording:
        """What the last step executed, or the one before it; runs it again where it was not observed.

        Raises:
            NotKeptError: the state before it was not kept.

        """
        kept = self._last if previous else self._now
        if kept is None or (kept.recording is None and kept.before is None):
            raise NotKeptError("nothing was kept of the step before this one" if previous else self.cannot_run_again)
        if kept.recording is None:
            kept.recording = self._again(kept)
        return kept.recording

    def run_again(self, mode: str = "") -> wire.Divergence | None:
        """Run the last step once more and put everything back.

        Args:
            mode: to run it in; empty: that in which it was run.

        Returns:
            In another mode, where the two part.

        Raises:
            NotKeptError: the state before it was not kept.
            ValueError: there is no such mode.

        """
        kept = self._noted_before()
        if not mode or mode == kept.mode:
            kept.recording = self._again(kept)
            return None
        first = self.recording()
        second = self._again(kept, mode)
        return compare(first, second, self.know_nodes())

    def walk_again(self, mode: str, stepper: Stepper) -> None:
        """Run the last step once more, with stops; then everything is as it was.

        Args:
            mode: to run it in; empty: that in which it was run.
            stepper: asked to stop somewhere.

        Raises:
            NotKeptError: the state before it was not kept.

        """
        kept = self._noted_before()
        self.know_nodes()
        again = _Kept(kept.step, kept.batch, False, mode or kept.mode)
        if self._runner is None or kept.before is None:
            return
        with self._runner.at(kept.before, again.mode), muted():
            self._now = again
            try:
                self.observed(stepper, lambda execution: None)
            finally:
                self._now = kept
                stepper.clear()

    def _again(self, kept: _Kept, mode: str = "") -> Recording:
        nodes = self.know_nodes()
        if self._runner is None or kept.before is None:
            raise NotKeptError(self.cannot_run_again)
        made = self._runner.again(kept.before, kept.step, kept.batch, mode or kept.mode)
        nodes.add_recorded(made)
        return made

    def _noted(self) -> _Kept:
        if self._now is None:
            raise NotKeptError(self.cannot_run_again)
        return self._now

    def _noted_before(self) -> _Kept:
        if self.cannot_run_again:
            raise NotKeptError(self.cannot_run_again)
        return self._noted()

    def _release(self, kept: _Kept | None) -> None:
        if kept is not None and kept.before is not None:
            kept.before.forget()
            self._spare.append(kept.before)
            kept.before = None
