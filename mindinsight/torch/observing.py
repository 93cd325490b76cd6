"""Observes a step of PyTorch: each ATen operator of forward, backward and optimizer, with its name and its line.

A `TorchDispatchMode` sees them. It lives for one step and changes nothing: results are those of the step left alone.
"""

from __future__ import annotations

import logging
import sys
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, Final

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from debugging.executions import Watcher
from debugging.session.termination import TrainingStoppedError
from debugging.steps.stepper import Line
from mindinsight.torch.arrays import Copies, view_of
from mindinsight.torch.names import KEEPING, SILENT, UNWRITTEN, KnownScopes, ModuleScopes, type_of
from mindinsight.torch.private import (
    DispatchMode,
    autograd_node,
    is_fake,
    leave_mode,
    next_number,
    other_mode_runs,
    without_modes,
)

__all__ = ["BACKWARD", "FORWARD", "UPDATE", "AtenExecution", "AtenOperator", "Observer", "is_own", "parts_of"]

_log = logging.getLogger("mindinsight.torch")

#: Parts of a step.
FORWARD: Final = "forward"
BACKWARD: Final = "backward"
UPDATE: Final = "update"
_LIBRARIES: Final = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    | {str(Path(torch.__file__).parent)}
    | {str(Path(__file__).parents[2] / name) for name in ("mindinsight", "debugging", "summaries")}
)


@cache
def is_own(file: str) -> bool:
    """Whether a source file is the user's: neither PyTorch's, nor a library's, nor the dashboard's."""
    return not file.startswith(("<", *_LIBRARIES))


@dataclass(frozen=True, slots=True)
class AtenOperator:
    """An ATen operator; see `debugging.executions.Operator`.

    Attributes:
        name: Its type.
        attrs: Its arguments that are no tensors, by name.
    """

    name: str
    attrs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AtenExecution:
    """An ATen operator that was executed; see `debugging.executions.Execution`."""

    full_name: str
    primitive: AtenOperator
    inputs: tuple[Any, ...]
    outputs: Any
    location: Line | None
    iteration: int = 0

    @property
    def members(self) -> tuple[str, ...]:
        """Its own name."""
        return (self.full_name,)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an operator of the forward pass is: the scope, and the user's line."""

    scope: str
    line: Line | None


@dataclass(frozen=True, slots=True)
class _Entry:
    """Who watches operators, which ones, whether it keeps values, and in which parts of a step."""

    watcher: Watcher
    wants: Callable[[str], bool]
    keeps: bool
    parts: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Running:
    """An operator that is about to run, with those who want to know, and how they get values."""

    full_name: str
    primitive: AtenOperator
    inputs: tuple[Any, ...]
    line: Line | None
    wanted: Sequence[_Entry]
    value: Callable[[torch.Tensor], Any]
    written: Sequence[torch.Tensor]
    owner: torch.Tensor | None


@dataclass(frozen=True, slots=True)
class _Known:
    """What holds for all executions of an operator."""

    kind: str
    arguments: tuple[str, ...]
    is_silent: bool
    keeps: bool
    is_unwritten: bool
    writes: tuple[int, ...]
    is_view: bool


@lru_cache(8)
def parts_of(names: frozenset[str]) -> frozenset[str]:
    """The parts of a step in which the operators of some full names run."""
    begins = {name.partition("/")[0] for name in names}
    return frozenset({"Gradients": BACKWARD, "Optimizer": UPDATE}.get(begin, FORWARD) for begin in begins)


@cache
def _known(func: Any) -> _Known:
    schema = func._schema
    operator = schema.name.partition("::")[2]
    return _Known(
        kind=type_of(operator),
        arguments=tuple(argument.name for argument in schema.arguments),
        is_silent=operator in SILENT,
        keeps=operator in KEEPING,
        is_unwritten=operator in UNWRITTEN,
        writes=tuple(
            place
            for place, argument in enumerate(schema.arguments)
            if argument.alias_info is not None and argument.alias_info.is_write
        ),
        is_view=any(made.alias_info is not None and not made.alias_info.is_write for made in schema.returns),
    )


class Observer(DispatchMode):  # type: ignore[misc]  # torch is not installed where this is checked
    """A context around a step in which watchers are called with each operator.

    Args:
        scopes: The scopes of the model's modules.
        copies: The arrays of tensors.
        optimizing: Gives the name of the optimizer that is updating weights; empty outside of updates.
        in_backward: Gives whether the program has called `backward`, which has not returned.
        is_running: Whether the root module is running.
    """

    def __init__(
        self,
        scopes: KnownScopes,
        copies: Copies,
        optimizing: Callable[[], str],
        in_backward: Callable[[], bool],
        is_running: bool = False,
    ) -> None:
        super().__init__()
        self._model = scopes.model
        self._scopes = ModuleScopes(scopes, is_running)
        self._copies = copies
        self._optimizing, self._in_backward = optimizing, in_backward
        self._numbers: Counter[str] = Counter()
        #: Places of operators by the number that autograd gives the node of their backward pass.
        self._forward: dict[int, _Place] = {}
        self._watchers: list[_Entry] = []
        #: Whether the operator that runs now is one of the loss: forward, behind the model.
        self._is_of_loss = False
        self._hooks = ExitStack()
        #: Whether an error has ended the observation.
        self._is_broken = False

    @cached_property
    def _weights(self) -> dict[int, str]:
        """The names of weights by their ids."""
        return {id(weight): name for name, weight in self._model.named_parameters()}

    @contextmanager
    def watching(
        self,
        watcher: Watcher,
        wants: Callable[[str], bool],
        keeps: bool = True,
        parts: frozenset[str] = frozenset({FORWARD, BACKWARD, UPDATE}),
    ) -> Iterator[None]:
        """A context in which a watcher is called with the operators whose full names it wants.

        Args:
            watcher: Called behind each operator.
            wants: Whether it wants the operator of a full name.
            keeps: Whether it keeps values. Otherwise it gets the tensors' own memory, which changes later.
            parts: The parts of a step in which there are such operators.
        """
        entry = _Entry(watcher, wants, keeps, parts)
        self._watchers.append(entry)
        try:
            yield
        finally:
            self._watchers.remove(entry)

    def leave_out(self, part: str) -> bool:
        """See no operators in a part of a step that begins, if nobody watches there; returns whether that is so."""
        watched = any(part in entry.parts for entry in self._watchers)
        if watched or other_mode_runs(self):
            return False
        super().__exit__(None, None, None)
        return True

    def come_back(self) -> None:
        """See operators again behind a part that was left out."""
        super().__enter__()

    def is_of_loss(self, full_name: str) -> bool:
        """Whether the operator that runs now belongs to the loss."""
        return self._is_of_loss

    def replay(self, executions: Sequence[AtenExecution]) -> None:
        """Tell the watchers of operators that ran before, and are not run again."""
        for execution in executions:
            for entry in list(self._watchers):
                if entry.wants(execution.full_name):
                    entry.watcher(execution)

    def __enter__(self) -> Observer:
        self._hooks.callback(register_module_forward_pre_hook(self._scopes.enter).remove)
        self._hooks.callback(register_module_forward_hook(self._scopes.leave, always_call=True).remove)
        super().__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        """Take off the hooks of this step. Modes that the program has entered since stay entered."""
        with leave_mode(self):
            if not other_mode_runs(self):
                super().__exit__(*exception)
        self._hooks.close()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Run an operator, and tell the watchers."""
        named = kwargs or {}
        known = _known(func)
        if self._is_broken:
            return func(*args, **named)
        if known.is_silent:
            output = func(*args, **named)
            if args and isinstance(output, torch.Tensor) and isinstance(args[0], torch.Tensor):
                # Another name of the same numbers.
                self._copies.share(args[0], output)
            return output
        if known.keeps and getattr(autograd_node(), "variable", None) is not None:
            return self._kept(func, args, named, bool(known.writes))
        before = None
        try:
            before = self._before(known, args, named)
        except Exception:
            self._break()
        output = func(*args, **named)
        if before is not None:
            try:
                self._tell(before, output)
            except TrainingStoppedError:
                raise
            except Exception:
                self._break()
        return output

    def _before(self, known: _Known, args: tuple[Any, ...], named: Mapping[str, Any]) -> _Running | None:
        """What is known of an operator that is about to run; None if nobody watches it."""
        scope, find_line = self._place(sys._getframe(2))
        key = scope + known.kind
        full_name = f"{scope}/{known.kind}-op{self._numbers[key]}"
        self._numbers[key] += 1
        wanted = [entry for entry in self._watchers if entry.wants(full_name)]
        if not wanted or known.is_unwritten:
            return None
        # An operator may overwrite its inputs, so these are copied before it runs.
        value = self._value if known.writes or any(entry.keeps for entry in wanted) else view_of
        with without_modes():
            inputs = tuple(_values_in(args, value)) + tuple(_values_in(named.values(), value))
        primitive = AtenOperator(known.kind, _attributes(known.arguments, args, named))
        owner = args[0] if known.is_view and value == self._value and args and _is_plain(args[0]) else None
        return _Running(full_name, primitive, inputs, find_line(), wanted, value, _written(known, args, named), owner)

    def _tell(self, running: _Running, output: Any) -> None:
        """Tell the watchers of an operator that has run."""
        with without_modes():
            written = {id(tensor) for tensor in running.written}

            def value(tensor: torch.Tensor) -> Any:
                return self._copies.of_written(tensor) if id(tensor) in written else running.value(tensor)

            made = running.written if output is None else (output,)
            outputs = tuple(_values_in(made, value, tensors_only=True))
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

    def _kept(self, func: Any, args: tuple[Any, ...], named: Mapping[str, Any], writes: bool) -> Any:
        """Run an operator that keeps a gradient. The gradient keeps its name, too."""
        array = None
        try:
            source = [item for item in args if isinstance(item, torch.Tensor)][-1]
            if any(entry.keeps for entry in self._watchers):
                with without_modes():
                    array = self._copies.of(source)
        except Exception:
            self._break()
        output = func(*args, **named)
        if array is not None and isinstance(output, torch.Tensor):
            self._copies.give(output, array, writes)
        return output

    def _value(self, tensor: torch.Tensor) -> Any:
        return self._copies.of(tensor)

    def _place(self, frame: FrameType) -> tuple[str, Callable[[], Line | None]]:
        """Where the operator that runs now is: in the forward pass, the backward pass, or an optimizer.

        Args:
            frame: what called the operator.

        Returns:
            The scope, and what finds the user's line.
        """
        self._is_of_loss = False
        if updating := self._optimizing():
            return f"Optimizer/{updating}", lambda: _line(frame)
        node = autograd_node()
        if node is None and self._in_backward():
            return "Gradients/Default", lambda: _line(frame, "_engine_run_backward")
        if node is None:
            self._is_of_loss = self._scopes.is_behind_model
            scope = self._scopes.current
            if not any(BACKWARD in entry.parts for entry in self._watchers):
                return scope, lambda: _line(frame)
            # The operators of the backward pass show the line of this one.
            line, number = _line(frame), next_number()
            if number is not None:
                self._forward[number - 1] = _Place(scope, line)
            return scope, lambda: line
        kind = str(node.name()).removesuffix("Backward0").rpartition("::")[2]
        variable = getattr(node, "variable", None)
        forward = self._forward.get(int(node._sequence_nr())) if variable is None else None
        if forward is None:
            weight = self._weights.get(id(variable), "")
            return f"Gradients/{weight or 'Default'}/Grad_{kind}".replace("//", "/"), lambda: None
        # Functions of the program have lines of their own.
        line = forward.line
        return f"Gradients/{forward.scope}/Grad_{kind}", lambda: _line(frame, "_engine_run_backward") or line


def _line(frame: FrameType | None, end: str = "") -> Line | None:
    """The innermost line of the user's source.

    Args:
        frame: Where to begin.
        end: Name of a function; what has called it is not searched.
    """
    while frame is not None and frame.f_code.co_name != end:
        if is_own(frame.f_code.co_filename):
            return Line(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None


def _attributes(names: Sequence[str], args: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an operator that are no tensors, by name."""
    given = [*zip(names, args, strict=False), *named.items()]
    return {name: value for name, value in given if value is not None and not _has_tensor(value)}


def _written(known: _Known, args: tuple[Any, ...], named: Mapping[str, Any]) -> list[torch.Tensor]:
    """The tensors that an operator writes."""
    given = [args[place] if place < len(args) else named.get(known.arguments[place]) for place in known.writes]
    lists = [item if isinstance(item, list | tuple) else [item] for item in given]
    return [tensor for tensors in lists for tensor in tensors if isinstance(tensor, torch.Tensor)]


def _is_plain(item: Any) -> bool:
    return isinstance(item, torch.Tensor) and item.layout is torch.strided and not is_fake(item)


def _has_tensor(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(isinstance(item, torch.Tensor) for item in value)
    return isinstance(value, torch.Tensor)


def _values_in(items: Iterable[Any], value: Callable[[torch.Tensor], Any], tensors_only: bool = False) -> Iterator[Any]:
    """The leaves of arguments of an operator, tensors as arrays: arguments are lists of leaves at most."""
    for item in items:
        if isinstance(item, torch.Tensor):
            yield value(item)
        elif isinstance(item, list | tuple):
            yield from _values_in(item, value, tensors_only)
        elif not tensors_only:
            yield item
