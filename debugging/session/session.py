"""The debugger's session in a training: runs its steps, and between steps and nodes carries out commands and pauses."""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Final

from debugging.contract import Debuggee
from debugging.executions import Execution
from debugging.link.link import Link
from debugging.session.control import Control
from debugging.session.conversation import Conversation
from debugging.session.journal import Journal
from debugging.session.lease import Lease
from debugging.session.monitor import Monitor
from debugging.session.pause import Pauses
from debugging.session.progress import Progress
from debugging.session.status import Position, Status
from debugging.session.termination import Termination, TrainingStoppedError
from debugging.session.training import Training
from debugging.steps.last_steps import LastSteps
from debugging.steps.stepper import Stepper, Stop
from summaries.schema import debugger_pb2 as wire

__all__ = ["Result", "Session"]

_log = logging.getLogger("debugging")

_KEPT_STEPS: Final = 2
"""Steps before a pause whose state is kept: the last one, and the one that it is compared with."""
_SLOW_STEP: Final = 0.5
"""Seconds per step from which on a pause does not wait for one more step, which would be kept."""


class Result:
    """What a step gives.

    Attributes:
        output: The output of the step; the first tensor is the loss.

    """

    output: Any = None


class Session:
    """One training under the debugger.

    While it is attached, it runs the steps (`Debuggee.attach`).

    Args:
        debuggee: The training.
        progress: The progress of the training.
        lease: The length of its pauses.
        directory: The directory of checkpoints; None: the working directory.
        pause: Whether to pause before the first step.

    Attributes:
        training: The state that the parts of the session share.
        conversation: With the dashboard.
        monitor: The watchpoints.
        journal: Notes changes in the run.
        is_inside: Whether a step is running; then the training runs itself.

    """

    def __init__(
        self, debuggee: Debuggee, progress: Progress, lease: Lease, directory: str | None, pause: bool = False
    ) -> None:
        stepper = Stepper(self._pause_within, debuggee.is_own)
        control = Control(debuggee, stepper, Termination(debuggee, progress, directory))
        self.training = Training(debuggee, progress, lease, LastSteps(debuggee), Status(), control)
        self.conversation = Conversation(self.training, self.attend)
        self.monitor = Monitor(self.training, self.conversation)
        self.journal = Journal(directory)
        self.is_inside = False
        self._pauses = Pauses(self.training, self.conversation, self.monitor)
        self._pause_at_start = pause
        #: Whether there is something to do around the next step. The link's thread sets it.
        self._attention = True

    def begin(self, link: Link, handle: Callable[[wire.Command], None]) -> None:
        """Attach: connect, and run the steps of the training from now on.

        Args:
            link: To the dashboard, not yet started.
            handle: Carries out a command, in the training's thread.

        """
        self.conversation.begin(link, handle)
        self.training.debuggee.attach(self)
        self.conversation.send_state()

    def end(self, reason: str, message: str = "") -> None:
        """Detach, and say why: "finished", "failed", "stopped" or "detached"."""
        training = self.training
        training.debuggee.detach(self)
        if self.conversation.link is None:
            return
        if self.monitor.is_armed:
            self.monitor.send_counts()
        training.status.end()
        training.steps.forget()
        self.journal.close()
        why = "stopped" if training.control.termination.asked and reason == "finished" else reason
        self.conversation.end(wire.Bye(reason=why, message=message))

    def attend(self) -> None:
        """Look for commands and report at the next step; any thread may call it."""
        self._attention = True

    # ---- steps

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a step; a training whose step is a function calls this instead of that function."""
        training, attention = self.training, self._attention
        if attention:
            with self._attended(args, kwargs, sys._getframe(1)) as result:
                result.output = training.debuggee.run(args, kwargs)
            return result.output
        # An idle step costs no context of its own. A command that came meanwhile has asked for attention.
        self.is_inside = True
        progress = training.progress
        progress.begun += 1
        try:
            output = progress.output = training.debuggee.run(args, kwargs)
            if self._attention and self.conversation.inbox:
                self._pause_late(args, kwargs)
            return output
        finally:
            self.is_inside = False

    def step(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], caller: FrameType
    ) -> contextlib.AbstractContextManager[Result]:
        """A context for a step that is no function: it begins and ends with the context.

        Args:
            args: Positional arguments of the step.
            kwargs: Its other arguments.
            caller: The frame in which the step runs.

        Returns:
            A context that gives a `Result`, whose `output` is to be set before it ends.

        """
        return self._attended(args, kwargs, caller) if self._attention else self._idle(args, kwargs)

    @contextlib.contextmanager
    def _idle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Result]:
        """A step without anything to do around it."""
        training = self.training
        self.is_inside = True
        training.progress.begun += 1
        try:
            yield (result := Result())
            training.progress.output = result.output
            if self.conversation.inbox:
                self._pause_late(args, kwargs)
        finally:
            self.is_inside = False

    @contextlib.contextmanager
    def _attended(self, args: tuple[Any, ...], kwargs: dict[str, Any], caller: FrameType) -> Iterator[Result]:
        """A step before which commands are carried out, and which is observed if that is needed."""
        training, result = self.training, Result()
        self.is_inside = True
        training.progress.begun += 1
        try:
            self._attention = False
            with self._harmless():
                self._before_step(args, kwargs)
            attached = self.conversation.link is not None
            armed = attached and self.monitor.is_armed
            if attached and self._is_observed():
                with training.steps.observing(training.control.stepper, caller, self._between_nodes) as finish:
                    yield result
                    finish(result.output)
            elif armed:
                with self.monitor.observing():
                    yield result
            else:
                began = time.perf_counter()
                yield result
                training.progress.note_duration(time.perf_counter() - began, training.debuggee.mode())
            training.progress.output = result.output
            with self._harmless():
                self._after_step(armed)
            if training.control.will_stop or self.monitor.is_armed:
                self._attention = True
            else:
                training.steps.forget()
        finally:
            self.is_inside = False

    def _is_observed(self) -> bool:
        """Whether the whole step is observed: to stop within it, or to learn which values are usual.

        A step that cannot run again is also observed before a pause, whose tensors it has.
        """
        training, control = self.training, self.training.control
        if not training.steps.can_observe() or training.debuggee.hides(training.debuggee.mode()):
            return False
        if training.debuggee.no_repeat and control.will_pause_within(_KEPT_STEPS):
            return True
        return control.stepper.is_asked or self.monitor.is_recorded(training.progress.step)

    def _before_step(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        training, control = self.training, self.training.control
        training.steps.begin(training.progress.step, args, kwargs)
        training.progress.note_pace()
        if self._pause_at_start:
            self._pause_at_start = False
            self._pauses.pause(Position("started", before_step=True))
        training.status.place_before_step(True)
        self.conversation.carry_out_all()
        training.status.place_before_step(False)
        if self.conversation.link is None:
            return
        if training.debuggee.mode() == "graph":
            training.steps.know_nodes()
        armed = self.monitor.is_armed
        kept = control.will_pause_within(_KEPT_STEPS)
        training.steps.settle(keep=kept or control.stepper.is_asked or armed)
        if armed:
            self.monitor.begin(training.progress.step)
        if training.status.run() or self.conversation.is_due:
            self.conversation.send_state()
            if armed:
                self.monitor.send_counts()

    def _after_step(self, armed: bool) -> None:
        training, control = self.training, self.training.control
        control.apply_mode()
        why = self.monitor.end(training.progress.step) if armed else ""
        if armed and not why:
            self.monitor.note()
        due = control.count_step()
        if why := why or due:
            control.cancel_pause()
            self._pauses.pause(Position(why))
        control.termination.carry_out()

    def _pause_late(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Pause after a step that was not kept, if it is the last one or if steps are slow."""
        training, control = self.training, self.training.control
        last = training.progress.steps and training.progress.step >= training.progress.steps
        rate = training.progress.steps_per_second
        if not last and (rate == 0.0 or rate * _SLOW_STEP > 1):
            return
        with self._harmless():
            self.conversation.carry_out_all()
            if control.will_pause and (last or control.reason == "asked"):
                training.steps.begin(training.progress.step, args, kwargs)
                control.cancel_pause()
                self._pauses.pause(Position(control.reason))
            control.termination.carry_out()

    # ---- within a step

    def _pause_within(self, stop: Stop) -> None:
        with self._harmless():
            self._pauses.pause(Position(stop.reason, stop))

    def _between_nodes(self, execution: Execution) -> None:
        """Called with each node of an observed step."""
        if self.monitor.is_armed:
            self.monitor.see(execution)
        if self._attention:
            self._attention = False
            with self._harmless():
                self.conversation.carry_out_all()

    # ---- errors

    @contextlib.contextmanager
    def _harmless(self) -> Iterator[None]:
        """An error in the debugger ends the debugger, not the training."""
        try:
            yield
        except TrainingStoppedError:
            raise
        except Exception:
            _log.exception("The debugger has failed and is detached; the training continues without it.")
            self.end("detached", "the debugger failed in the training; its log says why")
