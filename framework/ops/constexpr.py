"""Marks functions that graph mode runs in Python at compile time, because they only read known values.

The parser treats a call of such a function as a constant once all of its arguments are known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, overload

F = TypeVar("F", bound=Callable[..., object])

_MARK = "__constexpr__"
_GAPS = "__takes_gaps__"


@overload
def constexpr(fn: F) -> F: ...
@overload
def constexpr(
    fn: None = None, get_instance: bool = True, name: str | None = None, reuse_result: bool = True, check: bool = True
) -> Callable[[F], F]: ...
def constexpr(
    fn: F | None = None,
    get_instance: bool = True,
    name: str | None = None,
    reuse_result: bool = True,
    check: bool = True,
) -> F | Callable[[F], F]:
    """Declare that `fn` depends on nothing but its arguments, which must be known when a graph is compiled.

    Shapes, axes and attributes are known; elements of tensors are not. In PyNative mode `fn` is an ordinary function.

    Args:
        fn: the function. Without it, the result is a decorator.
        get_instance: must be True: a function is what is called, and there is no class of it.
        name: taken as in MindSpore; the name of the function is enough here.
        reuse_result: taken as in MindSpore; `fn` runs once for each compilation.
        check: taken as in MindSpore; whether the arguments are known is always checked.

    Raises:
        ValueError: `get_instance` is False.
    """
    if not get_instance:
        raise ValueError("constexpr gives a function, so get_instance must be True")
    if fn is None:
        return constexpr
    setattr(fn, _MARK, True)
    return fn


def _primexpr(
    fn: F | None = None, get_instance: bool = True, name: str | None = None, reuse_result: bool = True
) -> F | Callable[[F], F]:
    """As `constexpr`, but a function whose arguments are not known is compiled as any other, which is what graph mode
    does with a function that has no mark."""
    if not get_instance:
        raise ValueError("_primexpr gives a function, so get_instance must be True")
    return (lambda fn: fn) if fn is None else fn


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
