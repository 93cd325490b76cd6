"""MindSpore's functions of numbers, texts and containers, such as `scalar_add`: what Python's operators compute.

Programs of the first versions register them for numbers (`MultitypeFuncGraph`). They are public in `functional`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.ops.calls import NAMED

__all__ = [
    "bool_and", "bool_eq", "bool_not", "bool_or", "dict_getitem", "list_getitem", "make_list", "scalar_add",
    "scalar_div", "scalar_eq", "scalar_floordiv", "scalar_ge", "scalar_gt", "scalar_le", "scalar_log", "scalar_lt",
    "scalar_mod", "scalar_mul", "scalar_ne", "scalar_pow", "scalar_sub", "scalar_uadd", "scalar_usub",
    "string_concat", "string_eq", "switch", "tensor_add", "tuple_getitem",
]  # fmt: skip


def scalar_add(x: Any, y: Any) -> Any:
    """x + y for two numbers.

    Example:
        >>> ops.scalar_add(2, 3)
        5
    """
    return x + y


def scalar_sub(x: Any, y: Any) -> Any:
    """x - y for two numbers.

    Example:
        >>> ops.scalar_sub(2, 3)
        -1
    """
    return x - y


def scalar_mul(x: Any, y: Any) -> Any:
    """x * y for two numbers.

    Example:
        >>> ops.scalar_mul(2, 3)
        6
    """
    return x * y


def scalar_div(x: Any, y: Any) -> Any:
    """x / y for two numbers.

    Example:
        >>> ops.scalar_div(3, 2)
        1.5
    """
    return x / y


def scalar_floordiv(x: Any, y: Any) -> Any:
    """x // y for two numbers.

    Example:
        >>> ops.scalar_floordiv(7, 2)
        3
    """
    return x // y


def scalar_mod(x: Any, y: Any) -> Any:
    """x % y for two numbers.

    Example:
        >>> ops.scalar_mod(7, 4)
        3
    """
    return x % y


def scalar_pow(x: Any, y: Any) -> Any:
    """x ** y for two numbers.

    Example:
        >>> ops.scalar_pow(2, 3)
        8
    """
    return x**y


def scalar_log(x: float) -> float:
    """The natural logarithm of a number that is known when a function is compiled.

    Example:
        >>> ops.scalar_log(1.0)
        0.0
    """
    return math.log(x)


def scalar_uadd(x: Any) -> Any:
    """+x for a number.

    Example:
        >>> ops.scalar_uadd(2)
        2
    """
    return +x


def scalar_usub(x: Any) -> Any:
    """-x for a number.

    Example:
        >>> ops.scalar_usub(2)
        -2
    """
    return -x


def scalar_eq(x: Any, y: Any) -> Any:
    """x == y for two numbers.

    Example:
        >>> ops.scalar_eq(2, 2)
        True
    """
    return x == y


def scalar_ne(x: Any, y: Any) -> Any:
    """x != y for two numbers.

    Example:
        >>> ops.scalar_ne(2, 2)
        False
    """
    return x != y


def scalar_lt(x: Any, y: Any) -> Any:
    """x < y for two numbers.

    Example:
        >>> ops.scalar_lt(2, 3)
        True
    """
    return x < y


def scalar_le(x: Any, y: Any) -> Any:
    """x <= y for two numbers.

    Example:
        >>> ops.scalar_le(3, 3)
        True
    """
    return x <= y


def scalar_gt(x: Any, y: Any) -> Any:
    """x > y for two numbers.

    Example:
        >>> ops.scalar_gt(2, 3)
        False
    """
    return x > y


def scalar_ge(x: Any, y: Any) -> Any:
    """x >= y for two numbers.

    Example:
        >>> ops.scalar_ge(2, 3)
        False
    """
    return x >= y


def bool_and(x: bool, y: bool) -> bool:
    """Whether both are true.

    Example:
        >>> ops.bool_and(True, False)
        False
    """
    return x and y


def bool_or(x: bool, y: bool) -> bool:
    """Whether any of two is true.

    Example:
        >>> ops.bool_or(True, False)
        True
    """
    return x or y


def bool_not(x: bool) -> bool:
    """Whether it is false.

    Example:
        >>> ops.bool_not(True)
        False
    """
    return not x


def bool_eq(x: bool, y: bool) -> bool:
    """Whether both are true, or both false.

    Example:
        >>> ops.bool_eq(True, False)
        False
    """
    return x == y


def string_eq(x: str, y: str) -> bool:
    """Whether two texts are equal.

    Example:
        >>> ops.string_eq("a", "b")
        False
    """
    return x == y


def string_concat(x: str, y: str) -> str:
    """Concatenate two texts.

    Example:
        >>> ops.string_concat("a", "b")
        'ab'
    """
    return x + y


def make_list(*elements: Any) -> list[Any]:
    """A list of the arguments.

    Example:
        >>> ops.make_list(1, 2)
        [1, 2]
    """
    return list(elements)


def list_getitem(data: Sequence[Any], item: int) -> Any:
    """The element of a list at a place.

    Example:
        >>> ops.list_getitem([5, 6], 1)
        6
    """
    return data[item]


def tuple_getitem(x: Sequence[Any], index: int) -> Any:
    """The element of a tuple at a place.

    Example:
        >>> ops.tuple_getitem((5, 6), 1)
        6
    """
    return x[index]


def dict_getitem(data: Mapping[Any, Any], item: Any) -> Any:
    """The value of a key.

    Example:
        >>> ops.dict_getitem({"a": 5}, "a")
        5
    """
    return data[item]


def tensor_add(x: Tensor, y: Tensor) -> Tensor:
    """x + y for two tensors; the name of `add` in the first versions.

    Example:
        >>> print(ops.tensor_add(Tensor([1, 2]), Tensor([3, 4])))
        [4 6]
    """
    return x + y


def switch(condition: Any, true_value: Any, false_value: Any) -> Any:
    """One of two values of the same type, by a truth value or a tensor with one element.

    Raises:
        ValueError: the condition has several elements.

    Example:
        >>> print(ops.switch(Tensor(False), Tensor(1), Tensor(2)))
        2
    """
    if condition:
        return true_value
    return false_value


NAMED.update({name: globals()[name] for name in __all__ if name not in ("switch", "tensor_add")})
