"""A lock on a file. The kernel releases it when its holder ends in any way.

Instances, runtime directories and their sweeping are recognised by it as alive or stale (`instances`,
`runtime_directory`); a process number alone proves nothing after a crash or a reboot.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType

_RETRY_S = 0.02


class FileLock:
    """An exclusive `flock` on a file, which is created where needed and never removed.

    A process made by `fork` holds the lock too, until both have ended or released it.

    Args:
        path: the file; its directory must exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self, patience: float = 0.0) -> bool:
        """Takes the lock if it becomes free within `patience` seconds.

        Returns:
            Whether this process holds the lock now.

        Raises:
            OSError: the file cannot be opened, or its file system knows no locks.
        """
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        deadline = time.monotonic() + patience
        while not _try(descriptor, fcntl.LOCK_EX):
            if time.monotonic() >= deadline:
                os.close(descriptor)
                return False
            time.sleep(_RETRY_S)
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Releases the lock, if it is held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> FileLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def is_held(path: Path) -> bool:
    """Returns whether some process holds the lock on `path` at this moment."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        return not _try(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def _try(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
