"""Identifies the event files of a removed run, so that no other file is deleted.

Written by `trash.py` and by the reader when a run is moved to the trash, and stored as JSON in `Run.removed_files`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import Any, NamedTuple


class StoredFile(NamedTuple):
    """An event file at the time when its run was removed.

    The device number is not stored, because it may change when the machine restarts.

        Attributes:
            path: path relative to the base directory.
            size: size in bytes.
            inode: inode number; 0 in rows of older versions, which did not store it.
            modified: modification time in seconds since 1970; None if it comes from the database only.
    """

    path: str
    size: int
    inode: int = 0
    modified: float | None = None

    @classmethod
    def of(cls, entry: Sequence[Any]) -> StoredFile:
        """Parses an entry of `Run.removed_files`."""
        return cls(*entry)

    def is_at(self, status: os.stat_result) -> bool:
        """Whether a directory entry is this file, which may have grown in the meantime."""
        if not stat.S_ISREG(status.st_mode) or self.inode not in (0, status.st_ino):
            return False
        unchanged = status.st_size == self.size and self.modified in (None, status.st_mtime)
        return unchanged or status.st_size > self.size
