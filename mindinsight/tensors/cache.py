"""A cache limited in bytes: decoded tensors, their statistics, their levels of detail.

Used by `records.py` and `views.py`. The least recently used entry is dropped first. The newest always stays.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Cache(Generic[T]):
    """A cache of values that are made on demand. One thread makes a value while the others wait for it.

    Args:
        at_most: maximum total weight, such as bytes.
        weigh: returns the weight of a value.
    """

    def __init__(self, at_most: int, weigh: Callable[[T], int]) -> None:
        self._at_most = at_most
        self._weigh = weigh
        self._held: OrderedDict[Hashable, T] = OrderedDict()
        self._weight = 0
        self._lock = Lock()
        self._making: dict[Hashable, Lock] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Returns the value of a key, making it if needed."""
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
    """Size of some arrays in bytes."""
    return sum(array.nbytes for array in arrays)
