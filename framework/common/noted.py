"""Values that a network notes while it runs, on their way from the summary operators to the recorder.

Operators call `note`; `SummaryRecord` listens. Without a listener, nothing is kept and nothing is copied.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["Listener", "is_heard", "listen", "muted", "note", "stop_listening"]

Listener = Callable[[str, str, Any], None]
"""Called with the kind ("scalar", "image", "tensor", "histogram"), the tag, and an array or a number. The listener
may read the array only during the call: to keep it, it must copy it."""

_listeners: list[Listener] = []


def is_heard() -> bool:
    """Whether anybody listens."""
    return bool(_listeners)


def note(kind: str, tag: str, value: Any) -> None:
    """Pass a value to all listeners."""
    for listener in tuple(_listeners):
        listener(kind, tag, value)


def listen(listener: Listener) -> None:
    """Call `listener` with each value from now on."""
    if listener not in _listeners:
        _listeners.append(listener)


def stop_listening(listener: Listener) -> None:
    """Stop calling a listener; does nothing for one that is not registered."""
    if listener in _listeners:
        _listeners.remove(listener)


@contextlib.contextmanager
def muted() -> Iterator[None]:
    """Call no listener while this lasts: for a step that is run again after it has been heard."""
    before = _listeners[:]
    _listeners.clear()
    try:
        yield
    finally:
        _listeners[:] = before
