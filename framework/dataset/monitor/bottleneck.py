"""The rule for the bottleneck of a pipeline: which operator, by what evidence, for what reason, and what to do.

The bottleneck is in the part whose threads have the most to do (`load`): what it reads from waits for room, and who
reads from it waits for rows. In this part it is the operator with the most work. A pipeline that keeps up with its
reader has none, nor has one whose parts are equally slow: there, no change of a single operator would help.

Each action is tried on the measured times, and the simplest one that helps is named with what it would gain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from framework.dataset.monitor.load import below, pace, part_of, parts, with_operator
from framework.dataset.monitor.states import Cost, OperatorState, PipelineState, QueueState

__all__ = ["DATA_BOUND", "Action", "Finding", "Reason", "find_bottleneck"]

#: A training that waits for data for a larger share of its time is bound by them.
DATA_BOUND = 0.05
#: A gain that is smaller is not worth a word, and may be due to chance.
_WORTH = 1.15
#: A part that has less to do than this share of the time cannot be what others wait for.
_BUSY = 0.5
_ALL_PROCESSORS = 0.9
#: Work with at least this share of processor time computes. Less of it waits: for a disk, a network, a clock. It is no
#: half, since on a machine with other work a function that only computes waits for a processor as well.
_COMPUTES = 0.25
_MOST_WORKERS = 8
#: Fewer workers are named if they gain at least this share of what more do.
_NEARLY = 0.9


class Reason(StrEnum):
    """Why an operator is slow."""

    ONE_WORKER = "one_worker"
    PYTHON = "python"
    READING = "reading"
    PROCESSORS = "processors"
    WORK = "work"


class Action(StrEnum):
    """What would help."""

    WORKERS = "workers"
    PROCESSES = "processes"
    SAVE = "save"
    RANDOM_ACCESS = "random_access"
    NONE = "none"


@dataclass(frozen=True)
class Finding:
    """The bottleneck of a span of time. Shares are between 0 and 1.

    Attributes:
        operator: its number.
        op_type: MindSpore's name of it.
        where: file and line of the user's program.
        reason: why it is slow.
        operation: the operation of the Map that costs the most; empty for other operators.
        operation_share: its share of the Map's time.
        workers: its number of workers.
        busy: share of the time that its part works; above 1, its operators take longer than there is time.
        input_full: share of the time that the queue before it was full; None without a queue.
        output_empty: share of the time that the queue behind its part was empty.
        processors: used share of all processors.
        action: what would help.
        count: number of workers for that.
        gain: how many times faster batches would come, by the measured times.
    """

    operator: int
    op_type: str
    where: str
    reason: Reason
    operation: str
    operation_share: float
    workers: int
    busy: float
    input_full: float | None
    output_empty: float
    processors: float
    action: Action
    count: int
    gain: float


def find_bottleneck(span: PipelineState, processors: int) -> Finding | None:
    """The bottleneck of a pipeline.

    Args:
        span: what happened in some time.
        processors: number of processors that the program may use.

    Returns:
        The bottleneck; None if the pipeline keeps up with its reader, or its parts are equally slow.
    """
    if span.queue is None or not span.root.rows or span.queue.take_wait < DATA_BOUND * span.seconds:
        return None
    loads = parts(span)
    part = max(loads, key=lambda one: loads[one])
    if loads[part] < _BUSY * span.seconds:
        return None
    members = part_of(span)
    slow = max((one for one in span.operators if members[one.number] == part), key=_load)
    training = max(span.seconds - span.queue.take_wait, 0.0)
    now = max(span.seconds, pace(span, training, processors))
    without = with_operator(span, replace(slow, busy=0.0, processor=0.0))
    if now < _WORTH * pace(without, training, processors):
        return None
    used = span.processor / (span.seconds * processors)
    reason = _reason(span, slow, used)
    action, count, gain = _best(span, slow, reason, training, processors)
    costly = max(slow.costs, key=lambda cost: cost.seconds, default=None)
    behind = _behind(span, part)
    before = next((one.queue for one in below(span, slow.number) if one.queue is not None), None)
    return Finding(
        operator=slow.number,
        op_type=slow.op_type,
        where=slow.where,
        reason=reason,
        operation="" if costly is None else costly.name,
        operation_share=0.0 if costly is None else costly.seconds / (_total(slow.costs) or 1.0),
        workers=max(slow.threads, 1),
        busy=slow.busy / (span.seconds * max(slow.threads, 1)),
        input_full=None if before is None else min(before.put_wait / span.seconds, 1.0),
        output_empty=min(behind.take_wait / span.seconds, 1.0),
        processors=used,
        action=action,
        count=count,
        gain=gain,
    )


def _load(operator: OperatorState) -> float:
    return operator.busy / max(operator.threads, 1)


def _total(costs: tuple[Cost, ...]) -> float:
    return sum(cost.seconds for cost in costs)


def _behind(span: PipelineState, part: int) -> QueueState:
    """The queue behind a part: that of its operator, or the one in front of the reader."""
    queue = span.queue if part < 0 else span.operators[part].queue
    return queue or span.queue or QueueState(0, 0, 0, 0, 0.0, 0.0, ())


def _holds_lock(slow: OperatorState) -> bool:
    """Whether functions of the user keep other threads from running Python."""
    if not slow.python or slow.processes or not slow.busy:
        return False
    return _computes(slow)


def _computes(slow: OperatorState) -> bool:
    """Whether the work is computing. Several threads that run Python share the time of one."""
    threads = max(slow.threads, 1) if slow.python else 1
    return slow.processor * threads > _COMPUTES * slow.busy


def _reason(span: PipelineState, slow: OperatorState, used: float) -> Reason:
    if _holds_lock(slow):
        return Reason.PYTHON
    if not slow.children:
        return Reason.READING
    if slow.parallel and slow.workers == 1:
        return Reason.ONE_WORKER
    return Reason.PROCESSORS if used >= _ALL_PROCESSORS else Reason.WORK


def _best(
    span: PipelineState, slow: OperatorState, reason: Reason, training: float, processors: int
) -> tuple[Action, int, float]:
    """The simplest action that gains enough, with its number of workers and its gain."""
    now = max(span.seconds, pace(span, training, processors))
    tried = [
        (action, count, now / max(pace(changed, training, processors), 1e-9))
        for action, count, changed in _changes(span, slow, reason, processors)
    ]
    worth = [action for action, _, gain in tried if gain >= _WORTH]
    if not worth:
        access = reason in (Reason.READING, Reason.PYTHON) and not slow.children and not slow.parallel
        return (Action.RANDOM_ACCESS if access else Action.NONE), 0, 1.0
    same = [one for one in tried if one[0] is worth[0]]
    most = max(gain for _, _, gain in same)
    return next(one for one in same if one[2] >= _NEARLY * most)


def _changes(
    span: PipelineState, slow: OperatorState, reason: Reason, processors: int
) -> Iterator[tuple[Action, int, PipelineState]]:
    """What could be changed, and the work of the span after it, the simplest first."""
    most = processors if _computes(slow) else _MOST_WORKERS
    counts = [count for count in (2, 4, 8) if slow.workers < count <= max(most, 2)]
    # Rows that stay in the reader's thread with several workers are too short to be handed over.
    stays = slow.workers > 1 and not slow.threads
    if slow.parallel and reason is not Reason.PYTHON and not stays:
        for count in counts:
            yield Action.WORKERS, count, with_operator(span, replace(slow, threads=count))
    if slow.parallel and reason is Reason.PYTHON:
        count = max(slow.workers, min(processors, _MOST_WORKERS))
        # Without the lock, rows take their processor time.
        yield Action.PROCESSES, count, with_operator(span, replace(slow, threads=count, busy=slow.processor))
    if slow.op_type == "Map":
        saved = _saved(span, slow)
        if saved is not None:
            yield Action.SAVE, 0, saved


def _saved(span: PipelineState, slow: OperatorState) -> PipelineState | None:
    """The work if the rows were saved before the first random operation of a Map; None if that saves nothing."""
    total = _total(slow.costs)
    fixed = 0.0
    for cost in slow.costs:
        if cost.random or cost.python:
            # A function of the user may draw random numbers, too.
            break
        fixed += cost.seconds
    sources = list(below(span, slow.number))
    if not total or not fixed or any(cost.random or cost.python for one in sources for cost in one.costs):
        return None
    left = 1.0 - fixed / total
    for one in sources:
        span = with_operator(span, replace(one, busy=0.0, processor=0.0))
    return with_operator(span, replace(slow, busy=slow.busy * left, processor=slow.processor * left))
