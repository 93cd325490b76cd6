"""Which calls between functions lead back to a function around them: loops and recursion. The adapters use it.

Such a call gets no edge from the function's output, because a loop would look like nodes that wait for each other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

__all__ = ["reached"]

Name = TypeVar("Name", bound=Hashable)


def reached(calls: Mapping[Name, Iterable[Name]]) -> dict[Name, set[Name]]:
    """For each function those that it calls, directly or not.

    Args:
        calls: for each function those that it calls.
    """
    return {name: _from(name, calls) for name in calls}


def _from(name: Name, calls: Mapping[Name, Iterable[Name]]) -> set[Name]:
    pending, found = list(calls[name]), set[Name]()
    while pending:
        current = pending.pop()
        if current not in found:
            found.add(current)
            pending.extend(calls.get(current, ()))
    return found
