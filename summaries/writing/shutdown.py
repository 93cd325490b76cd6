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

# How long SIGTERM waits for the files; whoever sent it may send SIGKILL after some more.
_SIGTERM_SECONDS = 3.0


class HasFiles(Protocol):
    """What is closed at the end."""

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything recorded so far is in the files."""

    def close(self) -> None:
        """Write what is left and close the files."""

    def after_fork(self) -> None:
        """Leave the files to the process that this one was forked from."""


# Kept alive while open, so that nothing is lost of a writer that nobody holds any more.
_open: list[HasFiles] = []


def register(files: HasFiles, *, sigterm: bool) -> None:
    """Have `files` closed when Python exits.

    Args:
        files: what is open.
        sigterm: whether SIGTERM, too, shall write what was recorded before it ends the process.
    """
    _open.append(files)
    if sigterm:
        _watch_sigterm()


def unregister(files: HasFiles) -> None:
    """Forget `files`, which are closed."""
    with contextlib.suppress(ValueError):
        _open.remove(files)
    if not _open:
        _unwatch_sigterm()


def _watch_sigterm() -> None:
    """Take SIGTERM over where it has Python's default, which ends the process at once and runs no `atexit`."""
    if _in_main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _on_sigterm)


def _unwatch_sigterm() -> None:
    if _in_main_thread() and signal.getsignal(signal.SIGTERM) is _on_sigterm:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _on_sigterm(number: int, frame: FrameType | None) -> None:
    """Write what was recorded, then let the signal do what it does without us: end the process.

    The files are not marked as finished, so that the run shows as broken off. A second SIGTERM ends the process
    at once.
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
