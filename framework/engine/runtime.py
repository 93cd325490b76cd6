"""What compiled programs use when they run: calls that do not use Python's own stack, and arrays to overwrite.

A function that calls what may call it again is a generator: it gives each call to the trampoline, which keeps those
that wait in a list. Recursion, and going backward through a long loop, then have no limit but memory.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from types import GeneratorType, SimpleNamespace
from typing import Any

import numpy as np

__all__ = ["own", "run"]


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


def own(parameter: Any) -> Any:
    """The array of a Parameter if the program can overwrite it, else None.

    It cannot if anybody else holds the array, as who called `asnumpy()` and kept the result does: nobody's numbers
    change behind their back. So the references are counted: the Parameter's and that of the program, which reads it.
    """
    array = parameter._data
    is_alone = getrefcount(array) <= _ALONE and array.base is None
    return array if is_alone and getattr(array.flags, "writeable", True) else None


def _references(parameter: Any) -> int:
    array = parameter._data
    return getrefcount(array)


def _least_references() -> int:
    """What `own` counts where only a Parameter and the caller hold an array."""
    parameter = SimpleNamespace(_data=np.empty(1))
    array = parameter._data
    return _references(parameter) if array is not None else 0


_ALONE = _least_references()
