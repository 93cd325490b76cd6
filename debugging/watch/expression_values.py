"""Values in expressions: statistics of a tensor, of other tensors, of the step, and values of earlier steps.

`expression_parser.py` combines them into functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from debugging.tensors.statistics import Statistics

__all__ = ["STATISTICS", "AllAsked", "Average", "Moment", "Previous", "Value", "divided", "joined", "truth"]

STATISTICS: Final[Mapping[str, Callable[[Statistics], float]]] = {
    "min": lambda s: s.min,
    "max": lambda s: s.max,
    "mean": lambda s: s.mean,
    "std": lambda s: s.std,
    "abs_mean": lambda s: s.abs_mean,
    "abs_max": lambda s: s.abs_max,
    "abs_min": lambda s: s.abs_min,
    "l2": lambda s: s.l2,
    "zeros": lambda s: s.zeros,
    "zero_percentage": lambda s: s.zero_percentage,
    "nans": lambda s: s.nans,
    "infs": lambda s: s.pos_infs + s.neg_infs,
    "count": lambda s: s.count,
}
"""Statistics of a tensor by their names in expressions."""


@dataclass(slots=True)
class Moment:
    """The tensor and the step for which an expression is evaluated.

    Attributes:
        step: Number of the step.
        loss: Its loss; NaN if unknown.
        rate: The learning rate; NaN if unknown.
        tensor: Statistics of the tensor; None for an expression about the step.
        subject: Name of the tensor.
        of_pattern: Statistics of the tensors of this step that match a pattern.
    """

    step: int
    loss: float
    rate: float
    tensor: Statistics | None
    subject: str
    of_pattern: Callable[[str], Iterator[Statistics]]


Value = Callable[[Moment], float]


class AllAsked:
    """A disjunction or conjunction. Evaluates every part, so that averages see each step."""

    def __init__(self, parts: list[Value], of: Callable[[list[bool]], bool]) -> None:
        self._parts = parts
        self._of = of

    def __call__(self, moment: Moment) -> float:
        """The value at a moment."""
        return float(self._of([truth(part(moment)) for part in self._parts]))


class _Remembering:
    """The base of values that depend on earlier steps; keeps a number for each tensor."""

    def __init__(self, inner: Value) -> None:
        self._inner = inner
        self._kept: dict[str, Any] = {}


class Previous(_Remembering):
    """A value in the step before; NaN in the first step."""

    def __call__(self, moment: Moment) -> float:
        """The value at a moment."""
        now = self._inner(moment)
        before = self._kept.get(moment.subject, math.nan)
        self._kept[moment.subject] = now
        return float(before)


class Average(_Remembering):
    """The exponential moving average of a value up to the step before; the value itself in the first step."""

    def __init__(self, inner: Value, steps: float) -> None:
        super().__init__(inner)
        self._part = 2.0 / (steps + 1.0)

    def __call__(self, moment: Moment) -> float:
        """The value at a moment."""
        now = self._inner(moment)
        before = self._kept.get(moment.subject, now)
        if math.isfinite(now):
            self._kept[moment.subject] = before + self._part * (now - before) if math.isfinite(before) else now
        return float(before)


def joined(function: Callable[[float, float], float], left: Value, right: Value) -> Value:
    """A function of two values."""
    return lambda moment: float(function(left(moment), right(moment)))


def divided(one: float, other: float) -> float:
    """The IEEE quotient: division by zero gives infinity or NaN."""
    if other:
        return one / other
    return math.nan if not one or math.isnan(one) else math.copysign(math.inf, one)


def truth(value: float) -> bool:
    """The truth of a number; NaN is false."""
    return bool(value) and not math.isnan(value)
