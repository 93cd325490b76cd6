"""Raises Python's recursion limit while programs are compiled. Used by `parse`, `infer` and `engine`."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

__all__ = ["deep"]

DEPTH = 100_000
"""The recursion limit while compiling: expressions and chains of blocks may be deep."""


class _Depth:
    """Python's recursion limit. All threads share it: the first that compiles raises it, the last restores it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = self._before = 0

    def enter(self) -> None:
        """Raise the limit, unless another thread has."""
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(self._before, DEPTH))

    def leave(self) -> None:
        """Restore the limit, unless another thread needs it."""
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                sys.setrecursionlimit(self._before)


_DEPTH = _Depth()


@contextlib.contextmanager
def deep() -> Iterator[None]:
    """Let Python calls nest as deeply as programs do. Such calls need no space on the machine's stack."""
    _DEPTH.enter()
    try:
        yield
    finally:
        _DEPTH.leave()
