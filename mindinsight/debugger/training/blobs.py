"""Handles a training's finished blobs: requested tensors, its program, its graph. Used by its session."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path
from typing import Any, Protocol

from django.db import Error as DatabaseError
from google.protobuf.message import DecodeError

from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.limits import MOST_NODES
from mindinsight.debugger.sessions import records
from mindinsight.debugger.sessions.files import session_directory
from mindinsight.debugger.training.blob_transfer import BlobTransfer, BlobTransfers, TooLargeError
from mindinsight.debugger.training.link import Link
from mindinsight.debugger.training.report import Report
from mindinsight.debugger.training.tensor_requests import TensorRequests
from summaries.debugging import BlobError
from summaries.schema.debugger_pb2 import BlobBegin, BlobChunk, BlobEnd, Program

logger = logging.getLogger(__name__)


class TooManyNodesError(ValueError):
    """A program that is too large to show. Its training is disconnected."""


class Receiver(Protocol):
    """The parts of a session that blobs need."""

    key: str
    number: int
    report: Report
    tensor_requests: TensorRequests

    def put(self, name: str, content: Any) -> None:
        """Stores a new value of one part of the report and sends it to browsers."""

    def tell_tensor(self, row: Json) -> None:
        """Sends the state of requested values to browsers."""

    def tensor_gone(self, number: int) -> None:
        """Handles the deletion of values to make room."""


class BlobReceiver:
    """The blobs and programs of one connection.

    Args:
        session: the session.
        link: the connection to the training, for credit.
    """

    def __init__(self, session: Receiver, link: Link) -> None:
        self._session = session
        self._arrivals = BlobTransfers(session_directory(session.key), link.send)

    async def take(self, name: str, body: Any) -> None:
        """Handles a message about a blob.

        Raises:
            TooManyNodesError: the blob is a program with too many nodes.
        """
        if name == "blob_begin":
            await self._begin(body)
        elif name == "blob_chunk":
            self._chunk(body)
        else:
            await self._end(body)

    async def take_program(self, program: Any) -> None:
        """Handles a program.

        Raises:
            TooManyNodesError: the program has too many nodes.
        """
        if len(program.nodes) > MOST_NODES:
            raise TooManyNodesError(f"a program of {len(program.nodes):,} nodes; at most {MOST_NODES:,} are taken")
        known = self._session.report.program
        if known is not None and known["digest"] == program.digest and known["nodes"] == len(program.nodes):
            return
        self._session.put("program", await asyncio.to_thread(records.keep_program, self._session.key, program))

    def drop_all(self) -> None:
        """Drops all incomplete blobs after the connection has ended."""
        self._arrivals.drop_all()

    async def _begin(self, begin: BlobBegin) -> None:
        row = None
        if begin.content == BlobBegin.TENSOR:
            row = self._session.tensor_requests.begun(begin)
            if row is None:
                self._arrivals.refuse(begin.id)
                return
        try:
            await self._arrivals.begin(begin)
        except (BlobError, OSError) as error:
            self._arrivals.refuse(begin.id)
            self._failed(begin.id, _problem(error), error)
            return
        if row is not None:
            self._session.tell_tensor(row)

    def _chunk(self, chunk: BlobChunk) -> None:
        try:
            arrival = self._arrivals.take(chunk)
        except BlobError as error:
            self._arrivals.refuse(chunk.id)
            self._failed(chunk.id, "damaged", error)
            return
        row = self._session.tensor_requests.received(chunk.id, arrival.received) if arrival is not None else None
        if row is not None:
            self._session.tell_tensor(row)

    async def _end(self, end: BlobEnd) -> None:
        try:
            arrival = self._arrivals.end(end)
        except BlobError as error:
            self._failed(end.id, "damaged", error)
            return
        if arrival is None:
            return
        try:
            await self._keep(arrival)
        except (OSError, DatabaseError) as error:
            self._failed(end.id, "no_room", error)

    async def _keep(self, arrival: BlobTransfer) -> None:
        begin, session = arrival.begin, self._session
        if begin.content == BlobBegin.GRAPH:
            session.put("graph", await asyncio.to_thread(records.keep_graph, session.key, arrival.path))
        elif begin.content == BlobBegin.PROGRAM:
            await self.take_program(await asyncio.to_thread(_program_in, arrival.path))
        else:
            await self._keep_tensor(arrival)

    async def _keep_tensor(self, arrival: BlobTransfer) -> None:
        session = self._session
        row = session.tensor_requests.of_blob(arrival.begin.id)
        if row is None:
            arrival.path.unlink(missing_ok=True)
            return
        gone = await records.in_thread(records.keep_tensor, session.key, session.number, dict(row), arrival.path)
        row |= {"state": "ready", "received": row["bytes"]}
        session.tell_tensor(row)
        for key, number in gone:
            if key == session.key:
                session.tensor_gone(number)

    def _failed(self, blob: int, problem: str, error: Exception) -> None:
        row = self._session.tensor_requests.of_blob(blob)
        if row is not None:
            self._session.tell_tensor(self._session.tensor_requests.fail(row, problem, f"{error}."))
        else:
            logger.warning("A blob of the debugger's session %s did not arrive: %s", self._session.key, error)


def _problem(error: Exception) -> str:
    if isinstance(error, TooLargeError):
        return "too_large"
    return "damaged" if isinstance(error, BlobError) else "no_room"


def _program_in(path: Path) -> Program:
    """Reads a program from a file and removes the file. Returns an empty program if there is none in it."""
    with contextlib.suppress(DecodeError):
        content = path.read_bytes()
        path.unlink()
        return Program.FromString(content)
    path.unlink(missing_ok=True)
    return Program()
