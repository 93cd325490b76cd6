"""Binds operators, indexing and methods to `Tensor`: each is a function that both modes run.

`x + y` calls `add(x, y)`; what is in `METHODS` is called as `x.name(...)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.operations.indexing import TENSOR

__all__ = ["METHODS", "bind", "getitem", "setitem"]

_add = P.Add()
_sub = P.Sub()
_mul = P.Mul()
_div = P.Div()
_floor_div = P.FloorDiv()
_floor_mod = P.FloorMod()
_pow = P.Pow()
_get_item = P.GetItem()
_set_item = P.SetItem()


def add(x: Any, y: Any) -> Any:
    """x + y."""
    return _add(x, y)


def sub(x: Any, y: Any) -> Any:
    """x - y."""
    return _sub(x, y)


def mul(x: Any, y: Any) -> Any:
    """x * y."""
    return _mul(x, y)


def truediv(x: Any, y: Any) -> Any:
    """x / y."""
    return _div(x, y)


def floordiv(x: Any, y: Any) -> Any:
    """x // y."""
    return _floor_div(x, y)


def mod(x: Any, y: Any) -> Any:
    """x % y."""
    return _floor_mod(x, y)


def power(x: Any, y: Any) -> Any:
    """x ** y."""
    return _pow(x, y)


def reflected_add(x: Any, y: Any) -> Any:
    """y + x."""
    return _add(y, x)


def reflected_sub(x: Any, y: Any) -> Any:
    """y - x."""
    return _sub(y, x)


def reflected_mul(x: Any, y: Any) -> Any:
    """y * x."""
    return _mul(y, x)


def reflected_truediv(x: Any, y: Any) -> Any:
    """y / x."""
    return _div(y, x)


def reflected_floordiv(x: Any, y: Any) -> Any:
    """y // x."""
    return _floor_div(y, x)


def reflected_mod(x: Any, y: Any) -> Any:
    """y % x."""
    return _floor_mod(y, x)


def reflected_pow(x: Any, y: Any) -> Any:
    """y ** x."""
    return _pow(y, x)


def reflected_matmul(x: Any, y: Any) -> Any:
    """y @ x."""
    return F.matmul(y, x)


def matmul(x: Any, y: Any) -> Any:
    """x @ y."""
    return F.matmul(x, y)


def neg(x: Any) -> Any:
    """-x."""
    return F.neg(x)


def positive(x: Any) -> Any:
    """+x."""
    return x


def absolute(x: Any) -> Any:
    """abs(x)."""
    return F.abs(x)


def invert(x: Any) -> Any:
    """~x, for Bool tensors."""
    return F.logical_not(x)


def less(x: Any, y: Any) -> Any:
    """x < y."""
    return F.less(x, y)


def less_equal(x: Any, y: Any) -> Any:
    """x <= y."""
    return F.less_equal(x, y)


def greater(x: Any, y: Any) -> Any:
    """x > y."""
    return F.greater(x, y)


def greater_equal(x: Any, y: Any) -> Any:
    """x >= y."""
    return F.greater_equal(x, y)


def equal(x: Any, y: Any) -> Any:
    """x == y; nothing equals None."""
    return False if y is None or isinstance(y, str) else F.equal(x, y)


def not_equal(x: Any, y: Any) -> Any:
    """x != y; everything differs from None."""
    return True if y is None or isinstance(y, str) else F.not_equal(x, y)


def bit_and(x: Any, y: Any) -> Any:
    """x & y."""
    return F.bitwise_and(x, y)


def bit_or(x: Any, y: Any) -> Any:
    """x | y."""
    return F.bitwise_or(x, y)


def bit_xor(x: Any, y: Any) -> Any:
    """x ^ y."""
    return F.bitwise_xor(x, y)


def getitem(x: Any, index: Any) -> Any:
    """x[index], by numpy's rules."""
    return _get_item(x, index_pattern(index), index_tensors(index))


def setitem(x: Any, index: Any, value: Any) -> Any:
    """A tensor like x with another value at an index: what `x[index] = value` makes of x."""
    return _set_item(x, index_pattern(index), index_tensors(index), value)


def index_pattern(index: Any) -> tuple[Any, ...]:
    """The index as a tuple in which "tensor" stands for each tensor."""
    parts = index if isinstance(index, tuple) else (index,)
    return tuple([TENSOR if isinstance(part, _ARRAYS) else plain_part(part) for part in parts])


def index_tensors(index: Any) -> tuple[Any, ...]:
    """The tensors of an index, in order."""
    parts = index if isinstance(index, tuple) else (index,)
    return tuple([as_index(part) for part in parts if isinstance(part, _ARRAYS)])


_ARRAYS = (Tensor, np.ndarray, list, bool)


def as_index(part: Any) -> Tensor:
    """A tensor, or a list or array as one."""
    return part if isinstance(part, Tensor) else Tensor(part)


@constexpr
def plain_part(part: Any) -> Any:
    """An int, a slice of ints, None or Ellipsis.

    Raises:
        IndexError: it is something else.

    """
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, slice):
        return slice(*(None if end is None else int(end) for end in (part.start, part.stop, part.step)))
    if isinstance(part, int | np.integer):
        return int(part)
    raise IndexError(f"an index is an int, a slice, None, ..., a tensor or a list, not a {type(part).__name__}")


# Methods whose arguments differ from those of the function of the same name.


def method_reshape(x: Any, *shape: Any) -> Any:
    """The same elements in another shape: `x.reshape(2, 3)` or `x.reshape((2, 3))`."""
    return F.reshape(x, variadic(shape))


def method_transpose(x: Any, *axes: Any) -> Any:
    """The dimensions in another order, the opposite one where it is left out."""
    return F.transpose(x, reversed_order(F.rank(x)) if not axes else variadic(axes))


def method_tile(x: Any, *reps: Any) -> Any:
    """Repeated along each dimension."""
    return F.tile(x, variadic(reps))


def method_flatten(x: Any, order: str = "C", *, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The dimensions from `start_dim` to `end_dim`, all where they are left out, as one."""
    return F.flatten(x, order, start_dim=start_dim, end_dim=end_dim)


def method_sum(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """The sum over axes, all where they are left out."""
    return F.sum(x, axis, keepdims, dtype=dtype)


def method_max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest element over axes."""
    return F.amax(x, axis, keepdims)


def method_min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The smallest element over axes."""
    return F.amin(x, axis, keepdims)


def method_expand_as(x: Any, other: Any) -> Any:
    """Repeated to another tensor's shape."""
    return F.broadcast_to(x, F.shape(other))


def method_view(x: Any, *shape: Any) -> Any:
    """The same elements in another shape."""
    return F.reshape(x, variadic(shape))


def method_permute(x: Any, *axes: Any) -> Any:
    """The dimensions in another order."""
    return F.transpose(x, variadic(axes))


def method_t(x: Any) -> Any:
    """The dimensions in the opposite order."""
    return F.transpose(x, reversed_order(F.rank(x)))


def method_float(x: Any) -> Any:
    """The elements as Float32."""
    return F.cast(x, mstype.float32)


def method_int(x: Any) -> Any:
    """The elements as Int32."""
    return F.cast(x, mstype.int32)


def method_bool(x: Any) -> Any:
    """The elements as Bool."""
    return F.cast(x, mstype.bool_)


def method_astype(x: Any, dtype: Any, copy: bool = True) -> Any:
    """The elements as another type."""
    return F.cast(x, dtype)


def method_broadcast_to(x: Any, *shape: Any) -> Any:
    """Repeated to a shape."""
    return F.broadcast_to(x, variadic(shape))


@constexpr
def variadic(given: tuple[Any, ...]) -> Any:
    """What was given as several arguments or as one tuple."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], list | tuple) else given


@constexpr
def reversed_order(rank: int) -> tuple[int, ...]:
    """The opposite order of dimensions."""
    return tuple(range(rank - 1, -1, -1))


_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
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
    "__getitem__": getitem,
}

#: By name, what `x.name(...)` calls with x in front.
METHODS: Final[dict[str, Callable[..., Any]]] = {
    "tensor_add": add,
    "tensor_mul": mul,
    "add": add,
    "sub": sub,
    "mul": mul,
    "div": truediv,
    "pow": power,
    "neg": neg,
    "abs": absolute,
    "matmul": matmul,
    "dot": F.dot,
    "reshape": method_reshape,
    "view": method_view,
    "transpose": method_transpose,
    "permute": method_permute,
    "swapaxes": F.swapaxes,
    "flatten": method_flatten,
    "squeeze": F.squeeze,
    "expand_dims": F.unsqueeze,
    "unsqueeze": F.unsqueeze,
    "expand_as": method_expand_as,
    "broadcast_to": method_broadcast_to,
    "tile": method_tile,
    "split": F.split,
    "chunk": F.chunk,
    "flip": F.flip,
    "tril": F.tril,
    "triu": F.triu,
    "astype": method_astype,
    "to": method_astype,
    "float": method_float,
    "int": method_int,
    "bool": method_bool,
    "sum": method_sum,
    "mean": F.mean,
    "prod": F.prod,
    "max": method_max,
    "min": method_min,
    "amax": F.amax,
    "amin": F.amin,
    "all": F.all,
    "any": F.any,
    "argmax": F.argmax,
    "argmin": F.argmin,
    "cumsum": F.cumsum,
    "cumprod": F.cumprod,
    "std": F.std,
    "var": F.var,
    "topk": F.topk,
    "sort": F.sort,
    "argsort": F.argsort,
    "clip": F.clip_by_value,
    "clamp": F.clamp,
    "softmax": F.softmax,
    "log_softmax": F.log_softmax,
    "index_select": F.index_select,
    "diagonal": F.diagonal,
    "norm": F.norm,
    "roll": F.roll,
    "repeat_interleave": F.repeat_interleave,
    "scatter": F.scatter,
    "isclose": F.isclose,
    "cummax": F.cummax,
    "cummin": F.cummin,
    "histc": F.histc,
    "bincount": F.bincount,
    "unique_consecutive": F.unique_consecutive,
    "moveaxis": F.moveaxis,
    "movedim": F.movedim,
    "nan_to_num": F.nan_to_num,
    "cross": F.cross,
    "hardshrink": F.hardshrink,
    "softshrink": F.softshrink,
    "logsumexp": F.logsumexp,
    "unbind": F.unbind,
    "unfold": F.unfold,
    "tensor_dot": F.tensor_dot,
    "reverse_sequence": F.reverse_sequence,
    "multinomial": F.multinomial,
    "gather": F.gather,
    "bmm": F.bmm,
    "outer": F.outer,
}

#: Functions of the tensor alone, bound under their own names.
_ALIKE: Final = (
    "exp", "log", "log1p", "expm1", "sqrt", "rsqrt", "square", "reciprocal", "sin", "cos", "tan", "asin", "acos",
    "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "sigmoid", "relu", "floor", "ceil",
    "round", "trunc", "sign", "isnan", "isinf", "isfinite", "logical_not", "equal", "not_equal", "less", "less_equal",
    "greater", "greater_equal", "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "masked_fill",
    "masked_select", "lerp", "inverse", "det", "trace", "nonzero", "unique", "digamma", "lgamma", "erfinv", "mish",
    "atan2", "xdivy", "xlogy", "gather_elements", "gather_nd", "ger", "cholesky", "unsorted_segment_sum",
    "unsorted_segment_max", "unsorted_segment_min", "unsorted_segment_prod", "tensor_scatter_add",
    "tensor_scatter_sub", "tensor_scatter_update", "tensor_scatter_mul", "tensor_scatter_div", "tensor_scatter_max",
    "tensor_scatter_min", "bitwise_and", "bitwise_or", "bitwise_xor",
)  # fmt: skip


def _method(name: str) -> Callable[..., Any]:
    """A function around the primitive of this name: only functions become methods."""
    primitive = getattr(F, name)

    def method(x: Any, *others: Any) -> Any:
        return primitive(x, *others)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = type(primitive).__doc__
    return method


def _set_in_place(x: Tensor, index: Any, value: Any) -> None:
    if isinstance(value, np.ndarray | list | tuple):
        value = Tensor(value)
    # What was recorded refers to the tensor as it was.
    before = Tensor.__new__(Tensor)
    before._data, before._node = x._data, x._node
    x.assign_value(setitem(before, index, value))


def _iterate(x: Tensor) -> Iterator[Any]:
    if x.ndim == 0:
        raise TypeError("a tensor without dimensions cannot be iterated over")
    return (x[i] for i in range(len(x)))


def bind() -> None:
    """Put operators and methods on `Tensor`."""
    METHODS.update({name: _method(name) for name in _ALIKE})
    for name, function in {**_OPERATORS, **METHODS}.items():
        setattr(Tensor, name, function)
    Tensor.__setitem__ = _set_in_place  # type: ignore[method-assign]
    Tensor.__iter__ = _iterate  # type: ignore[method-assign]
    Tensor.T = property(method_t)  # type: ignore[attr-defined]


bind()
