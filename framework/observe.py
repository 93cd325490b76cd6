"""Watching what executes, in both modes: every primitive with its full name, its inputs and its outputs.

Without watchers nothing is different and nothing is slower: PyNative mode replaces the calls of primitives when the
first watcher comes, graph mode runs another form of its code, and both are put back when the last one goes. A watcher
may name the operators that it wants to see; graph mode then runs a form in which just these are visible. The debugger
and the profiler watch from here.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

from framework.ir.anf import Location

__all__ = [
    "Execution",
    "beside",
    "counts_calls",
    "is_wanted",
    "is_watched",
    "report",
    "wanted",
    "watching",
    "when_watched",
]


@dataclass(frozen=True, slots=True)
class Execution:
    """One primitive that was executed.

    Attributes:
        full_name: `scope/Type-opN`, the same in both modes (`framework.ir.naming`).
        iteration: how often it had executed before, within the outermost call.
        primitive: the operator.
        inputs: what it was called with: tensors, tuples of them and Python values.
        outputs: a tensor, or a tuple of them.
        members: the full names of all operators whose work it does, its own first; several where compilation has
            made one of equal ones, or a fused kernel of many.
        location: the user's line, where it is known.
        started: when its kernel began, by `time.perf_counter`.
        duration: the seconds that it took.
        aside: whether its value is only shown: others do its work, and are reported as well.

    In graph mode tensors hold their values only until the watcher returns: copy what you want to keep.
    """

    full_name: str
    iteration: int
    primitive: Any
    inputs: tuple[Any, ...]
    outputs: Any
    members: tuple[str, ...] = ()
    location: Location | None = None
    started: float = 0.0
    duration: float = 0.0
    aside: bool = False


Watcher = Callable[[Execution], None]

#: Watchers with the names that they want to see; None for all.
_watchers: list[tuple[Watcher, frozenset[str] | None]] = []
#: What any of them wants to see.
_wanted: frozenset[str] | None = frozenset()
#: So many times over, what runs is beside the training.
_beside = 0
_hooks: list[tuple[Callable[[FrameType | None], None], Callable[[], None]]] = []


def is_watched() -> bool:
    """Whether somebody watches."""
    return bool(_watchers)


def when_watched(begin: Callable[[FrameType | None], None], end: Callable[[], None]) -> None:
    """Say what is to be done when the first watcher comes, given the frame that began to watch, and the last goes."""
    _hooks.append((begin, end))


@contextlib.contextmanager
def beside() -> Iterator[None]:
    """What is called while this lasts is beside the training, such as a step that runs once more: calls do not count.

    Programs are compiled another way after some calls, and from then on compute other last bits. So a training that is
    looked into has to come to that with the same call as one that is left alone.
    """
    global _beside
    _beside += 1
    try:
        yield
    finally:
        _beside -= 1


def counts_calls() -> bool:
    """Whether a call of a program is one of the training's own."""
    return not _beside


def wanted() -> frozenset[str] | None:
    """The full names that anybody wants to see; None where somebody wants to see everything."""
    return _wanted


def is_wanted(*names: str) -> bool:
    """Whether anybody wants to see an operator that does the work of these."""
    return _wanted is None or not _wanted.isdisjoint(names)


@contextlib.contextmanager
def watching(watcher: Watcher, names: Iterable[str] | None = None) -> Iterator[None]:
    """Call a watcher with each `Execution` while this lasts.

    Args:
        watcher: called in the thread that executes.
        names: the full names of the operators that it wants to see; all where they are left out. A compiled program
            that is running goes on in the form in which it began.
    """
    entry = (watcher, None if names is None else frozenset(names))
    _watchers.append(entry)
    _note_wanted()
    if len(_watchers) == 1:
        caller = sys._getframe(2)
        for begin, _ in _hooks:
            begin(caller)
    try:
        yield
    finally:
        _watchers.remove(entry)
        _note_wanted()
        if not _watchers:
            for _, end in _hooks:
                end()


def _note_wanted() -> None:
    global _wanted
    all_names = [names for _, names in _watchers]
    _wanted = None if None in all_names else frozenset[str]().union(*filter(None, all_names))


def report(execution: Execution) -> None:
    """Tell the watchers that want to see it."""
    for watcher, names in list(_watchers):
        if names is None or not names.isdisjoint(execution.members):
            watcher(execution)
