"""Writes queued values when the process ends, and separates forked processes.

Objects with open files register here while the files are open.
"""

import atexit
import contextlib
import os
import signal
import threading
import time
from types import FrameType
from typing import Protocol

# Seconds that SIGTERM waits for the files; its sender may follow up with SIGKILL.
_SIGTERM_SECONDS = 3.0


class HasFiles(Protocol):
    """An object with open files."""

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all values recorded so far are in the files."""

    def close(self) -> None:
        """Write the queues and close the files."""

    def after_fork(self) -> None:
        """Leave the files to the parent process."""


# Keeps open writers alive, so that a writer without references loses nothing.
_open: list[HasFiles] = []


def register(files: HasFiles, *, sigterm: bool) -> None:
    """Close `files` when Python exits.

    Args:
        files: the object with open files.
        sigterm: whether to write queued values before SIGTERM ends the process, too.
    """
    _open.append(files)
    if sigterm:
        _watch_sigterm()


def unregister(files: HasFiles) -> None:
    """Remove `files`, which are closed."""
    with contextlib.suppress(ValueError):
        _open.remove(files)
    if not _open:
        _unwatch_sigterm()


def _watch_sigterm() -> None:
    """Handle SIGTERM if it has Python's default, which ends the process at once without `atexit`."""
    if _in_main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _on_sigterm)


def _unwatch_sigterm() -> None:
    if _in_main_thread() and signal.getsignal(signal.SIGTERM) is _on_sigterm:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _on_sigterm(number: int, frame: FrameType | None) -> None:
    """Write queued values, then let the signal end the process as usual.

    The files are not marked as finished, so the run is shown as interrupted. A second SIGTERM ends the process at once.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    deadline = time.monotonic() + _SIGTERM_SECONDS
    for files in list(_open):
        with contextlib.suppress(Exception):
            files.flush(max(0.0, deadline - time.monotonic()))
    os.kill(os.getpid(), signal.SIGTERM)


def _close_all() -> None:
    for files in list(_open):
        with contextlib.suppress(Exception):
            files.close()


def _after_fork() -> None:
    for files in list(_open):
        files.after_fork()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_after_fork)
