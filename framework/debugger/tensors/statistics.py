"""Statistics of a tensor: what watchpoints check, what the page shows, what the search for a cause compares.

Floating-point tensors are gone through by compiled loops (`framework.kernels.loops`), once for everything that
conditions ask for; where these are missing, and for other element types, numpy does the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from framework.common import device
from framework.common.threads import threads_for
from framework.debugger.tensors.tensor_names import TensorName
from framework.kernels.loops.library import LOOPS, address
from summaries.schema import debugger_pb2 as wire

__all__ = ["Change", "Statistics", "change_between", "is_finite", "message_of", "statistics_of", "within", "zeros_in"]

_FLOATS: Final = {np.dtype(np.float32): "float32", np.dtype(np.float64): "float64"}
_OPERATIONS: Final = 10
"""Of an element, so many are done in one pass."""
_Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is known of a tensor. Extremes, sums and means are those of finite elements, NaN where there are none.

    Attributes:
        count: elements.
        min: the smallest.
        max: the largest.
        sum: of all, in Float64.
        sum_abs: of absolute values.
        sum_squares: of squares.
        abs_min: the smallest absolute value that is not zero; infinite where all are.
        zeros: how many are zero.
        negative: finite and below zero.
        positive: finite and above zero.
        nans: how many are NaN.
        pos_infs: how many are infinite.
        neg_infs: how many are minus infinite.
    """

    count: int
    min: float
    max: float
    sum: float
    sum_abs: float
    sum_squares: float
    abs_min: float
    zeros: int
    negative: int
    positive: int
    nans: int
    pos_infs: int
    neg_infs: int

    @property
    def finite(self) -> int:
        """How many elements are."""
        return self.count - self.nans - self.pos_infs - self.neg_infs

    @property
    def mean(self) -> float:
        """Of finite elements."""
        return self.sum / self.finite if self.finite else math.nan

    @property
    def abs_mean(self) -> float:
        """The mean of absolute values."""
        return self.sum_abs / self.finite if self.finite else math.nan

    @property
    def abs_max(self) -> float:
        """The largest absolute value."""
        return max(abs(self.min), abs(self.max)) if self.finite else math.nan

    @property
    def l2(self) -> float:
        """The root of the sum of squares."""
        return math.sqrt(self.sum_squares)

    @property
    def std(self) -> float:
        """The standard deviation, from sums: for tensors whose mean is far larger than it, digits are lost."""
        if not self.finite:
            return math.nan
        return math.sqrt(max(0.0, self.sum_squares / self.finite - self.mean**2))

    @property
    def zero_percentage(self) -> float:
        """How many of a hundred elements are zero."""
        return 100.0 * self.zeros / self.count if self.count else 0.0

    @property
    def is_finite(self) -> bool:
        """Whether every element is."""
        return self.finite == self.count


@dataclass(frozen=True, slots=True)
class Change:
    """How far a tensor is from what it was.

    Attributes:
        sum_change: the sum of |x - y|, of elements that are finite in both.
        sum_before: the sum of |y| of these.
        both: how many they are.
        apart: how many elements are not close: |x - y| > atol + rtol |y|, or not finite and not equal.
    """

    sum_change: float
    sum_before: float
    both: int
    apart: int

    def ratio(self, epsilon: float = 1e-9) -> float:
        """The mean of changes over the mean of what was there, as MindInsight has it."""
        if not self.both:
            return math.nan
        return (self.sum_change / self.both) / (self.sum_before / self.both + epsilon)


def statistics_of(array: Any) -> Statistics:
    """What is known of a tensor's elements, in one pass.

    Args:
        array: of any shape; on the CPU or on a device. Complex numbers count by their absolute values.
    """
    values = _flat(array)
    kind = _FLOATS.get(values.dtype)
    if LOOPS is None or kind is None:
        return _by_numpy(values)
    made = np.empty(12, np.float64)
    LOOPS.functions[f"{kind}_statistics"](
        address(values), values.size, address(made), threads_for(_OPERATIONS * values.size)
    )
    zeros, nans, up, down, negative, positive, total, absolute, squares, low, high, least = made.tolist()
    if low > high:
        low = high = math.nan
    counts = (int(item) for item in (zeros, negative, positive, nans, up, down))
    return Statistics(values.size, low, high, total, absolute, squares, least, *counts)


def is_finite(array: Any) -> bool:
    """Whether every element is a number that is not infinite.

    Goes through the elements until it finds one that is not.
    """
    values = _flat(array)
    kind = _FLOATS.get(values.dtype)
    if LOOPS is not None and kind is not None:
        return bool(LOOPS.functions[f"{kind}_finite"](address(values), values.size))
    return values.dtype.kind != "f" or bool(np.isfinite(values).all())


def zeros_in(array: Any) -> int:
    """How many elements are zero."""
    values = _flat(array)
    kind = _FLOATS.get(values.dtype)
    if LOOPS is not None and kind is not None:
        return int(LOOPS.functions[f"{kind}_zeros"](address(values), values.size))
    return int(values.size - np.count_nonzero(values))


def change_between(array: Any, before: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Change:
    """How far a tensor is from what it was.

    Args:
        array: as it is.
        before: as it was: of the same shape and element type.
        rtol: how far apart elements may be that count as close, as a part of the one that was there.
        atol: and besides.
    """
    now, then = _flat(array), _flat(before)
    kind = _FLOATS.get(now.dtype)
    if LOOPS is not None and kind is not None and then.dtype == now.dtype and then.size == now.size:
        made = np.empty(4, np.float64)
        getattr(LOOPS, f"{kind}_change")(
            address(now), address(then), now.size, rtol, atol, address(made), threads_for(_OPERATIONS * now.size)
        )
        return Change(float(made[0]), float(made[1]), int(made[2]), int(made[3]))
    one, other = now.astype(np.float64), then.astype(np.float64)
    known = np.isfinite(one) & np.isfinite(other)
    step = np.abs(one[known] - other[known])
    size = np.abs(other[known])
    apart = int((step > atol + rtol * size).sum()) + int((one[~known] != other[~known]).sum())
    return Change(float(step.sum()), float(size.sum()), int(known.sum()), apart)


def within(array: Any, low: float, high: float) -> int:
    """How many elements are between two numbers, these included."""
    values = _flat(array)
    kind = _FLOATS.get(values.dtype)
    if LOOPS is not None and kind is not None:
        return int(getattr(LOOPS, f"{kind}_within")(address(values), values.size, low, high))
    wide = values.astype(np.float64)
    return int(((wide >= low) & (wide <= high)).sum())


def message_of(array: Any, name: TensorName | None = None) -> wire.Statistics:
    """All that the page shows of a tensor, with places and an exact deviation: three passes.

    Args:
        array: of any shape.
        name: the tensor's.
    """
    values = _flat(array)
    found = statistics_of(values)
    made = wire.Statistics(
        dtype=str(device.to_numpy(array).dtype), shape=device.to_numpy(array).shape, count=found.count,
        min=found.min, max=found.max, mean=found.mean, std=_deviation(values, found), abs_mean=found.abs_mean,
        zeros=found.zeros, nans=found.nans, pos_infs=found.pos_infs, neg_infs=found.neg_infs, l2=found.l2,
        negative=found.negative, positive=found.positive, min_at=-1, max_at=-1, bad_at=-1, abs_min=found.abs_min,
    )  # fmt: skip
    if name is not None:
        made.tensor.CopyFrom(name.message)
    if found.finite:
        made.min_at, made.max_at = (
            int(np.argmax(values == values.dtype.type(item))) for item in (found.min, found.max)
        )
    if not found.is_finite:
        made.bad_at = int(np.argmax(~np.isfinite(values)))
    return made


def _flat(array: Any) -> _Array:
    """The elements one behind the other, as numbers that can be ordered."""
    if type(array) is np.ndarray and array.dtype in _FLOATS and array.flags.c_contiguous:
        return array
    values = np.ascontiguousarray(device.to_numpy(array)).reshape(-1)
    if values.dtype == np.float16:
        return values.astype(np.float32)
    if values.dtype.kind == "c":
        return np.asarray(np.abs(values))
    return values.astype(np.uint8) if values.dtype == np.bool_ else values


def _deviation(values: _Array, found: Statistics) -> float:
    """The standard deviation of finite elements, by a second pass around the mean."""
    if not found.finite:
        return math.nan
    kind = _FLOATS.get(values.dtype)
    if LOOPS is not None and kind is not None:
        squares = float(getattr(LOOPS, f"{kind}_deviation")(address(values), found.mean, values.size))
    else:
        wide = values[np.isfinite(values)].astype(np.float64)
        squares = float(np.square(wide - found.mean).sum())
    return math.sqrt(squares / found.finite)


def _by_numpy(values: _Array) -> Statistics:
    finite = values[np.isfinite(values)]
    wide = finite.astype(np.float64)
    sizes = np.abs(wide)
    some = sizes[sizes > 0]
    return Statistics(
        count=values.size,
        min=float(finite.min()) if finite.size else math.nan,
        max=float(finite.max()) if finite.size else math.nan,
        sum=float(wide.sum()),
        sum_abs=float(sizes.sum()),
        sum_squares=float(np.square(wide).sum()),
        abs_min=float(some.min()) if some.size else math.inf,
        zeros=int((values == 0).sum()),
        negative=int((finite < 0).sum()),
        positive=int((finite > 0).sum()),
        nans=int(np.isnan(values).sum()),
        pos_infs=int((values == np.inf).sum()),
        neg_infs=int((values == -np.inf).sum()),
    )
