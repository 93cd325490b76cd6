"""One child process over all its restarts: its output, its end, and the time of its next start.

Used by the supervisor, and by the stem for children that it starts together.
"""

from __future__ import annotations

import os
import signal
import time

from mindinsight.supervisor.children.child_log import ChildLog
from mindinsight.supervisor.children.commands import ChildCommand
from mindinsight.supervisor.children.process import AdoptedProcess, Process, kill_session, start_program
from mindinsight.supervisor.instances import ChildRecord

_FIRST_DELAY_S = 0.2
_LONGEST_DELAY_S = 10.0
_LONGEST_DELAY_AFTER_KILL_S = 1.0
# A program that fails at its start does so sooner than this.
_STABLE_AFTER_S = 5.0


class Backoff:
    """The delay before the next start: it doubles each time, and starts over after a stable life."""

    def __init__(self) -> None:
        self._next = _FIRST_DELAY_S

    def delay(self, lived: float, was_killed: bool = False) -> float:
        """Returns the delay in seconds.

        Args:
            lived: the lifetime of the process in seconds.
            was_killed: whether it was killed. Then it is not at fault, so it is restarted within a second.
        """
        if lived >= _STABLE_AFTER_S:
            self._next = _FIRST_DELAY_S
        delay = min(self._next, _LONGEST_DELAY_AFTER_KILL_S) if was_killed else self._next
        self._next = min(2 * delay, _LONGEST_DELAY_S)
        return delay


class Child:
    """A command that is kept running.

    Args:
        command: the command to run.
        log: the log of its output.

    Attributes:
        was_killed: whether its last process was killed.
    """

    def __init__(self, command: ChildCommand, log: ChildLog) -> None:
        self.command = command
        self.log = log
        self.restarts = 0
        self.backoff = Backoff()
        self.waiting = False
        self.was_killed = False
        self.output: int | None = None
        self._process: Process | None = None
        self._started = 0.0

    @property
    def name(self) -> str:
        """Its name."""
        return self.command.name

    @property
    def alive(self) -> bool:
        """Whether it is running, as of the last `poll`."""
        return self._process is not None

    @property
    def pid(self) -> int | None:
        """Its process number while it runs."""
        return self._process.pid if self._process else None

    @property
    def lived(self) -> float:
        """Seconds since its last start."""
        return time.monotonic() - self._started

    @property
    def record(self) -> ChildRecord:
        """Its record in the instance file."""
        state = "running" if self.alive else "waiting" if self.waiting else "stopped"
        return ChildRecord(self.name, self.pid, self.restarts, state)

    def start(self) -> None:
        """Starts the process as a program; its output is at `output` afterwards.

        Raises:
            OSError: the program cannot be run.
        """
        self.waiting = False
        command = self.command
        write = self.open_output()
        try:
            self._process = start_program(
                command.arguments, command.environment, command.directory, write, command.descriptors
            )
        except OSError:
            self.close_output()
            raise
        finally:
            os.close(write)

    def adopt(self, pid: int) -> None:
        """Takes over a process that was forked for it. The process prints to the descriptor from `open_output`."""
        self._process = AdoptedProcess(pid)

    def open_output(self) -> int:
        """Opens `output` for a new process, which starts now.

        Returns:
            The descriptor that the process prints to; the caller closes its own copy.
        """
        self._started = time.monotonic()
        self.output, write = os.pipe()
        os.set_blocking(self.output, False)
        return write

    def poll(self) -> str | None:
        """Checks whether the process has ended.

        Returns:
            A description of the end, when it is first seen; None otherwise.
        """
        if self._process is None:
            return None
        status = self._process.poll()
        if status is None:
            return None
        self.was_killed = status in (-signal.SIGKILL, -signal.SIGTERM)
        ended = f"{self.name} (pid {self._process.pid}) {_describe(status)}"
        self._process = None
        return ended

    def close_output(self) -> None:
        """Reads the rest of the pipe and closes it."""
        if self.output is not None:
            self.log.copy(self.output)
            self.log.flush()
            os.close(self.output)
            self.output = None

    def terminate(self) -> None:
        """Asks the process to end."""
        if self._process is not None:
            self._process.terminate()

    def kill(self) -> None:
        """Kills the process and all that it has started, and waits for it."""
        if self._process is not None:
            kill_session(self._process)
            self._process = None


def _describe(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
