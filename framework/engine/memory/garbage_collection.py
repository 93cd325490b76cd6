"""Garbage collection around compilation: keeps Python's collector off the compiler's objects, and frees leftovers.

Compilation makes millions of lasting objects, and repeated collections of them take a fifth of its time. LLVM takes
hundreds of bytes per instruction, and the C library keeps most of that when it is freed.
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
"""So many more objects than are freed are made before Python looks for garbage among them."""
_lock: Final = threading.Lock()
_saved_thresholds: list[tuple[int, int, int]] = []


@contextlib.contextmanager
def rare_collections() -> Iterator[None]:
    """While this lasts, in any thread, Python looks for circles rarely; where it does not at all, nothing changes."""
    with _lock:
        now = gc.get_threshold()
        _saved_thresholds.append(_saved_thresholds[0] if _saved_thresholds else now)
        if now[0]:
            gc.set_threshold(max(now[0], ALLOCATION_THRESHOLD), *now[1:])
    try:
        yield
    finally:
        with _lock:
            before = _saved_thresholds.pop()
            if not _saved_thresholds and gc.get_threshold()[0]:
                gc.set_threshold(*before)


def trim_heap() -> None:
    """Return memory that was freed to the system, where the C library knows how: a tenth of ResNet-50's process."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
