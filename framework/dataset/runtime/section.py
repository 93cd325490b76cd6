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
from typing import Any

from framework.dataset.ir.nodes import Node
from framework.dataset.runtime.connector import Closed, Connector, Counters
from framework.dataset.runtime.pace import Pace
from framework.dataset.runtime.resources import CLOSE_SECONDS, Resources, join
from framework.dataset.runtime.rows import Row
from framework.dataset.runtime.sample_errors import Failed, SampleErrors, delivered

__all__ = ["Block", "Computer", "Section", "Work", "pulled", "section_of"]

#: Computes one row from its number in the pass and what comes in.
Work = Callable[[int, Any], Row]
Block = list[Row | Failed]
#: Computes the rows of a block, from the number of the first one.
Computer = Callable[[int, list[Any]], Block]


class Section:
    """The workers of one operator.

    Args:
        name: name of the operator, for its threads.
        workers: number of threads.
        queue: number of rows that may wait for the reader.
        clock: what measures the cost of a row.
        resources: owner of the threads; None to compute in the reader's thread.
        errors: what becomes of rows with errors; None for what the resources say.
    """

    def __init__(
        self,
        name: str,
        workers: int,
        queue: int,
        clock: Callable[[], float],
        resources: Resources | None,
        errors: SampleErrors | None = None,
    ) -> None:
        self.name = name
        self.workers = workers
        self.queue = queue
        self.pace = Pace(clock)
        self.counters = Counters()
        self._resources = resources or Resources()
        self._errors = errors or self._resources.errors
        self._threaded = resources is not None and workers > 1

    def rows(self, items: Iterator[Any], make: Callable[[], Work]) -> Iterator[Row]:
        """The rows of one pass.

        Args:
            items: what comes in, in order.
            make: makes the function for a thread of its own.

        Yields:
            The rows, in the order of the items.
        """
        return delivered(self._outcomes(items, make), self._errors)

    def rows_elsewhere(self, items: Iterator[Any], make: Callable[[], Computer]) -> Iterator[Row]:
        """As `rows`, always with threads: they only wait for others, which compute whole blocks."""
        return delivered(self._threads(items, make, 0), self._errors)

    def _outcomes(self, items: Iterator[Any], make: Callable[[], Work]) -> Iterator[Row | Failed]:
        number, pace = 0, self.pace
        if not (self._threaded and pace.worth):
            work, clock = make(), pace.clock
            for item in items:
                start = clock()
                outcome = _computed(work, number, item)
                number += 1
                pace.note(clock() - start)
                yield outcome
                if self._threaded and pace.worth:
                    break
            else:
                return
        yield from self._threads(items, lambda: self._computer(make()), number)

    def _computer(self, work: Work) -> Computer:
        """Computes blocks by a function of a row, and measures them."""

        def compute(first: int, items: list[Any]) -> Block:
            clock, block = self.pace.clock, Block()
            start = clock()
            for number, item in enumerate(items, first):
                block.append(_computed(work, number, item))
                if isinstance(block[-1], Failed) and self._errors.raised:
                    break
            self.pace.note(clock() - start, len(block))
            return block

        return compute

    def _threads(self, items: Iterator[Any], make: Callable[[], Computer], number: int) -> Iterator[Row | Failed]:
        resources = self._resources
        slots = max(self.queue // self.pace.block, self.workers + 1)
        connector: Connector[Block] = resources.connector(slots, self.counters)
        flow = _Flow(items, connector, number, self._errors.raised)
        threads = set()
        try:
            for place in range(self.workers):
                threads.add(resources.start(f"{self.name}-{place}", partial(flow.work, make(), self.pace)))
            while (block := connector.take()) is not None:
                yield from block
        finally:
            resources.release(connector)
            # The rows before may not be read by two passes at once.
            if not resources.closed and join(threads, CLOSE_SECONDS):
                flow.close()


def section_of(
    number: int,
    node: Node,
    clock: Callable[[], float],
    resources: Resources | None,
    errors: SampleErrors | None = None,
) -> Section:
    """The section of a node, with its numbers of workers and of rows in the queue."""
    workers, queue = (node.parameters.get(name, 1) for name in ("num_parallel_workers", "connector_queue_size"))
    return Section(f"{node.op_type}-{number}", workers, queue, clock, resources, errors)


class _Flow:
    """One pass through a section, which its threads share."""

    def __init__(self, items: Iterator[Any], connector: Connector[Block], number: int, raised: bool) -> None:
        self._items = items
        self._connector = connector
        self._number = number
        self._raised = raised
        self._over = False
        self._lock = threading.Lock()

    def work(self, compute: Computer, pace: Pace) -> None:
        """Compute blocks until there are no more rows; the life of a thread."""
        while True:
            with self._lock:
                if self._over:
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
        self._over = True
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


def _computed(work: Work, number: int, item: Any) -> Row | Failed:
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
