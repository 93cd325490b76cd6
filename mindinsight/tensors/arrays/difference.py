"""Compares two views of the same shape: how much and where they differ. Called by `views.py`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.tensors.arrays.elements import Array, portions
from mindinsight.tensors.arrays.search import Test

WORST = 20
"""Number of largest differences that are listed."""
# Reinterprets floats of one type as integers in the same order.
_BITS = {"float16": np.uint16, "float32": np.uint32, "float64": np.uint64}


@dataclass(frozen=True)
class Pair:
    """One of the largest differences.

    Attributes:
        number: number of the element in C order.
        one: value in the first view: a float, an integer or a complex number.
        other: value in the second view.
        absolute: absolute difference; NaN if only one is NaN.
        relative: absolute difference divided by the second value's magnitude.
        ulp: difference in ULPs of their type; None if that is not defined.
    """

    number: int
    one: Any
    other: Any
    absolute: float
    relative: float
    ulp: int | None


@dataclass
class Difference:
    """The difference of two views. Two NaN are equal, and so are two infinities with the same sign.

    Attributes:
        count: number of elements.
        equal: number of equal elements.
        outside: number of elements outside the tolerance |one - other| <= atol + rtol * |other|, like `numpy.isclose`.
        max_absolute: the largest absolute difference of finite elements. The relative and the ULP maxima are analogous.
        mean_absolute: the mean of the absolute differences of finite elements.
        cosine: cosine similarity of the finite elements; None if one has length 0.
        worst: the largest differences. Those with a non-finite value on only one side come first.
    """

    count: int = 0
    equal: int = 0
    outside: int = 0
    max_absolute: float = 0.0
    max_relative: float = 0.0
    max_ulp: int | None = None
    mean_absolute: float | None = None
    cosine: float | None = None
    worst: list[Pair] = field(default_factory=list)


def outside(rtol: float, atol: float) -> Test:
    """Returns a test for elements that differ by more than a tolerance."""
    return lambda one, other: ~_close(one, other, rtol, atol)


def _close(one: Array, other: Array, rtol: float, atol: float) -> npt.NDArray[np.bool_]:
    # As float64, the integers 2^53 and 2^53 + 1 would be equal.
    same = (one == other) | (_nan(one) & _nan(other))
    if rtol == 0 and atol == 0:
        return np.asarray(same)
    return np.asarray(same | np.isclose(_fine(one), _fine(other), rtol, atol, equal_nan=True))


def _nan(values: Array) -> npt.NDArray[np.bool_]:
    return np.isnan(values) if values.dtype.kind in "fc" else np.zeros(values.shape, bool)


def _fine(values: Array) -> Array:
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)


def ulps(one: Array, other: Array) -> npt.NDArray[np.uint64] | None:
    """Returns the differences of elements in ULPs of their common float type; None for other types.

    Both zeros are the same number, infinity is one step beyond the largest number, and a distance to NaN is undefined.
    """
    if one.dtype.name not in _BITS or one.dtype != other.dtype:
        return None
    first, second = _ordered(one), _ordered(other)
    return np.maximum(first, second) - np.minimum(first, second)


def _ordered(values: Array) -> npt.NDArray[np.uint64]:
    kind = _BITS[values.dtype.name]
    bits = np.ascontiguousarray(values).view(kind).astype(np.uint64)
    sign = np.uint64(1 << (8 * values.dtype.itemsize - 1))
    size = bits & (sign - np.uint64(1))
    middle = np.uint64(1 << 63)
    return np.where(bits & sign, middle - size, middle + size)


def difference(one: Array, other: Array, rtol: float, atol: float, half: bool = False) -> Difference:
    """Returns the difference of two views of the same shape.

    Args:
        one: the first view.
        other: the second view, to whose values the relative tolerance refers.
        rtol: relative tolerance.
        atol: absolute tolerance.
        half: whether both are bfloat16 stored as float32, where one ULP is 2^16.
    """
    found = Difference(count=one.size)
    errors: list[float] = []
    products = np.zeros(3)
    finite = 0
    with np.errstate(all="ignore"):
        for start, (a, b) in portions([one, other]):
            found.outside += int(np.count_nonzero(~_close(a, b, rtol, atol)))
            same = _close(a, b, 0, 0)
            found.equal += int(same.sum())
            x, y = _fine(a), _fine(b)
            usable = np.isfinite(x) & np.isfinite(y)
            products += _products(x[usable], y[usable])
            finite += int(usable.sum())
            if same.all():
                continue
            apart = np.where(same, 0.0, np.abs(_subtracted(a, b)))
            between = ulps(a, b)
            if between is not None and half:
                between >>= np.uint64(16)
            errors.append(float(apart[usable].sum()))
            _note_largest(found, apart, y, between, usable)
            found.worst = _worst(found.worst, _candidates(start, a, b, apart, y, between, same))
    if finite:
        found.mean_absolute = math.fsum(one / finite for one in errors) if all(map(math.isfinite, errors)) else math.inf
    if found.max_ulp is None and one.dtype.name in _BITS and one.dtype == other.dtype:
        found.max_ulp = 0
    lengths = math.sqrt(products[1]) * math.sqrt(products[2])
    found.cosine = float(products[0] / lengths) if lengths and math.isfinite(lengths) else None
    return found


def _subtracted(a: Array, b: Array) -> Array:
    if a.dtype.kind in "iu" and b.dtype.kind in "iu":
        # Exact where float64 is not.
        return np.where(
            a > b, a.astype(np.uint64) - b.astype(np.uint64), b.astype(np.uint64) - a.astype(np.uint64)
        ).astype(float)
    return np.asarray(_fine(a) - _fine(b))


def _products(x: Array, y: Array) -> npt.NDArray[np.float64]:
    return np.array([np.vdot(y, x).real, np.vdot(x, x).real, np.vdot(y, y).real])


def _note_largest(found: Difference, apart: Array, other: Array, between: Array | None, usable: Array) -> None:
    if not usable.any():
        return
    found.max_absolute = max(found.max_absolute, float(apart[usable].max()))
    relative = _relative(apart[usable], np.abs(other[usable]))
    found.max_relative = max(found.max_relative, float(relative.max()))
    if between is not None:
        found.max_ulp = max(found.max_ulp or 0, int(between[usable].max()))


def _relative(apart: Array, size: Array) -> Array:
    return np.where(apart == 0, 0.0, apart / size)


def _candidates(
    start: int, a: Array, b: Array, apart: Array, other: Array, between: Array | None, same: Array
) -> list[Pair]:
    rank = np.where(same, -1.0, np.where(np.isnan(apart), np.inf, apart))
    few = np.argpartition(-rank, WORST)[:WORST] if len(rank) > WORST else np.arange(len(rank))
    found = []
    for at in few[rank[few] >= 0]:
        distance = float(apart[at])
        relative = float(_relative(apart[at], np.abs(other[at])))
        nothing = between is None or math.isnan(distance)
        ulp = None if nothing or between is None else int(between[at])
        found.append(Pair(start + int(at), a[at].item(), b[at].item(), distance, relative, ulp))
    return found


def _worst(known: list[Pair], more: list[Pair]) -> list[Pair]:
    def order(pair: Pair) -> tuple[float, float]:
        size = math.inf if math.isnan(pair.absolute) else pair.absolute
        return -size, pair.number

    return sorted(known + more, key=order)[:WORST]
