"""Numbers the segments of a run like the dashboard: a new one begins at each restart of the training.

Used by the table exports. A run with several files is read once before, because only then it is known whether a file
repeats steps of an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from mindinsight.ingest.discovery import FoundFile
from mindinsight.ingest.storing.segments import MAX_STRETCHES, FileFacts, Groups, first_repeat, number_segments
from mindinsight.transfer.reading import Progress, read_batches
from summaries.reading.reader import Batch


class StretchCounter:
    """Follows the points of one file and counts the falls of its steps."""

    def __init__(self) -> None:
        self.stretches: list[dict[str, tuple[int, int]]] = [{}]
        self.first_wall: float | None = None
        self.last_wall = float("-inf")
        self._last: int | None = None

    def number(self, batch: Batch) -> NDArray[np.int32]:
        """Returns the stretch of each point in the file's next window, counted from 0."""
        numbers = np.empty(len(batch.points), np.int32)
        points, tag, restarts, done = batch.points, batch.tag, batch.restarts, 0
        while len(points):
            cut = self._cut(batch.tags, points, tag, restarts)
            end = len(points) if cut is None else cut
            numbers[done : done + end] = len(self.stretches) - 1
            self._extend(batch.tags, points[:end], tag[:end])
            if cut is not None:
                self.stretches.append({})
                self._last = None
            points, tag, restarts, done = points[end:], tag[end:], restarts[restarts > end] - end, done + end
        return numbers

    def facts(self) -> FileFacts | None:
        """Returns the file's data for segments after it has been read, or None if it has no points."""
        if self.first_wall is None:
            return None
        return FileFacts(self.first_wall, self.last_wall, self.stretches)

    def _cut(
        self, tags: list[str], points: NDArray[np.void], tag: NDArray[np.int32], restarts: NDArray[np.int64]
    ) -> int | None:
        """Returns the index of the point that begins the next stretch. At index 0 there must be an earlier stretch."""
        if len(self.stretches) >= MAX_STRETCHES:
            return None
        current = self.stretches[-1]
        fall = Groups.of(points, tag).first_fall(lambda index: current.get(tags[index], (0, None))[1])
        restart = first_repeat(points, restarts, self._last) if len(restarts) else None
        return min((index for index in (fall, restart) if index is not None), default=None)

    def _extend(self, tags: list[str], points: NDArray[np.void], tag: NDArray[np.int32]) -> None:
        if not len(points):
            return
        current = self.stretches[-1]
        for index, rows in Groups.of(points, tag).parts():
            first, last = int(rows["step"][0]), int(rows["step"].max())
            known = current.get(tags[index], (first, last))
            current[tags[index]] = known[0], max(known[1], last)
        last = int(points["step"].max())
        self._last = last if self._last is None else max(self._last, last)
        first_wall, last_wall = float(points["wall"].min()), float(points["wall"].max())
        self.first_wall = first_wall if self.first_wall is None else min(self.first_wall, first_wall)
        self.last_wall = max(self.last_wall, last_wall)


def first_segments(files: Iterable[FoundFile], progress: Progress) -> list[int]:
    """Returns the number of each file's first segment.

    Args:
        files: the run's files, oldest first. A single file is not read.
        progress: called during the read.

    Raises:
        TransferError: a file is replaced during the read.
    """
    files = list(files)
    if len(files) < 2:
        return [0] * len(files)
    facts = [_facts(file, progress) for file in files]
    numbers = iter(number_segments([fact for fact in facts if fact is not None]))
    return [0 if fact is None else next(numbers) for fact in facts]


def _facts(file: FoundFile, progress: Progress) -> FileFacts | None:
    counter = StretchCounter()
    try:
        for batch in read_batches(file):
            counter.number(batch)
            progress(batch.bytes_read)
    except OSError:
        return None  # Reading its values will report the error.
    return counter.facts()
