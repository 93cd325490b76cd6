"""The program that inference writes: its weights, its names, what it read of its surroundings, where it is."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from framework import ops
from framework.infer.values import Emitter
from framework.ir.abstract import AbstractTensor
from framework.ir.anf import FuncGraph, Location, Node, Parameter
from framework.ir.errors import InferenceError
from framework.parse import Read, parse

__all__ = ["Program"]

_OPERATORS: Final = str(Path(ops.__file__).parent)


class Program:
    """One compilation.

    Args:
        name: of the program.
        dynamic: parameters that some choice, loop or recursion changes, as far as is known before.

    Attributes:
        root: the graph that the program is.
        weights: its parameters for the framework's Parameters, after those for arguments.
        reads: what it took from its surroundings.
        written: parameters that a choice, a loop or a recursion changes.
        current: the values of parameters that the program itself has changed.
    """

    def __init__(self, name: str, dynamic: frozenset[int] = frozenset()) -> None:
        self.root = FuncGraph(name)
        self.top = Emitter(self.root)
        self.weights: dict[int, Parameter] = {}
        self.reads: list[Read] = []
        self.dynamic = dynamic
        self.written: set[int] = set()
        self.current: dict[int, Node] = {}
        self.location: Location | None = None
        self._calls: list[Location] = []
        self._scopes: list[str] = ["Default"]
        self._names: Counter[tuple[str, str]] = Counter()
        self._parsed: dict[Any, FuncGraph] = {}

    def parsed(self, function: FunctionType) -> FuncGraph:
        """The graph of a Python function; each is parsed once for a program."""
        # Two closures share their code, but not what it refers to.
        if function not in self._parsed:
            self._parsed[function] = parse(function, self.reads)
        return self._parsed[function]

    def weight(self, parameter: Any) -> Parameter:
        """The program's parameter that holds the value of a framework's Parameter."""
        if id(parameter) not in self.weights:
            abstract = AbstractTensor(tuple(parameter.shape), parameter.dtype)
            self.weights[id(parameter)] = self.root.add_parameter(parameter.name, parameter, abstract=abstract)
        return self.weights[id(parameter)]

    @property
    def scope(self) -> str:
        """The Cells around what is being inferred."""
        return "/".join(self._scopes)

    def full_name(self, kind: str, scope: str | None = None) -> str:
        """A name for an operator: `scope/Type-opN`."""
        where = self.scope if scope is None else scope
        number = self._names[where, kind]
        self._names[where, kind] += 1
        return f"{where}/{kind}-op{number}"

    @contextlib.contextmanager
    def within(self, scope: str) -> Iterator[None]:
        """While this lasts, operators belong to a Cell."""
        self._scopes.append(scope)
        try:
            yield
        finally:
            self._scopes.pop()

    @contextlib.contextmanager
    def backward(self, scope: str) -> Iterator[None]:
        """While this lasts, operators belong to the gradient of those of a scope."""
        before, self._scopes = self._scopes, ["Gradients", scope.removeprefix("Gradients/")]
        try:
            yield
        finally:
            self._scopes = before

    @contextlib.contextmanager
    def calling(self) -> Iterator[None]:
        """While this lasts, errors also show the place of the call that is being followed."""
        before = self.location
        if before is not None:
            self._calls.append(before)
        try:
            yield
        finally:
            self.location = before
            if before is not None:
                self._calls.pop()

    def at(self, location: Location | None) -> None:
        """Say which source is being followed; the operators' own does not count, what calls them does."""
        if location is not None and (self.location is None or not location.file.startswith(_OPERATORS)):
            self.location = location

    def error(self, message: str) -> InferenceError:
        """An error about what is being inferred, with the user's line and the calls that led there."""
        around = dict.fromkeys(place for place in reversed(self._calls) if place != self.location)
        return InferenceError(message, self.location, tuple(around))
