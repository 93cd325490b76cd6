"""Runtime of compiled programs: calls that do not use Python's stack.

A function that may be called again by what it calls is a generator. It hands each call to the trampoline, which keeps
the waiting ones in a list. So recursion, and backward through a long loop, is limited by memory only. The trampoline is
machine code (`kernels/loops/calls.h`) if available, else Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator
from types import GeneratorType
from typing import Any

from framework.common import abi
from framework.common.plain import PLAIN
from framework.engine.native.addresses import address_of
from framework.kernels.fused.compiling import callable_at
from framework.kernels.loops.library import LOOPS, PythonCalls

__all__ = ["python_trampoline", "run", "trampoline"]

Waiting = Generator[tuple[Callable[..., Any], tuple[Any, ...]], Any, Any]


def run(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The result of a call of a compiled function.

    Args:
        function: returns its result, or a generator of (function, arguments) to call.
        arguments: for it.
    """
    value = function(*arguments)
    return trampoline(value) if type(value) is GeneratorType else value


def python_trampoline(generator: Waiting) -> Any:
    """What a generator of calls returns, when each of them has been made and its value given back."""
    stack = [generator]
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


def _native_trampoline() -> Callable[[Waiting], Any]:
    """The same as `python_trampoline`, in machine code if there is some for this Python."""
    try:
        abi.require(abi.OBJECT)
    except ImportError:
        return python_trampoline
    if PLAIN or LOOPS is None:
        return python_trampoline
    api = ctypes.pythonapi
    used = (api.PyIter_Send, api.PyObject_Call, api.PyTuple_GetItem, api.PyErr_NoMemory, api.Py_IncRef, api.Py_DecRef)
    LOOPS.use_calls(ctypes.byref(PythonCalls(*map(address_of, used), id(GeneratorType), id(None))))
    return callable_at(address_of(LOOPS.functions["run_calls"]))


trampoline = _native_trampoline()
