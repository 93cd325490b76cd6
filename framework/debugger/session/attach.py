"""Attaches the debugger to a training of `Model` or to a hand-written loop."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from framework import context
from framework.debugger.link.address import Address, address_of
from framework.debugger.link.link import Link
from framework.debugger.session.commands import Commands
from framework.debugger.session.lease import LENGTH, Lease
from framework.debugger.session.progress import Progress
from framework.debugger.session.session import Session
from framework.debugger.session.termination import TrainingStoppedError
from framework.nn.cell import Cell
from framework.train.callback.base import RunContext
from summaries.debugging import PROTOCOL, SECRET_BYTES
from summaries.schema import debugger_pb2 as wire

__all__ = ["Settings", "attach", "attached"]


@dataclass(frozen=True)
class Settings:
    """How a training is debugged; the arguments of `Debugger`.

    Attributes:
        address: Of the dashboard.
        directory: The run's directory, absolute; None: the one in which the training is recorded.
        lease: Seconds that a pause lasts; None: without limit.
        at_end: What happens when the lease ends.
        pause_at_start: Whether to pause before the first step.

    """

    address: Address
    directory: str | None = None
    lease: float | None = LENGTH
    at_end: str = "continue"
    pause_at_start: bool = False

    def make_lease(self) -> Lease:
        """The lease of its pauses.

        Raises:
            ValueError: The length or `at_end` is invalid.

        """
        return Lease(self.lease, self.at_end)


def attached(
    network: Cell, settings: Settings, run_context: RunContext | None = None, recorded: str | None = None
) -> Session:
    """Attach a training; `Session.end` detaches it.

    Args:
        network: The whole training step.
        settings: How the training is debugged.
        run_context: Of the callbacks of `Model.train`; None for a hand-written loop.
        recorded: The directory in which the training is recorded.

    """
    directory = settings.directory or (None if recorded is None else str(Path(recorded).absolute()))
    session = Session(network, Progress(run_context), settings.make_lease(), directory, settings.pause_at_start)
    hello = wire.Hello(
        protocol=PROTOCOL,
        summary_dir=directory or "",
        name=Path(sys.argv[0] or "python").name,
        host=socket.gethostname(),
        pid=os.getpid(),
        version=_version(),
        device=context.get_context("device_target"),
        started=time.time(),
        secret=secrets.token_bytes(SECRET_BYTES),
    )
    session.begin(Link(settings.address, hello, session.conversation.hear, session.attend), Commands(session))
    return session


@contextmanager
def attach(
    network: Cell,
    url: str | None = None,
    token: str | None = None,
    summary_dir: str | Path | None = None,
    lease: float | None = LENGTH,
    at_end: str = "continue",
    pause_at_start: bool = False,
) -> Iterator[None]:
    """Debug a hand-written training loop from the dashboard.

    `with attach(step): for data, label in batches: step(data, label)`. When the dashboard stops the training, the loop
    ends and the program continues after the `with`.

    Args:
        network: The Cell that the loop calls once per step, such as an `nn.TrainOneStepCell`.
        url: The dashboard's web address, as in `Debugger`; so are the other arguments.
        token: The dashboard's token.
        summary_dir: The run's directory.
        lease: Seconds that a pause lasts.
        at_end: What happens when the lease ends.
        pause_at_start: Pause before the first step.

    Raises:
        TypeError: `network` is not a Cell.
        ValueError: An argument is out of its range.

    """
    if not isinstance(network, Cell):
        raise TypeError(f"the debugger is attached to the Cell that trains, not to a {type(network).__name__}")
    directory = None if summary_dir is None else str(Path(summary_dir).absolute())
    session = attached(network, Settings(address_of(url, token), directory, lease, at_end, pause_at_start))
    try:
        yield
    except TrainingStoppedError:
        pass
    except BaseException as error:
        session.end("failed", f"{type(error).__name__}: {error}")
        raise
    session.end("finished")


def _version() -> str:
    try:
        return metadata.version("mindinsight")
    except metadata.PackageNotFoundError:  # A checkout that is not installed.
        return ""
