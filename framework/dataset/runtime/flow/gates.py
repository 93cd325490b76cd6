"""A place where rows wait until the training lets them pass: `sync_wait` and `sync_update`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from framework.dataset.ir.nodes import Node
from framework.dataset.runtime.connector import Closed
from framework.dataset.runtime.resources import Resources
from framework.dataset.runtime.rows import Operator, Pass, Row

__all__ = ["Gate", "SyncWait"]


class Gate:
    """Counts the rows that may pass.

    Args:
        num_batch: number of rows that may pass at the start of an epoch, and with each update.
        callback: called with the data of an update before rows pass; None for none.
    """

    def __init__(self, num_batch: int, callback: Callable[[Any], object] | None) -> None:
        self._num_batch = num_batch
        self._callback = callback
        self._allowed = num_batch
        self._open = False
        self._changed = threading.Condition()

    def update(self, num_batch: int | None, data: Any) -> None:
        """Let rows pass.

        Args:
            num_batch: number of rows; None for the usual one.
            data: what the callback gets; it is called only if this is not None.
        """
        if self._callback is not None and data is not None:
            self._callback(data)
        with self._changed:
            self._allowed += self._num_batch if num_batch is None else num_batch
            self._changed.notify_all()

    def open(self) -> None:
        """Let all rows pass from now on."""
        with self._changed:
            self._open = True
            self._changed.notify_all()

    def begin(self) -> None:
        """An epoch begins: its first rows may pass."""
        with self._changed:
            self._allowed = max(self._allowed, self._num_batch)

    def wait(self, resources: Resources) -> None:
        """Wait until the next row may pass.

        Raises:
            Closed: the pipeline is closed.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._open or self._allowed > 0 or resources.closed)
            if resources.closed:
                raise Closed
            self._allowed -= not self._open

    def wake(self) -> None:
        """Let waiting threads look again."""
        with self._changed:
            self._changed.notify_all()


class SyncWait(Operator):
    """The child's rows, each after it may pass the gate. Without resources, for a look at rows, nothing waits."""

    def __init__(self, number: int, node: Node, child: Operator, resources: Resources | None) -> None:
        self.gate: Gate = node.python["gate"]
        self._resources = resources
        if resources is not None:
            # A row that waits for the next one to come along would wait for ever.
            resources.one_by_one = True
        super().__init__(number, child.columns, (child,))

    def rows(self, this: Pass) -> Iterator[Row]:
        """The rows, when they may pass."""
        resources, gate = self._resources, self.gate
        if resources is None:
            yield from self.children[0].rows(this)
            return
        resources.keep(self, gate.wake)
        gate.begin()
        for row in self.children[0].rows(this):
            gate.wait(resources)
            yield row
