"""The history of tensors: a few statistics of each, from steps that are recorded now and then."""

from __future__ import annotations

import math
from collections import deque
from typing import Any, Final, NamedTuple

import numpy as np

from debugging.tensors.recording import Recording
from debugging.tensors.statistics import Statistics, statistics_of
from debugging.tensors.tensor_names import TensorName
from summaries.schema import debugger_pb2 as wire

__all__ = ["History", "Noted"]

_KEPT: Final = 128
"""Most steps kept for a tensor; the newest ones stay."""
_EVERY: Final = 64
"""Steps between two recordings for the history while a watchpoint is armed."""
_LEAST: Final = 5
"""Fewest steps from which a usual range is computed."""
_FAR: Final = 6.0
"""Half the width of the usual range in robust deviations (1.4826 times the median distance from the median)."""


class Noted(NamedTuple):
    """Statistics of a tensor in one step.

    Attributes:
        step: Number of the step.
        abs_min: The smallest absolute value that is not zero.
        abs_max: The largest absolute value.
        min: The smallest finite element.
    """

    step: int
    abs_min: float
    abs_max: float
    min: float


class History:
    """The history of the tensors of a training."""

    def __init__(self) -> None:
        self._noted: dict[TensorName, deque[Noted]] = {}
        self._steps = 0
        self._last = 0

    def is_due(self, step: int) -> bool:
        """Whether a step should be recorded: often at the beginning, later one in 64."""
        return step - self._last >= min(_EVERY, 1 << min(self._steps, 6))

    def note(self, recording: Recording) -> None:
        """Add the tensors of a recorded step."""
        self._steps += 1
        self._last = recording.step
        for name in recording.names:
            array = recording.array(name)
            if array is None or array.dtype.kind not in "fV" or not array.size:
                continue
            found = statistics_of(array)
            kept = self._noted.setdefault(name, deque(maxlen=_KEPT))
            if kept and kept[-1].step == recording.step:
                kept.pop()
            kept.append(Noted(recording.step, found.abs_min, found.abs_max, found.min))

    def usual(self, name: TensorName, statistic: str) -> tuple[float, float] | None:
        """The usual range of a statistic; None if there are too few steps.

        Args:
            name: Of the tensor.
            statistic: An attribute of `Noted` other than the step.
        """
        numbers = np.array([getattr(noted, statistic) for noted in self._noted.get(name, ())])
        if statistic == "min":
            # It may be negative, so it has no logarithm.
            return _around(numbers[np.isfinite(numbers)], least=0.01)
        around = _around(np.log(numbers[(numbers > 0) & np.isfinite(numbers)]), least=0.0)
        return None if around is None else (math.exp(max(-700.0, around[0])), math.exp(min(700.0, around[1])))

    def is_unusual(self, name: TensorName, statistic: str, value: float) -> bool:
        """Whether a statistic is outside its usual range; False if there are too few steps."""
        usual = self.usual(name, statistic)
        return usual is not None and not usual[0] <= value <= usual[1]

    def message(self, name: TensorName, statistic: str, now: Statistics, step: int) -> wire.History | None:
        """The history of a statistic up to a step as a message; None if there is none."""
        noted = [item for item in self._noted.get(name, ()) if item.step < step]
        if not noted:
            return None
        value = {"abs_min": now.abs_min, "abs_max": now.abs_max, "min": now.min}[statistic]
        made = wire.History(tensor=name.message, statistic=statistic, logarithmic=statistic != "min")
        made.steps.extend([*(item.step for item in noted), step])
        made.values.extend([*(getattr(item, statistic) for item in noted), value])
        usual = self.usual(name, statistic)
        if usual is not None:
            made.usual_low, made.usual_high = usual
            outside = (
                at for at, number in zip(made.steps, made.values, strict=True) if not usual[0] <= number <= usual[1]
            )
            made.left_at = next(outside, 0)
        return made


def _around(numbers: np.ndarray[Any, Any], least: float) -> tuple[float, float] | None:
    """The range around the median in which most numbers lie; None if they are too few.

    Args:
        numbers: Finite ones.
        least: Least deviation relative to the median; 0 for logarithms, whose least deviation is 0.1.
    """
    if len(numbers) < _LEAST:
        return None
    middle = float(np.median(numbers))
    spread = max(1.4826 * float(np.median(np.abs(numbers - middle))), least * abs(middle), 0.1 if not least else 1e-6)
    return middle - _FAR * spread, middle + _FAR * spread
