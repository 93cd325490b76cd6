"""Which gradients nobody will read, so that a backward function can leave out costly ones.

PyNative says it per operator before it calls the backward function; graph mode removes what is unused anyway.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["is_needed", "not_needed"]

_unneeded: frozenset[int] = frozenset()


@contextlib.contextmanager
def not_needed(inputs: Iterable[Any]) -> Iterator[None]:
    """While this lasts, the gradients with respect to these objects are not needed."""
    global _unneeded
    before, _unneeded = _unneeded, frozenset(map(id, inputs))
    try:
        yield
    finally:
        _unneeded = before


def is_needed(x: Any) -> bool:
    """Whether the gradient with respect to an input of the operator being differentiated will be read."""
    return id(x) not in _unneeded
