"""The part of a pipeline that several threads compute: rows go in one by one, and come out in the same order.

The threads of a section pull the rows before them themselves, one thread at a time, together with the ticket for their
place in the connector; there is no thread that only hands out work. Each then computes its block of rows alone:

    rows before → [lock: ticket n, pull a block] → compute → connector, slot n → rows in order

An error takes the place of its row, so that all rows before it are delivered first. Rows that cost little are computed
in the thread that reads them; what they cost is measured all the time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from time import perf_counter, thread_time
from typing import Any, cast

from framework.dataset.ir.nodes import Node
from framework.dataset.monitor.meters import Meter
from framework.dataset.runtime.connector import Closed, Connector, Counters
from framework.dataset.runtime.pace import Pace
from framework.dataset.runtime.processes import ProcessPool
from framework.dataset.runtime.resources import CLOSE_SECONDS, Resources, join
from framework.dataset.runtime.rows import Pass, Row
from framework.dataset.runtime.sample_errors import Failed, SampleErrors, delivered
from framework.dataset.runtime.task import Function, Job, work_of

__all__ = ["Section", "pulled"]

Block = list[Row | Failed]
#: Computes the rows of a block, from the number of the first one.
Computer = Callable[[int, list[Any]], Block]
Work = Callable[[int, Any], Row]

#: Blocks for other processes are larger, since they cost more on the way.
_PROCESS_SECONDS = 4e-3
_MEGABYTE = 1 << 20
#: Of so many rows one is measured, after the first ones.
_MEASURED = 8


class Section:
    """The workers of one operator: threads, or processes with a thread each that waits for it.

    Args:
        node: the operator's node, with its number of workers and that of rows which may wait for the reader.
        job: what they compute.
        resources: owner of the threads and processes; None to compute in the reader's thread.
        clock: what measures the cost of a row.
        errors: what becomes of rows with errors; None for what the resources say.
        concurrent: whether several threads may compute at once.
    """

    def __init__(
        self,
        node: Node,
        job: Job,
        resources: Resources | None,
        clock: Callable[[], float] = perf_counter,
        errors: SampleErrors | None = None,
        concurrent: bool = True,
    ) -> None:
        self.name = f"{node.op_type}-{job.task.number}"
        self.counters = Counters()
        self.meter = Meter(self.name)
        self.number: int = job.task.number
        #: The number of workers; it may change while rows are computed, within what `allow` was told.
        self.workers: int = node.parameters.get("num_parallel_workers", 1)
        self._most = self.workers
        self._tuned = False
        #: Whether several workers can compute at once.
        self.parallel = concurrent and resources is not None
        self._queue: int = node.parameters.get("connector_queue_size", 1)
        self._job = job
        self._resources = resources or Resources()
        self._errors = errors or self._resources.errors
        self._threaded = self.parallel and self.workers > 1
        sizes = node.python.get("processes")
        self._pool: ProcessPool | None = None
        if resources is not None and sizes is not None:
            self._pool = ProcessPool(job, self.workers, (sizes[0] * _MEGABYTE, sizes[1] * _MEGABYTE))
            self.pace = Pace(perf_counter, _PROCESS_SECONDS)
        else:
            self.pace = Pace(clock)

    @property
    def plain(self) -> bool:
        """Whether nothing speaks against blocks: no processes, and an error ends the pass."""
        return self._pool is None and self._errors.raised

    def shares(self) -> bool:
        """Whether rows are worth threads, and there are some."""
        return self._threaded and self.pace.is_worth()

    def allow(self, most: int) -> bool:
        """Let the number of workers change up to a number.

        Returns:
            Whether it may: not for processes, nor where one thread must compute alone.
        """
        if not self.parallel or self._pool is not None:
            return False
        self._most, self._tuned, self._threaded = max(most, self.workers), True, True
        return True

    def rows(
        self, items: Iterator[Any], this: Pass, function_of: Callable[[Pass], Function] | None = None
    ) -> Iterator[Row]:
        """The rows of one pass.

        Args:
            items: what comes in, in order.
            this: the pass.
            function_of: makes the task's function for each thread; None for the task itself.

        Returns:
            The rows, in the order of the items.
        """
        pool = self._pool
        if pool is not None and not pool.prepared():
            pool = self._pool = None
        if pool is not None:
            return delivered(self._elsewhere(pool, items, this), self._errors)
        make = partial(work_of, self._job, this, function_of)
        work = self.meter.sampling(make())
        if self._errors.raised:
            # An error is raised where it happens, so that there are rows alone.
            return cast(Iterator[Row], self._here(items, work, make))
        return delivered(self._here(items, partial(_computed, work), make), self._errors)

    def _elsewhere(self, pool: ProcessPool, items: Iterator[Any], this: Pass) -> Iterator[Row | Failed]:
        self._resources.keep(pool, pool.close)
        seats = count()

        def make() -> Computer:
            seat, known = next(seats), False

            def compute(first: int, block: list[Any]) -> Block:
                nonlocal known
                start = perf_counter()
                rows = pool.compute(seat, this, first, block, self._errors.raised)
                if known:
                    seconds = perf_counter() - start
                    self.pace.note(seconds, len(rows))
                    self.meter.note(len(rows), seconds, 0.0)
                # The first one waited for its process to start.
                known = True
                return rows

            return compute

        return self._threads(items, make, 0)

    def _here(
        self, items: Iterator[Any], work: Callable[[int, Any], Row | Failed], make: Callable[[], Work]
    ) -> Iterator[Row | Failed]:
        """Compute in the reader's thread, and give the rest to threads once that is worth it."""
        number, pace = 0, self.pace
        if not self._threaded:
            for number, item in enumerate(items):
                yield work(number, item)
            return
        if not pace.is_worth():
            clock = pace.clock
            for number, item in enumerate(items):
                if number % _MEASURED and number > _MEASURED:
                    yield work(number, item)
                    continue
                start = clock()
                outcome = work(number, item)
                pace.note(clock() - start)
                yield outcome
                if pace.is_worth():
                    break
            else:
                return
            number += 1
        rest = self._threads(items, lambda: self._computer(make()), number)
        yield from delivered(rest, self._errors) if self._errors.raised else rest

    def _computer(self, work: Callable[[int, Any], Row]) -> Computer:
        """Computes blocks by a function of a row, and measures them."""

        def compute(first: int, items: list[Any]) -> Block:
            clock, block = self.pace.clock, Block()
            began, used = perf_counter(), thread_time()
            start = clock()
            for number, item in enumerate(items, first):
                block.append(_computed(work, number, item))
                if isinstance(block[-1], Failed) and self._errors.raised:
                    break
            self.pace.note(clock() - start, len(block))
            self.meter.note(len(block), perf_counter() - began, thread_time() - used)
            return block

        return compute

    def _threads(self, items: Iterator[Any], make: Callable[[], Computer], number: int) -> Iterator[Row | Failed]:
        resources = self._resources
        slots = max(self._queue // self.pace.block, self._most + 1)
        connector: Connector[Block] = resources.connector(slots, self.counters)
        flow = _Flow(items, connector, number, self._errors.raised)
        threads = set()
        try:
            seats: dict[int, threading.Thread] = {}
            with self.meter.working(self._pool is not None):
                while True:
                    flow.wanted = self.meter.threads = self.workers
                    for seat in range(0 if flow.over else self.workers):
                        if seat in seats and (not self._tuned or seats[seat].is_alive()):
                            continue
                        seats[seat] = resources.start(
                            f"{self.name}-{seat}", partial(flow.work, seat, make(), self.pace)
                        )
                        threads.add(seats[seat])
                    block = connector.take()
                    if block is None:
                        break
                    yield from block
        finally:
            resources.release(connector)
            # The rows before may not be read by two passes at once.
            if not resources.closed and join(threads, CLOSE_SECONDS):
                flow.close()


class _Flow:
    """One pass through a section, which its threads share."""

    def __init__(self, items: Iterator[Any], connector: Connector[Block], number: int, raised: bool) -> None:
        self._items = items
        self._connector = connector
        self._number = number
        self._raised = raised
        #: The number of threads that shall work.
        self.wanted = 0
        #: Whether there are no more rows.
        self.over = False
        self._lock = threading.Lock()

    def work(self, seat: int, compute: Computer, pace: Pace) -> None:
        """Compute blocks until there are no more rows, or fewer threads shall work; the life of a thread."""
        while True:
            with self._lock:
                if self.over:
                    return
                if seat >= self.wanted:
                    return
                ticket = self._connector.ticket()
                first = self._number
                items, failed = pulled(self._items, pace.block)
                self._number += len(items)
                if failed is not None or not items:
                    self._end(ticket + 1 if items or failed else ticket)
                    if not items and failed is None:
                        return
            block = _safely(compute, first, items)
            if self._raised and block and isinstance(block[-1], Failed):
                self._end(ticket + 1)
            elif failed is not None:
                block.append(failed)
            self._connector.put(ticket, block)

    def close(self) -> None:
        """Let go of the rows before."""
        close = getattr(self._items, "close", None)
        if close is not None:
            close()

    def _end(self, ticket: int) -> None:
        self.over = True
        self._connector.end(ticket)


def pulled(items: Iterator[Any], count: int) -> tuple[list[Any], Failed | None]:
    """The next items, and the error that ended them early."""
    out: list[Any] = []
    try:
        for item in items:
            out.append(item)
            if len(out) == count:
                break
    except BaseException as error:  # it is raised in the reader's thread
        return out, Failed(error, final=True)
    return out, None


def _computed(work: Callable[[int, Any], Row], number: int, item: Any) -> Row | Failed:
    try:
        return work(number, item)
    except BaseException as error:  # it is raised in its place in the order of rows
        return Failed(error)


def _safely(compute: Computer, first: int, items: list[Any]) -> Block:
    try:
        return compute(first, items) if items else []
    except Closed:
        raise
    except BaseException as error:  # without it, the reader would wait for ever
        return [Failed(error, final=True)]
