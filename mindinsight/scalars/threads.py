"""Threads for work that releases the GIL. Used by the API and by `view_frames`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

THREADS = min(4, os.cpu_count() or 1)
"""Number of threads that work at once."""


def each(items: Sequence[Item], make: Callable[[Item], Made]) -> list[Made]:
    """Applies a function to each item and returns the results in order. A single item is handled by the caller's
    thread.
    """
    return list(_threads().map(make, items)) if len(items) > 1 else [make(item) for item in items]


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="views")
