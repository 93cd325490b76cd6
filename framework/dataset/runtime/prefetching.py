"""The thread in front of the reader: it computes rows before they are asked for, over the ends of epochs.

While the last rows of an epoch wait in the connector, it begins the next epoch. It ends after the last one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from time import perf_counter, perf_counter_ns
from typing import NamedTuple

from framework.dataset.monitor.waits import Waits
from framework.dataset.runtime.connector import Connector, Counters
from framework.dataset.runtime.resources import CLOSE_SECONDS, Resources, join
from framework.dataset.runtime.rows import Row
from framework.tracing import RECORDER

__all__ = ["Prefetch"]

#: Rows that take less than this together are handed over as one block, if they are not too large.
_BLOCK_SECONDS = 1e-3
_BLOCK_BYTES = 1 << 20
#: What waits for the reader may be as large as this; two rows may always wait.
_WAITING_BYTES = 64 << 20


class _Block(NamedTuple):
    """Some rows of an epoch and their bytes; an error behind them, or the epoch's end."""

    rows: list[Row]
    size: int
    ends: bool = False
    error: BaseException | None = None


class Prefetch:
    """Rows of epoch after epoch, computed in a thread.

    Args:
        resources: owner of the thread.
        compute: computes the rows of an epoch.
        epochs: number of epochs; -1 for no end.
    """

    def __init__(self, resources: Resources, compute: Callable[[int], Iterator[Row]], epochs: int) -> None:
        self.counters = Counters()
        self.waits = Waits(self.queued)
        self._resources = resources
        self._compute = compute
        self._epochs = epochs
        self._connector: Connector[_Block] | None = None
        self._thread: threading.Thread | None = None
        self._next = -1

    def rows(self, epoch: int) -> Iterator[Row]:
        """The rows of an epoch; the next one is begun with it.

        Raises:
            Closed: the tree was closed.
        """
        if self._connector is None or self._next != epoch:
            self._restart(epoch)
        connector = self._connector
        assert connector is not None  # noqa: S101 - it was just made
        self._next = -1
        self.waits.begin(epoch + 1)
        asked, waited = perf_counter(), self.counters.take_wait
        while (block := connector.take()) is not None:
            waiting = self.counters.take_wait - waited
            yield from block.rows
            now, waited = perf_counter(), self.counters.take_wait
            if block.rows:
                self.waits.note(waiting, now - asked, len(block.rows), asked)
            asked = now
            if block.error is not None:
                raise block.error
            if block.ends:
                self._next = epoch + 1
                return

    def queued(self) -> int:
        """The number of blocks that wait for the reader."""
        return self.counters.held

    def _restart(self, epoch: int) -> None:
        if self._connector is not None:
            self._resources.release(self._connector)
        if self._thread is not None:
            join({self._thread}, CLOSE_SECONDS)
        connector = self._connector = self._resources.connector(max(self._resources.prefetch_size, 2), self.counters)
        self._thread = self._resources.start(f"prefetch-{epoch}", lambda: self._fill(connector, epoch))

    def _fill(self, connector: Connector[_Block], epoch: int) -> None:
        """The life of the thread."""
        while self._epochs == -1 or epoch < self._epochs:
            rows = self._compute(epoch)
            ends = False
            while not ends:
                ticket = connector.ticket()
                began = perf_counter_ns()
                block = _filled(rows, self._resources.one_by_one)
                if RECORDER.is_on:
                    site = RECORDER.known_site("data", "rows for the reader")
                    RECORDER.slices.append((site, began, perf_counter_ns(), threading.get_ident()))
                connector.put(ticket, block)
                connector.use(max(2, _WAITING_BYTES // max(block.size, 1)))
                ends = block.ends
                if block.error is not None:
                    return
            epoch += 1
        connector.end(connector.ticket())


def _filled(rows: Iterator[Row], one_by_one: bool) -> _Block:
    """The next rows, about a millisecond of them, or one."""
    block: list[Row] = []
    end, size = perf_counter() + _BLOCK_SECONDS, 0
    try:
        for row in rows:
            block.append(row)
            size += sum(value.nbytes for value in row.values)
            if one_by_one or size > _BLOCK_BYTES or perf_counter() > end:
                return _Block(block, size)
    except BaseException as error:  # it is raised in the reader's thread
        return _Block(block, size, error=error)
    return _Block(block, size, ends=True)
