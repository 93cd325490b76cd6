"""A pipeline that is ready to run: the tree of its operators, with all that runs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter, process_time

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


class Tree:
    """The operators of a pipeline. It owns its threads, processes and queues, and alone frees them.

    Args:
        root: last operator.
        seed: seed of all random numbers.
        resources: owner of the threads; None to compute rows in the reader's thread.
        nodes: the nodes of the operators, by number.
    """

    def __init__(self, root: Operator, seed: int, resources: Resources | None, nodes: tuple[Node, ...]) -> None:
        self.root = root
        self.seed = seed
        self._resources = resources
        self._nodes = nodes
        self._prefetch: Prefetch | None = None

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
        return self._prefetch.rows(epoch)

    def size(self) -> int:
        """The number of rows of an epoch, counted by a pass if no operator knows it; -1 for no end."""
        size = self.root.size()
        return sum(1 for _ in self._computed(0)) if size is None else size

    def counters(self) -> dict[str, Counters]:
        """What happened at the connectors so far, by the operator that writes; `prefetch` is in front of the reader."""
        found = {} if self._prefetch is None else {"prefetch": self._prefetch.counters}
        for operator in self._operators():
            section = getattr(operator, "section", None)
            if isinstance(section, Section):
                found[section.name] = section.counters
        return found

    def state(self) -> PipelineState:
        """What all operators and connectors did so far. Any thread may ask; the pipeline does not wait for it."""
        states: dict[int, OperatorState] = {}
        for operator in reversed(self._operators()):
            states[operator.number] = _state(operator, self._nodes[operator.number], states)
        queue = None if self._prefetch is None else _queue(self._prefetch.counters)
        return PipelineState(
            perf_counter(), process_time(), tuple(states[number] for number in range(len(self._nodes))), queue
        )

    @property
    def waits(self) -> Waits:
        """How long the reader waits for rows, by epoch."""
        return Waits() if self._prefetch is None else self._prefetch.waits

    def close(self) -> None:
        """End all threads and processes and free everything; again it does nothing."""
        if self._resources is not None:
            self._resources.close()

    def _computed(self, epoch: int) -> Iterator[Row]:
        return self.root.rows(Pass(self.seed, (epoch,)))

    def _operators(self) -> list[Operator]:
        """All operators, parents before children."""
        found = [self.root]
        for operator in found:
            found.extend(operator.children)
        return found


def _state(operator: Operator, node: Node, below: dict[int, OperatorState]) -> OperatorState:
    """The state of an operator, after those that it reads."""
    section, task = getattr(operator, "section", None), getattr(operator, "task", None)
    children = tuple(child.number for child in operator.children)
    known = OperatorState(
        operator.number,
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
