"""Runtime of compiled programs: calls that do not use Python's stack.

A function that may be called again while it runs is a generator. It yields each call to the trampoline, which keeps
the suspended callers in a list. So recursion, and backward through a long loop, is limited by memory only. The
trampoline is machine code (`kernels/loops/calls.h`) if that is available, else Python.
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

Suspended = Generator[tuple[Callable[..., Any], tuple[Any, ...]], Any, Any]
"""A function that yields the calls it makes, each as the function and its arguments, and is sent their values."""


def run(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a compiled function.

    Args:
        function: returns its result, or a generator of the calls that it makes.
        arguments: its arguments.

    Returns:
        Its result.
    """
    value = function(*arguments)
    return trampoline(value) if type(value) is GeneratorType else value


def python_trampoline(generator: Suspended) -> Any:
    """Make the calls that a generator yields, send it their results, and return its result."""
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


def _native_trampoline() -> Callable[[Suspended], Any]:
    """`python_trampoline` as machine code, if that is available for this Python."""
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
