"""How long a training waits for its batches: step by step and epoch by epoch.

`Model` and the iterators of data sets note it, always: a few readings of a clock a step. All steps since the last look
are kept for who writes them down (`framework.dataset.monitor.step_log`).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Final, NamedTuple, TypeVar

from framework.tracing import RECORDER

__all__ = ["EpochWait", "StepTimes", "StepWait", "Waits"]

MOST_EPOCHS: Final = 200
"""Number of epochs that are kept, the last ones."""
MOST_STEPS: Final = 64
"""Number of steps that are kept, the last ones."""
MOST_TIMES: Final = 1 << 14
"""Number of steps whose times are kept for who writes them down."""

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


class StepTimes(NamedTuple):
    """The times of one step, or of several that came as one block.

    Attributes:
        step: number of the last of them, from 1.
        steps: how many they are.
        began: moment on the clock `perf_counter` at which the batch was asked for, in seconds.
        waiting: seconds until the batch was there.
        running: seconds that the network ran; 0 where only the loop of a user knows.
        duration: seconds until the next batch was asked for, with the waiting.
        queue: items in the queue in front of the reader; -1 without one.
    """

    step: int
    steps: int
    began: float
    waiting: float
    running: float
    duration: float
    queue: int


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


def _no_queue() -> int:
    return -1


class Waits:
    """The waiting of one training. One thread notes it, and any thread may read it.

    Args:
        queue: tells how many items the queue in front of the reader holds; -1 for none.
        of_training: whether these are the steps of a training, not only of a pipeline's reader.

    Attributes:
        running: seconds that the network has run in the step so far; who runs it adds them.
    """

    def __init__(self, queue: Callable[[], int] = _no_queue, *, of_training: bool = False) -> None:
        self.of_training = of_training
        self.running = 0.0
        self._queue = queue
        self._times: deque[StepTimes] = deque(maxlen=MOST_TIMES)
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

    def note(self, waiting: float, duration: float, steps: int = 1, began: float = 0.0) -> None:
        """Add steps of the epoch that began last.

        Args:
            waiting: seconds that they waited for their batches.
            duration: all seconds that they took.
            steps: number of steps.
            began: moment at which the first batch was asked for, on the clock `perf_counter`.
        """
        with self._lock:
            epoch = self._epochs[-1]
            epoch.steps += steps
            epoch.waiting += waiting
            epoch.duration += duration
            self._step += steps
            self._steps.append(StepWait(self._step, waiting, duration))
            running, self.running = self.running, 0.0
            times = StepTimes(self._step, steps, began, waiting, running, duration, self._queue())
            self._times.append(times)
        if RECORDER.is_on:
            RECORDER.note_step("training" if self.of_training else "reader", times)

    def over(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The same batches, with what is between them noted."""
        asked = perf_counter()
        for batch in batches:
            got = perf_counter()
            yield batch
            now, is_captured = perf_counter(), RECORDER.is_on
            self.note(got - asked, now - asked, began=asked)
            # A capture may end with this step, and write its files.
            asked = perf_counter() if is_captured else now

    def take_times(self) -> list[StepTimes]:
        """The times of the steps since the last call."""
        found: list[StepTimes] = []
        while self._times:
            found.append(self._times.popleft())
        return found

    def epochs(self) -> list[EpochWait]:
        """The last epochs; the last one may go on."""
        with self._lock:
            return [EpochWait(one.epoch, one.steps, one.waiting, one.duration) for one in self._epochs]

    def steps(self) -> list[StepWait]:
        """The last steps."""
        with self._lock:
            return list(self._steps)
