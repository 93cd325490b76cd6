"""Python's operators on tensors, and indexing: each is a function that both modes run.

`x + y` calls `add(x, y)`; `framework.ops.tensor_methods` binds them to `Tensor`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from types import MethodDescriptorType
from typing import Any, Final

import numpy as np

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.indexing.subscripts import TENSOR

__all__ = [
    "OF_SEQUENCES",
    "OPERATORS",
    "add",
    "as_tensor",
    "as_written",
    "getitem",
    "iterate",
    "mul",
    "pick",
    "set_in_place",
    "setitem",
    "sub",
    "truediv",
]

_add = P.Add()
_sub = P.Sub()
_mul = P.Mul()
_div = P.Div()
_floor_div = P.FloorDiv()
_floor_mod = P.FloorMod()
_pow = P.Pow()
_left_shift = P.LeftShift()
_right_shift = P.RightShift()
_get_item = P.GetItem()
_set_item = P.SetItem()


def add(x: Tensor, y: Tensor | float) -> Any:
    """x + y."""
    return _add(x, y)


def sub(x: Tensor, y: Tensor | float) -> Any:
    """x - y."""
    return _sub(x, y)


def mul(x: Any, y: Any) -> Any:
    """x * y."""
    return _mul(x, y)


def truediv(x: Tensor, y: Tensor | float) -> Any:
    """x / y."""
    return _div(x, y)


def floordiv(x: Tensor, y: int) -> Tensor:
    """x // y."""
    return _floor_div(x, y)


def mod(x: Tensor, y: int) -> Tensor:
    """x % y."""
    return _floor_mod(x, y)


def power(x: Tensor, y: Tensor | float) -> Tensor:
    """x ** y."""
    return _pow(x, y)


def reflected_add(x: Tensor, y: float) -> Tensor:
    """y + x."""
    return _add(y, x)


def reflected_sub(x: Tensor, y: float) -> Tensor:
    """y - x."""
    return _sub(y, x)


def reflected_mul(x: Tensor, y: float) -> Tensor:
    """y * x."""
    return _mul(y, x)


def reflected_truediv(x: Tensor, y: float) -> Tensor:
    """y / x."""
    return _div(y, x)


def reflected_floordiv(x: Tensor, y: Tensor | float) -> Any:
    """y // x."""
    return _floor_div(y, x)


def reflected_mod(x: Tensor, y: Tensor | float) -> Any:
    """y % x."""
    return _floor_mod(y, x)


def reflected_pow(x: Tensor, y: Tensor | float) -> Any:
    """y ** x."""
    return _pow(y, x)


def reflected_matmul(x: Any, y: Any) -> Any:
    """y @ x."""
    return F.matmul(y, x)


def matmul(x: Any, y: Any) -> Tensor:
    """x @ y."""
    return F.matmul(x, y)


def neg(x: Tensor) -> Tensor:
    """-x."""
    return F.neg(x)


def positive(x: Tensor) -> Any:
    """+x."""
    return x


def absolute(x: Tensor) -> Any:
    """abs(x)."""
    return F.abs(x)


def invert(x: Tensor) -> Any:
    """~x, for Bool tensors."""
    return F.logical_not(x)


def less(x: Tensor, y: int) -> Tensor:
    """x < y."""
    return F.less(x, y)


def less_equal(x: Tensor, y: Tensor | int) -> Tensor:
    """x <= y."""
    return F.less_equal(x, y)


def greater(x: Tensor, y: Tensor | float) -> Tensor:
    """x > y."""
    return F.greater(x, y)


def greater_equal(x: Tensor, y: int) -> Tensor:
    """x >= y."""
    return F.greater_equal(x, y)


_UNEQUAL = (type(None), str, list, tuple)


def equal(x: Any, y: Any) -> Any:
    """x == y; False for None, texts and lists."""
    return F.equal(x, y) if isinstance(y, Tensor) or not isinstance(y, _UNEQUAL) else False


def not_equal(x: Any, y: Any) -> Any:
    """x != y; True for None, texts and lists."""
    return F.not_equal(x, y) if isinstance(y, Tensor) or not isinstance(y, _UNEQUAL) else True


def bit_and(x: Tensor, y: Tensor | float) -> Any:
    """x & y."""
    return F.bitwise_and(x, y)


def bit_or(x: Tensor, y: Tensor | float) -> Any:
    """x | y."""
    return F.bitwise_or(x, y)


def bit_xor(x: Tensor, y: Tensor | float) -> Any:
    """x ^ y."""
    return F.bitwise_xor(x, y)


def left_shift(x: Tensor, y: Tensor | int) -> Any:
    """x << y."""
    return _left_shift(x, y)


def right_shift(x: Tensor, y: Tensor | int) -> Any:
    """x >> y."""
    return _right_shift(x, y)


def reflected_left_shift(x: Tensor, y: int) -> Any:
    """y << x."""
    return _left_shift(y, x)


def reflected_right_shift(x: Tensor, y: int) -> Any:
    """y >> x."""
    return _right_shift(y, x)


def getitem(x: Tensor, index: Any) -> Tensor:
    """x[index], by numpy's rules."""
    return _get_item(x, index_pattern(index), index_tensors(index))


def setitem(x: Any, index: Any, value: Any) -> Any:
    """A copy of x in which the elements at an index have another value: the result of `x[index] = value`."""
    if isinstance(value, (list, tuple)):
        value = as_tensor(value, x.dtype)
    return _set_item(x, index_pattern(index), index_tensors(index), value)


def as_tensor(values: Any, dtype: DType) -> Any:
    """One tensor of an element type, from a tensor, a number or nested lists of both."""
    if isinstance(values, Tensor):
        return F.cast(values, dtype)
    if not isinstance(values, (list, tuple)) or not any([isinstance(x, (Tensor, list, tuple)) for x in values]):  # noqa: C419 - what graph mode parses
        return Tensor(values, dtype)
    return F.stack([as_tensor(item, dtype) for item in values])


def index_pattern(index: Any) -> tuple[Any, ...]:
    """The index as a tuple, with "tensor" in place of each tensor."""
    parts = index if isinstance(index, tuple) else (index,)
    return tuple([TENSOR if isinstance(part, _ARRAYS) else plain_part(part) for part in parts])


def index_tensors(index: Any) -> tuple[Any, ...]:
    """The tensors of an index, in order."""
    parts = index if isinstance(index, tuple) else (index,)
    return tuple([as_index(part) for part in parts if isinstance(part, _ARRAYS)])


_ARRAYS = (Tensor, np.ndarray, list, bool)


def as_index(part: Any) -> Tensor:
    """A tensor, from a tensor, a list or an array."""
    return part if isinstance(part, Tensor) else Tensor(part)


@constexpr
def plain_part(part: Any) -> Any:
    """An int, a slice of ints, None or Ellipsis.

    Raises:
        IndexError: it is none of these.

    """
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, slice):
        return slice(*(None if end is None else int(end) for end in (part.start, part.stop, part.step)))
    if isinstance(part, int | np.integer):
        return int(part)
    raise IndexError(f"an index must be an int, a slice, None, ..., a tensor or a list, not a {type(part).__name__}")


OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "__add__": add,
    "__radd__": reflected_add,
    "__sub__": sub,
    "__rsub__": reflected_sub,
    "__mul__": mul,
    "__rmul__": reflected_mul,
    "__truediv__": truediv,
    "__rtruediv__": reflected_truediv,
    "__floordiv__": floordiv,
    "__rfloordiv__": reflected_floordiv,
    "__mod__": mod,
    "__rmod__": reflected_mod,
    "__pow__": power,
    "__rpow__": reflected_pow,
    "__matmul__": matmul,
    "__rmatmul__": reflected_matmul,
    "__neg__": neg,
    "__pos__": positive,
    "__abs__": absolute,
    "__invert__": invert,
    "__lt__": less,
    "__le__": less_equal,
    "__gt__": greater,
    "__ge__": greater_equal,
    "__eq__": equal,
    "__ne__": not_equal,
    "__and__": bit_and,
    "__or__": bit_or,
    "__xor__": bit_xor,
    "__rand__": bit_and,
    "__ror__": bit_or,
    "__rxor__": bit_xor,
    "__lshift__": left_shift,
    "__rlshift__": reflected_left_shift,
    "__rshift__": right_shift,
    "__rrshift__": reflected_right_shift,
}
OF_SEQUENCES: Final = frozenset({"Add", "Sub", "Mul", "Div", "FloorDiv", "FloorMod"})
"""The primitives of Python's operators that take a list or tuple of numbers beside a tensor, as one of its type."""


def pick(x: Tensor, index: Any) -> Tensor:
    """`x[index]` in PyNative mode; a view of x remembers its origin, so that `x[0][1] = 5` can change x."""
    made = getitem(x, index)
    if getattr(made._data, "base", None) is not None:
        made._origin = x, index
    return made


def set_in_place(x: Tensor, index: Any, value: Any) -> None:
    """`x[index] = value` in PyNative mode; in `x[0][1] = 5` the unnamed view `x[0]` is written back to x.

    Raises:
        TypeError: it would only change a temporary copy, as in `x[[0, 1]][0] = 5`.

    """
    unnamed = sys.getrefcount(x) <= _REFERENCES_OF_UNNAMED
    origin = getattr(x, "_origin", None)
    if unnamed and origin is None:
        raise TypeError("this assignment only changes a temporary copy: assign the copy to a variable first")
    _assign(x, index, Tensor(value) if isinstance(value, np.ndarray) else value)
    part = x
    while unnamed and origin is not None:
        whole, place = origin
        # References held by the view, the local variable and the argument: nothing else names the view.
        unnamed, origin = sys.getrefcount(whole) <= 3, getattr(whole, "_origin", None)
        _assign(whole, place, part)
        part = whole


def _assign(x: Tensor, index: Any, value: Any) -> None:
    # Recorded operators refer to the old tensor.
    before = Tensor.__new__(Tensor)
    before._data, before._node = x._data, x._node
    x.assign_value(setitem(before, index, value))


class _Counting:
    """Counts the references to an object while its item is assigned."""

    counted = 0

    def __setitem__(self, index: int, value: int) -> None:
        _Counting.counted = sys.getrefcount(self)


def _references_of_unnamed() -> int:
    """The number of references that the assignment itself holds on an unnamed object; 0 if names make no difference.

    Python 3.14 lends an expression the reference of a variable, so that no view can be recognized as unnamed there.
    """
    _Counting()[0] = 0
    unnamed = _Counting.counted
    named = _Counting()
    named[0] = 0
    return unnamed if _Counting.counted > unnamed else 0


_REFERENCES_OF_UNNAMED: Final = _references_of_unnamed()


def iterate(x: Tensor) -> Iterator[Any]:
    """The slices along the first dimension."""
    if x.ndim == 0:
        raise TypeError("a tensor without dimensions cannot be iterated over")
    return (x[i] for i in range(len(x)))


def as_written(method: Any) -> Any:
    """The Python function of a method of tensors; graph mode compiles its source.

    Args:
        method: the function itself, or the machine code or generated code that replaces it
            (`framework.pynative.fast.operators`).
    """
    return OPERATORS[method.__name__] if isinstance(method, MethodDescriptorType) else inspect.unwrap(method)
