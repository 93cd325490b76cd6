"""Attaches the debugger to a training: makes its session, introduces it to the dashboard, and begins."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from debugging.contract import Debuggee
from debugging.link.address import Address
from debugging.link.link import Link
from debugging.session.commands import Commands
from debugging.session.lease import LENGTH, Lease
from debugging.session.progress import Progress
from debugging.session.session import Session
from summaries.debugging import PROTOCOL, SECRET_BYTES
from summaries.schema import debugger_pb2 as wire

__all__ = ["Settings", "attached"]


@dataclass(frozen=True)
class Settings:
    """How a training is debugged.

    Attributes:
        address: Of the dashboard.
        directory: The run's directory, absolute; None: the one in which the training is recorded.
        lease: Seconds that a pause lasts; None: without limit.
        at_end: What happens when the lease ends.
        pause_at_start: Whether to pause before the first step.
        name: What the page calls it; empty: the run's name, or that of the program.

    """

    address: Address
    directory: str | None = None
    lease: float | None = LENGTH
    at_end: str = "continue"
    pause_at_start: bool = False
    name: str = ""

    def make_lease(self) -> Lease:
        """The lease of its pauses.

        Raises:
            ValueError: The length or `at_end` is invalid.

        """
        return Lease(self.lease, self.at_end)


def attached(
    debuggee: Debuggee, progress: Progress, settings: Settings, device: str, recorded: str | None = None
) -> Session:
    """Attach a training; `Session.end` detaches it.

    Args:
        debuggee: The training.
        progress: Its progress.
        settings: How it is debugged.
        device: What it computes on, such as "CPU".
        recorded: The directory in which the training is recorded.

    """
    directory = settings.directory or (None if recorded is None else str(Path(recorded).absolute()))
    session = Session(debuggee, progress, settings.make_lease(), directory, settings.pause_at_start)
    hello = wire.Hello(
        protocol=PROTOCOL,
        summary_dir=directory or "",
        name=settings.name or Path(sys.argv[0] or "python").name,
        host=socket.gethostname(),
        pid=os.getpid(),
        version=_version(),
        device=device,
        started=time.time(),
        secret=secrets.token_bytes(SECRET_BYTES),
    )
    session.begin(Link(settings.address, hello, session.conversation.hear, session.attend), Commands(session))
    return session


def _version() -> str:
    # The wheel that holds this package; a checkout is installed under the other name, or not at all.
    for name in ("mindinsight-writer", "mindinsight"):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return ""
