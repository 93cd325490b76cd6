"""How deeply Python calls may nest while programs are compiled. Used by `parse`, `infer` and `engine`."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

__all__ = ["deep"]

DEPTH = 100_000
"""Levels of Python calls while compiling; expressions and chains of blocks may be deep."""


class _Depth:
    """Python's limit of calls, which is one for all threads: raised by the first that compiles, lowered by the last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = self._before = 0

    def enter(self) -> None:
        """Raises the limit, if nobody has."""
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(self._before, DEPTH))

    def leave(self) -> None:
        """Lowers the limit, if nobody else needs it."""
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                sys.setrecursionlimit(self._before)


_DEPTH = _Depth()


@contextlib.contextmanager
def deep() -> Iterator[None]:
    """Lets Python calls nest as deeply as programs do: they take no room on the machine's own stack."""
    _DEPTH.enter()
    try:
        yield
    finally:
        _DEPTH.leave()
