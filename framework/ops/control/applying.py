"""`ops.Partial`, an operator that gives a function its first arguments; `ops.operations` offers it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["Partial"]


class Partial:
    """Give a function its first arguments, as Python's `functools.partial`; `ops.partial` is the same as a function.

    Inputs: a function, a Cell or a `MultitypeFuncGraph`, and its first arguments.

    Output: a function of the other arguments.

    Example:
        >>> print(ops.Partial()(ops.sub, Tensor([1.0]))(Tensor([3.0])))
        [-2.]
    """

    def __call__(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """The function with these arguments.

        Raises:
            TypeError: the first input is no function.
        """
        if not callable(func):
            raise TypeError("Partial takes a function, then its first arguments")
        return functools.partial(func, *args, **kwargs)
