"""By what an event file of a removed run is known again, before it is deleted.

Noted by `trash.py` and by the reader when a run goes into the trash, kept as JSON in `Run.removed_files`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import Any, NamedTuple


class StoredFile(NamedTuple):
    """An event file as it was when its run was removed.

    The number of the device is not kept: it may be another one after the machine was started again.

    Attributes:
        path: relative to the base directory.
        size: in bytes.
        inode: its number; 0 in rows of older versions, which did not keep it.
        modified: seconds since 1970; None where only the database was asked.
    """

    path: str
    size: int
    inode: int = 0
    modified: float | None = None

    @classmethod
    def of(cls, entry: Sequence[Any]) -> StoredFile:
        """Returns what an entry of `Run.removed_files` says."""
        return cls(*entry)

    def is_at(self, status: os.stat_result) -> bool:
        """Whether a directory entry is this file, which may have grown since."""
        if not stat.S_ISREG(status.st_mode) or self.inode not in (0, status.st_ino):
            return False
        unchanged = status.st_size == self.size and self.modified in (None, status.st_mtime)
        return unchanged or status.st_size > self.size
