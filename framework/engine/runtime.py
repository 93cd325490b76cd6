"""What compiled programs use when they run: calls that do not use Python's own stack.

A function that calls what may call it again is a generator: it gives each call to the trampoline, which keeps those
that wait in a list. Recursion, and going backward through a long loop, then have no limit but memory.
"""

from __future__ import annotations

from collections.abc import Callable
from types import GeneratorType
from typing import Any

__all__ = ["run"]


def run(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The result of a call of a compiled function.

    Args:
        function: returns its result, or a generator of (function, arguments) to call.
        arguments: for it.
    """
    value = function(*arguments)
    if type(value) is not GeneratorType:
        return value
    stack = [value]
    value = None
    while stack:
        try:
            called, given = stack[-1].send(value)
        except StopIteration as end:
            stack.pop()
            value = end.value
            continue
        value = called(*given)
        if type(value) is GeneratorType:
            stack.append(value)
            value = None
    return value
