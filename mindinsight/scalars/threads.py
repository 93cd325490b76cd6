"""Threads for work that lets go of the interpreter's lock. Used by the API and by `view_frames`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

THREADS = min(4, os.cpu_count() or 1)
"""Threads that work at once."""


def each(items: Sequence[Item], make: Callable[[Item], Made]) -> list[Made]:
    """Returns what is made of each item, in order; one alone is made by the caller."""
    return list(_threads().map(make, items)) if len(items) > 1 else [make(item) for item in items]


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="views")
