"""Garbage collection around compilation: fewer collections while it runs, and freed memory returned after it.

Compilation makes millions of lasting objects, and repeated collections of them take a fifth of its time. LLVM takes
hundreds of bytes per instruction, and the C library keeps most of that memory after it is freed.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import threading
from collections.abc import Iterator
from typing import Final

__all__ = ["rare_collections", "trim_heap"]

ALLOCATION_THRESHOLD: Final = 200_000
"""The surplus of allocated over freed objects at which Python collects garbage during compilation."""


class _Compilations:
    """The compilations that run now, in all threads. They share the thresholds of Python's garbage collector."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._thresholds = gc.get_threshold()

    def begin(self) -> None:
        """Raise the first threshold. A collector that is off stays off."""
        with self._lock:
            now = gc.get_threshold()
            if not self._count:
                self._thresholds = now
            self._count += 1
            if now[0]:
                gc.set_threshold(max(now[0], ALLOCATION_THRESHOLD), *now[1:])

    def end(self) -> None:
        """Restore the thresholds after the last compilation, unless the collector was turned off meanwhile."""
        with self._lock:
            self._count -= 1
            if not self._count and gc.get_threshold()[0]:
                gc.set_threshold(*self._thresholds)


_compilations: Final = _Compilations()


@contextlib.contextmanager
def rare_collections() -> Iterator[None]:
    """Make garbage collections rare inside the context, in all threads."""
    _compilations.begin()
    try:
        yield
    finally:
        _compilations.end()


def trim_heap() -> None:
    """Return freed memory to the system, if the C library can: a tenth of the process for ResNet-50."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
