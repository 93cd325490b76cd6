"""What tensors were like in earlier steps: a few numbers of each, of steps that were recorded now and then."""

from __future__ import annotations

import math
from collections import deque
from typing import Any, Final, NamedTuple

import numpy as np

from framework.debugger.tensors.recording import Recording
from framework.debugger.tensors.statistics import Statistics, statistics_of
from framework.debugger.tensors.tensor_names import TensorName
from summaries.schema import debugger_pb2 as wire

__all__ = ["History", "Noted"]

_KEPT: Final = 128
"""Steps of which something is kept for a tensor; of a training that goes on, the newest."""
_EVERY: Final = 64
"""One of so many steps is recorded for this while something is armed."""
_LEAST: Final = 5
"""Fewer steps say nothing about what is usual."""
_FAR: Final = 6.0
"""So many robust deviations (1.4826 times the median of distances from the median) are out of the usual."""


class Noted(NamedTuple):
    """A tensor in one step.

    Attributes:
        step: its number.
        abs_min: the smallest absolute value that is not zero.
        abs_max: the largest one.
        min: the smallest finite element.
    """

    step: int
    abs_min: float
    abs_max: float
    min: float


class History:
    """What was noted of the tensors of a training."""

    def __init__(self) -> None:
        self._noted: dict[TensorName, deque[Noted]] = {}
        self._steps = 0
        self._last = 0

    def is_due(self, step: int) -> bool:
        """Whether a step should be recorded: often at the beginning, then one in sixty-four."""
        return step - self._last >= min(_EVERY, 1 << min(self._steps, 6))

    def note(self, recording: Recording) -> None:
        """Keep what a step's tensors were like."""
        self._steps += 1
        self._last = recording.step
        for name in recording.names:
            array = recording.array(name)
            if array is None or array.dtype.kind != "f" or not array.size:
                continue
            found = statistics_of(array)
            kept = self._noted.setdefault(name, deque(maxlen=_KEPT))
            if kept and kept[-1].step == recording.step:
                kept.pop()
            kept.append(Noted(recording.step, found.abs_min, found.abs_max, found.min))

    def usual(self, name: TensorName, statistic: str) -> tuple[float, float] | None:
        """Between what a statistic of a tensor usually was; None where too little is known.

        Args:
            name: of the tensor.
            statistic: an attribute of `Noted`, other than the step.
        """
        numbers = np.array([getattr(noted, statistic) for noted in self._noted.get(name, ())])
        if statistic == "min":
            # It may have either sign, so there is no logarithm of it.
            return _around(numbers[np.isfinite(numbers)], least=0.01)
        around = _around(np.log(numbers[(numbers > 0) & np.isfinite(numbers)]), least=0.0)
        return None if around is None else (math.exp(max(-700.0, around[0])), math.exp(min(700.0, around[1])))

    def is_unusual(self, name: TensorName, statistic: str, value: float) -> bool:
        """Whether a statistic is out of the usual; where too little is known it is not."""
        usual = self.usual(name, statistic)
        return usual is not None and not usual[0] <= value <= usual[1]

    def message(self, name: TensorName, statistic: str, now: Statistics, step: int) -> wire.History | None:
        """The history of a statistic up to a step, as the page draws it; None where nothing was noted."""
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
    """Between what most numbers are; None where they are too few.

    Args:
        numbers: finite ones.
        least: what a deviation is at least, as a part of the median; of logarithms, 0, a tenth.
    """
    if len(numbers) < _LEAST:
        return None
    middle = float(np.median(numbers))
    spread = max(1.4826 * float(np.median(np.abs(numbers - middle))), least * abs(middle), 0.1 if not least else 1e-6)
    return middle - _FAR * spread, middle + _FAR * spread
