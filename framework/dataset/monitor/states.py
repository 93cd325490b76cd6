"""The state of a running pipeline at one moment, and the difference of two: what happened between them.

`Tree.state` makes states; the rule for the bottleneck, the table and the files are made from their differences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import starmap

__all__ = ["Cost", "OperatorState", "PipelineState", "QueueState", "SkippedState", "difference"]


@dataclass(frozen=True)
class Cost:
    """The cost of one operation of a Map, or of several that are computed as one.

    Attributes:
        name: names of the operations' classes or functions.
        rows: measured rows.
        seconds: time of a row.
        processor: processor time of a row in seconds.
        python: whether it is a function of the user.
        random: whether it draws random numbers.
    """

    name: str
    rows: int
    seconds: float
    processor: float
    python: bool
    random: bool


@dataclass(frozen=True)
class QueueState:
    """A connector: the queue behind an operator.

    Attributes:
        size: items in it now.
        length: number of slots.
        puts, takes: items written and taken.
        put_wait, take_wait: seconds that writers waited for a free slot, and the reader for an item.
        fill: puts by how full the queue was before them: empty, then sixteenths of its length.
    """

    size: int
    length: int
    puts: int
    takes: int
    put_wait: float
    take_wait: float
    fill: tuple[int, ...]


@dataclass(frozen=True)
class OperatorState:
    """One operator.

    Attributes:
        number: its position in the pipeline, children before parents.
        op_type: MindSpore's name.
        children: numbers of the operators that it reads.
        workers: its `num_parallel_workers`.
        where: file and line of the user's program.
        rows, busy, processor: rows that it worked on, seconds of work and of processor time of its workers.
        threads: workers that compute now; 0 if it is computed in the thread of whoever reads it.
        processes: whether the workers are processes.
        parallel: whether more workers would compute at once.
        python: whether it calls functions of the user.
        queue: the queue behind it; None without one.
        costs: the cost of each operation of a Map.
    """

    number: int
    op_type: str
    children: tuple[int, ...]
    workers: int
    where: str
    rows: int = 0
    busy: float = 0.0
    processor: float = 0.0
    threads: int = 0
    processes: bool = False
    parallel: bool = False
    python: bool = False
    queue: QueueState | None = None
    costs: tuple[Cost, ...] = ()


@dataclass(frozen=True)
class SkippedState:
    """Samples with errors that did not end the pipeline.

    Attributes:
        mode: `skip` if they are left out, `replace` if copies of good samples take their places.
        count: number of samples so far.
        messages: the errors of the first ones, with file, row and operator.
    """

    mode: str
    count: int
    messages: tuple[str, ...]


@dataclass(frozen=True)
class PipelineState:
    """A pipeline.

    Attributes:
        seconds: moment on the clock `perf_counter`; in a difference its duration.
        processor: processor time of the process and its ended children in seconds.
        operators: the operators by number; the last one gives the batches.
        queue: the queue in front of the reader.
        skipped: samples with errors so far; None without any.
    """

    seconds: float
    processor: float
    operators: tuple[OperatorState, ...]
    queue: QueueState | None
    skipped: SkippedState | None = None

    @property
    def root(self) -> OperatorState:
        """The last operator."""
        return self.operators[-1]


def difference(before: PipelineState | None, after: PipelineState) -> PipelineState:
    """What happened between two moments: all sums are those of this time, all else is as it is at the end.

    Args:
        before: the earlier state; None for all since the start, if `after` is a sum itself.
        after: the later state of the same pipeline.
    """
    if before is None:
        return after
    return PipelineState(
        after.seconds - before.seconds,
        after.processor - before.processor,
        tuple(starmap(_operator, zip(before.operators, after.operators, strict=True))),
        _queue(before.queue, after.queue),
        after.skipped,
    )


def _operator(before: OperatorState, after: OperatorState) -> OperatorState:
    return replace(
        after,
        rows=after.rows - before.rows,
        busy=after.busy - before.busy,
        processor=after.processor - before.processor,
        queue=_queue(before.queue, after.queue),
    )


def _queue(before: QueueState | None, after: QueueState | None) -> QueueState | None:
    if before is None or after is None:
        return after
    return replace(
        after,
        puts=after.puts - before.puts,
        takes=after.takes - before.takes,
        put_wait=after.put_wait - before.put_wait,
        take_wait=after.take_wait - before.take_wait,
        fill=tuple(now - then for then, now in zip(before.fill, after.fill, strict=True)),
    )
