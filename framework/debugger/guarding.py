"""What is looked at in every step while watchpoints are armed, and what is told of it; the session asks around a step.

Hits pause a training when the step is over, so that any tensor of it can be shown. Where a loss or a weight is not
finite any more, the step is run once more, observed whole, and the cause is looked for.
"""

from __future__ import annotations

import contextlib
import logging
import math
import time
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from framework.debugger.cause import History, find_cause
from framework.debugger.edits import rates_of
from framework.debugger.running import mode_now
from framework.debugger.statistics import is_finite
from framework.debugger.steps import NotKeptError
from framework.debugger.watch import Watch
from framework.observe import watching
from summaries.schema import debugger_pb2 as wire

if TYPE_CHECKING:
    from framework.debugger.session import Session

__all__ = ["Guard"]

_log = logging.getLogger("framework")
_MOST_HITS: Final = 500
"""So many hits of a step are told; the others are counted."""


class Guard:
    """Looks at the steps of a training.

    Args:
        session: of the training.

    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._watch: Watch | None = None
        self._history = History()
        self._hits: list[wire.Hit] = []
        #: Whether numbers were lost before: what goes on is told once.
        self._lost = False

    @property
    def is_armed(self) -> bool:
        """Whether there is anything to look at."""
        return self._watch is not None and self._watch.needs().is_armed

    @property
    def watch(self) -> Watch:
        """The watchpoints."""
        if self._watch is None:
            self._watch = Watch(self._session.steps.know_nodes())
        return self._watch

    def set(self, watchpoints: list[wire.Watchpoint]) -> None:
        """The watchpoints from now on.

        Raises:
            WatchError: one of them makes no sense.

        """
        self._know_pace()
        self.watch.set(watchpoints)
        self._session.attention = True
        self.tell()

    def recommended(self, without: Collection[int]) -> list[wire.Watched]:
        """What is offered, with what each takes beside the others; without some, what these would take besides."""
        self._know_pace()
        return self.watch.recommended(without)

    def tell(self) -> None:
        """Tell the watchpoints with their counts."""
        if self._watch is not None and self._session.talk.link is not None:
            self._session.talk.link.send(self._watch.watching(), keep=True)

    # ---- a step

    def is_recorded(self, step: int) -> bool:
        """Whether a step is to be recorded whole, to know what is usual."""
        return self.is_armed and self._history.is_due(step)

    def note(self) -> None:
        """Keep what the tensors of the step that was recorded were like."""
        recording = self._session.steps.last_recording
        if recording is not None:
            self._history.note(recording)

    def begin(self, step: int) -> None:
        """A step is about to run."""
        if self.watch.needs().rate:
            rates = rates_of(self._session.network)
            self.watch.rate = rates[0].value if rates else math.nan
        self._hits = []
        self.watch.begin_step(step)

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a step with what the watchpoints want to see."""
        names = self.watch.needs().names
        began, spent = time.perf_counter(), self.watch.spent
        with contextlib.nullcontext() if names is None else watching(self.see, names):
            output = self._session.network(*args, **kwargs)
        self._session.place.took(time.perf_counter() - began - (self.watch.spent - spent), mode_now())
        self._know_pace()
        return output

    def see(self, execution: Any) -> None:
        """A node was executed."""
        self._hits += self.watch.see(execution)

    def end(self, step: int) -> str:
        """A step is over: tell hits, and the cause where something is not finite.

        Returns:
            Why to pause: "hit" or "not_finite"; empty if there is no reason.

        """
        loss = self._session.place.loss
        self._hits += self.watch.end_step(step, loss)
        silent = self.watch.needs().silent
        logged = [hit for hit in self._hits if hit.watchpoint in silent]
        hits = [hit for hit in self._hits if hit.watchpoint not in silent]
        self._send(wire.Log(step=step, hits=logged[:_MOST_HITS]) if logged else None)
        if hits:
            self.tell_hits(step, hits)
        was_lost, self._lost = self._lost, self._is_lost(loss)
        if self._lost and not was_lost:
            self._explain()
            return "not_finite"
        return "hit" if hits else ""

    def recheck(self) -> int:
        """Look at the step that is paused with the watchpoints that there are now; how many hits there are.

        Raises:
            NotKeptError: the step was not kept.

        """
        steps = self._session.steps
        recording = steps.recording() if self._session.stop is None else steps.partial
        if recording is None:
            raise NotKeptError(steps.cannot_run_again)
        snapshot = steps.before
        hits = self.watch.recheck(recording, {} if snapshot is None else snapshot.arrays)
        self.tell_hits(recording.step, hits)
        return len(hits)

    def tell_hits(self, step: int, hits: list[wire.Hit]) -> None:
        """Tell the hits of a step, those that come first in it first; all weights come before it."""
        ordered = sorted(hits, key=lambda hit: (hit.order, hit.tensor.full_name))
        told = wire.Hits(step=step, hits=ordered[:_MOST_HITS], replace=True, left_out=max(0, len(hits) - _MOST_HITS))
        self._send(told)
        self.tell()

    def _know_pace(self) -> None:
        """Take over what a step takes, as long as nothing is watched that would be part of it."""
        if not self.is_armed or not self.watch.cost.step_seconds:
            self.watch.cost.step_seconds = self._session.place.step_seconds

    def _is_lost(self, loss: float) -> bool:
        """Whether the loss or a weight is not finite any more."""
        if self._session.place.has_loss and not math.isfinite(loss):
            return True
        known = self.watch.finite
        return not all(
            known[weight.name] if weight.name in known else is_finite(weight._data)
            for weight in self._session.steps.know_nodes().weights
        )

    def _explain(self) -> None:
        steps = self._session.steps
        try:
            recording = steps.recording()
        except NotKeptError as error:
            self._send(wire.Cause(step=self._session.place.step, verdict="not_kept", problem=str(error)))
            return
        cause = find_cause(recording, self._history, steps.know_nodes())
        cause.ran_again = True
        self._session.talk.tell_program()
        self._send(cause)

    def _send(self, message: Any) -> None:
        if message is not None and self._session.talk.link is not None:
            self._session.talk.link.send(message, keep=isinstance(message, wire.Cause | wire.Hits))
