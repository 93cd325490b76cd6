"""Checks Python functions that a compiled program calls without compiling them: they run once, at compile time.

This is right only if the result depends on nothing but the arguments. Functions known to differ are refused by name.
"""

from __future__ import annotations

import collections
import enum
import sys
import sysconfig
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from framework.parse.names import CHANGING

__all__ = ["is_library", "is_pure", "is_steady", "is_unsteady", "looks_at_kinds", "refusal", "unsteady"]

_UNSTEADY: Final = frozenset({"random", "numpy.random", "time", "datetime", "secrets", "uuid", "os", "posix", "io"})
_BUILTINS: Final = frozenset({
    "open", "input", "exec", "eval", "compile", "setattr", "delattr", "globals", "locals", "vars", "dir", "id", "iter",
    "next", "__import__",
})  # fmt: skip
_DEBUGGERS: Final = frozenset({"pdb", "bdb", "ipdb", "pudb", "debugpy", "IPython.core.debugger"})
_CHANGING: Final = CHANGING | {
    "add", "discard", "appendleft", "popleft", "fill", "put", "resize", "itemset", "partition", "shuffle", "seed",
}  # fmt: skip
_CONTAINERS: Final = (list, dict, set, bytearray, collections.deque, np.ndarray)
_PURE: Final = (
    "builtins", "math", "cmath", "operator", "_operator", "itertools", "functools", "_functools", "collections", "copy",
    "enum", "re", "string", "typing", "numbers", "fractions", "decimal", "framework",
)  # fmt: skip
"""The modules whose functions have no effects."""
_STEADY: Final = (
    bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, range, slice, type(None), type(...), type,
    enum.Enum, np.ndarray, np.generic, FunctionType, BuiltinFunctionType, MethodType, ModuleType,
)  # fmt: skip
"""The types of values of which nothing but their items and attributes changes."""
_NUMPY_EFFECTS: Final = ("save", "load", "set", "print", "from", "gen", "memmap", "copyto", "put", "fill", "place")
"""How the names of numpy's functions begin that read, write or change something."""
_LIBRARIES: Final = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})


def refusal(function: Any) -> str | None:
    """Why a Python object may not be called at compile time, and what to do instead. None if it may."""
    name = getattr(function, "__name__", "")
    owner = getattr(function, "__self__", None)
    module = str(getattr(function, "__module__", None) or type(owner).__module__)
    if module == "builtins" and owner is sys.modules["builtins"] and name in _BUILTINS:
        return f"{name}() has no meaning in a compiled program: call it outside and pass what it gives"
    if function is breakpoint or name == "set_trace" or _within(module, _DEBUGGERS):
        return (
            f"{name}() would stop in the compiler, once, where no tensor has elements: debug in PyNative mode, after "
            "ms.set_context(mode=ms.PYNATIVE_MODE) and without @ms.jit; print() works in both modes"
        )
    if is_unsteady(function):
        return unsteady(f"{module if owner is None else type(owner).__name__}.{name}")
    if isinstance(owner, _CONTAINERS) and name in _CHANGING:
        return (
            f".{name}() would change a {type(owner).__name__} of the environment once, while compiling: do it outside"
        )
    return None


def is_unsteady(function: Any) -> bool:
    """Whether a function gives another result in every call, so that it has a meaning line by line only."""
    owner = getattr(function, "__self__", None)
    module = str(getattr(function, "__module__", None) or type(owner).__module__)
    if owner is not None and _within(type(owner).__module__, ("random", "numpy.random", "_io", "io")):
        return True
    return module != "builtins" and _within(module, _UNSTEADY)


def is_pure(function: Any) -> bool:
    """Whether a call of a Python function is known to have no effect, so that calling it once is enough."""
    owner = getattr(function, "__self__", None)
    is_bound = owner is not None and not isinstance(owner, type | ModuleType)
    module = str((type(owner).__module__ if is_bound else getattr(function, "__module__", None)) or "builtins")
    name = str(getattr(function, "__name__", ""))
    if module.partition(".")[0] == "numpy":
        return not name.startswith(_NUMPY_EFFECTS)
    return _within(module, _PURE) and not (module == "builtins" and name in _BUILTINS)


def looks_at_kinds(function: Any) -> bool:
    """Whether a function depends on nothing but the kinds of its arguments."""
    return any(function is one for one in (isinstance, issubclass, callable, type))


def is_steady(value: Any) -> bool:
    """Whether operators of Python give the same for a value as long as its items and attributes are the same."""
    if isinstance(value, _STEADY):
        return not hasattr(type(value), "__missing__")
    return str(type(value).__module__).partition(".")[0] in ("framework", "numpy", "enum")


def _within(module: str, modules: Any) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in modules)


def unsteady(name: str) -> str:
    """The message for a function that draws random numbers, or reads something outside of the program."""
    return (
        f"{name}() gives another result in every call, but would be called once, while compiling: call it outside and "
        "pass the result, or use an operator for random numbers"
    )


def is_library(function: FunctionType) -> bool:
    """Whether a function is part of Python or of an installed package. Such functions run instead of being compiled."""
    file = function.__code__.co_filename
    return file.startswith((*_LIBRARIES, "<frozen"))
