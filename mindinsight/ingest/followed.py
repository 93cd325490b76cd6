"""The runs and event files that the reader follows, with their rows in memory.

Made by the ledger, used by the follower. The row of a run is made from the rows of its files.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from mindinsight.ingest.discovery import FoundFile
from mindinsight.ingest.states import FileSign
from mindinsight.ingest.storing.intake import Intake, ReplacedError
from mindinsight.ingest.storing.segments import FileFacts, number_segments, run_segments
from mindinsight.runs.models import EventFile, Run
from summaries.kinds import Kind


class FollowedFile:
    """One event file below the base directory.

    Args:
        run: the file's run.
        intake: reads it.
        found: the file on disk.

    Attributes:
        found: its directory entry at the last check.
        seen_growing: time at which it was last seen to grow, in seconds since 1970; 0 if never.
        not_before: monotonic time before which it is not read again, after an error.
        bundled: whether it may be read in a bundle with others. False after the first attempt.
    """

    def __init__(self, run: FollowedRun, intake: Intake, found: FoundFile) -> None:
        self.run = run
        self.intake = intake
        self.found = found
        self.seen_growing = 0.0
        self.not_before = 0.0
        self.bundled = True

    @property
    def row(self) -> EventFile:
        """The file's row."""
        return self.intake.row

    @property
    def waits(self) -> bool:
        """Whether it has data for the reader's loop."""
        return not self.row.complete and not self.row.backlog

    @property
    def sign(self) -> FileSign:
        """Returns the data that shows whether its writer is alive."""
        found = self.found
        return FileSign(found.path, found.modified, self.seen_growing, found.closed, self.intake.foreign)

    @property
    def unread(self) -> int:
        """The number of unread bytes."""
        return 0 if self.row.complete else max(0, self.found.size - self.row.offset)

    def look(self, found: FoundFile) -> None:
        """Takes a newer directory entry. A changed file is read again.

        Raises:
            ReplacedError: another file has this name now.
        """
        if found.inode != self.row.inode or found.size < self.row.offset:
            raise ReplacedError
        if found.size > self.found.size:
            self.seen_growing = time.time()
        if found.size != self.row.size or (found.size, found.modified) != (self.found.size, self.found.modified):
            self.row.complete = False
        self.found = found


@dataclass
class FollowedRun:
    """One run with its files.

    Attributes:
        row: the run's row.
        files: its files in order of creation.
        gone: whether its files were deleted and only the stored data is left.
    """

    row: Run
    files: list[FollowedFile] = field(default_factory=list)
    gone: bool = False

    @property
    def unread(self) -> int:
        """The number of unread bytes in its files."""
        return sum(file.unread for file in self.files)

    @property
    def judged(self) -> bool:
        """Whether its state has been judged."""
        return bool(self.row.state_since)

    def add(self, file: FollowedFile) -> None:
        """Adds a file, or adds it again."""
        self.gone = False
        self.files = [other for other in self.files if other.row.pk != file.row.pk]
        self.files.append(file)
        self.files.sort(key=lambda file: (file.row.opened, file.row.path))

    def fold(self) -> None:
        """Updates the run's row from its files."""
        rows = [file.row for file in self.files]
        if any(file.intake.book.created for file in self.files):
            self._number_segments()
            self._choose_series()
        row = self.row
        row.point_count = sum(file.points for file in rows)
        row.segments = run_segments([(file.segment, file.stretches) for file in rows if file.stretches])
        if row.segments:
            row.last_step = row.segments[-1]["last_step"]
            row.first_wall = min(_known(file.first_wall for file in rows), default=None)
            row.last_wall = max(_known(file.last_wall for file in rows), default=None)
        elif any(file.intake.book.dirty for file in self.files):
            self._note_other_kinds()

    def _note_other_kinds(self) -> None:
        """For a run without scalars, the last step of its pictures, histograms, tensors and texts counts."""
        series = [one for file in self.files for one in file.intake.book.rows.values()]
        self.row.last_step = max((one.last_step for one in series if one.last_step is not None), default=None)
        self.row.first_wall = min(_known(one.first_wall for one in series), default=None)
        self.row.last_wall = max(_known(one.last_wall for one in series), default=None)

    def _number_segments(self) -> None:
        """Sets the segment numbers of files and series."""
        files = [file for file in self.files if file.row.points]
        if len(files) < 2 and not any(file.row.segment for file in files):
            return
        for file, number in zip(files, number_segments([_facts(file) for file in files]), strict=True):
            if file.row.segment != number:
                file.row.segment = number
                file.intake.changed = True
            file.intake.book.number_segments()

    def _choose_series(self) -> None:
        scalars = [row for file in self.files for row in file.intake.book.rows.values() if row.kind == Kind.SCALAR]
        scalars.sort(key=lambda row: (row.segment, row.last_step or 0), reverse=True)
        self.choose({row.tag: row.id for row in reversed(scalars)})

    def choose(self, series: Mapping[str, int]) -> None:
        """Chooses the scalar series that represents the run in lists.

        Args:
            series: number of the newest series of each scalar tag.
        """
        self.row.tag_count = len(series)
        if series:
            self.row.lead_series = series[min(series, key=lead_rank)]


def _facts(file: FollowedFile) -> FileFacts:
    stretches: list[dict[str, tuple[int, int]]] = [{} for _ in file.row.stretches]
    for series in file.intake.book.rows.values():
        if series.kind == Kind.SCALAR and series.first_step is not None and series.last_step is not None:
            stretches[series.stretch][series.tag] = (series.first_step, series.last_step)
    return FileFacts(file.row.first_wall or 0.0, file.row.last_wall or 0.0, stretches)


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


@lru_cache(maxsize=4096)
def lead_rank(name: str) -> tuple[bool, int, int, str]:
    """Orders tags by how well they represent a run: its loss first, then names with loss or accuracy."""
    parts = name.lower().split("/")
    words = ("loss", "accuracy", "acc")
    exact = [place for place, word in enumerate(words) if word in parts]
    part = [len(words) + place for place, word in enumerate(words) if word in name.lower()]
    # TensorBoard writes final metrics once more below hparam/.
    return parts[0] == "hparam", min([*exact, *part, 2 * len(words)]), len(parts), name
