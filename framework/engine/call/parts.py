"""Functions of which Python runs some statements, and compiled programs the rest.

Where only Python can run a statement, `framework.parse.cutting` cuts the function there: that statement runs as it is
written, and each run of other statements is a `_Part`, compiled like any function. A part that cannot be compiled runs
line by line and may be cut further. `ms.jit` (`framework.jit`) and Cells (`cells.py`) make `CompiledInParts`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any, Final

import numpy as np

from framework import context
from framework.common.parameter import Parameter
from framework.engine.arguments import cache_key
from framework.engine.call.compiled import Compiled, Given
from framework.engine.call.dynamic_shapes import DynamicCall
from framework.engine.call.guards import MISS, Entry, GuardedRun
from framework.engine.compiler import CompiledProgram, program_of
from framework.infer.evaluators.cells import Cells
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import register_kind
from framework.infer.values import value_of
from framework.ir.abstract import Abstract, known
from framework.ir.anf import Node
from framework.ir.errors import GraphError, PartResultError
from framework.ir.manager import Manager
from framework.nn.cell import Cell
from framework.ops.primitive import Primitive
from framework.parse.cutting import Body, Run, body_of
from framework.pynative.taps import is_watched

__all__ = ["CompiledInParts", "Target", "target_of"]

_log = logging.getLogger("framework")
MAX_COMPILATIONS: Final = 8
"""The most programs that are compiled for a part; after that, it runs as it is written."""
FEW: Final = 3
"""The most programs that are compiled for a part because an argument differs that is no tensor and no number."""

_CONTAINERS: Final = (tuple, list, dict)
_FAILED: Final = object()
"""What stands for the result of a program that failed."""


class Target:
    """What is cut.

    Args:
        function: the function.
        first: the arguments before those of a call: the object of a method.
        cell: the Cell whose `construct` it is; None for other functions.
    """

    def __init__(self, function: FunctionType, first: tuple[object, ...] = (), cell: Cell | None = None) -> None:
        self.function = function
        self.first = first
        self.cell = cell


def target_of(function: object) -> Target | None:
    """What is cut of something that is compiled; None if it runs whole."""
    if isinstance(function, FunctionType):
        return Target(function)
    if isinstance(function, MethodType):
        inner: object = function.__func__
        return Target(inner, (function.__self__,)) if isinstance(inner, FunctionType) else None
    if isinstance(function, Cell):
        construct = type(function).construct
        is_plain = function._hooks is None and function._compute_type is None and function.bprop is None
        if is_plain and isinstance(construct, FunctionType) and "construct" not in function.__dict__:
            return Target(construct, (function,), function)
    return None


class CompiledInParts(Compiled):
    """A compiled function whose body is cut where only Python can run a statement.

    Attributes:
        parts: the parts that are compiled, in order; empty as long as it is not cut.
    """

    def __init__(
        self, function: Callable[..., Any], input_signature: object = None, static: bool = False, strict: bool = False
    ) -> None:
        super().__init__(function, input_signature, static, strict)
        self._cuts: _Cuts | None = None

    @property
    def parts(self) -> list[Compiled]:
        """The parts that are compiled, in the order of their statements."""
        return [] if self._cuts is None else list(self._cuts.parts.values())

    def _target(self) -> Target | None:
        """What is cut now; None if the function runs whole."""
        function = self._python_function
        if isinstance(function, Cell) and (context.is_graph_mode() or function._run_by is not None):
            # Called line by line, the Cell runs its own compiled function.
            return None
        return target_of(function)

    def _falls_back(self, error: GraphError) -> bool:
        if not error.python_only or self.is_strict:
            return False
        target = self._target()
        if target is not None:
            if self._cuts is None or self._cuts.function is not target.function:
                self._cuts = _Cuts.of(target, self._title, self._tell)
            if self._cuts is not None and self._cuts.learn(error):
                return True
        return super()._falls_back(error)

    def _in_python(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Any:
        cuts = self._cuts
        if cuts is None or not cuts.parts or is_watched():
            return self.plain(*args, **kwargs)
        target = self._target()
        if target is None or target.function is not cuts.function:
            return self.plain(*args, **kwargs)
        return cuts.cut(*target.first, *args, **kwargs)


class _Cuts:
    """The cuts of a function that have been found so far.

    Args:
        target: what is cut.
        body: its statements.
        title: its name in messages.
        tell: warns of a statement.

    Attributes:
        function: the function.
        parts: the parts that are compiled now.
        cut: the function with calls of these parts in place of their statements.
    """

    def __init__(self, target: Target, body: Body, title: str, tell: Callable[[GraphError, str], None]) -> None:
        self.function = target.function
        self.body = body
        self.title = title
        self.is_construct = target.cell is not None
        self._tell = tell
        self._written: frozenset[int] = frozenset()
        self.parts: dict[Run, _Part] = {}
        self.cut: Callable[..., Any] = target.function

    @classmethod
    def of(cls, target: Target, title: str, tell: Callable[[GraphError, str], None]) -> _Cuts | None:
        """The cuts of a function; None if it cannot be cut."""
        body = body_of(target.function)
        if body is None or (target.cell is not None and body.first_parameter is None):
            return None
        return cls(target, body, title, tell)

    def learn(self, error: GraphError) -> bool:
        """Cut where an error is, and warn; whether parts are left that can be compiled."""
        places = [place for place in (error.location, *error.within) if place is not None]
        statement = self.body.statement_at(places)
        if statement is None:
            return False
        self.leave({statement})
        if not self.parts:
            return False
        if error.python_only:
            self._tell(error, f"{self.title} is split: this statement runs line by line, and the rest is compiled")
        return True

    def leave(self, statements: set[int]) -> None:
        """Run these statements as they are written from the next call on."""
        if statements <= self._written:
            return
        self._written |= statements
        kept = self.parts
        self.parts = {run: kept.get(run) or _Part(self, run) for run in self.body.runs(self._written)}
        self.cut = self.body.cut(self.parts)


class _InCell:
    """A part of a Cell's `construct`, called with the Cell first. It is within the Cell's scope."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.__name__ = function.__name__

    def __call__(self, *args: object) -> Any:
        """Run it line by line."""
        return self.function(*args)


@register_kind(_InCell)
def _in_cell(infer: Inference, callee: _InCell, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return Cells(infer).call(value_of(arguments[0]), callee.function, arguments[1:], named)


class _Part(Compiled):
    """A run of statements as a compiled function."""

    def __init__(self, cuts: _Cuts, run: Run) -> None:
        function = cuts.body.part(run)
        self._plain_function = function
        within_cell = cuts.is_construct and cuts.body.first_parameter in run.inputs
        super().__init__(_InCell(function) if within_cell else function)
        self._cuts = cuts
        self._run_of = run
        self._arguments_now: Sequence[object] = ()
        #: The arguments of the latest compilation, as keys.
        self._latest_keys: Sequence[Hashable] = ()

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Run it compiled; line by line where it cannot be compiled, or where a container holds Parameters."""
        for item in args:
            if isinstance(item, _CONTAINERS) and _holds_parameter(item):
                return self.plain(*args)
        return super().__call__(*args, **kwargs)

    @property
    def _python_function(self) -> Callable[..., Any]:
        return self._plain_function

    def _falls_back(self, error: GraphError) -> bool:
        if not isinstance(error, PartResultError):
            self._cuts.learn(error)
        elif error.place is not None and error.place < len(self._run_of.outputs):
            # The statements that set this variable give it to the next part in Python.
            self._leave(self._cuts.body.setters(self._run_of, self._run_of.outputs[error.place]))
        return True

    def _compile(self, args: Sequence[Abstract], kwargs: Mapping[str, Abstract]) -> CompiledProgram:
        self._is_worth_it(args)
        self.compilations += 1
        try:
            made = program_of(self.function, args, kwargs, self._plain_function, is_part=True)
        except GraphError:
            raise
        except Exception as error:
            # Python raises it where it belongs.
            raise _NotWorthError(str(error)) from error
        if not any(isinstance(node.operator, Primitive) for node in Manager(made.root).all_nodes()):
            self._leave(range(self._run_of.start, self._run_of.stop))
            raise _NotWorthError("it computes nothing with tensors")
        self.latest, self._latest_keys = made, [*map(cache_key, self._arguments_now)]
        return made

    def _found(
        self, given: Given, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> tuple[CompiledProgram, DynamicCall | None]:
        self._arguments_now = args
        return super()._found(given, args, kwargs)

    def _is_worth_it(self, args: Sequence[Abstract]) -> None:
        """Refuse to compile for values that differ in every call. Statements that read them run as they are written."""
        varying: set[str] = set()
        values = zip(self._run_of.inputs, args, self._arguments_now, strict=True)
        for place, (name, abstract, value) in enumerate(values):
            if isinstance(value, np.ndarray | np.generic):
                varying.add(name)
            elif self._latest_keys and known(abstract) and cache_key(value) != self._latest_keys[place]:
                is_number = isinstance(value, int | float | complex) and not isinstance(value, bool)
                if is_number or (self.compilations >= FEW and not isinstance(value, Cell)):
                    varying.add(name)
        if varying:
            self._leave(place for name in varying for place in self._cuts.body.readers(self._run_of, name))
            raise _NotWorthError("its arguments differ in every call")
        if self.compilations >= MAX_COMPILATIONS:
            self._leave(range(self._run_of.start, self._run_of.stop))
            raise _NotWorthError("it would be compiled again and again")

    def _leave(self, statements: Iterable[int]) -> None:
        self._cuts.leave(set(statements))

    def _entry_of(self, program: CompiledProgram, arguments: Given) -> Entry | None:
        entry = super()._entry_of(program, arguments)
        return entry and Entry(self._as_in_python(program, entry.enter), self._as_in_python(program, entry.again))

    def _as_in_python(self, program: CompiledProgram, run: GuardedRun) -> GuardedRun:
        """A program with the results and the errors that Python gives."""
        restore, plain = program.restore, self.plain

        def enter(args: tuple[object, ...]) -> Any:
            try:
                out = run(args)
            except Exception:
                if not program.is_pure:
                    raise
                out = _FAILED
            if out is _FAILED:
                # Nothing has happened yet. Python raises the error, at its line.
                return plain(*args)
            return out if restore is None or out is MISS else restore(out, args)

        return enter

    def _run(
        self,
        program: CompiledProgram,
        dynamic_call: DynamicCall | None,
        arguments: Sequence[object],
        args: tuple[object, ...],
        kwargs: Mapping[str, object],
    ) -> Any:
        def run(_: tuple[object, ...]) -> Any:
            return super(_Part, self)._run(program, dynamic_call, arguments, args, kwargs)

        return self._as_in_python(program, run)(args)


class _NotWorthError(GraphError):
    """A part is not compiled, because that does not pay."""


def _holds_parameter(item: object) -> bool:
    """Whether a container holds a Parameter."""
    if isinstance(item, dict):
        return any(map(_holds_parameter, item.values()))
    return any(map(_holds_parameter, item)) if isinstance(item, tuple | list) else isinstance(item, Parameter)
