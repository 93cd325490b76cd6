"""Evaluates the watchpoints around each step and sends hits; finds the cause when a number stops being finite.

A hit pauses the training after the step, so that every tensor of the step can be shown. When the loss or a weight is no
longer finite, the step runs once more under observation, and the cause is searched.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Collection, Iterator
from typing import Final

from debugging.cause import History, find_cause
from debugging.executions import Execution
from debugging.session.conversation import Conversation
from debugging.session.training import Training
from debugging.steps.last_steps import NotKeptError
from debugging.tensors.statistics import is_finite
from debugging.watch import Watchpoints
from summaries.schema import debugger_pb2 as wire

__all__ = ["Monitor"]

_MOST_HITS: Final = 500
"""Hits that are sent of one step; the others are counted."""


class Monitor:
    """Evaluates the watchpoints of a training.

    Args:
        training: The training.
        conversation: With the dashboard.

    """

    def __init__(self, training: Training, conversation: Conversation) -> None:
        self._training = training
        self._conversation = conversation
        self._watchpoints: Watchpoints | None = None
        self._history = History()
        self._hits: list[wire.Hit] = []
        #: Whether numbers were already not finite a step ago; the cause is sent once.
        self._lost = False

    @property
    def is_armed(self) -> bool:
        """Whether a watchpoint is enabled."""
        return self._watchpoints is not None and self._watchpoints.needs().is_armed

    @property
    def watchpoints(self) -> Watchpoints:
        """The watchpoints."""
        if self._watchpoints is None:
            self._watchpoints = Watchpoints(self._training.steps.know_nodes(), self._training.debuggee)
        return self._watchpoints

    @property
    def is_observing(self) -> bool:
        """Whether an enabled watchpoint needs operators of the step."""
        return self._watchpoints is not None and self._watchpoints.needs().names is not None

    def set(self, watchpoints: list[wire.Watchpoint], hidden: str = "") -> None:
        """Replace the watchpoints.

        Args:
            watchpoints: All of them.
            hidden: Why operators cannot be observed; empty if they can.

        Raises:
            WatchError: One of them is invalid, or watches operators that are hidden.

        """
        self._update_step_seconds()
        self.watchpoints.set(watchpoints, hidden)
        self.send_counts()

    def recommended(self, without: Collection[int], only_weights: bool = False) -> list[wire.Watched]:
        """The recommended watchpoints with their costs.

        Args:
            without: Ids of watchpoints that are not wanted; their costs are what they would add to the others.
            only_weights: Leave out those that need operators of the step.

        """
        self._update_step_seconds()
        return self.watchpoints.recommended(without, only_weights)

    def send_counts(self) -> None:
        """Send the watchpoints with their counts."""
        if self._watchpoints is not None and self._conversation.link is not None:
            self._conversation.send(self._watchpoints.watching(), keep=True)

    # ---- a step

    def is_recorded(self, step: int) -> bool:
        """Whether a step is recorded whole, to learn which values are usual."""
        return self.is_armed and self._history.is_due(step)

    def note(self) -> None:
        """Add the recording of the last step, if there is one, to the history of tensors."""
        recording = self._training.steps.last_recording
        if recording is not None:
            self._history.note(recording)

    def begin(self, step: int) -> None:
        """Prepare for a step."""
        if self.watchpoints.needs().rate:
            rates = self._training.debuggee.rates()
            self.watchpoints.rate = rates[0].value if rates else math.nan
        self._hits = []
        self.watchpoints.begin_step(step, self._training.steps.before)

    @contextlib.contextmanager
    def observing(self) -> Iterator[None]:
        """A context for a step in which the nodes that the watchpoints need are observed."""
        names = self.watchpoints.needs().names
        began, spent = time.perf_counter(), self.watchpoints.spent
        debuggee = self._training.debuggee
        with contextlib.nullcontext() if names is None else debuggee.watching(self.see, names):
            yield
        seconds = time.perf_counter() - began - (self.watchpoints.spent - spent)
        self._training.progress.note_duration(seconds, debuggee.mode())
        self._update_step_seconds()

    def see(self, execution: Execution) -> None:
        """Evaluate the watchpoints of a node that was executed."""
        self._hits += self.watchpoints.see(execution)

    def end(self, step: int) -> str:
        """Finish a step: send its hits, and the cause if a number stopped being finite.

        Returns:
            The reason to pause, "hit" or "not_finite"; empty if there is none.

        """
        loss = self._training.progress.loss
        self._hits += self.watchpoints.end_step(step, loss)
        silent = self.watchpoints.needs().silent
        logged = [hit for hit in self._hits if hit.watchpoint in silent]
        hits = [hit for hit in self._hits if hit.watchpoint not in silent]
        if logged:
            self._conversation.send(wire.Log(step=step, hits=logged[:_MOST_HITS]))
        if hits:
            self._send_hits(step, hits)
        was_lost, self._lost = self._lost, self._has_lost_numbers(loss)
        if self._lost and not was_lost:
            self._send_cause()
            return "not_finite"
        return "hit" if hits else ""

    def recheck(self) -> int:
        """Evaluate the current watchpoints on the paused step; returns the number of hits.

        Raises:
            NotKeptError: The step was not kept.

        """
        steps = self._training.steps
        recording = steps.recording() if self._training.status.stop is None else steps.partial
        if recording is None:
            raise NotKeptError(steps.cannot_run_again)
        snapshot = steps.before
        hits = self.watchpoints.recheck(recording, {} if snapshot is None else snapshot.arrays)
        self._send_hits(recording.step, hits)
        return len(hits)

    def _send_hits(self, step: int, hits: list[wire.Hit]) -> None:
        """Send the hits of a step in order of execution; weights come first."""
        ordered = sorted(hits, key=lambda hit: (hit.order, hit.tensor.full_name))
        left_out = max(0, len(hits) - _MOST_HITS)
        self._conversation.send(
            wire.Hits(step=step, hits=ordered[:_MOST_HITS], replace=True, left_out=left_out), keep=True
        )
        self.send_counts()

    def _update_step_seconds(self) -> None:
        """Take over the duration of a step, as long as no watchpoint is part of it."""
        if not self.is_armed or not self.watchpoints.cost.step_seconds:
            self.watchpoints.cost.step_seconds = self._training.progress.step_seconds

    def _has_lost_numbers(self, loss: float) -> bool:
        """Whether the loss or a weight is no longer finite."""
        if self._training.progress.has_loss and not math.isfinite(loss):
            return True
        known = self.watchpoints.finite
        return not all(
            known[weight.name] if weight.name in known else is_finite(weight.current)
            for weight in self._training.steps.know_nodes().weights
        )

    def _send_cause(self) -> None:
        steps = self._training.steps
        try:
            recording = steps.recording()
        except NotKeptError as error:
            step = self._training.progress.step
            self._conversation.send(wire.Cause(step=step, verdict="not_kept", problem=str(error)), keep=True)
            return
        cause = find_cause(recording, self._history, steps.know_nodes())
        cause.ran_again = True
        self._conversation.send_program()
        self._conversation.send(cause, keep=True)
