"""Checks whether the arguments contain the gradient of the result, which is the last one with `sens_param`.

The signature of the differentiated function tells how many arguments are its own. Both modes use the same message.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["lacks_sens", "without_sens"]


def lacks_sens(function: Callable[..., Any], count: int) -> bool:
    """Whether the gradient of the result is missing: all arguments are the function's own.

    Args:
        function: the function that is differentiated.
        count: the number of given arguments.
    """
    signature = _signature(function)
    if not count or signature is None:
        return not count
    return not _takes(signature, count - 1) and _takes(signature, count)


def without_sens(function: Callable[..., Any], count: int, result: str = "") -> str:
    """The error message if the gradient of the result is missing.

    Args:
        function: the function that is differentiated.
        count: the number of given arguments.
        result: the type of its result, for the message.
    """
    signature = _signature(function)
    plain = inspect.unwrap(function)
    title = getattr(plain, "__name__", type(plain).__name__)
    call = f"{title}({', '.join(signature.parameters)})" if signature is not None else "the function"
    given = f"{count or 'no'} argument{' was' if count == 1 else 's were'}"
    return (
        f"sens is missing, the gradient with respect to the result of {call}: with GradOperation(sens_param=True) it "
        f"is the last argument, after the function's own, of the shape and element type of the result{result}; "
        f"{given} given. Pass it, or leave sens_param out for ones"
    )


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a function, a Cell or a compiled form of either; None if it is not known."""
    try:
        plain = inspect.unwrap(function)
        return inspect.signature(getattr(plain, "construct", plain))
    except (TypeError, ValueError):
        return None


def _takes(signature: inspect.Signature, count: int) -> bool:
    """Whether a function takes this number of arguments by position."""
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True
