"""Marks functions that run in Python while a graph is compiled, because they only work on known values.

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

    Shapes, axes and attributes are; elements of tensors are not. In PyNative mode `fn` is called as it stands.
    """
    setattr(fn, _MARK, True)
    return fn


def is_constexpr(fn: object) -> bool:
    """Whether calls of `fn` are to be evaluated while compiling."""
    return getattr(fn, _MARK, False) is True


def of_shapes(fn: F) -> F:
    """As `constexpr`, for a function that takes shapes of which a dimension is not known: None stands there."""
    setattr(fn, _GAPS, True)
    return constexpr(fn)


def takes_gaps(fn: object) -> bool:
    """Whether `fn` takes None for a number that is not known while compiling."""
    return getattr(fn, _GAPS, False) is True
