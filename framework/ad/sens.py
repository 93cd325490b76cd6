"""Whether the gradient with respect to the result is among the arguments, where `sens_param` says that it is the last.

The function that is differentiated says how many arguments are its own; both modes complain in the same words.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["lacks_sens", "without_sens"]


def lacks_sens(function: Callable[..., Any], count: int) -> bool:
    """Whether arguments leave none for the gradient with respect to the result: all of them are the function's.

    Args:
        function: what is differentiated.
        count: how many arguments were given.
    """
    signature = _signature(function)
    if not count or signature is None:
        return not count
    return not _takes(signature, count - 1) and _takes(signature, count)


def without_sens(function: Callable[..., Any], count: int, result: str = "") -> str:
    """What to say where the gradient with respect to the result is missing.

    Args:
        function: what is differentiated.
        count: how many arguments were given.
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
    """How a function, a Cell or what was compiled of either is called, where that is known."""
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
