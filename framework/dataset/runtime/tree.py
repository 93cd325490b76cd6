"""A pipeline that is ready to run: the tree of its operators, with all that runs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import perf_counter, process_time
from typing import Protocol

from framework.dataset.ir.nodes import Node
from framework.dataset.monitor.meters import Meter
from framework.dataset.monitor.states import OperatorState, PipelineState, QueueState
from framework.dataset.monitor.waits import Waits
from framework.dataset.runtime.connector import Counters
from framework.dataset.runtime.mapping import Operations
from framework.dataset.runtime.prefetching import Prefetch
from framework.dataset.runtime.resources import Resources
from framework.dataset.runtime.rows import Operator, Pass, Row
from framework.dataset.runtime.section import Section

__all__ = ["Tree"]

_FUNCTIONS = {"per_batch_map", "predicate", "length"}


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
        built: all operators with their nodes, children before parents.
        seed: seed of all random numbers.
        resources: owner of the threads; None to compute rows in the reader's thread.
    """

    def __init__(self, built: Sequence[tuple[Operator, Node]], seed: int, resources: Resources | None) -> None:
        self.root = built[-1][0]
        self.seed = seed
        self._resources = resources
        self._built = tuple(built)
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
        found = (getattr(operator, "section", None) for operator, _ in self._built)
        return [section for section in found if isinstance(section, Section)]

    def state(self) -> PipelineState:
        """What all operators and connectors did so far. Any thread may ask; the pipeline does not wait for it."""
        places = {operator: place for place, (operator, _) in enumerate(self._built)}
        states: list[OperatorState] = []
        for operator, node in self._built:
            children = tuple(places[child] for child in operator.children)
            states.append(_state(operator, node, children, states))
        queue = None if self._prefetch is None else _queue(self._prefetch.counters)
        skipped = None if self._resources is None else self._resources.errors.state()
        return PipelineState(perf_counter(), process_time(), tuple(states), queue, skipped)

    @property
    def waits(self) -> Waits:
        """How long the reader waits for rows, by epoch."""
        return Waits() if self._prefetch is None else self._prefetch.waits

    def queued(self) -> int:
        """The number of blocks that wait for the reader; -1 without a queue."""
        return -1 if self._prefetch is None else self._prefetch.queued()

    def close(self) -> None:
        """End all threads and processes and free everything; again it does nothing."""
        if self._resources is not None:
            self._resources.close()
        observer, self.observer = self.observer, None
        if observer is not None:
            observer.close()

    def _computed(self, epoch: int) -> Iterator[Row]:
        return self.root.rows(Pass(self.seed, (epoch,)))


def _state(operator: Operator, node: Node, children: tuple[int, ...], below: Sequence[OperatorState]) -> OperatorState:
    """The state of an operator, after those that it reads."""
    section, task = getattr(operator, "section", None), getattr(operator, "task", None)
    known = OperatorState(
        len(below),
        node.op_type,
        children,
        node.parameters.get("num_parallel_workers", 1),
        node.where,
        python=_calls_user(node),
        costs=task.states() if isinstance(task, Operations) else (),
    )
    meter = section.meter if isinstance(section, Section) else getattr(operator, "meter", None)
    if not isinstance(meter, Meter):
        # It only passes rows on: as many as it reads.
        return replace(known, rows=max((below[child].rows for child in children), default=0))
    metered = replace(
        known,
        rows=meter.rows,
        busy=meter.busy,
        processor=meter.processor,
        threads=meter.threads,
        processes=meter.processes,
    )
    if not isinstance(section, Section):
        return metered
    return replace(
        metered,
        workers=section.workers,
        parallel=section.parallel,
        queue=_queue(section.counters) if section.counters.puts else None,
    )


def _calls_user(node: Node) -> bool:
    """Whether an operator calls functions or objects of the user for its rows."""
    functions = any(not hasattr(operation, "apply") for operation in node.operations)
    return functions or node.op_type in ("GeneratorDataset", "FlatMap") or bool(_FUNCTIONS & node.python.keys())


def _queue(counters: Counters) -> QueueState:
    return QueueState(
        counters.held,
        counters.size,
        counters.puts,
        counters.takes,
        counters.put_wait,
        counters.take_wait,
        tuple(counters.fill),
    )
