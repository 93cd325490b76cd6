"""The commands of the dashboard, one method each; they run in the training's thread."""

from __future__ import annotations

from typing import Final

from debugging.contract import EditError
from debugging.session.inspector import Inspector
from debugging.session.refusal import RefusedError
from debugging.session.session import Session
from debugging.steps.last_steps import NotKeptError
from debugging.tensors.statistics import message_of
from debugging.tensors.tensor_names import TensorName
from debugging.watch import WatchError
from summaries.schema import debugger_pb2 as wire

__all__ = ["Commands"]

ANSWERED: Final = "answered"
"""The result of a method that has already sent its reply."""
_MOST_STEPS: Final = (1 << 31) - 1
_MODES: Final = ("graph", "pynative")


class Commands:
    """Carries out commands.

    Args:
        session: Of the training.

    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._training = session.training
        self._control = session.training.control
        self._inspector = Inspector(self._training.debuggee, self._training.progress, self._training.steps)

    def __call__(self, command: wire.Command) -> None:
        """Carry out a command, and reply."""
        name = command.WhichOneof("action")
        reply = wire.Reply(id=command.id, ok=True, at=-1)
        act = getattr(self, f"_{name}", None)
        try:
            if act is None:
                raise RefusedError("unknown_command", f"this training does not know the command {name}")
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
        self._session.conversation.send(reply)

    # ---- continue, step, pause, stop

    def _go_on(self, _: wire.Continue, __: wire.Reply) -> None:
        self._control.resume()

    def _step(self, asked: wire.Step, _: wire.Reply) -> None:
        self._control.resume(min(max(1, asked.steps), _MOST_STEPS))

    def _next_node(self, _: wire.NextNode, __: wire.Reply) -> None:
        self._must_observe()
        self._control.resume()
        self._control.stepper.next_node()

    def _run_to_node(self, asked: wire.RunToNode, _: wire.Reply) -> None:
        self._must_observe()
        self._must_know(asked.full_name)
        self._control.resume()
        self._control.stepper.run_to(asked.full_name)

    def _next_line(self, asked: wire.NextLine, _: wire.Reply) -> None:
        if self._control.mode != "pynative":
            raise RefusedError("no_lines", "a compiled step has no lines to stop at: switch to PyNative mode")
        self._must_observe()
        self._control.resume()
        self._control.stepper.next_line(over=asked.over)

    def _pause(self, asked: wire.Pause, _: wire.Reply) -> None:
        if self._training.status.is_paused:
            return
        if asked.now and not self._hidden():
            self._must_observe()
            self._control.stepper.next_node()
        else:
            self._control.pause_after_step()

    def _stop(self, asked: wire.Stop, _: wire.Reply) -> None:
        self._control.stop(asked.save)

    def _detach(self, _: wire.Detach, reply: wire.Reply) -> str:
        self._session.conversation.send(reply)
        self._session.end("detached")
        return ANSWERED

    # ---- the paused step

    def _run_again(self, asked: wire.RunAgain, reply: wire.Reply) -> str:
        steps, stepper = self._training.steps, self._control.stepper
        self._must_be_between_steps()
        if asked.mode:
            self._check_mode(asked.mode)
        if asked.to_node:
            self._must_know(asked.to_node)
            if steps.cannot_run_again:
                raise NotKeptError(steps.cannot_run_again)
            self._session.conversation.send(reply)
            stepper.run_to(asked.to_node)
            steps.walk_again(asked.mode, stepper)
            return ANSWERED
        divergence = steps.run_again(asked.mode)
        if divergence is not None and self._session.conversation.link is not None:
            self._training.status.explain("compared")
            self._session.conversation.send(divergence, keep=True)
        return ""

    def _set_mode(self, asked: wire.SetMode, reply: wire.Reply) -> None:
        self._check_mode(asked.mode)
        hidden = self._training.debuggee.hides(asked.mode)
        if hidden and self._session.monitor.is_observing:
            raise RefusedError(
                "not_observable", f"watchpoints on gradients or outputs are enabled, but {hidden}: disable them first"
            )
        self._control.change_mode(asked.mode, after_step=self._training.is_within_step)
        reply.message = self._training.debuggee.mode_note(asked.mode)

    def _set_learning_rate(self, asked: wire.SetLearningRate, _: wire.Reply) -> None:
        if self._training.is_within_step:
            raise RefusedError("within_step", "the learning rate changes between steps only: finish this step first")
        name, before = self._training.debuggee.set_rate(asked.name, asked.value)
        self._session.journal.note(name, before, asked.value, self._training.last_step)
        self._training.status.explain("edited")

    def _set_lease(self, asked: wire.SetLease, _: wire.Reply) -> None:
        lease = self._training.lease
        try:
            lease.change(asked.length, asked.at_end)
        except ValueError as error:
            raise RefusedError("bad_lease", str(error)) from None
        lease.hold(asked.hold)

    # ---- tensors and source files

    def _view(self, asked: wire.View, reply: wire.Reply) -> None:
        self._must_be_paused()
        name = TensorName.of(asked.tensor)
        array = self._inspector.array(name, self._training.status.stop, asked.previous)
        reply.statistics.append(message_of(array, name))
        link = self._session.conversation.link
        if not asked.values or link is None:
            return
        begin, data = self._inspector.blob(name, array, asked.previous)
        reply.blob = begin.id
        if not link.send_blob(begin, data):
            raise RefusedError("too_busy", "too many tensors are already being sent")

    def _health(self, _: wire.Health, reply: wire.Reply) -> None:
        self._must_be_paused()
        reply.message = self._inspector.health(self._training.status.stop, reply)

    def _read_source(self, asked: wire.ReadSource, reply: wire.Reply) -> None:
        stop = self._training.status.stop
        if stop is not None:
            self._inspector.allow_files(stop)
        reply.text = self._inspector.source(asked.file)

    # ---- watchpoints

    def _set_watchpoints(self, asked: wire.SetWatchpoints, _: wire.Reply) -> None:
        self._must_have_stepped()
        self._session.monitor.set(list(asked.watchpoints), self._hidden())
        self._session.attend()

    def _recheck(self, _: wire.Recheck, reply: wire.Reply) -> None:
        self._must_be_paused()
        self._must_have_stepped()
        reply.message = f"{self._session.monitor.recheck()} hits"

    def _recommend(self, asked: wire.Recommend, reply: wire.Reply) -> None:
        self._must_have_stepped()
        recommended = self._session.monitor.recommended(frozenset(asked.without), only_weights=bool(self._hidden()))
        reply.recommended.extend(recommended)

    # ---- conditions of commands

    def _must_have_stepped(self) -> None:
        if not self._training.progress.begun:
            raise RefusedError("not_begun", "the nodes are known only after the first step of the training has begun")

    def _must_be_paused(self) -> None:
        if not self._training.status.is_paused:
            raise RefusedError("not_paused", "the training is running: pause it first")

    def _must_be_between_steps(self) -> None:
        self._must_be_paused()
        if self._training.status.stop is not None:
            raise RefusedError("within_step", "the step is not finished: finish it first")

    def _must_observe(self) -> None:
        if not self._training.steps.can_observe():
            raise RefusedError(
                "not_observable", "the step is called with keyword arguments; call it with positional arguments"
            )
        if hidden := self._hidden():
            raise RefusedError("not_observable", hidden)

    def _hidden(self) -> str:
        """Why the operators of the next step cannot be observed; empty if they can."""
        return self._training.debuggee.hides(self._control.mode)

    def _must_know(self, full_name: str) -> None:
        nodes = self._training.steps.know_nodes()
        if full_name not in nodes or nodes.order(full_name) < 0:
            raise RefusedError("unknown_node", f"no executed node is called {full_name!r}")

    @staticmethod
    def _check_mode(mode: str) -> None:
        if mode not in _MODES:
            raise RefusedError("bad_mode", f"the mode must be one of {', '.join(_MODES)}, not {mode!r}")
