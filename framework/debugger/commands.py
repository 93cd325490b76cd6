"""What the commands of the dashboard do, one method each; called in the training's thread."""

from __future__ import annotations

from typing import Final

from framework.debugger.edits import EditError, set_rate
from framework.debugger.looking import Looking
from framework.debugger.refusing import RefusedError
from framework.debugger.running import MODES, mode_now, set_mode
from framework.debugger.session import Session
from framework.debugger.statistics import message_of
from framework.debugger.steps import NotKeptError
from framework.debugger.tensor_names import TensorName
from framework.debugger.watch import WatchError
from summaries.schema import debugger_pb2 as wire

__all__ = ["Commands"]

ANSWERED: Final = "answered"
"""What a method returns that has answered already."""
_MOST_STEPS: Final = (1 << 31) - 1


class Commands:
    """Does what commands say.

    Args:
        session: the training.

    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._looking = Looking(session.network, session.place, session.steps)

    def __call__(self, command: wire.Command) -> None:
        """Do what a command says, and answer it."""
        name = command.WhichOneof("action")
        reply = wire.Reply(id=command.id, ok=True, at=-1)
        act = getattr(self, f"_{name}", None)
        try:
            if act is None:
                raise RefusedError("unknown_command", f"this training cannot do that: {name}")
            if act(getattr(command, str(name)), reply) is ANSWERED:
                return
        except RefusedError as error:
            reply = wire.Reply(id=command.id, problem=error.problem, message=error.message, at=-1)
        except NotKeptError as error:
            reply = wire.Reply(id=command.id, problem="cannot_run_again", message=str(error), at=-1)
        except WatchError as error:
            where = f"watchpoint {error.watchpoint}: " if error.watchpoint else ""
            reply = wire.Reply(id=command.id, problem=error.key, message=f"{where}{error}", at=error.at)
        except EditError as error:
            reply = wire.Reply(id=command.id, problem="cannot_change", message=str(error), at=-1)
        self._session.talk.reply(reply)

    # ---- going on

    def _go_on(self, _: wire.Continue, __: wire.Reply) -> None:
        self._go(None)

    def _step(self, asked: wire.Step, _: wire.Reply) -> None:
        self._go(min(max(1, asked.steps), _MOST_STEPS))
        self._session.pause_reason = "step"

    def _next_node(self, _: wire.NextNode, __: wire.Reply) -> None:
        self._must_observe()
        self._go(None)
        self._session.stepper.next_node()

    def _run_to_node(self, asked: wire.RunToNode, _: wire.Reply) -> None:
        self._must_observe()
        self._must_know(asked.full_name)
        self._go(None)
        self._session.stepper.run_to(asked.full_name)

    def _next_line(self, asked: wire.NextLine, _: wire.Reply) -> None:
        self._must_observe()
        if (self._session.next_mode or mode_now()) != "pynative":
            raise RefusedError("no_lines", "a compiled step has no lines to stop at: switch to PyNative mode")
        self._go(None)
        self._session.stepper.next_line(over=asked.over)

    def _pause(self, asked: wire.Pause, _: wire.Reply) -> None:
        session = self._session
        if session.is_paused:
            return
        if asked.now:
            self._must_observe()
            session.stepper.next_node()
        else:
            session.pause_in, session.pause_reason = 1, "asked"

    def _stop(self, asked: wire.Stop, _: wire.Reply) -> None:
        self._session.ask_to_stop(asked.save)

    def _detach(self, _: wire.Detach, reply: wire.Reply) -> str:
        self._session.talk.reply(reply)
        self._session.end("detached")
        return ANSWERED

    def _go(self, steps: int | None) -> None:
        session = self._session
        session.stepper.clear()
        session.pause_in = steps
        session.leave = True

    # ---- the step that is paused

    def _run_again(self, asked: wire.RunAgain, reply: wire.Reply) -> str:
        session = self._session
        self._must_be_between_steps()
        if asked.mode:
            self._check_mode(asked.mode)
        if asked.to_node:
            self._must_know(asked.to_node)
            if session.steps.cannot_run_again:
                raise NotKeptError(session.steps.cannot_run_again)
            session.talk.reply(reply)
            session.stepper.run_to(asked.to_node)
            session.steps.walk_again(asked.mode, session.stepper)
            return ANSWERED
        divergence = session.steps.run_again(asked.mode)
        if divergence is not None and session.talk.link is not None:
            session.reason = "compared"
            session.talk.link.send(divergence, keep=True)
        return ""

    def _set_mode(self, asked: wire.SetMode, _: wire.Reply) -> None:
        self._check_mode(asked.mode)
        if self._session.stop is not None or self._session.steps.partial is not None:
            self._session.next_mode = asked.mode
        else:
            set_mode(asked.mode)

    def _set_learning_rate(self, asked: wire.SetLearningRate, _: wire.Reply) -> None:
        session = self._session
        if session.stop is not None or session.steps.partial is not None:
            raise RefusedError("within_step", "the learning rate is changed between steps: finish this one first")
        name, before = set_rate(session.network, asked.name, asked.value)
        session.journal.note(name, before, asked.value, session.last_step)
        session.reason = "edited"

    def _set_lease(self, asked: wire.SetLease, _: wire.Reply) -> None:
        lease = self._session.lease
        try:
            lease.change(asked.length, asked.at_end)
        except ValueError as error:
            raise RefusedError("bad_lease", str(error)) from None
        lease.hold(asked.hold)

    # ---- looking

    def _view(self, asked: wire.View, reply: wire.Reply) -> None:
        session = self._session
        self._must_be_paused()
        name = TensorName.of(asked.tensor)
        array = self._looking.array(name, session.stop, asked.previous)
        reply.statistics.append(message_of(array, name))
        if not asked.values or session.talk.link is None:
            return
        begin, data = self._looking.blob(name, array, asked.previous)
        reply.blob = begin.id
        if not session.talk.link.send_blob(begin, data):
            raise RefusedError("too_busy", "too many tensors are under way already")

    def _health(self, _: wire.Health, reply: wire.Reply) -> None:
        self._must_be_paused()
        reply.message = self._looking.health(self._session.stop, reply)

    def _read_source(self, asked: wire.ReadSource, reply: wire.Reply) -> None:
        if self._session.stop is not None:
            self._looking.see(self._session.stop)
        reply.text = self._looking.source(asked.file)

    # ---- watchpoints

    def _set_watchpoints(self, asked: wire.SetWatchpoints, _: wire.Reply) -> None:
        self._must_have_stepped()
        self._session.guard.set(list(asked.watchpoints))

    def _recheck(self, _: wire.Recheck, reply: wire.Reply) -> None:
        self._must_be_paused()
        self._must_have_stepped()
        reply.message = f"{self._session.guard.recheck()} hits"

    def _recommend(self, asked: wire.Recommend, reply: wire.Reply) -> None:
        self._must_have_stepped()
        reply.recommended.extend(self._session.guard.recommended(frozenset(asked.without)))

    # ---- what has to hold

    def _must_have_stepped(self) -> None:
        if not self._session.place.begun:
            raise RefusedError("not_begun", "no step of the training has begun yet, so its nodes are not known")

    def _must_be_paused(self) -> None:
        if not self._session.is_paused:
            raise RefusedError("not_paused", "the training is running: pause it first")

    def _must_be_between_steps(self) -> None:
        self._must_be_paused()
        if self._session.stop is not None:
            raise RefusedError("within_step", "the step is not over: finish it first")

    def _must_observe(self) -> None:
        if not self._session.steps.can_observe():
            raise RefusedError(
                "not_observable", "the step is called with arguments by name; call it with arguments by place"
            )

    def _must_know(self, full_name: str) -> None:
        nodes = self._session.steps.know_nodes()
        if full_name not in nodes or nodes.order(full_name) < 0:
            raise RefusedError("unknown_node", f"this training has no node {full_name!r} that executes")

    @staticmethod
    def _check_mode(mode: str) -> None:
        if mode not in MODES:
            raise RefusedError("bad_mode", f"a mode is one of {', '.join(MODES)}, not {mode!r}")
