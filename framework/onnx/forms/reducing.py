"""Over axes: sums, means, extremes, cumulative sums, sorting, counting."""

from __future__ import annotations

from typing import Any, Final

from framework.common import dtype as mstype
from framework.onnx.forms.form_table import Application, Written, form
from framework.onnx.writer.nodes import UnwritableError

__all__: list[str] = []

_TOTALS: Final = ("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin")


def axes_of(a: Application, given: Any) -> list[int] | None:
    """The axes of a reduction, counted from the front; None for all."""
    if given is None or given == () or given == []:
        return None
    axes = (given,) if isinstance(given, int) else tuple(given)
    return sorted({a.axis(0, int(axis)) for axis in axes})


@form(*_TOTALS)
def total(a: Application) -> Written:
    given = a.value(1) if len(a) > 1 else ()
    axes, keep = axes_of(a, given), bool(a.operator.keep_dims)
    if a.rank(0) == 0:
        return a.of(0, a.out.dtype)
    return a.reduce(type(a.operator).__name__, a.of(0, a.out.dtype), axes, keep)


@form("ReduceAll", "ReduceAny")
def logical_total(a: Application) -> Written:
    axes = axes_of(a, a.value(1) if len(a) > 1 else ())
    kind = "ReduceMin" if type(a.operator).__name__ == "ReduceAll" else "ReduceMax"
    number = a.cast(a.of(0, mstype.bool_), mstype.int32)
    if a.rank(0):
        number = a.reduce(kind, number, axes, bool(a.operator.keep_dims))
    return a.cast(number, mstype.bool_)


@form("Argmax", "Argmin")
def arg_extreme(a: Application) -> Written:
    kind = "ArgMax" if type(a.operator).__name__ == "Argmax" else "ArgMin"
    found = a.emit(kind, a.of(0), axis=a.axis(0, a.operator.axis), keepdims=0)
    return found if a.out.dtype is mstype.int64 else a.cast(found, a.out.dtype)


@form("ArgMaxWithValue", "ArgMinWithValue")
def extreme_with_place(a: Application) -> Written:
    is_most = type(a.operator).__name__ == "ArgMaxWithValue"
    axis, keep = a.axis(0, a.operator.axis), bool(a.operator.keep_dims)
    place = a.emit("ArgMax" if is_most else "ArgMin", a.of(0), axis=axis, keepdims=int(keep))
    value = a.reduce("ReduceMax" if is_most else "ReduceMin", a.of(0), [axis], keep)
    return (place if a.out.dtype is mstype.int64 else a.cast(place, a.out.dtype)), value


@form("CumSum")
def cumulative_sum(a: Application) -> Written:
    axis = a.number(a.axis(0, int(a.value(1))), mstype.int64)
    flags = {"exclusive": int(a.operator.exclusive), "reverse": int(a.operator.reverse)}
    return a.emit("CumSum", a.of(0, a.out.dtype), axis, **flags)


@form("TopK")
def top(a: Application) -> Written:
    count = a.numbers(int(a.value(1)))
    values, places = a.several("TopK", a.of(0), count, outputs=2, axis=-1, largest=1, sorted=1)
    return values, a.cast(places, mstype.int32)


@form("Sort")
def sort(a: Application) -> Written:
    axis = a.axis(0, a.operator.axis)
    count = a.emit("Gather", a.emit("Shape", a.of(0)), a.numbers(axis))
    flags = {"axis": axis, "largest": int(a.operator.descending), "sorted": 1}
    values, places = a.several("TopK", a.of(0), count, outputs=2, **flags)
    return values, a.cast(places, mstype.int32)


@form("L2Loss")
def half_of_squares(a: Application) -> Written:
    x = a.of(0)
    squares = a.emit("Mul", x, x)
    return a.emit("Mul", a.reduce("ReduceSum", squares, None, False), a.number(0.5))


@form("SquareSumAll")
def sums_of_squares(a: Application) -> Written:
    return tuple(a.reduce("ReduceSum", a.emit("Mul", a.of(i), a.of(i)), None, False) for i in (0, 1))


@form("L2Normalize")
def l2_normalize(a: Application) -> Written:
    x = a.of(0)
    sums = a.reduce("ReduceSum", a.emit("Mul", x, x), axes_of(a, a.operator.axis), True)
    return a.emit("Div", x, a.emit("Sqrt", a.emit("Max", sums, a.number(a.operator.epsilon))))


@form("NonZero")
def non_zero(a: Application) -> Written:
    found = a.emit("Transpose", a.emit("NonZero", a.of(0)), perm=[1, 0])
    return found if a.out.dtype is mstype.int64 else a.cast(found, a.out.dtype)


@form("MaskedSelect")
def masked_select(a: Application) -> Written:
    if a.shape(0) != a.shape(1):
        raise UnwritableError("the mask has another shape")
    flat = [a.emit("Reshape", a.of(place), a.numbers(-1)) for place in (0, 1)]
    return a.emit("Compress", *flat, axis=0)
