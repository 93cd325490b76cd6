"""Observes execution in both modes: each primitive with its full name, its inputs and its outputs.

Without watchers, execution is unchanged and as fast as ever. When the first watcher is added, PyNative mode replaces
the calls of primitives, and graph mode runs another form of its code. Both are restored when the last watcher is
removed. A watcher may name the operators that it needs. Then graph mode runs a form that reports only these. The
debugger and the profiler are watchers.
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
        iteration: the number of its earlier executions within the outermost call.
        primitive: the operator.
        inputs: its inputs: tensors, tuples of tensors and Python values.
        outputs: a tensor, or a tuple of tensors.
        members: the full names of all operators whose work it does, its own first. There are several if compilation
            has merged equal operators, or has fused many into one kernel.
        location: the user's line, if it is known.
        started: the start of its kernel, as `time.perf_counter` gives it.
        duration: the duration in seconds.
        aside: whether its value is computed for watchers only. Other operators do its work and are reported, too.

    In graph mode, tensors keep their values only until the watcher returns, so copy values that you want to keep.
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

#: The watchers, each with the names that it observes; None for all.
_watchers: list[tuple[Watcher, frozenset[str] | None]] = []
#: The names that any watcher observes; None for all.
_wanted: frozenset[str] | None = frozenset()
#: The number of open `beside` contexts.
_beside = 0
_hooks: list[tuple[Callable[[FrameType | None], None], Callable[[], None]]] = []


def is_watched() -> bool:
    """Whether there are watchers."""
    return bool(_watchers)


def when_watched(begin: Callable[[FrameType | None], None], end: Callable[[], None]) -> None:
    """Register a pair of hooks. `begin` is called with the frame that adds the first watcher, `end` after the last."""
    _hooks.append((begin, end))


@contextlib.contextmanager
def beside() -> Iterator[None]:
    """A context for calls beside the training, such as a step that runs once more. They do not count as calls.

    After some calls, a program is compiled in another way, and its results may differ in the last bits. This must
    happen at the same call of the training, whether the training is debugged or not.
    """
    global _beside
    _beside += 1
    try:
        yield
    finally:
        _beside -= 1


def counts_calls() -> bool:
    """Whether calls of programs belong to the training itself."""
    return not _beside


def wanted() -> frozenset[str] | None:
    """The full names that watchers observe; None if one of them observes everything."""
    return _wanted


def is_wanted(*names: str) -> bool:
    """Whether a watcher observes one of these names."""
    return _wanted is None or not _wanted.isdisjoint(names)


@contextlib.contextmanager
def watching(watcher: Watcher, names: Iterable[str] | None = None) -> Iterator[None]:
    """A context in which a watcher is called with each `Execution`.

    Args:
        watcher: called in the thread that executes.
        names: the full names of the operators that it observes; by default all. A compiled program that is already
            running keeps its form.
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
    """Call the watchers that observe it."""
    for watcher, names in list(_watchers):
        if names is None or not names.isdisjoint(execution.members):
            watcher(execution)
