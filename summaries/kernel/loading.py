"""Loads a compiled library, or says why it cannot be used. Called by the `library` module of each part."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from summaries.kernel.compiling import CompiledPart

Loaded = TypeVar("Loaded")


class UnusableError(Exception):
    """The library cannot be used; the text says why."""


def load(part: CompiledPart, path: Path, package: str, module: str = "build") -> ctypes.CDLL:
    """Load a library.

    Args:
        part: its source.
        path: the library.
        package: the package of the module that compiles it.
        module: that module's name.

    Raises:
        UnusableError: it is missing, or built from another version of the source or for another machine.
    """
    if not path.is_file():
        raise UnusableError(f"it was not built (python -m {package}.{module})")
    if not part.is_built(path):
        raise UnusableError(f"it was built from another version of {part.source.name} (python -m {package}.{module})")
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise UnusableError(f"it cannot be loaded: {error}") from error


def find(make: Callable[[], Loaded]) -> tuple[Loaded | None, str]:
    """Return the result of `make`, or None and the reason. `MINDINSIGHT_KERNEL=0` disables compiled libraries."""
    if os.environ.get("MINDINSIGHT_KERNEL") == "0":
        return None, "MINDINSIGHT_KERNEL=0 asks for Python alone"
    try:
        return make(), ""
    except UnusableError as error:
        return None, str(error)
