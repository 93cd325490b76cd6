"""`schedule`: which steps of a training are captured. The names and the meaning are MindSpore's."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from framework.common.validator import check_non_negative_int, check_positive_int

__all__ = ["ProfilerAction", "Schedule", "schedule"]


class ProfilerAction(Enum):
    """What a profiler does in a step."""

    NONE = 0
    WARM_UP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


Schedule = Callable[[int], ProfilerAction]
"""From the number of a step, from 0, to what happens in it."""


class schedule:  # noqa: N801 - MindSpore's name
    """Chooses steps: first `skip_first` steps are left out, then cycles of `wait`, `warmup` and `active` steps follow.

    In the warm-up, programs are compiled with their clock reads, so that captured steps contain no compilation.

    Args:
        wait: steps of a cycle in which nothing happens.
        active: steps of a cycle that are captured.
        warmup: steps of a cycle that prepare the capture.
        repeat: the number of cycles; 0 for any number.
        skip_first: steps before the first cycle.

    Raises:
        TypeError: an argument is no int.
        ValueError: an argument is negative, or no step is active.

    Example:
        >>> chosen = ms.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
        >>> [chosen(step).name for step in range(5)]
        ['NONE', 'WARM_UP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']

    """

    def __init__(self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0) -> None:
        self.active = check_positive_int(active, "active")
        self.wait = check_non_negative_int(wait, "wait")
        self.warmup = check_non_negative_int(warmup, "warmup")
        self.repeat = check_non_negative_int(repeat, "repeat")
        self.skip_first = check_non_negative_int(skip_first, "skip_first")

    def __call__(self, step: int) -> ProfilerAction:
        """What happens in a step.

        Args:
            step: its number, from 0.

        Raises:
            ValueError: the number is negative.
        """
        place = check_non_negative_int(step, "step") - self.skip_first
        length = self.wait + self.warmup + self.active
        if place < 0 or (self.repeat and place >= self.repeat * length):
            return ProfilerAction.NONE
        place %= length
        if place < self.wait:
            return ProfilerAction.NONE
        if place < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        return ProfilerAction.RECORD_AND_SAVE if place == length - 1 else ProfilerAction.RECORD
