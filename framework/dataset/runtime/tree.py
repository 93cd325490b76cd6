"""A pipeline that is ready to run: the tree of its operators, with all that runs them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from framework.dataset.runtime.connector import Counters
from framework.dataset.runtime.prefetching import Prefetch
from framework.dataset.runtime.resources import Resources
from framework.dataset.runtime.rows import Operator, Pass, Row
from framework.dataset.runtime.section import Section

__all__ = ["Tree"]


class Observer(Protocol):
    """Who follows the reading of a tree."""

    def row(self) -> None:
        """A row was read."""

    def epoch(self) -> None:
        """An epoch was read."""

    def close(self) -> None:
        """No more rows will be read."""


def _observed(rows: Iterator[Row], observer: Observer) -> Iterator[Row]:
    for row in rows:
        observer.row()
        yield row
    observer.epoch()


class Tree:
    """The operators of a pipeline. It owns its threads, processes and queues, and alone frees them.

    Args:
        root: last operator.
        seed: seed of all random numbers.
        resources: owner of the threads; None to compute rows in the reader's thread.
    """

    def __init__(self, root: Operator, seed: int, resources: Resources | None) -> None:
        self.root = root
        self.seed = seed
        self._resources = resources
        self._prefetch: Prefetch | None = None
        #: Who is told about each row and each epoch that was read, and about the end.
        self.observer: Observer | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.root.columns

    def rows(self, epoch: int, epochs: int = -1) -> Iterator[Row]:
        """The rows of an epoch. With resources, a thread computes them before they are asked for.

        Args:
            epoch: index of the epoch.
            epochs: number of epochs that will be read; -1 for any number.

        Returns:
            The rows.

        Raises:
            RuntimeError: this is a forked process, which has none of the threads.
        """
        if self._resources is None:
            return self._computed(epoch)
        if self._resources.foreign:
            raise RuntimeError("this iterator was made by another process; create one here")
        if self._prefetch is None:
            self._prefetch = Prefetch(self._resources, self._computed, epochs)
        rows = self._prefetch.rows(epoch)
        return rows if self.observer is None else _observed(rows, self.observer)

    def size(self) -> int:
        """The number of rows of an epoch, counted by a pass if no operator knows it; -1 for no end."""
        size = self.root.size()
        return sum(1 for _ in self._computed(0)) if size is None else size

    def counters(self) -> dict[str, Counters]:
        """What happened at the connectors so far, by the operator that writes; `prefetch` is in front of the reader."""
        found = {} if self._prefetch is None else {"prefetch": self._prefetch.counters}
        return found | {section.name: section.counters for section in reversed(self.sections())}

    def sections(self) -> list[Section]:
        """The operators with workers, those nearest to the sources first."""
        found: list[Section] = []
        waiting = [self.root]
        while waiting:
            operator = waiting.pop()
            section = getattr(operator, "section", None)
            if isinstance(section, Section):
                found.append(section)
            waiting.extend(operator.children)
        return found[::-1]

    def close(self) -> None:
        """End all threads and processes and free everything; again it does nothing."""
        if self._resources is not None:
            self._resources.close()
        observer, self.observer = self.observer, None
        if observer is not None:
            observer.close()

    def _computed(self, epoch: int) -> Iterator[Row]:
        return self.root.rows(Pass(self.seed, (epoch,)))
