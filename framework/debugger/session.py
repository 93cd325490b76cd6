"""What the training's thread does between steps and between nodes: takes commands, pauses, goes on; owns the state."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from framework.debugger.conversation import Conversation
from framework.debugger.edits import Journal
from framework.debugger.ending import Ending, TrainingStoppedError
from framework.debugger.guarding import Guard
from framework.debugger.lease import Lease
from framework.debugger.link import Link
from framework.debugger.place import Place
from framework.debugger.running import mode_now, set_mode
from framework.debugger.standing import stand
from framework.debugger.stepping import Stepper, Stop
from framework.debugger.steps import Steps
from framework.nn.cell import Cell
from framework.observe import Execution
from summaries.schema import debugger_pb2 as wire

__all__ = ["Session"]

_log = logging.getLogger("framework")

_KEPT_STEPS: Final = 2
"""Of so many steps before a pause the state is kept: of the last one, and of the one that it is compared with."""
_SLOW_STEP: Final = 0.5
"""A pause waits for one more step, which is kept, unless steps take longer than this."""


class Session:
    """One training under the debugger.

    While it is attached, the Cell that trains is run by it (`Cell._run_by`).

    Args:
        network: the whole training step.
        place: where the training is.
        lease: of its pauses.
        directory: where checkpoints go; None: the working directory.
        pause: whether to pause before the first step.

    Attributes:
        talk: what is said to the dashboard and heard from it.
        is_inside: whether a step is running; then the Cell runs itself.
        attention: whether something is to be done around the next step.
        status: `State.Status`.
        reason: why it is paused.
        stop: where it stands within a step, None between steps.
        pause_in: pause after so many steps; None: not.
        pause_reason: why, then.
        leave: whether a pause is over.

    """

    def __init__(self, network: Cell, place: Place, lease: Lease, directory: str | None, pause: bool = False) -> None:
        self.network = network
        self.place = place
        self.lease = lease
        self.steps = Steps(network)
        self.stepper = Stepper(self._stand_within)
        self.guard = Guard(self)
        self.journal = Journal(directory)
        self.is_inside = False
        self.attention = True
        self.status: wire.State.Status.ValueType = wire.State.STARTING
        self.reason = ""
        self.stop: Stop | None = None
        self.pause_in: int | None = None
        self.pause_reason = "asked"
        self.leave = False
        self.next_mode = ""
        self.is_before = False
        self._pause_at_start = pause
        self._ending = Ending(network, place, directory)
        self.talk = Conversation(self)

    # ---- what others call

    def begin(self, link: Link, handle: Callable[[wire.Command], None]) -> None:
        """Attach: connect, and run the steps of the training from now on.

        Args:
            link: to the dashboard, not yet started.
            handle: does what a command says, in the training's thread.

        """
        self.talk.begin(link, handle)
        self.network._run_by = self
        self.talk.tell()

    def end(self, reason: str, message: str = "") -> None:
        """Detach, and say why: "finished", "failed", "stopped" or "detached"."""
        if self.network._run_by is self:
            self.network._run_by = None
        if self.talk.link is None:
            return
        self.status = wire.State.ENDED
        self.steps.forget()
        self.journal.close()
        why = "stopped" if self._ending.asked and reason == "finished" else reason
        self.talk.end(wire.Bye(reason=why, message=message))

    @property
    def last_step(self) -> int:
        """The number of the last step that was done or is under way; before it begins, it does not count."""
        return max(0, self.place.step - self.is_before)

    @property
    def is_to_end(self) -> bool:
        """Whether somebody wants the training to end after the step under way."""
        return self._ending.asked

    @property
    def is_paused(self) -> bool:
        """Whether the training stands still."""
        return self.status == wire.State.PAUSED

    def look(self) -> None:
        """Have the state told at the next step; called in the link's thread a few times a second."""
        self.attention = True

    def ask_to_stop(self, saving: bool) -> None:
        """End the training after the step under way."""
        self._ending.ask(saving)
        self.pause_in = None
        self.stepper.clear()
        self.leave = True

    # ---- steps

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a step; the Cell that trains calls this in the place of itself."""
        self.is_inside = True
        self.place.begun += 1
        try:
            if self.attention:
                return self._attended(args, kwargs)
            output = self.place.output = self.network(*args, **kwargs)
            if self.talk.inbox:
                self._look_late(args, kwargs)
            return output
        finally:
            self.is_inside = False

    def _attended(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.attention = False
        with self._harmless():
            self._before_step(args, kwargs)
        attached = self.talk.link is not None
        armed = attached and self.guard.is_armed
        if attached and self.steps.can_observe() and (self.stepper.is_asked or self.guard.is_recorded(self.place.step)):
            output = self.steps.observed(self.stepper, self._between_nodes)
        elif armed:
            output = self.guard.run(args, kwargs)
        else:
            began = time.perf_counter()
            output = self.network(*args, **kwargs)
            self.place.took(time.perf_counter() - began, mode_now())
        self.place.output = output
        with self._harmless():
            self._after_step(armed)
        if self.pause_in is not None or self.stepper.is_asked or self.guard.is_armed:
            self.attention = True
        else:
            self.steps.forget()
        return output

    def _before_step(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.steps.begin(self.place.step, args, kwargs)
        self.place.note_pace()
        if self._pause_at_start:
            self._pause_at_start = False
            stand(self, "started", before=True)
        self.is_before = True
        self.talk.obey_all()
        self.is_before = False
        if self.talk.link is None:
            return
        if mode_now() == "graph":
            self.steps.know_nodes()
        armed = self.guard.is_armed
        kept = self.pause_in is not None and self.pause_in <= _KEPT_STEPS
        self.steps.settle(keep=kept or self.stepper.is_asked or armed)
        if armed:
            self.guard.begin(self.place.step)
        changed = self.status != wire.State.RUNNING
        self.status = wire.State.RUNNING
        if changed or self.talk.is_due:
            self.talk.tell()
            if armed:
                self.guard.tell()

    def _after_step(self, armed: bool) -> None:
        if self.next_mode:
            set_mode(self.next_mode)
            self.next_mode = ""
        why = self.guard.end(self.place.step) if armed else ""
        if armed and not why:
            self.guard.note()
        if self.pause_in is not None:
            self.pause_in -= 1
            if self.pause_in <= 0:
                why = why or self.pause_reason
        if why:
            self.pause_in = None
            stand(self, why)
        self._ending.carry_out()

    def _look_late(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Pause behind a step that was not kept, where no other one comes or where steps are slow."""
        last = self.place.steps and self.place.step >= self.place.steps
        rate = self.place.steps_per_second
        if not last and (rate == 0.0 or rate * _SLOW_STEP > 1):
            return
        with self._harmless():
            self.talk.obey_all()
            if self.pause_in is not None and (last or self.pause_reason == "asked"):
                self.steps.begin(self.place.step, args, kwargs)
                self.pause_in = None
                stand(self, self.pause_reason)
            self._ending.carry_out()

    # ---- within a step

    def _stand_within(self, stop: Stop) -> None:
        with self._harmless():
            stand(self, stop.reason, stop)

    def _between_nodes(self, execution: Execution) -> None:
        """Called with each node of a step that is observed."""
        if self.guard.is_armed:
            self.guard.see(execution)
        if self.attention:
            self.attention = False
            with self._harmless():
                self.talk.obey_all()

    # ---- what must not happen

    @contextlib.contextmanager
    def _harmless(self) -> Iterator[None]:
        """Whatever goes wrong in the debugger ends the debugger, and not the training."""
        try:
            yield
        except TrainingStoppedError:
            raise
        except Exception:
            _log.exception("The debugger has failed and is detached; the training goes on without it.")
            self.end("detached", "the debugger failed in the training; its log says why")
