"""The lock that makes one process the writer of a store.

It is a `flock` on a file beside the columns. The kernel releases it when its holder ends in any way, so no lease has to
expire before another process continues.
"""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path


class WriterLock:
    """A lock with at most one holder per directory among all processes.

    Args:
        directory: the store's directory.
    """

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path = directory / "writer.lock"
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Tries once to take the lock. Returns whether this process is the writer now.

        Raises:
            OSError: the file cannot be created or opened for writing.
        """
        if self._descriptor is not None:
            return True
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def held_by_somebody(self) -> bool:
        """Whether a writer is alive, in this process or another.

        It creates no file, so it works on a read-only disk.
        """
        if self._descriptor is not None:
            return True
        try:
            descriptor = self._open_to_look()
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def _open_to_look(self) -> int:
        try:
            # Network file systems only lock files that are open for writing.
            return os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            if error.errno != errno.EROFS:
                raise
            return os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)

    def release(self) -> None:
        """Releases the lock, if it is held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
