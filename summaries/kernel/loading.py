"""Loads what `compiling` has made, or says why it cannot be used. Called by the `library` of each compiled part."""

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


def load(part: CompiledPart, path: Path, package: str) -> ctypes.CDLL:
    """Returns a library.

    Args:
        part: what it was made from.
        path: the library.
        package: the one whose `build` makes it.

    Raises:
        UnusableError: it is missing, of another version of the source, or for another kind of machine.
    """
    if not path.is_file():
        raise UnusableError(f"it was not built (python -m {package}.build)")
    if not part.is_built(path):
        raise UnusableError(f"it was built from another version of {part.source.name} (python -m {package}.build)")
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise UnusableError(f"it cannot be loaded: {error}") from error


def find(make: Callable[[], Loaded]) -> tuple[Loaded | None, str]:
    """Returns what `make` loads, or None and why there is none; `MINDINSIGHT_KERNEL=0` asks for none."""
    if os.environ.get("MINDINSIGHT_KERNEL") == "0":
        return None, "MINDINSIGHT_KERNEL=0 asks for Python alone"
    try:
        return make(), ""
    except UnusableError as error:
        return None, str(error)
