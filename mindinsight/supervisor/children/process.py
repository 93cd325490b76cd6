"""Processes and their parents: started programs, adopted forks, and processes that end with their parent.

Used for every child (`child`), and on both sides of the stem (`stem`, `forking`).
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
# Fields of /proc/PID/stat behind the program's name, which may contain blanks: where the arguments begin and end.
_ARG_START, _ARG_END = 45, 46


class Process(Protocol):
    """The part of `subprocess.Popen` that is used here."""

    @property
    def pid(self) -> int:
        """Its process number."""

    def poll(self) -> int | None:
        """Returns None while it runs, then its exit status, negative for the signal that killed it."""

    def wait(self) -> int:
        """Waits for its end and returns the same."""

    def terminate(self) -> None:
        """Asks it to end."""

    def kill(self) -> None:
        """Ends it."""


class AdoptedProcess:
    """A child of ours that another process has forked.

    Args:
        pid: its process number.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status: int | None = None

    def poll(self) -> int | None:
        """Returns None while it runs, then its exit status, negative for the signal that killed it."""
        return self._look(os.WNOHANG)

    def wait(self) -> int:
        """Waits for its end and returns the same."""
        return self._look(0) or 0

    def terminate(self) -> None:
        """Asks it to end."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it."""
        self._send(signal.SIGKILL)

    def _look(self, options: int) -> int | None:
        if self._status is None:
            try:
                pid, status = os.waitpid(self.pid, options)
            except ChildProcessError:
                # It ended before it was ours.
                self._status = 0
                return 0
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status

    def _send(self, number: signal.Signals) -> None:
        # Until its status is read, no other process can get its number.
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)


def start_program(
    arguments: Sequence[str], environment: Mapping[str, str], directory: Path, output: int, descriptors: Sequence[int]
) -> subprocess.Popen[bytes]:
    """Starts a program in a session of its own that ends when we end.

    Args:
        arguments: program and arguments.
        environment: its whole environment.
        directory: its working directory.
        output: the descriptor that it prints to.
        descriptors: further descriptors that it keeps.

    Raises:
        OSError: it cannot be run.
    """
    try:
        return subprocess.Popen(
            arguments,
            env=dict(environment),
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=descriptors,
            start_new_session=True,
            # We have one thread only, so running Python between fork and exec is safe.
            preexec_fn=_die_with(os.getpid()),
        )
    except subprocess.SubprocessError as error:
        raise OSError(str(error)) from error


def kill_session(process: Process) -> None:
    """Ends a process and all that it started, and waits for it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _die_with(parent: int) -> Callable[[], None] | None:
    """Returns the first function of a new process. It asks the kernel to end the process when we end."""
    if sys.platform != "linux":
        return None

    def prepare() -> None:
        # Until exec, our own handler would swallow the signal.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        end_with(parent)

    return prepare


def end_with(parent: int) -> None:
    """Asks the kernel to end this process when its parent ends, even by SIGKILL. Without effect except on Linux.

    Args:
        parent: the parent's process number. If it is no longer the parent, this process ends at once.
    """
    if _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM) and os.getppid() != parent:
        # The parent was killed before the kernel got the request.
        os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans(wanted: bool) -> bool:
    """Makes this process the next parent of grandchildren whose parent ends, or undoes this.

    Returns:
        Whether the system supports this.
    """
    return _prctl(_PR_SET_CHILD_SUBREAPER, int(wanted))


def show_as(arguments: Sequence[str]) -> None:
    """Changes the arguments that `ps` shows for this process, as far as there is room."""
    if sys.platform != "linux":
        return
    fields = Path("/proc/self/stat").read_text(encoding="latin-1").rpartition(") ")[2].split()
    start, end = int(fields[_ARG_START]), int(fields[_ARG_END])
    shown = b"\0".join(os.fsencode(argument) for argument in arguments)[: end - start - 1]
    ctypes.memmove(start, shown.ljust(end - start, b"\0"), end - start)


def _prctl(option: int, value: int) -> bool:
    return sys.platform == "linux" and int(ctypes.CDLL(None).prctl(option, value, 0, 0, 0)) == 0
