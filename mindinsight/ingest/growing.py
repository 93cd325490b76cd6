"""Files that grew a moment ago, looked at directly now and then: events of the file system may come late.

While the system's watches are set up for ten thousand new directories no event comes for a second, and on a network
file system none comes at all. Used by the follower.
"""

from __future__ import annotations

import os
import time

from mindinsight.ingest.followed import FollowedFile

LOOK_EVERY_S = 0.2
# A file that has not grown for so long is left to events and to the next look at everything.
_FORGOTTEN_AFTER_S = 30.0
_MOST_FILES = 500


class GrowingFiles:
    """The files that grew last."""

    def __init__(self) -> None:
        self._files: dict[int, tuple[FollowedFile, float]] = {}
        self._next = 0.0

    def note(self, file: FollowedFile) -> None:
        """A file has grown."""
        self._files.pop(file.row.pk, None)
        self._files[file.row.pk] = file, time.monotonic()
        if len(self._files) > _MOST_FILES:
            del self._files[next(iter(self._files))]

    def grown(self) -> list[FollowedFile]:
        """Returns those that have more than was read of them, asked as often as anybody likes."""
        now = time.monotonic()
        if now < self._next:
            return []
        self._next = now + LOOK_EVERY_S
        self._files = {number: known for number, known in self._files.items() if now - known[1] < _FORGOTTEN_AFTER_S}
        return [file for file, _ in self._files.values() if file.row.complete and _size(file) > file.row.size]


def _size(file: FollowedFile) -> int:
    try:
        return os.stat(file.found.location, follow_symlinks=False).st_size  # noqa: PTH116  (five hundred at a time)
    except OSError:
        return 0
