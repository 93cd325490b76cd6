"""Observes a step of PyTorch: each ATen operator of forward, backward and optimizer, with its name and its line.

A `TorchDispatchMode` sees them. It lives for one step and changes nothing: results are those of the step left alone.
Where watchers want some operators by name, it is entered in the modules and parts of the step in which these run.
"""

from __future__ import annotations

import logging
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from types import FrameType
from typing import Any, Final, Protocol

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from debugging.executions import Watcher
from debugging.session.termination import TrainingStoppedError
from debugging.steps.stepper import Line
from mindinsight.torch.arguments import is_plain, sort_arguments, tensors_at, values_in
from mindinsight.torch.arrays import Copies, view_of
from mindinsight.torch.lines import line_of
from mindinsight.torch.names import KnownScopes, ModuleScopes
from mindinsight.torch.operators import AtenExecution, AtenOperator, Known, known_of
from mindinsight.torch.private import (
    DispatchMode,
    autograd_node,
    has_compiled,
    leave_mode,
    next_number,
    other_mode_runs,
    without_modes,
)
from mindinsight.torch.watched import BACKWARD, FORWARD, UPDATE, Entry, Needs, needs_of

__all__ = ["CompiledObserver", "Moment", "Observer"]

_log = logging.getLogger("mindinsight.torch")

_NOTHING: Final[Mapping[str, Any]] = {}


class Moment(Protocol):
    """Which part of the step runs now.

    Attributes:
        updating: The name of the optimizer that is updating weights; empty outside of updates.
        in_backward: Whether the program has called `backward`, which has not returned.
        in_gradients: How many calls of `torch.autograd.grad` have not returned.
    """

    updating: str
    in_backward: bool
    in_gradients: int


def _owner(known: Known, args: tuple[Any, ...]) -> torch.Tensor | None:
    """The tensor whose memory the output of a view shares; None if the operator is no view."""
    return args[0] if known.is_view and args and is_plain(args[0]) else None


@dataclass(slots=True, eq=False)
class _Running:
    """An operator that is about to run, with those who want to know, and how they get values."""

    full_name: str
    primitive: AtenOperator
    inputs: tuple[Any, ...]
    line: Line | None
    wanted: Sequence[Entry]
    keeps: bool
    written: Sequence[torch.Tensor]
    owner: torch.Tensor | None


class Observer(DispatchMode):  # type: ignore[misc]  # torch is not installed where this is checked
    """A context around a step in which watchers are called with each operator.

    Args:
        scopes: The scopes of the model's modules.
        copies: The arrays of tensors.
        moment: Tells which part of the step runs.
        is_running: Whether the root module is running.
    """

    def __init__(self, scopes: KnownScopes, copies: Copies, moment: Moment, is_running: bool = False) -> None:
        super().__init__()
        self._model = scopes.model
        self._scopes = ModuleScopes(scopes, is_running)
        self._copies = copies
        self._moment = moment
        self._numbers: dict[str, int] = {}
        #: Lines of operators by the number that autograd gives the node of their backward pass.
        self._lines: dict[int, Line | None] = {}
        #: The first of these numbers in a scope, and the scope, in order.
        self._marks: list[int] = []
        self._marked: list[str] = []
        self._watchers: list[Entry] = []
        #: Whether the operator that runs now is one of the loss: forward, behind the model.
        self._is_of_loss = False
        self._hooks = ExitStack()
        #: Whether an error has ended the observation.
        self._is_broken = False
        #: Whether this step is observed, and whether this mode is entered now.
        self._is_open = self._is_on = False
        self._is_compiled = has_compiled()
        #: Whether it knows which module runs. Before the loss, the loss alone needs none.
        self._follows_modules = False
        self._needs = Needs()
        #: The watchers, if each of them wants all operators.
        self._all: list[Entry] | None = None

    @cached_property
    def _weights(self) -> dict[int, str]:
        """The names of weights by their ids."""
        return {id(weight): name for name, weight in self._model.named_parameters()}

    @contextmanager
    def watching(self, watcher: Watcher, names: frozenset[str] | None = None, keeps: bool = True) -> Iterator[None]:
        """A context in which a watcher is called with operators.

        Args:
            watcher: Called behind each operator.
            names: The full names that it wants; None: all. A subclass may contain names that are not known yet.
            keeps: Whether it keeps values. Otherwise it gets the tensors' own memory, which changes later.
        """
        with self._with(Entry(watcher, names, keeps)):
            yield

    @contextmanager
    def watching_loss(self, watcher: Watcher) -> Iterator[None]:
        """A context in which a watcher is called with the operators of the loss, and keeps values."""
        with self._with(Entry(watcher, None, True, of_loss=True)):
            yield

    @contextmanager
    def _with(self, entry: Entry) -> Iterator[None]:
        self._watchers.append(entry)
        self._arrange()
        try:
            yield
        finally:
            self._watchers.remove(entry)
            self._arrange()

    def _arrange(self) -> None:
        """Find out what the watchers need."""
        self._needs = needs_of(self._watchers)
        takes_all = all(one.names is None and not one.of_loss for one in self._watchers)
        self._all = list(self._watchers) if takes_all else None
        if self._is_open and not self._follows_modules and self._needs.modules:
            self._follow_modules()
        self.adapt()

    def adapt(self) -> None:
        """See the operators of the part that runs now, or not, if nobody watches there: those then cost nothing."""
        if not self._is_open or self._is_on is (needed := self._is_needed()):
            return
        if needed:
            super().__enter__()
            self._is_on = True
        elif not other_mode_runs(self):
            super().__exit__(None, None, None)
            self._is_on = False
            # Writes are not seen from now on.
            self._copies.settle()

    def _is_needed(self) -> bool:
        moment = self._moment
        if moment.updating:
            return UPDATE in self._needs.parts
        if self._is_compiled and not moment.in_backward:
            # Compiled code runs operator by operator where this mode is entered before it begins.
            return True
        if (moment.in_backward or moment.in_gradients) and BACKWARD in self._needs.parts:
            return True
        if moment.in_backward or FORWARD not in self._needs.parts:
            return False
        if self._needs.near is None or (self._needs.loss and self._scopes.is_behind_model):
            return True
        return self._scopes.current in self._needs.near

    def replay(self, executions: Sequence[AtenExecution]) -> None:
        """Tell the watchers of operators that ran before, and are not run again."""
        for execution in executions:
            for entry in list(self._watchers):
                if not entry.of_loss and (entry.names is None or execution.full_name in entry.names):
                    entry.watcher(execution)

    def __enter__(self) -> Observer:
        self._is_open = True
        self._mark()
        self._arrange()
        return self

    def end_model(self) -> None:
        """The root module returns."""
        if not self._follows_modules:
            self._scopes.leave(self._model)
            self._follow_modules()
            self.adapt()

    def _follow_modules(self) -> None:
        """Follow the modules that run, which takes time in each."""
        self._follows_modules = True
        self._hooks.callback(register_module_forward_pre_hook(self._begin_module).remove)
        self._hooks.callback(register_module_forward_hook(self._end_module, always_call=True).remove)

    def __exit__(self, *exception: object) -> None:
        """Take off the hooks of this step. Modes that the program has entered since stay entered."""
        self._is_open = False
        if self._is_on:
            with leave_mode(self):
                if not other_mode_runs(self):
                    super().__exit__(*exception)
            self._is_on = False
        self._hooks.close()
        self._copies.settle()

    def _begin_module(self, module: torch.nn.Module, inputs: object) -> None:
        self._scopes.enter(module)
        self._mark()
        self.adapt()

    def _end_module(self, module: torch.nn.Module, inputs: object, output: object) -> None:
        self._scopes.leave(module)
        self._mark()
        self.adapt()

    def _mark(self) -> None:
        """Note that operators belong to another scope from now on."""
        number = next_number() if BACKWARD in self._needs.parts or not self._marks else None
        if number is None:
            return
        if self._marks and number <= self._marks[-1]:
            # A thread of its own has numbers of its own.
            if number == self._marks[-1]:
                self._marked[-1] = self._scopes.current
            return
        self._marks.append(number)
        self._marked.append(self._scopes.current)

    def _dispatch(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        """Run an operator, and tell the watchers."""
        named = kwargs or _NOTHING
        known = known_of(func)
        if self._is_broken or self._is_unwanted(known):
            if known.overwrites and self._copies.is_holding:
                self._keep_before_write(known, args, named)
            return func(*args, **named)
        if known.is_silent:
            return self._share(func(*args, **named), args)
        if known.keeps and getattr(autograd_node(), "variable", None) is not None:
            return self._kept(func, args, named, known)
        running = None
        try:
            running = self._begin(known, args, named, sys._getframe(1))
        except Exception:
            self._break()
        if known.overwrites and self._copies.is_holding:
            self._keep_before_write(known, args, named)
        output = func(*args, **named)
        if running is not None:
            try:
                with without_modes():
                    self._tell(running, output)
            except TrainingStoppedError:
                raise
            except Exception:
                self._break()
        return output

    def _is_unwanted(self, known: Known) -> bool:
        """Whether nobody watches an operator, whatever its name is."""
        needs = self._needs
        if needs.kinds is None or known.kind in needs.kinds:
            return False
        return not (needs.loss and self._scopes.is_behind_model)

    def _keep_before_write(self, known: Known, args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        """Copy the values that are held in memory that an operator is about to write."""
        try:
            with without_modes():
                self._copies.keep_before_write(tensors_at(known.overwrites, known, args, named))
        except Exception:
            self._break()

    def _share(self, output: Any, args: tuple[Any, ...]) -> Any:
        """Note another name of the same numbers; returns it."""
        if self._needs.keeps and args and isinstance(output, torch.Tensor) and isinstance(args[0], torch.Tensor):
            self._copies.share(args[0], output)
        return output

    def _begin(
        self, known: Known, args: tuple[Any, ...], named: Mapping[str, Any], frame: FrameType
    ) -> _Running | None:
        """What is known of an operator that is about to run; None if nobody watches it."""
        scope, number = self._place()
        line = self._note_line(frame) if number is None and self._needs.lines else None
        full_name = self._name(f"{scope}/{known.kind}")
        wanted = self._wanted(full_name)
        if not wanted or known.is_unwritten:
            return None
        # An operator may overwrite its inputs, so these are kept before it runs.
        keeps = bool(known.overwrites) or any(entry.keeps for entry in wanted)
        inputs, attributes = self._arguments(known, args, named, self._copies.hold if keeps else view_of)
        return _Running(
            full_name,
            AtenOperator(known.kind, attributes),
            inputs,
            line or self._line(frame, number),
            wanted,
            keeps,
            tensors_at(known.writes, known, args, named) if known.writes else (),
            _owner(known, args) if keeps else None,
        )

    def _arguments(
        self, known: Known, args: tuple[Any, ...], named: Mapping[str, Any], value: Callable[[torch.Tensor], Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The inputs and the attributes of an operator."""
        attributes: dict[str, Any] = {}
        inputs: list[Any] = []
        with without_modes():
            sort_arguments(zip(known.arguments, args, strict=False), value, inputs, attributes)
            if named:
                sort_arguments(named.items(), value, inputs, attributes)
        return tuple(inputs), attributes

    def _name(self, key: str) -> str:
        """The full name of the next operator of a scope and a type."""
        count = self._numbers.get(key, 0)
        self._numbers[key] = count + 1
        return f"{key}-op{count}"

    def _note_line(self, frame: FrameType) -> Line | None:
        """The line of an operator of the forward pass, which those of the backward pass show, too."""
        if self._moment.updating or self._moment.in_backward:
            return None
        line, following = line_of(frame), next_number()
        if following is not None:
            self._lines[following - 1] = line
        return line

    def _wanted(self, full_name: str) -> list[Entry]:
        """The watchers of an operator."""
        if self._all is not None:
            return self._all
        return [entry for entry in self._watchers if self._wants(entry, full_name)]

    def _wants(self, entry: Entry, full_name: str) -> bool:
        if entry.of_loss:
            return self._is_of_loss
        return entry.names is None or full_name in entry.names

    def _tell(self, running: _Running, output: Any) -> None:
        """Tell the watchers of an operator that has run."""
        made = running.written if output is None else (output,)
        if not running.keeps:
            outputs = tuple(values_in(made, view_of))
        elif not running.written and type(output) is torch.Tensor:
            outputs = (self._copies.hold(output),)
        elif running.written:
            written = {id(tensor) for tensor in running.written}
            copies = self._copies
            outputs = tuple(
                values_in(made, lambda one: copies.hold_written(one) if id(one) in written else copies.hold(one))
            )
        else:
            outputs = tuple(values_in(made, self._copies.hold))
        if running.owner is not None:
            for view in output if isinstance(output, list | tuple) else [output]:
                self._copies.note_view(running.owner, view)
        execution = AtenExecution(running.full_name, running.primitive, running.inputs, outputs, running.line)
        for entry in running.wanted:
            entry.watcher(execution)

    def _break(self) -> None:
        """End the observation of the step after an error of ours, in its handler; the step goes on."""
        self._is_broken = True
        _log.exception("A step is not observed any further; the training continues.")

    def _kept(self, func: Any, args: tuple[Any, ...], named: Mapping[str, Any], known: Known) -> Any:
        """Run an operator that keeps a gradient. The gradient keeps its name, too."""
        array = None
        try:
            source = [item for item in args if isinstance(item, torch.Tensor)][-1]
            if self._needs.keeps:
                with without_modes():
                    array = self._copies.hold(source)
                    if known.writes:
                        self._copies.keep_before_write(tensors_at(known.writes, known, args, named))
        except Exception:
            self._break()
        output = func(*args, **named)
        if array is not None and isinstance(output, torch.Tensor):
            self._copies.give(output, array, bool(known.writes))
        return output

    def _place(self) -> tuple[str, int | None]:
        """The scope of the operator that runs now; and in the backward pass, the number of its node, or -1."""
        self._is_of_loss = False
        if self._moment.updating:
            return f"Optimizer/{self._moment.updating}", None
        node = autograd_node()
        if node is None:
            if self._moment.in_backward:
                return "Gradients/Default", None
            self._is_of_loss = self._scopes.is_behind_model
            return self._scopes.current, None
        kind = _kind_of_node(node.name())
        variable = getattr(node, "variable", None) if kind == "AccumulateGrad" else None
        if variable is not None:
            weight = self._weights.get(id(variable), "")
            return f"Gradients/{weight or 'Default'}/Grad_{kind}", -1
        number = int(node._sequence_nr())
        at = bisect_right(self._marks, number) - 1
        return f"Gradients/{self._marked[at] if at >= 0 else 'Default'}/Grad_{kind}", number

    def _line(self, frame: FrameType, number: int | None) -> Line | None:
        """The user's line of the operator that runs now."""
        if number is None:
            return line_of(frame, "_engine_run_backward" if self._moment.in_backward else "")
        if number < 0:
            return None
        # Functions of the program have lines of their own.
        return line_of(frame, "_engine_run_backward") or self._lines.get(number)


# PyTorch wraps what a class defines, so that it is never compiled. Where nothing is compiled, that only takes time.
Observer.__torch_dispatch__ = Observer._dispatch


class CompiledObserver(Observer):
    """An observer for a program that may run compiled code."""

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        """Run an operator, and tell the watchers."""
        return self._dispatch(func, types, args, kwargs)


@cache
def _kind_of_node(name: str) -> str:
    return name.removesuffix("Backward0").rpartition("::")[2]
