"""Lets glibc keep the memory of freed arrays; called when the core is imported.

By default, glibc returns large freed blocks to the system, and the free end of the heap too. The system then clears
every page again at its first use, which costs more than the arithmetic on it: a chain of operators on arrays of 4 MB
runs eight times as fast if pages are kept. The process keeps the largest amount that it has needed.
"""

from __future__ import annotations

import ctypes
import os
import sys

__all__ = ["keep_pages"]

# The numbers of <malloc.h>.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_BLOCKS_UP_TO = (1 << 30, 1 << 25)
_OWN_WISHES = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES")


def keep_pages() -> bool:
    """Have freed blocks of up to 1 GiB (32 MiB with an old glibc) kept for the next ones.

    Returns:
        Whether blocks are kept now: not with another allocator than glibc's, nor if the environment sets its own values
        (`MALLOC_MMAP_THRESHOLD_`, `MALLOC_TRIM_THRESHOLD_`, `GLIBC_TUNABLES`).
    """
    if sys.platform != "linux" or any(name in os.environ for name in _OWN_WISHES):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    mallopt.argtypes, mallopt.restype = (ctypes.c_int, ctypes.c_int), ctypes.c_int
    kept = any(mallopt(_M_MMAP_THRESHOLD, size) for size in _BLOCKS_UP_TO)
    return bool(mallopt(_M_TRIM_THRESHOLD, (1 << 31) - 1)) and kept
