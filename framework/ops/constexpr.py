"""Marks functions that graph mode runs in Python at compile time, because they only read known values.

The parser treats a call of such a function as a constant once all of its arguments are known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])

_MARK = "__constexpr__"
_GAPS = "__takes_gaps__"


def constexpr(fn: F) -> F:
    """Declare that `fn` depends on nothing but its arguments, which must be known when a graph is compiled.

    Shapes, axes and attributes are known; elements of tensors are not. In PyNative mode `fn` is an ordinary function.
    """
    setattr(fn, _MARK, True)
    return fn


def is_constexpr(fn: object) -> bool:
    """Whether graph mode evaluates calls of `fn` at compile time."""
    return getattr(fn, _MARK, False) is True


def of_shapes(fn: F) -> F:
    """As `constexpr`, for a function that accepts shapes with unknown dimensions, which are None."""
    setattr(fn, _GAPS, True)
    return constexpr(fn)


def takes_gaps(fn: object) -> bool:
    """Whether `fn` accepts None for a number that is unknown at compile time."""
    return getattr(fn, _GAPS, False) is True
