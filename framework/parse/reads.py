"""What a compiled program took from its surroundings: values of globals, closures and attributes at compile time.

Inference makes them constants, so the program is good as long as they are what they were.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

__all__ = ["Read", "fresh"]

_BY_VALUE = (bool, int, float, str, bytes, tuple, type(None))
_MISSING = object()


class Read:
    """One value taken.

    Args:
        what: the name, for people.
        current: gets the value anew.
        value: what it was.
    """

    __slots__ = ("_current", "_value", "what")

    def __init__(self, what: str, current: Callable[[], Any], value: Any) -> None:
        self.what = what
        self._current = current
        # A list or dictionary may change under the same identity: keep what it holds.
        self._value = value.copy() if isinstance(value, list | dict | set) else value

    @property
    def unchanged(self) -> bool:
        """Whether the value is still what it was."""
        try:
            now = self._current()
        except (KeyError, AttributeError, ValueError):
            now = _MISSING
        return now is self._value or _same(now, self._value)


def _same(now: Any, then: Any) -> bool:
    if type(now) is not type(then):
        return False
    if isinstance(now, MethodType):
        return bool(now == then)
    if isinstance(now, list | tuple):
        return len(now) == len(then) and all(a is b or _same(a, b) for a, b in zip(now, then, strict=True))
    if isinstance(now, dict):
        return now.keys() == then.keys() and all(a is then[k] or _same(a, then[k]) for k, a in now.items())
    return isinstance(now, (*_BY_VALUE, set)) and repr(now) == repr(then)


def fresh(reads: list[Read]) -> bool:
    """Whether all values are still what they were."""
    return all(read.unchanged for read in reads)
