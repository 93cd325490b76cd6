"""How long a training waits for its batches: step by step and epoch by epoch.

`Model` and the iterators of data sets note it, always: two readings of a clock a step.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Final, TypeVar

__all__ = ["EpochWait", "StepWait", "Waits"]

MOST_EPOCHS: Final = 200
"""Number of epochs that are kept, the last ones."""
MOST_STEPS: Final = 64
"""Number of steps that are kept, the last ones."""

Batch = TypeVar("Batch")


@dataclass(frozen=True)
class StepWait:
    """One step.

    Attributes:
        step: its number, from 1.
        waiting: seconds that it waited for its batch.
        duration: seconds from then until the next batch was asked for, with the waiting.
    """

    step: int
    waiting: float
    duration: float


@dataclass
class EpochWait:
    """The steps of an epoch so far.

    Attributes:
        epoch: its number, from 1.
        steps: number of steps.
        waiting: seconds that they waited for batches.
        duration: seconds that they took, with the waiting.
    """

    epoch: int
    steps: int = 0
    waiting: float = 0.0
    duration: float = 0.0

    @property
    def share(self) -> float:
        """The share of the time that was spent waiting."""
        return self.waiting / self.duration if self.duration else 0.0


class Waits:
    """The waiting of one training. One thread notes it, and any thread may read it."""

    def __init__(self) -> None:
        self._epochs: deque[EpochWait] = deque(maxlen=MOST_EPOCHS)
        self._steps: deque[StepWait] = deque(maxlen=MOST_STEPS)
        self._lock = threading.Lock()
        self._step = 0

    def begin(self, epoch: int, step: int | None = None) -> None:
        """Begin an epoch.

        Args:
            epoch: its number, from 1.
            step: number of the last step before it; None to go on counting.
        """
        with self._lock:
            self._epochs.append(EpochWait(epoch))
            if step is not None:
                self._step = step

    def note(self, waiting: float, duration: float, steps: int = 1) -> None:
        """Add steps of the epoch that began last.

        Args:
            waiting: seconds that they waited for their batches.
            duration: all seconds that they took.
            steps: number of steps.
        """
        with self._lock:
            epoch = self._epochs[-1]
            epoch.steps += steps
            epoch.waiting += waiting
            epoch.duration += duration
            self._step += steps
            self._steps.append(StepWait(self._step, waiting, duration))

    def over(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The same batches, with what is between them noted."""
        asked = perf_counter()
        for batch in batches:
            got = perf_counter()
            yield batch
            now = perf_counter()
            self.note(got - asked, now - asked)
            asked = now

    def epochs(self) -> list[EpochWait]:
        """The last epochs; the last one may go on."""
        with self._lock:
            return [EpochWait(one.epoch, one.steps, one.waiting, one.duration) for one in self._epochs]

    def steps(self) -> list[StepWait]:
        """The last steps."""
        with self._lock:
            return list(self._steps)
