"""Taps of PyNative mode (`framework.observe`): calls of primitives are replaced by ones that tell observers."""

from __future__ import annotations

import contextlib
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from framework.common.tensor import Tensor, from_array
from framework.ir.naming import gradient_scope, names_of
from framework.observe import Execution, is_wanted, is_watched, report, when_watched
from framework.ops.arguments import by_position
from framework.ops.calls import unwrap_calls, wrap_calls
from framework.ops.primitive import Primitive
from framework.pynative.places import Places, location_of, user_frame
from framework.pynative.tape import tape

__all__ = [
    "adding_up",
    "backward_of",
    "entered",
    "going_backward",
    "is_watched",
    "name_recorded",
    "name_variable",
    "outermost",
]


class _Run:
    """One outermost call: of a Cell, of a gradient, or what is executed outside of these.

    Attributes:
        places: where operators execute.
        scopes: the Cells around what executes now, each with those around it.
        gradients: for what runs backward now its scope, and how many operators of a type have been executed in it.
        executed: how often each operator has been executed.
        added: how many gradients have been added up for an entry of the tape.
    """

    def __init__(self, root: Any, boundary: FrameType | None) -> None:
        self.names = None if root is None else names_of(root)
        self.is_script = root is None
        self.places = Places(boundary)
        self.outermost: FrameType | None = None
        self.scopes = ["Default"]
        self.gradients: list[tuple[str, Counter[str]]] = []
        self.executed: Counter[str] = Counter()
        self.added: dict[int, Counter[str]] = {}

    def name(self, kind: str, frame: FrameType) -> str:
        """The full name of an operator that is called from a frame."""
        if self.gradients:
            scope, counts = self.gradients[-1]
            counts[kind] += 1
            return f"{scope}/{kind}-op{counts[kind] - 1}"
        place = self.places.of(frame, kind)
        if self.names is None or (self.is_script and self.outermost is not self.places.outermost):
            # Outside of Cells, what counts is the call of a function from where the watching began, or from the script.
            self.outermost = self.places.outermost
            self.executed.clear()
            self.names = names_of(_script if self.outermost is None else self.outermost.f_code)
        return self.names.full_name(self.scopes[-1], kind, place)


def _script() -> None:
    """Represents code executed outside of functions."""


_runs: list[_Run] = []
_is_true = Tensor.__bool__
#: By number of an entry of the tape, the operator that was recorded.
_names_of_entries: dict[int, str] = {}


def _begin(caller: FrameType | None) -> None:
    _runs[:] = [_Run(None, caller)]
    wrap_calls(_watched)
    Tensor.__bool__ = _decided  # type: ignore[method-assign,assignment]


def _end() -> None:
    unwrap_calls()
    Tensor.__bool__ = _is_true  # type: ignore[method-assign]
    _names_of_entries.clear()
    _runs.clear()


when_watched(_begin, _end)


def _watched(original: Callable[..., Any]) -> Callable[..., Any]:
    """The call of a class of primitives with reports to watchers."""

    def call(self: Primitive, *inputs: Any, **named: Any) -> Any:
        if named:
            inputs = by_position(self, inputs, named)
        run = _runs[-1]
        frame = sys._getframe(1)
        name = run.name(self.name, frame)
        before = tape.first + len(tape.entries)
        # A Parameter that the operator changes is shown as it was.
        given = tuple(from_array(x._data) if i in self.writes else x for i, x in enumerate(inputs))
        started = time.perf_counter()
        outputs = original(self, *inputs)
        duration = time.perf_counter() - started
        for number in range(before + 1, tape.first + len(tape.entries) + 1):
            _names_of_entries[number] = name
        run.executed[name] += 1
        if not is_wanted(name):
            return outputs
        iteration = run.executed[name] - 1
        place = location_of(frame, run.places.boundary)
        report(Execution(name, iteration, self, given, outputs, (name,), place, started, duration))
        return outputs

    return call


def _decided(tensor: Tensor) -> bool:
    """Whether a tensor is true; records the query."""
    truth = _is_true(tensor)
    frame = sys._getframe(1)
    if user_frame(frame) is frame and not _runs[-1].gradients:
        _runs[-1].places.decide(frame, truth)
    return truth


@contextlib.contextmanager
def outermost(root: object) -> Iterator[None]:
    """Inside of a call of a function or Cell, which is the outermost one if there is none around it."""
    if len(_runs) > 1:
        yield
        return
    _runs.append(_Run(root, sys._getframe(2)))
    try:
        yield
    finally:
        _leave()


@contextlib.contextmanager
def entered(cell: object, scope: str) -> Iterator[None]:
    """Inside of a Cell.

    Args:
        cell: the Cell.
        scope: its part of scopes, empty for one that no other holds.
    """
    is_outermost = len(_runs) == 1
    if is_outermost:
        _runs.append(_Run(cell, sys._getframe(2)))
    run = _runs[-1]
    run.scopes.append(f"{run.scopes[-1]}/{scope}" if scope else run.scopes[-1])
    try:
        yield
    finally:
        run.scopes.pop()
        if is_outermost:
            _leave()


def _leave() -> None:
    _runs.pop()
    if tape.depth == 0:
        _names_of_entries.clear()


def name_variable(number: int, label: str) -> None:
    """Name an entry of the tape that is a variable of a gradient."""
    _names_of_entries[number] = label


def name_recorded(number: int, kind: str) -> None:
    """Name a tape entry that is not a primitive, such as a Cell with its own backward function."""
    _names_of_entries[number] = _runs[-1].name(kind, sys._getframe(1))


@contextlib.contextmanager
def going_backward() -> Iterator[None]:
    """While the tape is gone backward over, once: another time the same sums are the same operators."""
    run = _runs[-1]
    before, run.added = run.added, {}
    try:
        yield
    finally:
        run.added = before


@contextlib.contextmanager
def backward_of(number: int) -> Iterator[None]:
    """While the backward function of an entry of the tape runs."""
    yield from _gradient(gradient_scope(_names_of_entries.get(number, "Default/Call")), Counter())


@contextlib.contextmanager
def adding_up(number: int) -> Iterator[None]:
    """While two gradients of the output of an entry are added."""
    scope = gradient_scope(_names_of_entries.get(number, "Default/Call"), "Sum")
    yield from _gradient(scope, _runs[-1].added.setdefault(number, Counter()))


def _gradient(scope: str, counts: Counter[str]) -> Iterator[None]:
    run = _runs[-1]
    run.gradients.append((scope, counts))
    try:
        yield
    finally:
        run.gradients.pop()
