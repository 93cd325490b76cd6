"""A training as the dashboard sees it: speaks the link's messages by `summaries.debugging`, and knows nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, Protocol

import numpy.typing as npt
from google.protobuf.message import Message
from websockets.sync.client import ClientConnection, connect

from summaries.debugging import PATH, PROTOCOL, SECRET_BYTES, body_of, checksum, chunks, read, written
from summaries.schema.debugger_pb2 import (
    BlobBegin,
    BlobChunk,
    BlobEnd,
    Command,
    Credit,
    Hello,
    Reply,
    State,
    TensorName,
    View,
    Welcome,
)

Array = npt.NDArray[Any]

SECRET = bytes(range(SECRET_BYTES))
"""Of trainings that are not told another one."""


def hello(**said: Any) -> Hello:
    """A training's greeting; `said` replaces the usual fields."""
    usual: dict[str, Any] = {"protocol": PROTOCOL, "name": "toy", "host": "box", "pid": os.getpid(), "device": "CPU"}
    usual["secret"] = SECRET
    return Hello(**(usual | said))


def paused(step: int, **said: Any) -> State:
    """The state of a training that is paused after a step."""
    usual = {"status": State.PAUSED, "reason": "step", "step": step, "mode": "graph", "loss": float("nan")}
    return State(**(usual | {"has_current": True, "can_run_again": True} | said))


class Place(Protocol):
    """A web server of a dashboard."""

    @property
    def address(self) -> str:
        """Its web address, without a slash at its end."""

    @property
    def token(self) -> str:
        """What clients that are no browser show."""


class Training:
    """One connection of a training.

    Args:
        dashboard: where it calls.
        headers: in place of the token.
    """

    def __init__(self, dashboard: Place, headers: dict[str, str] | None = None) -> None:
        shown = {"Authorization": f"Bearer {dashboard.token}"} if headers is None else headers
        address = f"ws{dashboard.address[4:]}{PATH}"
        self._open = ExitStack()
        self.socket: ClientConnection = self._open.enter_context(
            connect(address, additional_headers=shown, max_size=1 << 21, compression=None)
        )
        self.session = ""
        self.window = 0
        self._blobs = 0

    def greet(self, **said: Any) -> Training:
        """Says Hello and takes Welcome."""
        self.say(hello(**said))
        welcome = self.hear(Welcome)
        self.session, self.window = welcome.session, welcome.window
        return self

    def say(self, body: Message) -> None:
        """Sends a message."""
        self.socket.send(written(body))

    def hear(self, kind: type[Any]) -> Any:
        """Returns the next message of a kind; others are left out."""
        while not isinstance(body := body_of(read(self._bytes())), kind):
            pass
        return body

    def obey(self, answer: Callable[[Command], Reply] | None = None) -> Command:
        """Takes the next command and replies to it; with success by default."""
        command: Command = self.hear(Command)
        reply = answer(command) if answer else Reply(ok=True, at=-1)
        reply.id = command.id
        self.say(reply)
        return command

    def show(self, array: Array, step: int, spoil: bool = False) -> View:
        """Answers the next command, a View, with an array, chunk by chunk against credit."""
        command: Command = self.hear(Command)
        assert command.view.values, command
        blob = self._blobs = self._blobs + 1
        self.say(Reply(id=command.id, ok=True, at=-1, blob=blob))
        begin = BlobBegin(
            id=blob,
            content=BlobBegin.TENSOR,
            bytes=array.nbytes,
            dtype=array.dtype.name,
            shape=array.shape,
            tensor=command.view.tensor,
            step=step,
            previous=command.view.previous,
        )
        self.send_blob(begin, array.tobytes(), spoil)
        return command.view

    def send_blob(self, begin: BlobBegin, data: memoryview | bytes, spoil: bool = False) -> bool:
        """Sends a blob; False where the dashboard does not want it."""
        self.say(begin)
        credit = self.window
        for piece in chunks(memoryview(data)):
            if not credit:
                given = self.hear(Credit)
                if given.cancel:
                    return False
                credit += given.chunks
            self.say(BlobChunk(id=begin.id, data=bytes(piece)))
            credit -= 1
        self.say(BlobEnd(id=begin.id, checksum=checksum(data) ^ spoil))
        return True

    def close(self) -> None:
        """Closes the connection."""
        self._open.close()

    def closed_with(self) -> int:
        """Waits until the dashboard has closed; returns its code."""
        while True:
            try:
                self._bytes()
            except Exception as error:
                code: int = error.rcvd.code  # type: ignore[attr-defined]
                return code

    def __enter__(self) -> Training:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _bytes(self) -> bytes:
        got = self.socket.recv(timeout=20)
        assert isinstance(got, bytes)
        return got


def name_of(full_name: str, slot: int = 0, iteration: int = 0) -> TensorName:
    """The name of a tensor."""
    return TensorName(full_name=full_name, slot=slot, iteration=iteration)


def names(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The names in some rows."""
    return [str(row["name"]) for row in rows]
