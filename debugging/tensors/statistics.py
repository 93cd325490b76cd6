"""Statistics of a tensor, for watchpoints, the page, and the search for a cause.

Compiled loops compute them for Float32 and Float64, and numpy for all other types, or where nothing was compiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from debugging.tensors.arrays import to_numpy
from debugging.tensors.kernel.library import KERNEL, Kernel
from debugging.tensors.tensor_names import TensorName
from summaries.schema import debugger_pb2 as wire

__all__ = [
    "Change", "Changes", "Statistics", "change_between", "changes_between", "is_finite", "message_of", "statistics_of",
    "use_numpy", "use_threads", "within", "zeros_in",
]  # fmt: skip

_Array = np.ndarray[Any, Any]


_kernel = KERNEL


def use_threads(threads_for: Callable[[float], int]) -> None:
    """Let a framework choose how many threads compute; one does by default.

    Args:
        threads_for: Gives the number of threads for a number of operations.
    """
    if _kernel is not None:
        _kernel.threads_for = threads_for


def use_numpy() -> None:
    """Compute with numpy alone from now on."""
    global _kernel
    _kernel = None


def _kernel_for(values: _Array) -> Kernel | None:
    return _kernel if _kernel is not None and _kernel.takes(values.dtype) else None


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of a tensor. Extremes, sums and means cover finite elements; NaN if there are none.

    Attributes:
        count: Number of elements.
        min: The smallest element.
        max: The largest element.
        sum: Sum in float64.
        sum_abs: Sum of absolute values.
        sum_squares: Sum of squares.
        abs_min: The smallest absolute value that is not zero; infinite if there is none.
        zeros: Number of zeros.
        negative: Number of finite elements below zero.
        positive: Number of finite elements above zero.
        nans: Number of NaNs.
        pos_infs: Number of positive infinities.
        neg_infs: Number of negative infinities.
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
        """Number of finite elements."""
        return self.count - self.nans - self.pos_infs - self.neg_infs

    @property
    def mean(self) -> float:
        """The mean."""
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
        """The standard deviation from the sums; imprecise if the mean is far larger."""
        if not self.finite:
            return math.nan
        return math.sqrt(max(0.0, self.sum_squares / self.finite - self.mean**2))

    @property
    def zero_percentage(self) -> float:
        """The percentage of zeros."""
        return 100.0 * self.zeros / self.count if self.count else 0.0

    @property
    def is_finite(self) -> bool:
        """Whether every element is finite."""
        return self.finite == self.count


@dataclass(frozen=True, slots=True)
class Change:
    """The difference of a tensor x from its former value y.

    Attributes:
        sum_change: Sum of |x - y| over elements that are finite in both.
        sum_before: Sum of |y| over these elements.
        both: Their number.
        apart: Number of elements that are not close: |x - y| > atol + rtol |y|, or not finite and not equal.
    """

    sum_change: float
    sum_before: float
    both: int
    apart: int

    def ratio(self, epsilon: float = 1e-9) -> float:
        """MindInsight's update ratio: the mean change over the mean of the former absolute values."""
        if not self.both:
            return math.nan
        return (self.sum_change / self.both) / (self.sum_before / self.both + epsilon)


def statistics_of(array: Any) -> Statistics:
    """The statistics of a tensor in one pass.

    Args:
        array: Of any shape, on the CPU or a device. Complex numbers count by their absolute values.
    """
    values = _flat(array)
    kernel = _kernel_for(values)
    if kernel is None:
        return _by_numpy(values)
    zeros, nans, up, down, negative, positive, total, absolute, squares, low, high, least = kernel.statistics(values)
    if low > high:
        low = high = math.nan
    counts = (int(item) for item in (zeros, negative, positive, nans, up, down))
    return Statistics(values.size, low, high, total, absolute, squares, least, *counts)


def is_finite(array: Any) -> bool:
    """Whether every element is finite.

    Stops at the first element that is not.
    """
    values = _flat(array)
    if (kernel := _kernel_for(values)) is not None:
        return kernel.is_finite(values)
    return values.dtype.kind != "f" or bool(np.isfinite(values).all())


def zeros_in(array: Any) -> int:
    """The number of zeros."""
    values = _flat(array)
    if (kernel := _kernel_for(values)) is not None:
        return kernel.zeros(values)
    return int(values.size - np.count_nonzero(values))


def change_between(array: Any, before: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Change:
    """The difference of a tensor from its former value.

    Args:
        array: The current value.
        before: The former value, of the same shape and dtype.
        rtol: Relative tolerance of close elements.
        atol: Absolute tolerance of close elements.
    """
    now, then = _flat(array), _flat(before)
    kernel = _kernel_for(now)
    if kernel is not None and then.dtype == now.dtype and then.size == now.size:
        changed, former, both, apart = kernel.change(now, then, rtol, atol)
        return Change(changed, former, int(both), int(apart))
    one, other = now.astype(np.float64), then.astype(np.float64)
    known = np.isfinite(one) & np.isfinite(other)
    step = np.abs(one[known] - other[known])
    size = np.abs(other[known])
    apart = int((step > atol + rtol * size).sum()) + int((one[~known] != other[~known]).sum())
    return Change(float(step.sum()), float(size.sum()), int(known.sum()), apart)


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of several tensors, in columns; those of a tensor without a former value are 0.

    Attributes:
        sum_change: As in `Change`.
        sum_before: As in `Change`.
        both: As in `Change`.
        apart: As in `Change`.
        finite: Whether all elements are finite.
    """

    sum_change: _Array
    sum_before: _Array
    both: _Array
    apart: _Array
    finite: _Array


def changes_between(arrays: Sequence[Any], before: Sequence[Any], rtol: float = 0.0, atol: float = 0.0) -> Changes:
    """The differences of several tensors from their former values, in one call for each element type.

    Args:
        arrays: The current values.
        before: The former values, of the same shapes and types; None for a tensor that is not compared.
        rtol: Relative tolerance of close elements.
        atol: Absolute tolerance of close elements.
    """
    now = [_flat(array) for array in arrays]
    then = [None if array is None else _flat(array) for array in before]
    found = np.empty((len(now), 5), np.float64)
    groups: dict[str, list[int]] = {}
    for place, (array, former) in enumerate(zip(now, then, strict=True)):
        is_alike = former is None or (former.dtype == array.dtype and former.size == array.size)
        if is_alike and _kernel_for(array) is not None:
            groups.setdefault(array.dtype.char, []).append(place)
            continue
        change = Change(0.0, 0.0, 0, 0) if former is None else change_between(array, former, rtol, atol)
        found[place] = change.sum_change, change.sum_before, change.both, change.apart, is_finite(array)
    for places in groups.values():
        kernel = _kernel_for(now[places[0]])
        assert kernel is not None  # noqa: S101
        found[places] = kernel.changes([now[at] for at in places], [then[at] for at in places], rtol, atol)
    return Changes(found[:, 0], found[:, 1], found[:, 2], found[:, 3], found[:, 4] > 0)


def within(array: Any, low: float, high: float) -> int:
    """The number of elements between two numbers, both included."""
    values = _flat(array)
    if (kernel := _kernel_for(values)) is not None:
        return kernel.within(values, low, high)
    wide = values.astype(np.float64)
    return int(((wide >= low) & (wide <= high)).sum())


def message_of(array: Any, name: TensorName | None = None) -> wire.Statistics:
    """All statistics that the page shows, with positions and an exact standard deviation, in three passes.

    Args:
        array: Of any shape.
        name: Of the tensor.
    """
    whole = to_numpy(array)
    values = _flat(whole)
    found = statistics_of(values)
    made = wire.Statistics(
        dtype=str(whole.dtype), shape=whole.shape, count=found.count,
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
    """The elements as a flat array of numbers that can be ordered."""
    if type(array) is np.ndarray and array.flags.c_contiguous and _kernel_for(array) is not None:
        return array
    values = np.ascontiguousarray(to_numpy(array)).reshape(-1)
    if values.dtype.itemsize == 2 and values.dtype.char in "eE":
        return values.astype(np.float32)
    if values.dtype.kind == "c":
        return np.asarray(np.abs(values))
    return values.astype(np.uint8) if values.dtype == np.bool_ else values


def _deviation(values: _Array, found: Statistics) -> float:
    """The standard deviation of finite elements, from a second pass around the mean."""
    if not found.finite:
        return math.nan
    if (kernel := _kernel_for(values)) is not None:
        squares = kernel.squares(values, found.mean)
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
