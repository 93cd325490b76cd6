"""The worker processes of one operator, each driven by a thread of the program that waits for it."""

from __future__ import annotations

import logging
import os
import pickle
import select
import signal
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import cloudpickle

from framework.dataset.runtime.connector import Closed
from framework.dataset.runtime.processes.forking import ForkServer
from framework.dataset.runtime.processes.memory import Channel, SharedMemory
from framework.dataset.runtime.processes.worker import Refused
from framework.dataset.runtime.rows import Pass, Row
from framework.dataset.runtime.sample_errors import Failed
from framework.dataset.runtime.task import Job

__all__ = ["ProcessPool"]

_log = logging.getLogger("framework.dataset")

#: How often a block is computed whose worker was killed.
_TRIES = 3
_END_SECONDS = 0.3


class _Died(Exception):  # noqa: N818 - it is handled where a block is computed again
    """The worker has ended.

    Args:
        place: the row within the block that it had.
    """

    def __init__(self, place: int) -> None:
        self.place = place


class _Worker:
    """One worker process."""

    def __init__(self, server: ForkServer, sizes: tuple[int, int], task: bytes) -> None:
        own, other = socket.socketpair()
        self._channel = Channel(own)
        self._inputs, self._results = (SharedMemory.create(size) for size in sizes)
        with other:
            server.fork([other.fileno(), self._inputs.file, self._results.file])
        self._process = 0
        self._task = task

    @property
    def grown(self) -> bool:
        """Whether a block did not fit into the memory that it began with."""
        return self._results.grown or self._inputs.grown

    def ask(self, request: Any) -> list[Any]:
        """The answers to a request.

        Raises:
            _Died: the worker has ended.
        """
        try:
            if not self._process:
                self._begin()
            self._results.number = 0
            self._channel.send(self._inputs.dump(request))
            answer = self._channel.receive()
        except OSError:
            answer = None
        if answer is None:
            raise _Died(self._results.number)
        answers: list[Any] = self._results.load(answer)
        return answers

    def end(self) -> None:
        """Kill the process. A thread that waits for its answer learns of it."""
        connection = self._channel.connection
        if self._process:
            with suppress(OSError):
                os.kill(self._process, signal.SIGKILL)
                select.select([connection], [], [], _END_SECONDS)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    def free(self) -> None:
        """Let go of the memory, once nobody asks any more."""
        self._channel.connection.close()
        self._inputs.close()
        self._results.close()

    def _begin(self) -> None:
        hello = self._channel.receive()
        if hello is None:
            raise OSError
        self._process = int(hello)
        self._channel.send(self._task)


class _Seat:
    """The place of one worker, for one thread at a time; a worker that died is followed by another one.

    Args:
        pool: the pool.
    """

    def __init__(self, pool: ProcessPool) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._worker: _Worker | None = None

    def ask(self, request: Any) -> list[Any]:
        """The answers of a worker.

        Raises:
            Closed: the pool was closed.
            _Died: the worker has ended.
        """
        with self._lock:
            if self._pool.closed:
                raise Closed
            if self._worker is None:
                self._worker = self._pool.started()
            worker = self._worker
            try:
                answers = worker.ask(request)
            except _Died:
                if self._pool.closed:
                    raise Closed from None
                worker.free()
                self._worker = None
                raise
            self._pool.watch(worker)
            return answers

    def end(self) -> None:
        """Kill the worker, if there is one."""
        if self._worker is not None:
            self._worker.end()

    def free(self) -> None:
        """Let go of what the worker used."""
        if self._lock.acquire(timeout=_END_SECONDS):
            if self._worker is not None:
                self._worker.free()
                self._worker = None
            self._lock.release()


class ProcessPool:
    """The worker processes of one operator; they live as long as its tree. Ask `prepared` first.

    Args:
        job: the operator's work.
        count: number of processes.
        sizes: bytes of the memory for inputs and for results with which workers begin; it grows when needed.
    """

    def __init__(self, job: Job, count: int, sizes: tuple[int, int]) -> None:
        self.closed = False
        self._job = job
        self._sizes = sizes
        self._lock = threading.Lock()
        self._server: ForkServer | None = None
        self._task = b""
        self._seats = [_Seat(self) for _ in range(count)]
        self._said = False

    def prepared(self) -> bool:
        """Whether the task can be sent to processes; otherwise why not is logged, and threads have to do."""
        if not self._task:
            try:
                main = cloudpickle.dumps(self._job.task)
            except Exception as error:
                _log.warning(
                    "%s; it runs in this process, as with python_multiprocessing=False",
                    self._job.failure(None, "the functions cannot be sent to worker processes", error),
                )
                return False
            self._task = pickle.dumps((str(Path.cwd()), sys.path, main))
        return True

    def compute(self, seat: int, this: Pass, first: int, items: list[Any], raised: bool) -> list[Row | Failed]:
        """The rows of a block, or the errors in their places.

        Args:
            seat: number of the process.
            this: the pass.
            first: number of the first row.
            items: what comes in.
            raised: whether the first error ends the block.

        Returns:
            The rows.

        Raises:
            Closed: the pool was closed.
        """
        if not items:
            return []
        place = 0
        for _ in range(_TRIES):
            try:
                inputs = [self._job.split(item) for item in items]
                return self._merged(items, self._seats[seat].ask((this, first, raised, inputs)))
            except _Died as died:
                place = min(died.place, len(items) - 1)
        why = f"its worker process ended each of {_TRIES} times that this was tried"
        block: list[Row | Failed] = self.compute(seat, this, first, items[:place], raised)
        if not (raised and block and isinstance(block[-1], Failed)):
            block.append(Failed(self._job.failure(items[place], "", why)))
            if not raised:
                block.extend(self.compute(seat, this, first + place + 1, items[place + 1 :], raised))
        return block

    def started(self) -> _Worker:
        """A new worker.

        Raises:
            Closed: the pool was closed.
        """
        with self._lock:
            if self.closed:
                raise Closed
            if self._server is None:
                self._server = ForkServer.acquire()
            return _Worker(self._server, self._sizes, self._task)

    def watch(self, worker: _Worker) -> None:
        """Say once that the memory is small."""
        if worker.grown and not self._said:
            self._said = True
            _log.info("blocks of rows are larger than the memory of their worker process, which grew: see max_rowsize")

    def close(self) -> None:
        """Kill all processes and free their memory."""
        with self._lock:
            self.closed = True
            server, self._server = self._server, None
        for seat in self._seats:
            seat.end()
        for seat in self._seats:
            seat.free()
        if server is not None:
            server.release()

    def _merged(self, items: list[Any], answers: list[Any]) -> list[Row | Failed]:
        block: list[Row | Failed] = []
        for item, answer in zip(items, answers, strict=False):
            try:
                if isinstance(answer, Refused):
                    answer.error.add_note(f"in a worker process:\n{answer.where}")
                    raise self._job.failure(item, answer.part, answer.error) from answer.error
                block.append(self._job.merge(item, answer))
            except RuntimeError as error:
                block.append(Failed(error))
        return block
