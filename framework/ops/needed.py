"""Which gradients nobody will read, so that a backward function can leave out costly ones.

PyNative says it per operator before it calls the backward function; graph mode removes what is unused anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

__all__ = ["call_without", "is_needed"]

_unneeded: Collection[int] = ()


def call_without(inputs: Collection[int], bprop: Callable[..., Any], *args: Any) -> Any:
    """Call a backward function; gradients with respect to the objects with these identities are not needed."""
    global _unneeded
    before, _unneeded = _unneeded, inputs
    try:
        return bprop(*args)
    finally:
        _unneeded = before


def is_needed(x: Any) -> bool:
    """Whether the gradient with respect to an input of the operator being differentiated will be read."""
    return id(x) not in _unneeded
