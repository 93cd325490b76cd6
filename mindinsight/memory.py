"""Controls how much freed memory a process keeps: none while it is idle, and enough while it reads a back-log.

Imports allocate and free many small blocks, and glibc keeps most of the freed memory, about a tenth of each process.
The web server and the worker return it to the system after their start. Reading allocates and frees the same megabytes
over and over. Getting them from the system each time took a quarter of the time, so the worker keeps them until it is
done.
"""

from __future__ import annotations

import ctypes
import gc

# Parameters of glibc's mallopt.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST_PIECE = 16 << 20
_KEPT_BYTES = 64 << 20


def keep_freed_memory() -> None:
    """Keeps freed memory for reuse instead of returning it to the system, if the C library supports that."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGEST_PIECE)
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)


def trim() -> None:
    """Returns freed memory to the system, if the C library supports that."""
    trim_heap = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim_heap is not None:
        trim_heap(0)


def give_back_memory() -> None:
    """Frees unreferenced objects and returns freed memory to the system. Called once after the start of a process."""
    gc.collect()
    trim()
    # Imported modules stay. Later collections need not examine them, and their memory pages stay unchanged.
    gc.freeze()
