"""Puts a dashboard into the background and waits until it is ready or has failed.

Called by `mindinsight start`. The background process is a fork, so it keeps the lock, socket and runtime directory.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from mindinsight.supervisor.supervisor import Reporter


@dataclass(frozen=True)
class Outcome:
    """The result of a start: `failure` is None if the dashboard is ready."""

    pid: int
    failure: str | None


class _PipeReporter:
    """Sends the outcome to the process that waits for it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def ready(self) -> None:
        self._send(None)

    def failed(self, message: str) -> None:
        self._send(message)

    def note(self, line: str) -> None:
        """Does nothing: there is no terminal, and the log has the note."""

    def _send(self, failure: str | None) -> None:
        if self._descriptor is not None:
            with suppress(OSError), os.fdopen(self._descriptor, "w", encoding="utf-8") as pipe:
                json.dump({"failure": failure}, pipe)
            self._descriptor = None


def run_in_background(supervise: Callable[[Reporter], int]) -> Outcome:
    """Runs `supervise` in a process of its own, without a terminal.

    Args:
        supervise: runs the dashboard until it ends and returns the exit status.

    Raises:
        KeyboardInterrupt: the user has interrupted the wait, and the dashboard was stopped.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _run_detached(supervise, _PipeReporter(write))
    os.close(write)
    return Outcome(pid, _wait(read, pid))


def _run_detached(supervise: Callable[[Reporter], int], reporter: Reporter) -> None:
    status = 1
    try:
        os.setsid()
        os.chdir("/")
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nothing, standard)
        os.close(nothing)
        status = supervise(reporter)
    except BaseException as error:
        reporter.failed(f"The dashboard did not start: {error!r}")
    finally:
        # Not sys.exit: the exit handlers of the command line must not run here.
        os._exit(status)


def _wait(descriptor: int, pid: int) -> str | None:
    try:
        with os.fdopen(descriptor, encoding="utf-8") as pipe:
            answer = pipe.read()
    except KeyboardInterrupt:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)
        raise
    if not answer:
        return "The dashboard ended before it was ready, without saying why."
    failure = json.loads(answer)["failure"]
    if failure is not None:
        # It still stops its children; afterwards the port is free again.
        os.waitpid(pid, 0)
    return str(failure) if failure is not None else None
