"""Operators on functions: loops, which take their condition and body as functions, and partial application.

Both modes run their source. A compiled program holds the body of a loop once where the number of rounds is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from framework.common.tensor import Tensor

__all__ = ["ForiLoop", "Scan", "WhileLoop"]


class WhileLoop:
    """Calls a function on its own result as long as a condition holds.

    Inputs: `cond_func`, from the value to a truth value; `loop_func`, from the value to the next; `init_val`, the
    first value.

    Output: the last value.

    Raises:
        TypeError: `cond_func` or `loop_func` is no function.
        ValueError: `loop_func` gives a value of another type or shape.

    Example:
        >>> ops.WhileLoop()(lambda x: x < 100, lambda x: x + 1, 10)
        100
    """

    def __call__(self, cond_func: Callable[[Any], Any], loop_func: Callable[[Any], Any], init_val: Any) -> Any:
        if not callable(cond_func) or not callable(loop_func):
            raise TypeError("WhileLoop takes a function for the condition, and one for the body")
        value = init_val
        while cond_func(value):
            made = loop_func(value)
            _same_form("WhileLoop", value, made)
            value = made
        return value


class ForiLoop:
    """Calls a function on each number of a range and its own last result.

    Inputs: `lower` and `upper`, integers or tensors of one; `loop_func`, from a number and the value to the next;
    `init_val`, the first value; `unroll` is taken as in MindSpore: a range of known numbers is unrolled anyway.

    Output: the last value.

    Raises:
        TypeError: a bound is no integer, or `loop_func` no function.
        ValueError: `loop_func` gives a value of another type or shape.

    Example:
        >>> ops.ForiLoop()(0, 4, lambda index, total: index + total, 0)
        6
    """

    def __call__(
        self, lower: Any, upper: Any, loop_func: Callable[[Any, Any], Any], init_val: Any, unroll: bool = True
    ) -> Any:
        if not isinstance(lower, (int, Tensor)) or not isinstance(upper, (int, Tensor)):
            raise TypeError("ForiLoop takes integers or tensors as bounds")
        if not callable(loop_func):
            raise TypeError("ForiLoop takes a function as its body")
        value = init_val
        index = lower
        while index < upper:
            made = loop_func(index, value)
            _same_form("ForiLoop", value, made)
            value = made
            index = index + 1
        return value


class Scan:
    """Calls a function on each element of a sequence and its own last result, and stacks its second outputs.

    Inputs: `loop_func`, from the value and an element to the next value and something to collect; `init`, the first
    value; `xs`, a tuple or list, or None for `length` times None; `unroll` as for `ForiLoop`.

    Output: the last value, and a list of what was collected.

    Raises:
        TypeError: `xs` is no tuple or list, `length` no integer, `unroll` no truth value, `loop_func` no function.
        ValueError: `loop_func` does not give two values, or the first of another type or shape.

    Example:
        >>> ops.Scan()(lambda total, x: (total + x, total), 0, [1, 2, 3, 4])
        (10, [0, 1, 3, 6])
    """

    def __call__(
        self,
        loop_func: Callable[[Any, Any], tuple[Any, Any]],
        init: Any,
        xs: Sequence[Any] | None,
        length: int | None = None,
        unroll: bool = True,
    ) -> tuple[Any, list[Any]]:
        if not callable(loop_func):
            raise TypeError("Scan takes a function as its body")
        if xs is not None and not isinstance(xs, (tuple, list)):
            raise TypeError("Scan takes a tuple, a list or None as xs")
        if (length is None and xs is None) or (length is not None and not isinstance(length, int)):
            raise TypeError("Scan takes an integer as length, which may be left out if xs is given")
        if not isinstance(unroll, bool):
            raise TypeError("Scan takes a truth value as unroll")
        elements = [None] * length if xs is None else xs  # type: ignore[operator]
        value = init
        collected: list[Any] = []
        for element in elements:
            both = loop_func(value, element)
            if not isinstance(both, tuple) or len(both) != 2:
                raise ValueError("the function of Scan must return two values")
            _same_form("Scan", value, both[0])
            value = both[0]
            collected.append(both[1])
        return value, collected


def _same_form(name: str, value: Any, made: Any) -> None:
    """Refuse a value of another type or shape than the one before."""
    if isinstance(value, Tensor) and isinstance(made, Tensor):
        if value.shape != made.shape or value.dtype != made.dtype:
            raise ValueError(f"the function of {name} changes the shape or the element type of its value")
    elif isinstance(value, Tensor) or isinstance(made, Tensor) or type(value) != type(made):  # noqa: E721
        raise ValueError(f"the function of {name} changes the type of its value")
