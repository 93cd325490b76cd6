"""Marks gradients that are not needed, so that a backward function can skip costly ones.

PyNative mode marks them before it calls a backward function; graph mode removes unused computations anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, cast

from framework.communication.rank_state import add_rank_state

__all__ = ["call_without", "is_needed"]

_unneeded: Collection[int] = ()


def call_without(inputs: Collection[int], bprop: Callable[..., Any], *args: Any) -> Any:
    """Call a backward function that may skip the gradients with respect to the objects with these ids."""
    global _unneeded
    before, _unneeded = _unneeded, inputs
    try:
        return bprop(*args)
    finally:
        _unneeded = before


def is_needed(x: Any) -> bool:
    """Whether the gradient with respect to this input is needed; to be checked before a costly computation."""
    return id(x) not in _unneeded


class _OfRank:
    """The marks of each rank of an in-process group."""

    def new(self) -> object:
        """No marks."""
        return ()

    def take(self) -> object:
        """The present marks."""
        return _unneeded

    def put(self, state: object) -> None:
        """Go on with the marks of a rank."""
        global _unneeded
        _unneeded = cast("Collection[int]", state)


add_rank_state(_OfRank())
