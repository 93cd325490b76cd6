"""How busy the threads of a pipeline are, and how long a batch would take if an operator were another one.

Rows are pulled. An operator with threads of its own computes in these, and they also read the operators below it, one
thread at a time. All others are computed in the thread of whoever reads them, at last that in front of the training.
So a pipeline is a row of parts, and the slowest one sets the pace:

    part with n threads      max(below, (below + own) / n)      below: operators that its threads read, one at a time
    part in front            sum of its operators
    all together             processor time / processors

All times are seconds of a measured span; divide by its batches for those of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from framework.dataset.monitor.states import OperatorState, PipelineState

__all__ = ["FRONT", "below", "pace", "part_of", "parts", "with_operator"]

#: Number of the part in front, which belongs to no operator.
FRONT = -1


def part_of(span: PipelineState) -> dict[int, int]:
    """The part that computes each operator: the number of the operator whose threads do, or `FRONT`."""
    found = {span.root.number: FRONT}
    for operator in reversed(span.operators):
        part = found[operator.number]
        if operator.threads:
            part = found[operator.number] = operator.number
        found.update(dict.fromkeys(operator.children, part))
    return found


def parts(span: PipelineState) -> dict[int, float]:
    """The seconds that each part needs at least for the work of a span, with one thread of its own or several."""
    members = part_of(span)
    serial = dict.fromkeys({FRONT, *members.values()}, 0.0)
    for operator in span.operators:
        if members[operator.number] != operator.number:
            serial[members[operator.number]] += operator.busy
    return {
        part: seconds
        if part == FRONT
        else max(seconds, (seconds + span.operators[part].busy) / span.operators[part].threads)
        for part, seconds in serial.items()
    }


def pace(span: PipelineState, training: float, processors: int) -> float:
    """The seconds that the work of a span takes at least.

    Args:
        span: the work.
        training: seconds that the reader itself needs for the batches.
        processors: number of processors.
    """
    return max(training, span.processor / processors, *parts(span).values())


def with_operator(span: PipelineState, changed: OperatorState) -> PipelineState:
    """The span with another operator in the place of one; processor time changes by the difference of theirs."""
    before = span.operators[changed.number]
    operators = list(span.operators)
    operators[changed.number] = changed
    saved = before.processor - changed.processor
    return replace(span, operators=tuple(operators), processor=max(span.processor - saved, 0.0))


def below(span: PipelineState, number: int) -> Iterator[OperatorState]:
    """All operators that an operator reads from, the nearest first."""
    waiting = list(span.operators[number].children)
    for child in waiting:
        yield span.operators[child]
        waiting.extend(span.operators[child].children)
