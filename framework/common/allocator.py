"""Lets glibc keep memory that arrays gave back; called when the core is imported.

Glibc asks the system for each large block, and gives it back when it is freed; what is freed at the end of the heap
too. The system then clears every page again at its first use, which costs more than the arithmetic on it: a chain of
operators on arrays of 4 MB runs eight times as fast where pages are kept. The process keeps what it needed at most.
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
        Whether that is so now: not with another allocator than glibc's, nor where the environment has wishes of its own
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
