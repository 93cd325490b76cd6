"""Attaches the debugger: to a training of `Model`, to a loop that a user wrote, or wherever the surroundings say so."""

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
from framework.debugger.address import Address, address_of
from framework.debugger.commands import Commands
from framework.debugger.ending import TrainingStoppedError
from framework.debugger.lease import LENGTH, Lease
from framework.debugger.link import Link
from framework.debugger.place import Place
from framework.debugger.session import Session
from framework.nn.cell import Cell
from framework.train.callback.base import RunContext
from summaries.debugging import PROTOCOL, SECRET_BYTES
from summaries.schema import debugger_pb2 as wire

__all__ = ["Settings", "attach", "attached"]


@dataclass(frozen=True)
class Settings:
    """How a training is debugged; the arguments of `Debugger`.

    Attributes:
        address: of the dashboard.
        directory: the run's, absolute; None: that of what records the training.
        lease: seconds that a pause lasts; None: without limit.
        at_end: what happens then.
        pause_at_start: whether to pause before the first step.

    """

    address: Address
    directory: str | None = None
    lease: float | None = LENGTH
    at_end: str = "continue"
    pause_at_start: bool = False

    def make_lease(self) -> Lease:
        """A lease of these pauses.

        Raises:
            ValueError: they cannot be like this.

        """
        return Lease(self.lease, self.at_end)


def attached(network: Cell, settings: Settings, told: RunContext | None = None, recorded: str | None = None) -> Session:
    """Attach a training; `Session.end` detaches it.

    Args:
        network: the whole training step.
        settings: how.
        told: what `Model.train` tells its callbacks.
        recorded: the directory in which the training is recorded.

    """
    directory = settings.directory or (None if recorded is None else str(Path(recorded).absolute()))
    session = Session(network, Place(told), settings.make_lease(), directory, settings.pause_at_start)
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
    session.begin(Link(settings.address, hello, session.talk.hear, session.look), Commands(session))
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
    """Let the dashboard look into a loop that is written by hand.

    `with attach(step): for data, label in batches: step(data, label)`. When the training is stopped from the dashboard,
    the loop ends and the program goes on behind the `with`.

    Args:
        network: the Cell that the loop calls once for each step, such as an `nn.TrainOneStepCell`.
        url: and all others: as in `Debugger`.
        token: the dashboard's token.
        summary_dir: the run's directory.
        lease: seconds that a pause lasts.
        at_end: what happens then.
        pause_at_start: pause before the first step.

    Raises:
        TypeError: `network` is no Cell.
        ValueError: an argument is out of its range.

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
    except metadata.PackageNotFoundError:  # A checkout that nobody installed.
        return ""
