"""How much freed memory a process keeps: nothing while it rests, and enough while it reads a back-log.

Imports take and free many small pieces, and glibc keeps most of what was freed, about a tenth of each process: given
back by the web server and the worker after their start. Reading takes and frees the same megabytes over and over:
getting them from the system each time took a quarter of the time, so the worker keeps them until it is through.
"""

from __future__ import annotations

import ctypes
import gc

# Parameters of glibc's mallopt.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST_PIECE = 16 << 20
_KEPT_BYTES = 64 << 20


def keep_freed_memory() -> None:
    """Keeps freed memory for reuse instead of returning it to the system, where the C library supports that."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGEST_PIECE)
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)


def trim() -> None:
    """Returns freed memory to the system, where the C library knows how; does nothing elsewhere."""
    trim_heap = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim_heap is not None:
        trim_heap(0)


def give_back_memory() -> None:
    """Frees what nothing refers to and returns freed memory to the system; called once, when a process has started."""
    gc.collect()
    trim()
    # What has been imported stays: later collections need not look at it, and its pages stay as they are.
    gc.freeze()
