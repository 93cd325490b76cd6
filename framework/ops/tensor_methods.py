"""Binds operators, indexing and methods to `Tensor`: each is a function that both modes run.

Users call the functions in `METHODS` as `x.name(...)`. Names and arguments are those of MindSpore 2.10 and 0.x.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.methods.adapted import FUNCTIONS, PROPERTIES, SAME
from framework.ops.methods.in_place import IN_PLACE
from framework.ops.methods.spellings import OF_OTHER, SPELLINGS, with_other
from framework.ops.tensor_operators import (
    OPERATORS,
    absolute,
    add,
    iterate,
    mul,
    neg,
    pick,
    set_in_place,
    sub,
    truediv,
)

__all__ = ["METHODS", "bind"]

# Methods whose arguments differ from those of the function of the same name.


def method_reshape(x: Tensor, *shape: int | tuple[int, ...]) -> Tensor:
    """The same elements in another shape: `x.reshape(2, 3)` or `x.reshape((2, 3))`."""
    return F.reshape(x, variadic(shape))


def method_tile(x: Tensor, *reps: Any) -> Any:
    """The tensor repeated along each dimension."""
    return F.tile(x, variadic(reps))


def method_view(x: Tensor, *shape: Any) -> Any:
    """The same elements in another shape."""
    return F.reshape(x, variadic(shape))


def method_permute(x: Tensor, *axes: Any) -> Any:
    """The dimensions in another order."""
    return F.transpose(x, variadic(axes))


def method_t(x: Tensor) -> Tensor:
    """The dimensions in the opposite order."""
    return F.transpose(x, reversed_order(F.rank(x)))


def method_float(x: Tensor) -> Any:
    """The elements as Float32."""
    return F.cast(x, mstype.float32)


def method_int(x: Tensor) -> Any:
    """The elements as Int32."""
    return F.cast(x, mstype.int32)


def method_bool(x: Tensor) -> Any:
    """The elements as Bool."""
    return F.cast(x, mstype.bool_)


def method_broadcast_to(x: Tensor, *shape: Any) -> Any:
    """The tensor broadcast to a shape."""
    return F.broadcast_to(x, variadic(shape))


def method_transpose(x: Tensor, *axes: Any) -> Any:
    """Dimensions in the order `x.transpose((1, 0, 2))`, two exchanged by `x.transpose(0, 1)`, or all reversed."""
    if not axes:
        return F.transpose(x, reversed_order(F.rank(x)))
    if len(axes) == 2 and isinstance(axes[0], int):
        return F.swapaxes(x, axes[0], axes[1])
    return F.transpose(x, variadic(axes))


def method_flatten(x: Tensor, order: Any = "C", end: Any = None, *, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The dimensions from `start_dim` to `end_dim`, by default all, merged by rows, or by columns ("F")."""
    if isinstance(order, int):
        return F.flatten(x, "C", start_dim=order, end_dim=-1 if end is None else end)
    if order == "F":
        return F.reshape(F.transpose(x, reversed_order(F.rank(x))), (-1,))
    return F.flatten(x, order, start_dim=start_dim, end_dim=end_dim)


def method_sum(
    x: Tensor,
    axis: int | Sequence[int] | None = None,
    dtype: DType | None = None,
    keepdims: bool = False,
    *,
    dim: int | Sequence[int] | None = None,
) -> Tensor:
    """The sum over axes, by default all; the sum of integers is Int64."""
    return F.sum(x, axis if dim is None else dim, keepdims, dtype=dtype)


def method_mean(
    x: Tensor,
    axis: int | Sequence[int] | None = None,
    keep_dims: bool = False,
    *,
    dtype: DType | None = None,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
) -> Tensor:
    """The mean over axes, by default all."""
    return F.mean(x if dtype is None else F.cast(x, dtype), axis if dim is None else dim, keep_dims or keepdim)


def method_max(
    x: Tensor,
    *given: Any,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | None = None,
    initial: Any = ...,
    where: Tensor | bool | None = None,
    return_indices: bool = False,
    dim: int | None = None,
    keepdim: bool = False,
) -> Any:
    """The largest element over axes: `x.max(axis=1, keepdims=True)`; with its indices in the form `x.max(1, True)`.

    The second form is that of one axis, as an argument without a name or as `dim`. The argument `keepdims`, `initial`
    or `where` makes a call the first form, unless `return_indices` is true.
    """
    over, kept = _axis_and_kept(given, axis, keepdims, dim, keepdim)
    mask = None if isinstance(where, bool) else where
    first = _given(initial)
    if return_indices or _is_of_dimension(over, axis, keepdims, initial, mask is None):
        return F.max(x, over, kept, initial=first, where=mask)
    return F.amax(x, over, kept, initial=first, where=mask)


def method_min(
    x: Tensor,
    *given: Any,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | None = None,
    initial: Any = ...,
    where: Tensor | bool | None = None,
    return_indices: bool = False,
    dim: int | None = None,
    keepdim: bool = False,
) -> Any:
    """The smallest element over axes: `x.min(axis=1, keepdims=True)`; with its indices in the form `x.min(1, True)`.

    Which form a call has is as for `max`.
    """
    over, kept = _axis_and_kept(given, axis, keepdims, dim, keepdim)
    mask = None if isinstance(where, bool) else where
    first = _given(initial)
    if return_indices or _is_of_dimension(over, axis, keepdims, initial, mask is None):
        return F.min(x, over, kept, initial=first, where=mask)
    return F.amin(x, over, kept, initial=first, where=mask)


@constexpr
def _axis_and_kept(given: Any, axis: Any, keepdims: Any, dim: Any, keepdim: Any) -> tuple[Any, bool]:
    """The axes of a call of `max` or `min`, and whether they are kept."""
    over = given[0] if given else axis if dim is None else dim
    return over, bool(given[1] if len(given) > 1 else keepdim or keepdims)


@constexpr
def _is_of_dimension(over: Any, axis: Any, keepdims: Any, initial: Any, is_whole: bool) -> bool:
    """Whether a call of `max` or `min` has the form that returns indices too."""
    return isinstance(over, int) and axis is None and keepdims is None and initial is ... and is_whole


@constexpr
def _given(initial: Any) -> Any:
    """The value that counts as an element, None where none is given."""
    return None if initial is ... else initial


def method_argmax(
    x: Tensor,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
) -> Any:
    """The index of the largest element along an axis, by default of all elements."""
    return F.argmax(x, axis if dim is None else dim, keepdims or keepdim)


def method_ndimension(x: Tensor) -> Any:
    """The number of dimensions."""
    return F.rank(x)


def method_clip(x: Tensor, min: float | None = None, max: float | None = None) -> Any:  # noqa: A002 - MindSpore's names
    """The elements limited to the range from `min` to `max`."""
    return F.clamp(x, min, max)


def method_add(x: Tensor, other: Tensor | float, *, alpha: Any = 1) -> Any:
    """x + alpha * other."""
    return add(x, other if alpha == 1 else mul(other, alpha))


def method_sub(x: Any, other: Any, *, alpha: Any = 1) -> Any:
    """x - alpha * other."""
    return sub(x, other if alpha == 1 else mul(other, alpha))


def method_div(x: Tensor, other: Tensor | float, *, rounding_mode: Any = None) -> Any:
    """x / other; `rounding_mode` may round it down ("floor") or towards zero ("trunc")."""
    if rounding_mode == "floor":
        return F.floor_div(x, other)
    return F.trunc(truediv(x, other)) if rounding_mode == "trunc" else truediv(x, other)


def method_astype(x: Any, dtype: Any, copy: bool = True) -> Tensor:
    """The elements converted to another type; Python's `float` means Float64 here, as in MindSpore."""
    return F.cast(x, mstype.float64 if dtype is float else dtype)


def method_half(x: Tensor) -> Any:
    """The elements as Float16."""
    return F.cast(x, mstype.float16)


def method_double(x: Tensor) -> Any:
    """The elements as Float64."""
    return F.cast(x, mstype.float64)


def method_long(x: Tensor) -> Any:
    """The elements as Int64."""
    return F.cast(x, mstype.int64)


def method_type_as(x: Any, other: Any) -> Any:
    """The elements converted to the element type of another tensor."""
    return F.cast(x, other.dtype)


def method_view_as(x: Tensor, other: Tensor | float) -> Any:
    """The same elements in another tensor's shape."""
    return F.reshape(x, F.shape(other))


def method_ravel(x: Tensor) -> Any:
    """The elements in one dimension."""
    return F.reshape(x, (-1,))


def method_numel(x: Tensor) -> Any:
    """The number of elements."""
    return F.size(x)


def method_where(x: Tensor, condition: Any, y: Tensor | float) -> Any:
    """The elements of x where the condition is true, those of y elsewhere."""
    return F.select(condition, x, y)


def method_new_zeros(x: Tensor, size: int | Sequence[int], dtype: DType | None = None) -> Any:
    """Zeros of a shape, by default of the element type of x."""
    return F.zeros(size, x.dtype if dtype is None else dtype)


def method_new_ones(x: Tensor, size: int | Sequence[int], dtype: DType | None = None) -> Any:
    """Ones of a shape, by default of the element type of x."""
    return F.ones(size, x.dtype if dtype is None else dtype)


def variadic(given: tuple[Any, ...]) -> tuple[int, ...]:
    """Arguments that may be passed as one tuple, as a tuple."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], list | tuple) else given


@constexpr
def reversed_order(rank: int) -> tuple[int, ...]:
    """The opposite order of dimensions."""
    return tuple(range(rank - 1, -1, -1))


#: For each method name the function that `x.name(...)` calls with x as first argument.
METHODS: Final[dict[str, Callable[..., Any]]] = {
    "tensor_add": add,
    "tensor_mul": mul,
    "add": method_add,
    "sub": method_sub,
    "div": method_div,
    "neg": neg,
    "abs": absolute,
    "mm": F.mm,
    "mv": F.mv,
    "dot": F.dot,
    "reshape": method_reshape,
    "view": method_view,
    "transpose": method_transpose,
    "permute": method_permute,
    "swapaxes": F.swapaxes,
    "flatten": method_flatten,
    "squeeze": F.squeeze,
    "unsqueeze": F.unsqueeze,
    "broadcast_to": method_broadcast_to,
    "tile": method_tile,
    "flip": F.flip,
    "tril": F.tril,
    "triu": F.triu,
    "astype": method_astype,
    "to": method_astype,
    "float": method_float,
    "int": method_int,
    "bool": method_bool,
    "sum": method_sum,
    "mean": method_mean,
    "max": method_max,
    "min": method_min,
    "amax": F.amax,
    "amin": F.amin,
    "argmax": method_argmax,
    "cumprod": F.cumprod,
    "topk": F.topk,
    "clip": method_clip,
    "clamp": F.clamp,
    "softmax": F.softmax,
    "log_softmax": F.log_softmax,
    "norm": F.norm,
    "roll": F.roll,
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
    "unfold": F.unfold,
    "tensor_dot": F.tensor_dot,
    "reverse_sequence": F.reverse_sequence,
    "multinomial": F.multinomial,
    "half": method_half,
    "double": method_double,
    "long": method_long,
    "type": method_astype,
    "type_as": method_type_as,
    "view_as": method_view_as,
    "reshape_as": method_view_as,
    "ravel": method_ravel,
    "t": method_t,
    "unbind": F.unbind,
    "outer": F.outer,
    "bmm": F.bmm,
    "logsumexp": F.logsumexp,
    "numel": method_numel,
    "nelement": method_numel,
    "ndimension": method_ndimension,
    "where": method_where,
    "new_zeros": method_new_zeros,
    "new_ones": method_new_ones,
}

#: Functions of the tensor alone, methods of the same name.
_ALIKE: Final = (
    "exp", "log", "log1p", "expm1", "sqrt", "rsqrt", "square", "reciprocal", "sin", "cos", "tan", "asin", "acos",
    "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "sigmoid", "relu", "floor", "ceil",
    "trunc", "sign", "isnan", "isinf", "isfinite", "logical_not", "inverse", "det", "unique", "digamma",
    "lgamma", "erfinv", "mish", "tensor_scatter_add", "tensor_scatter_sub", "tensor_scatter_update",
    "tensor_scatter_mul", "tensor_scatter_div", "tensor_scatter_max", "tensor_scatter_min", "floor_div", "floor_mod",
    "zeros_like", "ones_like",
)  # fmt: skip

#: Other names of such methods.
_SYNONYMS: Final = {
    "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh",
    "negative": "neg", "absolute": "abs", "inv": "reciprocal",
}  # fmt: skip


def _method(name: str) -> Callable[..., Any]:
    """A function that calls the primitive of this name; Python binds only functions as methods."""
    primitive = getattr(F, name)

    def method(x: Tensor, *others: Any) -> Any:
        return primitive(x, *others)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = type(primitive).__doc__
    return method


def _as_method(name: str) -> Callable[..., Any]:
    """A function of the tensor as its method; of a primitive, a function that calls it."""
    return getattr(F, name) if isinstance(getattr(F, name), FunctionType) else _method(name)


def bind() -> None:
    """Set the operators and methods of `Tensor`."""
    METHODS.update({name: _method(name) for name in _ALIKE})
    METHODS.update({name: _method(other) for name, other in _SYNONYMS.items()})
    METHODS.update({name: _as_method(name) for name in SAME})
    METHODS.update({**FUNCTIONS, **IN_PLACE, **SPELLINGS})
    METHODS.update({name: with_other(other) for name, other in OF_OTHER.items()})
    for name, function in {**OPERATORS, **METHODS}.items():
        setattr(Tensor, name, function)
    Tensor.__getitem__ = pick  # type: ignore[method-assign]
    Tensor.__setitem__ = set_in_place  # type: ignore[method-assign]
    Tensor.__iter__ = iterate  # type: ignore[method-assign]
    Tensor.T = property(method_t)  # type: ignore[attr-defined]
    for name, getter in PROPERTIES.items():
        setattr(Tensor, name, property(getter))


bind()
