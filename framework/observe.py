"""Watching what executes, in both modes: every primitive with its full name, its inputs and its outputs.

Without watchers nothing is different and nothing is slower: PyNative mode replaces the calls of primitives when the
first watcher comes, graph mode runs another form of its code, and both are put back when the last one goes. The
debugger and the profiler watch from here.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

from framework.ir.anf import Location

__all__ = ["Execution", "is_watched", "report", "watching", "when_watched"]


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

    In graph mode tensors hold their values only until the watcher returns: copy what you want to keep.
    """

    full_name: str
    iteration: int
    primitive: Any
    inputs: tuple[Any, ...]
    outputs: Any
    members: tuple[str, ...] = ()
    location: Location | None = None


Watcher = Callable[[Execution], None]

_watchers: list[Watcher] = []
_hooks: list[tuple[Callable[[FrameType | None], None], Callable[[], None]]] = []


def is_watched() -> bool:
    """Whether somebody watches."""
    return bool(_watchers)


def when_watched(begin: Callable[[FrameType | None], None], end: Callable[[], None]) -> None:
    """Say what is to be done when the first watcher comes, given the frame that began to watch, and the last goes."""
    _hooks.append((begin, end))


@contextlib.contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Call `watcher` with each `Execution` while this lasts."""
    _watchers.append(watcher)
    if len(_watchers) == 1:
        caller = sys._getframe(2)
        for begin, _ in _hooks:
            begin(caller)
    try:
        yield
    finally:
        _watchers.remove(watcher)
        if not _watchers:
            for _, end in _hooks:
                end()


def report(execution: Execution) -> None:
    """Tell all watchers."""
    for watcher in list(_watchers):
        watcher(execution)
