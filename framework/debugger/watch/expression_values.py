"""What expressions compute with: the statistics that they ask about, the moment that they are asked about, and values
that remember earlier steps; `expression_parser.py` makes functions of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from framework.debugger.tensors.statistics import Statistics

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
"""What can be asked of a tensor."""


@dataclass(slots=True)
class Moment:
    """What an expression is asked about.

    Attributes:
        step: the number of the step.
        loss: its loss; NaN where it is not known.
        rate: the learning rate; NaN where it is not known.
        tensor: statistics of the tensor that is looked at, None where it is about the step.
        subject: the tensor's name.
        of_pattern: statistics of the tensors of this step that a pattern fits.
    """

    step: int
    loss: float
    rate: float
    tensor: Statistics | None
    subject: str
    of_pattern: Callable[[str], Iterator[Statistics]]


Value = Callable[[Moment], float]


class AllAsked:
    """Several parts of which any or all have to hold; each is asked, so that averages go on with every step."""

    def __init__(self, parts: list[Value], of: Callable[[list[bool]], bool]) -> None:
        self._parts = parts
        self._of = of

    def __call__(self, moment: Moment) -> float:
        """The value at a moment."""
        return float(self._of([truth(part(moment)) for part in self._parts]))


class _Remembering:
    """What depends on earlier steps keeps something for each tensor that it is asked about."""

    def __init__(self, inner: Value) -> None:
        self._inner = inner
        self._kept: dict[str, Any] = {}


class Previous(_Remembering):
    """What a value was a step ago; NaN in the first."""

    def __call__(self, moment: Moment) -> float:
        """The value at a moment."""
        now = self._inner(moment)
        before = self._kept.get(moment.subject, math.nan)
        self._kept[moment.subject] = now
        return float(before)


class Average(_Remembering):
    """The exponential moving average of a value up to the step before; the value itself in the first."""

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
    """The value that a function makes of two others."""
    return lambda moment: float(function(left(moment), right(moment)))


def divided(one: float, other: float) -> float:
    """A quotient as floating-point numbers have it: by zero it is infinite, or no number."""
    if other:
        return one / other
    return math.nan if not one or math.isnan(one) else math.copysign(math.inf, one)


def truth(value: float) -> bool:
    """Whether a number stands for something that holds; what is no number does not."""
    return bool(value) and not math.isnan(value)
