"""Where in a window of values a training was started again: the first value whose tag had reached a later step.

Pure functions over columns; called by `intake`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from summaries.reading.grouping import grouped

# A file whose steps fall more often than this goes on in its last stretch, which is then no longer in order.
MAX_STRETCHES = 100

Rows = npt.NDArray[Any]
Indices = npt.NDArray[np.int64]
Keys = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Groups:
    """Rows of a window, brought together by key; file order is kept inside each group.

    Attributes:
        rows: the rows in that order.
        keys: the key of each group.
        starts: where each group begins.
        key_of_row: the key of each row, in file order.
    """

    rows: Rows
    keys: list[int]
    starts: list[int]
    key_of_row: Keys

    @classmethod
    def of(cls, rows: Rows, keys: Keys) -> Groups:
        """Groups `rows`, of which there is at least one, by `keys`."""
        return cls(*grouped(keys, rows), keys)

    def parts(self) -> list[tuple[int, Rows]]:
        """The key and the rows of each group."""
        ends = [*self.starts[1:], len(self.rows)]
        return [(key, self.rows[start:end]) for key, start, end in zip(self.keys, self.starts, ends, strict=True)]

    def first_fall(self, reached: Callable[[int], int | None] | None) -> int | None:
        """Returns the index in the window of the first row whose step is before one that its group had reached.

        Args:
            reached: the step that a key had reached before the window, None for a new one; None where all are new.
        """
        step = self.rows["step"]
        falls = np.empty(len(step), np.bool_)
        np.less(step[1:], step[:-1], out=falls[1:])
        falls[self.starts] = False
        if reached is not None:
            for key, start in zip(self.keys, self.starts, strict=True):
                before = reached(key)
                falls[start] = before is not None and step[start] < before
        if not falls.any():
            return None
        return int(np.argsort(self.key_of_row, kind="stable")[falls].min())


def first_repeat(points: Rows, restarts: Indices, reached: int | None) -> int | None:
    """Returns the first of the places where the file itself says that the training began again, if steps repeat there.

    Args:
        points: the window's points.
        restarts: indices into them.
        reached: the last step before the window in this stretch, None where there is none.
    """
    for place in restarts.tolist():
        before = points["step"][:place]
        steps = [int(before.max())] if len(before) else []
        highest = max(steps if reached is None else [*steps, reached], default=None)
        if place < len(points) and highest is not None and points["step"][place] <= highest:
            return int(place)
    return None
