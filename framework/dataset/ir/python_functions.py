"""The user's functions in JSON: by import path, as `{"python": "package.module:name"}`.

Whoever reads JSON says from which packages functions may come, since importing and calling one runs its code. Used by
`to_json` for writing, and by `engine.describing` and the transforms for reading.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = ["allowed_packages", "function_json", "function_of", "import_path"]

_allowed: ContextVar[tuple[str, ...]] = ContextVar("allowed", default=())


def import_path(function: Callable[..., object]) -> str | None:
    """The module and name by which a function is found again; None for lambdas, inner functions, the main program."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return None
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is function else None


def function_json(function: Callable[..., object]) -> str | dict[str, str]:
    """A function as a parameter of an operator: its import path, or MindSpore's word for those without one."""
    path = import_path(function)
    return "pyfunc" if path is None else {"python": path}


@contextmanager
def allowed_packages(packages: Sequence[str]) -> Iterator[None]:
    """Let functions come from some packages, their modules included, while JSON is read."""
    token = _allowed.set(tuple(packages))
    try:
        yield
    finally:
        _allowed.reset(token)


def function_of(description: Mapping[str, Any]) -> Callable[..., Any]:
    """The function that JSON names.

    Raises:
        NotImplementedError: JSON has no import path, as for a lambda.
        ValueError: the path is none, its package is not allowed, or there is no such function.
    """
    path = description.get("python")
    if path is None:
        name = description.get("tensor_op_name", "pyfunc")
        raise NotImplementedError(
            f"{name!r} is a Python function, which JSON cannot represent: lambdas, functions within functions and those"
            " of the main program have no import path; move it to a module, or apply it again"
        )
    module, separator, name = path.partition(":") if isinstance(path, str) else ("", "", "")
    if not (module and separator and name):
        raise ValueError(f"python must be the path of a function, 'package.module:name', not {path!r}")
    if not any(module == package or module.startswith(f"{package}.") for package in _allowed.get()):
        package = module.partition(".")[0]
        raise ValueError(
            f"the function {path!r} runs code of {module}; if you trust this JSON,"
            f" pass functions_from=[{package!r}] to deserialize"
        )
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"there is no function {path!r}: {error}") from error
    if not callable(found):
        raise ValueError(f"{path!r} is no function, but {type(found).__name__}")
    function: Callable[..., Any] = found
    return function
