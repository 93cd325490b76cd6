"""Watching what executes: every primitive with its full name, its inputs and its outputs.

Without watchers nothing is different and nothing is slower: the calls of primitives are replaced when the first watcher
comes and put back when the last one goes. The debugger and the profiler watch from here.

A full name is `scope/Type-opN`: the scope is the way through the Cells (`Default/conv1-Conv2d`), N counts the places in
the scope's source that call a primitive of the type, in the order in which they first execute. What runs backward has
`Gradients/` in front.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

from framework.ops.primitive import Primitive
from framework.pynative import dispatch
from framework.pynative.tape import tape

__all__ = ["Execution", "backward_of", "entered", "is_watched", "watching"]


@dataclass(frozen=True, slots=True)
class Execution:
    """One primitive that was executed.

    Attributes:
        full_name: `scope/Type-opN`.
        iteration: how often the same place had executed before, within the outermost call of a Cell.
        primitive: the operator.
        inputs: what it was called with.
        outputs: a tensor, or a tuple of them.
    """

    full_name: str
    iteration: int
    primitive: Primitive
    inputs: tuple[Any, ...]
    outputs: Any


Watcher = Callable[[Execution], None]

_watchers: list[Watcher] = []
_scopes: list[str] = []
_replaced: dict[type[Primitive], Any] = {}
#: By scope and type the places that called a primitive, each with its number and how often it did.
_places: dict[tuple[str, str], dict[tuple[Any, ...], list[int]]] = {}
#: By number of an entry of the tape, the scope in which it was recorded.
_scope_of_entry: dict[int, str] = {}


def is_watched() -> bool:
    """Whether somebody watches."""
    return bool(_watchers)


@contextlib.contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Call `watcher` with each `Execution` while this lasts."""
    _watchers.append(watcher)
    if len(_watchers) == 1:
        _places.clear()
        _replace_all()
    try:
        yield
    finally:
        _watchers.remove(watcher)
        if not _watchers:
            _put_back()


@contextlib.contextmanager
def entered(scope: str) -> Iterator[None]:
    """Inside of a Cell: its part of the scope, empty for the outermost, in front of which all places are forgotten."""
    if not _scopes:
        _places.clear()
    _scopes.append(f"{_scopes[-1]}/{scope}" if _scopes and scope else _scopes[-1] if _scopes else "Default")
    try:
        yield
    finally:
        _scopes.pop()


@contextlib.contextmanager
def backward_of(number: int) -> Iterator[None]:
    """While the backward function of an entry of the tape runs."""
    _scopes.append(f"Gradients/{_scope_of_entry.get(number, 'Default')}")
    try:
        yield
    finally:
        _scopes.pop()


def _kinds() -> Iterator[tuple[type[Primitive], Any]]:
    """All classes of primitives with the call that each has of its own."""
    kinds: list[type[Primitive]] = [Primitive]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if "__call__" in kind.__dict__:
            yield kind, kind.__dict__["__call__"]


def _replace_all() -> None:
    original = Primitive.__call__
    _replaced.update({kind: own for kind, own in _kinds() if own is original or hasattr(own, "generated")})
    for kind, own in _replaced.items():
        kind.__call__ = _watched(dispatch.execute if own is original else own)  # type: ignore[method-assign]


def _put_back() -> None:
    original = _replaced[Primitive]
    for kind, own in _kinds():
        if hasattr(own, "watched"):
            # A class that was defined meanwhile has no call of its own yet.
            kind.__call__ = _replaced.get(kind, original)  # type: ignore[method-assign]
    _replaced.clear()
    _scope_of_entry.clear()


def _watched(original: Callable[..., Any]) -> Callable[..., Any]:
    """The call of a class of primitives with watchers told of it."""

    def call(self: Primitive, *inputs: Any) -> Any:
        before = len(tape.entries)
        outputs = original(self, *inputs)
        scope = _scopes[-1] if _scopes else "Default"
        for number in range(tape.first + before + 1, tape.first + len(tape.entries) + 1):
            _scope_of_entry[number] = scope
        number, iteration = _place(scope, self.name, sys._getframe(1))
        execution = Execution(f"{scope}/{self.name}-op{number}", iteration, self, inputs, outputs)
        for watcher in list(_watchers):
            watcher(execution)
        return outputs

    call.generated = call.watched = True  # type: ignore[attr-defined]
    return call


def _place(scope: str, name: str, frame: FrameType | None) -> tuple[int, int]:
    """Number of the calling place among those of the scope and the type, and how often it had called before."""
    place: list[Any] = []
    while frame is not None and not frame.f_globals.get("__name__", "").startswith("framework.pynative"):
        if frame.f_code.co_name == "__call__" and frame.f_globals.get("__name__") == "framework.nn.cell":
            break
        place.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    places = _places.setdefault((scope, name), {})
    known = places.setdefault(tuple(place), [len(places), -1])
    known[1] += 1
    return known[0], known[1]
