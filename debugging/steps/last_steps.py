"""The state and the recordings of the last two steps; any tensor of them can be computed again."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

from debugging.contract import Debuggee, State
from debugging.executions import Execution
from debugging.steps.divergence import compare
from debugging.steps.runner import Runner
from debugging.steps.stepper import Stepper
from debugging.tensors.recording import Recorder, Recording
from debugging.tensors.step_nodes import StepNodes
from summaries.schema import debugger_pb2 as wire

__all__ = ["LastSteps", "NotKeptError"]

_log = logging.getLogger("debugging")


class NotKeptError(LookupError):
    """A step or its state was not kept; says what to do to have it."""


@dataclass(slots=True)
class _Kept:
    """A step: its arguments and, if kept, the state before it and its recording."""

    step: int
    batch: tuple[Any, ...]
    by_name: bool
    mode: str = ""
    before: State | None = None
    recording: Recording | None = None


class LastSteps:
    """The current or last step, and the one before it.

    Args:
        debuggee: The training.

    Attributes:
        nodes: Of the step; None until they are needed.
        partial: The recording of the current step, while it is observed.

    """

    def __init__(self, debuggee: Debuggee) -> None:
        self._debuggee = debuggee
        self.nodes: StepNodes | None = None
        self.partial: Recording | None = None
        self._runner: Runner | None = None
        self._now: _Kept | None = None
        self._last: _Kept | None = None
        self._spare: list[State] = []

    # ---- a step of the training

    def begin(self, step: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Note a step that is about to run, or has run."""
        self._release(self._last)
        self._last = self._now
        if self._last is not None and self._last.step != step - 1:
            self._release(self._last)
            self._last = None
        self._now = _Kept(step, args, bool(kwargs), self._debuggee.mode())

    def settle(self, keep: bool) -> None:
        """Prepare for the step, after the last command before it.

        Args:
            keep: Take the state, so that the step can run again.

        """
        now = self._noted()
        now.mode = self._debuggee.mode()
        if keep and not now.by_name:
            now.before = self._spare.pop() if self._spare else self._debuggee.state()
            now.before.take(now.step - 1)

    @contextlib.contextmanager
    def observing(
        self, stepper: Stepper, caller: FrameType, between: Callable[[Execution], None]
    ) -> Iterator[Callable[[Any], None]]:
        """A context for the step in which all its nodes are recorded. It gives a function that takes the step's output.

        Args:
            stepper: Stops between nodes and lines.
            caller: The frame in which the step runs.
            between: Called with each node, before the stepper.

        """
        now = self._noted()
        nodes = self.know_nodes()
        recorder = Recorder(
            now.step, now.mode, self._debuggee.array_of, self._debuggee.weights(), now.batch, nodes.inputs
        )
        self.partial = recorder.recording
        try:
            watching = self._debuggee.watching
            outputs: list[Any] = []
            with stepper.following(caller), watching(recorder), watching(between), watching(stepper):
                yield outputs.append
        finally:
            self.partial = None
        now.recording = recorder.finish(outputs[-1] if outputs else None)
        nodes.add_recorded(now.recording)

    def can_observe(self) -> bool:
        """Whether the current step can be observed: it has positional arguments only."""
        return self._now is not None and not self._now.by_name

    def forget(self) -> None:
        """Forget the finished steps."""
        self._release(self._last)
        self._release(self._now)
        self._now = self._last = None

    def know_nodes(self) -> StepNodes:
        """The nodes; the first call compiles the step, in either mode."""
        if self.nodes is None:
            try:
                self.nodes = self._debuggee.nodes(self._noted().batch)
            except Exception:
                _log.exception("The graph of the training is unknown; the debugger shows executed nodes only.")
                self.nodes = self._debuggee.nodes(None)
            self.nodes.is_own = self._debuggee.is_own
            self._runner = Runner(self._debuggee, self.nodes)
        return self.nodes

    # ---- what was kept

    @property
    def cannot_run_again(self) -> str:
        """Why the last step cannot run again; empty if it can."""
        if self._now is None:
            return "no step has run under the debugger yet"
        if self._now.by_name:
            return "the step is called with keyword arguments; call it with positional arguments"
        if self._debuggee.no_repeat:
            return self._debuggee.no_repeat
        if self._now.before is None:
            return "the state before this step was not kept; run one more step, which is kept"
        return ""

    @property
    def has_previous(self) -> bool:
        """Whether tensors of the step before the last one are available."""
        return self._last is not None and (self._last.recording is not None or self._last.before is not None)

    @property
    def has_current(self) -> bool:
        """Whether tensors of the last step are available."""
        return not self.cannot_run_again or self.last_recording is not None

    @property
    def nbytes(self) -> int:
        """Bytes that snapshots and recordings take."""
        kept = [item for item in (self._now, self._last) if item is not None]
        recordings = sum(item.recording.nbytes for item in kept if item.recording is not None)
        return recordings + sum(item.before.nbytes for item in kept if item.before is not None)

    @property
    def before(self) -> State | None:
        """The state before the last step; None if it was not kept."""
        return None if self._now is None else self._now.before

    @property
    def last_recording(self) -> Recording | None:
        """The recording of the last step, if it was observed."""
        return None if self._now is None else self._now.recording

    def recording(self, previous: bool = False) -> Recording:
        """The recording of the last step or the one before it; runs it again if it was not observed.

        Raises:
            NotKeptError: The state before it was not kept.

        """
        kept = self._last if previous else self._now
        if kept is None or (kept.recording is None and kept.before is None and not self._debuggee.no_repeat):
            raise NotKeptError("nothing was kept of the step before this one" if previous else self.cannot_run_again)
        if kept.recording is None:
            if why := self._debuggee.no_repeat:
                raise NotKeptError(f"this step was not observed, and {why}")
            kept.recording = self._again(kept)
        return kept.recording

    def run_again(self, mode: str = "") -> wire.Divergence | None:
        """Run the last step once more, and restore the state after it.

        Args:
            mode: In which to run it; empty: the mode in which it ran.

        Returns:
            The divergence, if the mode is another one.

        Raises:
            NotKeptError: The state before it was not kept.
            ValueError: There is no such mode.

        """
        kept = self._noted_before()
        if not mode or mode == kept.mode:
            kept.recording = self._again(kept)
            return None
        first = self.recording()
        second = self._again(kept, mode)
        return compare(first, second, self.know_nodes())

    def walk_again(self, mode: str, stepper: Stepper) -> None:
        """Run the last step once more with stops, and restore the state after it.

        Args:
            mode: In which to run it; empty: the mode in which it ran.
            stepper: Has a requested stop.

        Raises:
            NotKeptError: The state before it was not kept.

        """
        kept = self._noted_before()
        self.know_nodes()
        again = _Kept(kept.step, kept.batch, False, mode or kept.mode)
        if self._runner is None or kept.before is None:
            return
        with self._runner.at(kept.before, again.mode):
            self._now = again
            try:
                with self.observing(stepper, sys._getframe(), lambda execution: None):
                    self._debuggee.run(kept.batch, {})
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
