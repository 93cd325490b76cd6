"""Segments: a new one begins where a training restarted and repeats steps.

These are pure functions. `Groups` and `first_repeat` find falling steps within a window of a file (called by `intake`).
`number_segments` and `run_segments` find the segments of a run whenever its files change. A segment begins where a
tag's step falls within a file, and where a later file has a tag at or before the step that the tag had reached. Files
that were written at the same time (by several processes, or one for training and one for validation) begin no segment,
and neither does a new tag.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from summaries.reading.grouping import grouped

# A file whose steps fall more often than this keeps its last stretch, which is then no longer sorted.
MAX_STRETCHES = 100

Steps = Mapping[str, tuple[int, int]]
Rows = npt.NDArray[Any]
Indices = npt.NDArray[np.int64]
Keys = npt.NDArray[np.int32]


@dataclass(frozen=True)
class FileFacts:
    """The data of one event file that segments depend on.

    Attributes:
        first_wall: wall time of its first point, seconds since 1970.
        last_wall: wall time of its last point.
        stretches: for each stretch between falls of its steps, first and last step of each tag.
    """

    first_wall: float
    last_wall: float
    stretches: Sequence[Steps]


class Segment(TypedDict):
    """One segment of a run, as in the run's row."""

    number: int
    first_step: int
    last_step: int
    first_wall: float


class Stretch(TypedDict):
    """The part of a file between two falls of its steps."""

    first_step: int
    last_step: int
    first_wall: float


def number_segments(files: Sequence[FileFacts]) -> list[int]:
    """Returns the number of each file's first segment. Its later stretches count on from there.

    Args:
        files: files with points, in order of creation.
    """
    numbers: list[int] = []
    current = 0
    reached: dict[str, int] = {}
    written_until = float("-inf")
    for file in files:
        if file.first_wall > written_until and _repeats(file.stretches[0], reached):
            current += 1
            reached = {}
        numbers.append(current)
        for place, stretch in enumerate(file.stretches):
            if place:
                current += 1
                reached = {}
            for tag, (_, last) in stretch.items():
                reached[tag] = max(last, reached.get(tag, last))
        written_until = max(written_until, file.last_wall)
    return numbers


def _repeats(stretch: Steps, reached: Mapping[str, int]) -> bool:
    return any(first <= reached[tag] for tag, (first, _) in stretch.items() if tag in reached)


def run_segments(files: Sequence[tuple[int, Sequence[Stretch]]]) -> list[Segment]:
    """Returns the segments of a run in order.

    Args:
        files: number of the first segment, and the stretches, of each file.
    """
    found: dict[int, Segment] = {}
    for first, stretches in files:
        for number, stretch in enumerate(stretches, first):
            known = found.get(number)
            if known is None:
                found[number] = Segment(number=number, **stretch)
            else:
                known["first_step"] = min(known["first_step"], stretch["first_step"])
                known["last_step"] = max(known["last_step"], stretch["last_step"])
                known["first_wall"] = min(known["first_wall"], stretch["first_wall"])
    return [found[number] for number in sorted(found)]


@dataclass(frozen=True)
class Groups:
    """Rows of a window, grouped by key. The order of the file is kept inside each group.

    Attributes:
        rows: the rows in this order.
        keys: the key of each group.
        starts: start of each group.
        key_of_row: the key of each row, in file order.
    """

    rows: Rows
    keys: list[int]
    starts: list[int]
    key_of_row: Keys

    @classmethod
    def of(cls, rows: Rows, keys: Keys) -> Groups:
        """Groups `rows` by `keys`. There must be at least one row."""
        return cls(*grouped(keys, rows), keys)

    def parts(self) -> list[tuple[int, Rows]]:
        """The key and the rows of each group."""
        ends = [*self.starts[1:], len(self.rows)]
        return [(key, self.rows[start:end]) for key, start, end in zip(self.keys, self.starts, ends, strict=True)]

    def first_fall(self, reached: Callable[[int], int | None] | None) -> int | None:
        """Returns the index in the window of the first row whose step is lower than a step that its group had reached.

        Args:
            reached: returns the step that a key had reached before the window, or None for a new key. None if all keys
            are new.
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
    """Returns the first declared restart in the file at which steps repeat.

    Args:
        points: the window's points.
        restarts: indices of the restarts in `points`.
        reached: the last step of this stretch before the window, or None.
    """
    for place in restarts.tolist():
        before = points["step"][:place]
        steps = [int(before.max())] if len(before) else []
        highest = max(steps if reached is None else [*steps, reached], default=None)
        if place < len(points) and highest is not None and points["step"][place] <= highest:
            return int(place)
    return None
