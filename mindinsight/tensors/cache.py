"""A cache bound by bytes: decoded tensors, their statistics, their levels of detail.

Used by `records.py` and `views.py`. What was not asked for longest goes first; the newest stays however large it is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Cache(Generic[T]):
    """A bounded memory of what is made on demand; one thread makes a thing while the others wait for it.

    Args:
        at_most: bytes, or whatever `weigh` counts.
        weigh: how much one takes.
    """

    def __init__(self, at_most: int, weigh: Callable[[T], int]) -> None:
        self._at_most = at_most
        self._weigh = weigh
        self._held: OrderedDict[Hashable, T] = OrderedDict()
        self._weight = 0
        self._lock = Lock()
        self._making: dict[Hashable, Lock] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Returns what is kept under a key, made now if it is not."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
            turn = self._making.setdefault(key, Lock())
        with turn:
            with self._lock:
                if key in self._held:
                    return self._held[key]
            try:
                made = make()
                self._put(key, made)
            finally:
                with self._lock:
                    self._making.pop(key, None)
            return made

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            self._held.clear()
            self._weight = 0

    def _put(self, key: Hashable, made: T) -> None:
        with self._lock:
            self._held[key] = made
            self._weight += self._weigh(made)
            while self._weight > self._at_most and len(self._held) > 1:
                _, oldest = self._held.popitem(last=False)
                self._weight -= self._weigh(oldest)


def array_bytes(*arrays: Any) -> int:
    """Bytes of some arrays."""
    return sum(array.nbytes for array in arrays)
