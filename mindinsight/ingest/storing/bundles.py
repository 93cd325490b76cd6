"""Reads, stores and counts many short, complete event files at once.

A directory may have thousands of them. Each alone would take a millisecond to create its objects; together they take
little more than reading their bytes. Used by the follower. Unusual files are left to their own `Intake`.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np

from mindinsight.ingest.followed import FollowedFile
from mindinsight.ingest.storing.numbers import SeriesNumbers
from mindinsight.ingest.storing.segments import Stretch
from mindinsight.runs.models import EventFile, Run
from mindinsight.store import SHORT, ColumnStore
from summaries.kinds import Kind
from summaries.reading.small_files import LONGEST_BYTES, SmallFile, SmallFileReader, SmallFiles, available

FILES = 64
"""Maximum number of files in a bundle: some milliseconds of work."""

_LARGEST = sys.float_info.max


@dataclass(frozen=True)
class Bundle:
    """Files that were read to their ends and stored. Their updated rows have to be written.

    Attributes:
        files: the files.
        numbers: numbers of all their series.
        columns: the rows of these series, as columns by attribute of `mindinsight.runs.models.Series`.
    """

    files: list[FollowedFile] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    columns: dict[str, Iterable[Any]] = field(default_factory=dict)

    def undo(self) -> None:
        """Resets the rows of the files to unread, after they could not be written."""
        for file in self.files:
            row = file.row
            row.offset = row.records = row.points = 0
            row.complete, row.first_wall, row.last_wall, row.stretches = False, None, None, []
            file.run.row.lead_series = None
            file.run.choose({})
            file.run.fold()


class Bundler:
    """Reads bundles.

    Args:
        store: the store for the points.
        numbers: gives new series their numbers.
        settled_s: seconds since the last change before which a file will probably grow again.
    """

    def __init__(self, store: ColumnStore, numbers: SeriesNumbers, settled_s: float) -> None:
        self._store = store
        self._numbers = numbers
        self._settled_s = settled_s
        self._reader: SmallFileReader | None = None
        self._available = available()

    def wants(self, file: FollowedFile) -> bool:
        """Whether a file may be read in a bundle: the only file of its run, short, and not read yet."""
        row, found = file.row, file.found
        return (
            self._available
            and file.bundled
            and row.offset == 0
            and row.kind == EventFile.Kind.EVENTS
            and 0 < found.size <= LONGEST_BYTES
            and time.time() - found.modified > self._settled_s
            and sum(other.row.kind == EventFile.Kind.EVENTS for other in file.run.files) == 1
        )

    def read(self, files: Sequence[FollowedFile]) -> Bundle:
        """Reads files and stores their points. Files that are not in the result are not bundled again.

        Args:
            files: at most `FILES`.

        Raises:
            OSError: the store cannot be written. Nothing is counted, so it can be tried again.
            django.db.Error: no series numbers were available.
        """
        self._reader = self._reader or SmallFileReader(FILES, SHORT - 1)
        found = self._reader.read([file.found.location for file in files])
        by_path = {file.path: file for file in found.files}
        taken: list[FollowedFile] = []
        for file in files[: found.looked]:
            small = by_path.get(file.found.location)
            known = (file.found.device, file.row.inode, file.found.size)
            if small is None or (small.device, small.inode, small.size) != known:
                file.bundled = False
            taken.append(file)
        if not all(file.bundled for file in taken):
            # Rare, and at most once: the others are read again without these.
            return self.read(rest) if (rest := [file for file in taken if file.bundled]) else Bundle()
        return self._store_all(taken, found)

    def rest(self) -> None:
        """Frees the memory of reading."""
        self._reader = None

    def _store_all(self, files: list[FollowedFile], found: SmallFiles) -> Bundle:
        series = found.series
        numbers = self._numbers.take_many(len(series))
        counts = [file.series for file in found.files]
        runs = np.repeat([file.row.run_id for file in files], counts).tolist()
        if numbers:
            starts = np.cumsum(series["count"]) - series["count"]
            self._store.write_short(runs, numbers, starts.tolist(), found.points)
        columns = {
            "id": numbers,
            "run_id": runs,
            "file_id": np.repeat([file.row.pk for file in files], counts).tolist(),
            "tag": found.tags,
            "kind": repeat(Kind.SCALAR.value, len(numbers)),
            **{name: series[name].tolist() for name in ("count", "first_step", "last_step", "first_wall", "last_wall")},
            **_values(series),
        }
        first = 0
        for file, small, count in zip(files, found.files, counts, strict=True):
            own = slice(first, first + count)
            _note(file, small, dict(zip(found.tags[own], numbers[own], strict=True)))
            first += count
        return Bundle(files, numbers, columns)


def _values(series: np.ndarray) -> dict[str, Iterable[Any]]:
    """The columns of values. The database accepts no NaN and no infinity."""
    extremes = list(zip(series["low"].tolist(), series["high"].tolist(), strict=True))
    return {
        "last_value": [None if math.isnan(last) else last for last in series["last_value"].tolist()],
        "min": [low if low <= high else None for low, high in extremes],
        "max": [high if low <= high else None for low, high in extremes],
        "sum": np.clip(series["total"], -_LARGEST, _LARGEST).tolist(),
        "not_finite": series["not_finite"].tolist(),
    }


def _note(file: FollowedFile, small: SmallFile, tags: dict[str, int]) -> None:
    """Updates the rows of a file and its run to the data read."""
    row, run = file.row, file.run
    row.offset = row.size = small.size
    row.complete = True
    row.records, row.points = small.records, small.points
    if small.points:
        row.first_wall, row.last_wall = small.lowest_wall, small.highest_wall
        lowest, highest = small.lowest_step, small.highest_step
        row.stretches = [Stretch(first_step=lowest, last_step=highest, first_wall=small.first_wall)]
    file.intake.foreign = True
    file.intake.release()
    run.row.writer = Run.Writer(small.flavour.value)
    run.fold()
    run.choose(tags)
