"""Shows the reader which copied files may still grow. Called by `copying`.

A reader takes a file of our own writer that nobody has locked and that is not write-protected for one whose training
has died. A copy has no writer, so the copying process holds the lock while the object is new, and write-protects the
file when the object has not grown for some time.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

_MODE_CLOSED = 0o400


class Signs:
    """The locks of growing files."""

    def __init__(self) -> None:
        self._held: dict[Path, int] = {}

    def growing(self, path: Path) -> None:
        """Hold the lock of a file."""
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            before = self._held.get(path)
            if before is not None and os.path.sameopenfile(before, descriptor):
                os.close(descriptor)
                return
            self._release(path)
            self._held[path] = descriptor
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def settled(self, path: Path) -> None:
        """Write-protect a file and let go of its lock."""
        with suppress(OSError):
            if path.stat().st_mode & 0o222:
                path.chmod(_MODE_CLOSED)
        self._release(path)

    def _release(self, path: Path) -> None:
        descriptor = self._held.pop(path, None)
        if descriptor is not None:
            os.close(descriptor)
