"""What a network notes of itself while it runs: the way from the summary operators to who records them.

Operators call `note`; `SummaryRecord` listens. Without a listener nothing is kept and nothing is copied.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["Listener", "is_heard", "listen", "muted", "note", "stop_listening"]

Listener = Callable[[str, str, Any], None]
"""Called with the kind ("scalar", "image", "tensor", "histogram"), the tag, and an array or a number. The array is the
listener's only during the call: what it keeps it copies."""

_listeners: list[Listener] = []


def is_heard() -> bool:
    """Whether anybody listens."""
    return bool(_listeners)


def note(kind: str, tag: str, value: Any) -> None:
    """Tell all listeners of a value."""
    for listener in tuple(_listeners):
        listener(kind, tag, value)


def listen(listener: Listener) -> None:
    """Call `listener` with each value from now on."""
    if listener not in _listeners:
        _listeners.append(listener)


def stop_listening(listener: Listener) -> None:
    """Call it no more; one that does not listen is left alone."""
    if listener in _listeners:
        _listeners.remove(listener)


@contextlib.contextmanager
def muted() -> Iterator[None]:
    """Nobody hears anything while this lasts: a step that is run once more has been heard already."""
    before = _listeners[:]
    _listeners.clear()
    try:
        yield
    finally:
        _listeners[:] = before
