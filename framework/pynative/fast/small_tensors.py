"""Python's operators on small tensors as one call of C (`kernel/small_tensors.c`).

What that does not cover goes to generated functions (`framework.pynative.fast.generated_calls`). Called by
`framework.pynative.fast.operators`.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from framework.common.tensor import Tensor
from framework.ops.primitive import Primitive
from framework.pynative.fast.kernel.build import PART
from framework.pynative.tape import Entry, tape
from summaries.kernel.loading import UnusableError, find

__all__ = ["methods", "version"]

Method = Callable[..., Any]
Given = dict[str, tuple[Primitive, Method, bytes]]
"""By name of a method what it computes, its function in Python, and its documentation."""
Methods = Callable[[type[Tensor], list[Entry], ctypes.c_int64, Given], dict[str, Method]]


class _Module(Protocol):
    """The extension module."""

    methods: Methods


def _load() -> _Module:
    """The extension module of this Python.

    Raises:
        UnusableError: it is missing, of another version of the source, or cannot be loaded.
    """
    if not PART.is_built():
        raise UnusableError("it was not built from this source (python framework/pynative/fast/kernel/build.py)")
    spec = importlib.util.spec_from_file_location("framework.pynative.fast.kernel._small_tensors", PART.target)
    assert spec is not None and spec.loader is not None  # noqa: PT018, S101 - it is a file of this kind
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return cast("_Module", module)
    except ImportError as error:
        raise UnusableError(f"it cannot be loaded: {error}") from error


_MODULE, _MISSING = find(_load)


def version() -> str:
    """What computes.

    Raises:
        ImportError: there is no extension module here; the text says why.
    """
    if _MODULE is None:
        raise ImportError(f"the operators on small tensors cannot be used: {_MISSING}")
    return "extension module"


def methods(primitives: Mapping[str, Primitive], functions: Mapping[str, Method]) -> dict[str, Method]:
    """The methods of `Tensor`, by name: those in C if they were compiled, else the functions.

    Args:
        primitives: what each method computes.
        functions: in Python, for everything that C leaves to them.
    """
    if _MODULE is None:
        return dict(functions)
    given = {name: (primitives[name], function, _described(name, function)) for name, function in functions.items()}
    return _MODULE.methods(Tensor, tape.entries, tape.active_from, given)


def _described(name: str, function: Method) -> bytes:
    """The documentation of a method with its signature, as CPython keeps both."""
    return f"{name}($self, other, /)\n--\n\n{function.__doc__}".encode()
