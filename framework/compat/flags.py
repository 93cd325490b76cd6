"""MindSpore's decorators that set flags of functions for its compiler. This core's compiler needs none of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["add_flags", "core"]

F = TypeVar("F", bound=Callable[..., object])


def add_flags(fn: F | None = None, **flags: object) -> Callable[[F], F] | F:
    """Keep flags on a function, without effect; a decorator.

    Args:
        fn: the function; without it, the result is the decorator.
        flags: values by the name of the flag, such as `has_effect=True`.

    """

    def keep(function: F) -> F:
        function.__dict__.setdefault("_func_graph_flags", {}).update(flags)
        return function

    return keep if fn is None else keep(fn)


def core(fn: F | None = None, **flags: object) -> Callable[[F], F] | F:
    """As `add_flags`, with the flag `core`."""
    return add_flags(fn, core=True, **flags)
