"""The residual program that inference writes: weights, names, values read from the environment, the current place."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from types import FunctionType
from typing import Any

from framework.infer.state.emitter import Emitter
from framework.ir.abstract import UNKNOWN, Abstract, AbstractScalar, AbstractTensor
from framework.ir.anf import RECOMPUTE, FuncGraph, Location, Node, Parameter
from framework.ir.errors import InferenceError, PythonOnlyError, PythonOnlySyntaxError
from framework.ir.naming import Names, Passage, is_internal
from framework.parse import Read, parse
from framework.parse.reads import ATTRIBUTE

__all__ = ["Program"]


class Program:
    """One compilation.

    Args:
        name: the name of the program.
        dynamic: weights that some choice, loop or recursion is known to change.
        names: the names of operators from earlier compilations; by default there are none.
        is_part: whether it is a part of a function whose other parts Python runs. Then what differs from running it
            line by line is refused: calls while compiling that have effects, and changes of tensors from outside.

    Attributes:
        root: the graph that the program is.
        weights: its parameters for the framework's Parameters, behind those for arguments.
        reads: the values that it has read from its environment.
        plain: weights that have been read without an order among side effects.
        written: weights that a choice, a loop or a recursion changes.
        current: the values of weights that the program itself has changed.
        passage: the path through the source to the current place.
        unneeded: the inputs of an operator whose gradients will not be read.
        tuples: constants that have been read, by identity, with their abstract values.
        weight_tuples: tuples of Parameters that have been read, by identity, with their nodes.
        made: the number of operators of each type that compilation itself has added.
        marks: the marks for nodes of the current Cell.
        in_region: whether a function is being followed with whole tensors, of which each rank will have parts.
        read_before: weights that had been read before that function.
        new: the nodes of gradients and of values beside them, which are new tensors in every call.
        restore: for a part, how Python's results are made of the program's (`results.py`).
    """

    def __init__(
        self, name: str, dynamic: frozenset[int] = frozenset(), names: Names | None = None, *, is_part: bool = False
    ) -> None:
        self.is_part = is_part
        self.restore: Any = None
        self.in_region = False
        self.read_before: frozenset[int] = frozenset()
        self.new: set[Node] = set()
        self.root = FuncGraph(name)
        self.top = Emitter(self.root)
        self.weights: dict[int, Parameter] = {}
        self.reads: list[Read] = []
        self.dynamic = set(dynamic)
        self.plain: set[int] = set()
        self.written: set[int] = set()
        self.current: dict[int, Node] = {}
        self.location: Location | None = None
        self._calls: list[Location] = []
        self._placed: Location | None = None
        self._scopes: list[str] = ["Default"]
        self._names = Names() if names is None else names
        self._gradient: Counter[str] | None = None
        self.marks: dict[str, int] = {}
        self.passage = Passage()
        self.unneeded: Set[Node] = frozenset()
        self.made: Counter[str] = Counter()
        self.tuples: dict[int, tuple[Any, Abstract | None]] = {}
        self.weight_tuples: dict[int, tuple[Any, list[Node]]] = {}
        self._parsed: dict[Any, FuncGraph] = {}
        self._noted: dict[tuple[int, str], Any] = {}

    def parsed(self, function: FunctionType) -> FuncGraph:
        """The graph of a Python function. Each function is parsed once for a program."""
        # Closures may share code, but not variables.
        if function not in self._parsed:
            try:
                self._parsed[function] = parse(function, self.reads)
            except PythonOnlySyntaxError as error:
                calls = [place for place in (self.location, *reversed(self._calls)) if place is not None]
                raise type(error)(error.message, error.location, tuple(dict.fromkeys(calls))) from None
        return self._parsed[function]

    def note(self, owner: Any, name: str, value: Any) -> None:
        """Note that an attribute is read. Repeated reads are noted once."""
        if self._noted.get((id(owner), name), self) is not value:
            self._noted[id(owner), name] = value
            self.reads.append(Read(name, ATTRIBUTE, owner, value))

    def weight(self, parameter: Any) -> Parameter:
        """The program's parameter that holds the value of a framework's Parameter."""
        if id(parameter) not in self.weights:
            shape = parameter.whole_shape if self.in_region else parameter.shape
            abstract = AbstractTensor(tuple(shape), parameter.dtype)
            self.weights[id(parameter)] = self.root.add_parameter(parameter.name, parameter, abstract=abstract)
        return self.weights[id(parameter)]

    @contextlib.contextmanager
    def region(self) -> Iterator[None]:
        """A context in which Parameters that are cut over ranks are taken for whole."""
        self.in_region = True
        self.read_before = frozenset(self.plain)
        self._set_weights()
        try:
            yield
        finally:
            self.in_region = False
            self._set_weights()

    def _set_weights(self) -> None:
        for node in self.weights.values():
            shape = node.default.whole_shape if self.in_region else node.default.shape
            node.abstract = AbstractTensor(tuple(shape), node.default.dtype)

    @property
    def scope(self) -> str:
        """The Cells around the current place."""
        return "/".join(self._scopes)

    def full_name(self, kind: str) -> str:
        """The name of an operator that executes at the current place: `scope/Type-opN`."""
        if self._gradient is not None:
            self._gradient[kind] += 1
            return f"{self.scope}/{kind}-op{self._gradient[kind] - 1}"
        place = self.location
        # An operator outside of all functions of the user has no line, as on Python's stack.
        site = (0, 0) if place is None or is_internal(place.file) else (place.line, place.column)
        return self._names.full_name(self.scope, kind, self.passage.place(site, kind))

    @contextlib.contextmanager
    def passing(self, passage: Passage | None = None) -> Iterator[None]:
        """A context in which operators execute within a call from the current place.

        Args:
            passage: the path from here on, if it is not simply that call.
        """
        before, place = self.passage, self.location
        if passage is not None:
            self.passage = passage
        elif place is not None:
            self.passage = Passage(before, (place.line, place.column))
        try:
            yield
        finally:
            self.passage = before

    @contextlib.contextmanager
    def within(self, scope: str, *, recomputed: bool = False) -> Iterator[None]:
        """A context in which operators belong to a Cell.

        Args:
            scope: its name in the Cell around it, empty for the outermost one.
            recomputed: whether its forward values are computed again going backward.
        """
        before, marks = self._scopes, self.marks
        if scope:
            self._scopes = [*before, scope]
        # If nested Cells are recomputed, the outermost one counts.
        if recomputed and RECOMPUTE not in marks:
            self.marks = {RECOMPUTE: self.scope.count("/") + 1}
        try:
            yield
        finally:
            self._scopes, self.marks = before, marks

    @contextlib.contextmanager
    def backward(self, scope: str, counts: Counter[str]) -> Iterator[None]:
        """A context in which operators belong to a gradient.

        Args:
            scope: the scope of the gradient (`framework.ir.naming.gradient_scope`).
            counts: the number of its operators of each type so far.
        """
        before = self._scopes, self._gradient, self.marks
        self._scopes, self._gradient, self.marks = [scope], counts, {}
        try:
            yield
        finally:
            self._scopes, self._gradient, self.marks = before

    @contextlib.contextmanager
    def leaving_out(self, unneeded: Set[Node]) -> Iterator[None]:
        """A context in which a backward function is followed, and some of its gradients are not read."""
        before, self.unneeded = self.unneeded, unneeded
        try:
            yield
        finally:
            self.unneeded = before

    @contextlib.contextmanager
    def calling(self) -> Iterator[None]:
        """A context in which errors also show the place of the call that is being followed."""
        before, place = self.location, self.place
        if place is not None:
            self._calls.append(place)
        try:
            yield
        finally:
            self.location = before
            if place is not None:
                self._calls.pop()

    @property
    def place(self) -> Location | None:
        """The source line that is being followed, with the calls that led there."""
        location, caller = self.location, self._calls[-1] if self._calls else None
        if location is None or caller is None or location.caller is not None:
            return location
        if location == caller:
            # Within the source of operators, the line remains that of the call.
            return caller
        placed = self._placed
        if placed is None or placed.caller is not caller or placed != location:
            placed = self._placed = replace(location, caller=caller)
        return placed

    def at(self, location: Location | None) -> None:
        """Set the source line that is being followed. Within the source of operators, it remains their caller's."""
        if location is not None and (self.location is None or not is_internal(location.file)):
            self.location = location

    def refusal(self, message: str, nodes: Iterable[Node]) -> InferenceError:
        """An error at the current place. If a number is not known before the program runs, Python may do without it."""
        return self.error(
            message, PythonOnlyError if any(_is_open(node.abstract) for node in nodes) else InferenceError
        )

    def error(self, message: str, kind: type[InferenceError] = InferenceError) -> InferenceError:
        """An error at the current place, with the user's line and the calls that led there."""
        around = dict.fromkeys(place for place in reversed(self._calls) if place != self.location)
        return kind(message, self.location, tuple(around))


def _is_open(abstract: Abstract | None) -> bool:
    """Whether a value is or contains a number that is not known before the program runs."""
    if isinstance(abstract, AbstractScalar):
        return abstract.value is UNKNOWN
    return any(map(_is_open, getattr(abstract, "elements", ())))
