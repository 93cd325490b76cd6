"""Keeps the recording of a training within its part of a step's time. Used by the adapters of other frameworks."""

from __future__ import annotations

from typing import Final

__all__ = ["Pace"]

_MOST_STRETCH: Final = 64
"""The largest factor by which intervals are stretched to keep to the budget."""
_WARM_UP: Final = 5
"""Steps before the cost of recording is measured: the first ones allocate and compile."""
_LOOK: Final = 50
"""Steps between two looks at the cost."""


class Pace:
    """How often steps are recorded.

    Args:
        budget: the largest part of a step's time that recording may take.

    Attributes:
        every: a step is recorded if its number is a multiple of this.
    """

    def __init__(self, budget: float) -> None:
        self.every = 1
        self._budget = budget
        self._spent = self._ran = 0.0

    def note(self, step: int, spent: float, seconds: float) -> str:
        """Note the cost of a step; stretch the intervals if recording takes more than its part.

        Args:
            step: its number.
            spent: seconds that recording took.
            seconds: seconds that the step took.

        Returns:
            A sentence for the run if the intervals are stretched now; else an empty text.
        """
        if step <= _WARM_UP:
            return ""
        self._spent += spent
        self._ran += seconds
        if step % _LOOK or self.every >= _MOST_STRETCH or self._spent <= self._budget * self._ran:
            return ""
        self.every *= 2
        self._spent = self._ran = 0.0
        return f"Curves have every {self.every}th step: recording stays below {self._budget:.0%} of the time."
