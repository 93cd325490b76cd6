"""What the training's thread does between steps and between nodes: takes commands, pauses, goes on; owns the state."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from framework.debugger.edits import Journal
from framework.debugger.ending import Ending, TrainingStoppedError
from framework.debugger.guarding import Guard
from framework.debugger.inbox import Inbox
from framework.debugger.lease import Lease
from framework.debugger.link import Link
from framework.debugger.place import Place
from framework.debugger.running import mode_now, set_mode
from framework.debugger.stepping import Stepper, Stop
from framework.debugger.steps import Steps
from framework.debugger.telling import program_of, state_of
from framework.nn.cell import Cell
from framework.observe import Execution
from summaries.schema import debugger_pb2 as wire

__all__ = ["Session"]

_log = logging.getLogger("framework")

_TELL_SECONDS: Final = 1.0
"""So often a paused training says how much is left of its lease."""
_RUNNING_SECONDS: Final = 0.2
"""So often at most a training that runs tells where it is."""
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
        self._link: Link | None = None
        self._handle: Callable[[wire.Command], None] = lambda command: None
        self._inbox = Inbox()
        self._program_told = (-1, 0)
        self._told_at = 0.0

    # ---- what others call

    def begin(self, link: Link, handle: Callable[[wire.Command], None]) -> None:
        """Attach: connect, and run the steps of the training from now on.

        Args:
            link: to the dashboard, not yet started.
            handle: does what a command says, in the training's thread.

        """
        self._link = link
        self._handle = handle
        link.start()
        self.network._run_by = self
        self.tell()

    def end(self, reason: str, message: str = "") -> None:
        """Detach, and say why: "finished", "failed", "stopped" or "detached"."""
        if self.network._run_by is self:
            self.network._run_by = None
        if self._link is None:
            return
        link, self._link = self._link, None
        self.status = wire.State.ENDED
        self.steps.forget()
        self.journal.close()
        while (command := self._inbox.take()) is not None:
            self._answer(link, command, "ended", "the training has ended, or the debugger is detached")
        link.send(state_of(self))
        link.close(
            wire.Bye(reason="stopped" if self._ending.asked and reason == "finished" else reason, message=message)
        )

    @property
    def link(self) -> Link | None:
        """To the dashboard; None where the session has ended."""
        return self._link

    @property
    def last_step(self) -> int:
        """The number of the last step that was done or is under way; before it begins, it does not count."""
        return max(0, self.place.step - self.is_before)

    @property
    def is_paused(self) -> bool:
        """Whether the training stands still."""
        return self.status == wire.State.PAUSED

    def hear(self, command: wire.Command) -> None:
        """Take a command; called in the link's thread."""
        if self._inbox.put(command):
            self.attention = True
        elif (link := self._link) is not None:
            self._answer(link, command, "too_busy", "too many commands wait already")

    def look(self) -> None:
        """Have the state told at the next step; called in the link's thread a few times a second."""
        self.attention = True

    def reply(self, reply: wire.Reply) -> None:
        """Answer a command."""
        if self._link is not None:
            self._link.send(reply)

    def tell(self) -> None:
        """Tell the state as it is now."""
        link = self._link
        if link is None:
            return
        self._told_at = time.monotonic()
        self.tell_program()
        link.send(state_of(self), keep=True)

    def tell_program(self) -> None:
        """Tell the nodes, if there are others than were told."""
        link, nodes = self._link, self.steps.nodes
        if link is None or nodes is None:
            return
        if (now := (len(nodes), len(nodes.files))) != self._program_told:
            self._program_told = now
            program_of(link, nodes.program, nodes.graph)

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
            if self._inbox:
                self._look_late(args, kwargs)
            return output
        finally:
            self.is_inside = False

    def _attended(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.attention = False
        with self._harmless():
            self._before_step(args, kwargs)
        attached = self._link is not None
        armed = attached and self.guard.is_armed
        if attached and self.steps.can_observe() and (self.stepper.is_asked or self.guard.is_recorded(self.place.step)):
            output = self.steps.observed(self.stepper, self._between_nodes)
        elif armed:
            output = self.guard.run(args, kwargs)
        else:
            output = self.network(*args, **kwargs)
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
        if self._pause_at_start:
            self._pause_at_start = False
            self.stand("started", before=True)
        self.is_before = True
        self._take_commands()
        self.is_before = False
        if self._link is None:
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
        if changed or time.monotonic() - self._told_at >= _RUNNING_SECONDS:
            self.tell()
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
            self.stand(why)
        self._ending.carry_out()

    def _look_late(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Pause behind a step that was not kept, where no other one comes or where steps are slow."""
        last = self.place.steps and self.place.step >= self.place.steps
        rate = self.place.steps_per_second()
        if not last and (rate == 0.0 or rate * _SLOW_STEP > 1):
            return
        with self._harmless():
            self._take_commands()
            if self.pause_in is not None and (last or self.pause_reason == "asked"):
                self.steps.begin(self.place.step, args, kwargs)
                self.pause_in = None
                self.stand(self.pause_reason)
            self._ending.carry_out()

    # ---- pauses

    def stand(self, reason: str, stop: Stop | None = None, before: bool = False) -> None:
        """Stand still until a command or the lease says how to go on.

        Args:
            reason: as in `State`.
            stop: where, within a step.
            before: whether the step that is under way has not begun.

        """
        outer = (self.reason, self.stop, self.is_before)
        self.status, self.reason, self.stop, self.is_before = wire.State.PAUSED, reason, stop, before
        self.lease.renew()
        self.leave = False
        self.steps.know_nodes()
        self.tell()
        if self.guard.is_armed:
            self.guard.tell()
        while not self.leave and self._link is not None:
            command = self._inbox.take(min(_TELL_SECONDS, self.lease.left))
            if self._link.lost_since is not None:
                self.lease.hold(False)
            if command is not None:
                self.lease.renew()
                self._obey(command)
                self.status = wire.State.PAUSED  # Also where a step was run again, with pauses of its own.
            elif self.lease.left <= 0:
                self._lease_is_over()
            if not self.leave:
                self.tell()
        self.status = wire.State.RUNNING
        self.reason, self.stop, self.is_before = outer
        # The pauses around this one are their own; only who made them ends them.
        self.leave = self._ending.asked
        self.place.stood_still()
        if stop is None and self._link is not None:
            self._link.forget(wire.Hits, wire.Cause, wire.Divergence)
        self.tell()

    def _lease_is_over(self) -> None:
        _log.warning("Nobody has renewed the debugger's pause for %s s; what comes now: %s.",
                     self.lease.length, self.lease.at_end)  # fmt: skip
        self.leave = True
        self.pause_in = None
        self.stepper.clear()
        if self.lease.at_end == "save_and_stop":
            self.ask_to_stop(saving=True)

    def _stand_within(self, stop: Stop) -> None:
        with self._harmless():
            self.stand(stop.reason, stop)

    def _between_nodes(self, execution: Execution) -> None:
        """Called with each node of a step that is observed."""
        if self.guard.is_armed:
            self.guard.see(execution)
        if self.attention:
            self.attention = False
            with self._harmless():
                self._take_commands()

    # ---- commands

    def _take_commands(self) -> None:
        # What comes in while the last word is on its way out finds the training detached.
        while self._link is not None and (command := self._inbox.take()) is not None:
            self._obey(command)

    def _obey(self, command: wire.Command) -> None:
        try:
            self._handle(command)
        except Exception as error:
            _log.exception("The debugger could not do what it was asked to: %s.", command.WhichOneof("action"))
            if self._link is not None:
                self._answer(self._link, command, "failed", f"{type(error).__name__}: {error}")

    @staticmethod
    def _answer(link: Link, command: wire.Command, problem: str, message: str) -> None:
        link.send(wire.Reply(id=command.id, problem=problem, message=message))

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
