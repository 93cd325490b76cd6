"""The state of a pipeline as an event of summary files, with a `DataPipeline`. `Recording` writes it."""

from __future__ import annotations

from framework.dataset.monitor.bottleneck import Finding
from framework.dataset.monitor.states import OperatorState, PipelineState, QueueState
from framework.dataset.monitor.waits import Waits
from summaries.schema.summary_pb2 import DataPipeline, Event

__all__ = ["pipeline_event"]


def pipeline_event(
    wall: float, state: PipelineState, seconds: float, processors: int, waits: Waits, finding: Finding | None
) -> Event:
    """The event of a record.

    Args:
        wall: seconds since 1970.
        state: all sums so far.
        seconds: time since the recording began.
        processors: number of processors that the program may use.
        waits: how long the training waits.
        finding: the bottleneck of the last seconds; None for none.

    Returns:
        The event.
    """
    event = Event(wall_time=wall)
    message = event.data_pipeline
    message.MergeFrom(DataPipeline(seconds=seconds, processor=state.processor, processors=processors))
    for operator in state.operators:
        message.operators.append(_operator(operator))
    if state.queue is not None:
        message.queue.CopyFrom(_queue(state.queue))
    for epoch in waits.epochs():
        message.epochs.add(epoch=epoch.epoch, steps=epoch.steps, waiting=epoch.waiting, duration=epoch.duration)
    for step in waits.steps():
        message.steps.add(step=step.step, waiting=step.waiting, duration=step.duration)
    if finding is not None:
        message.finding.CopyFrom(_finding(finding))
    if state.skipped is not None:
        message.skipped.MergeFrom(
            DataPipeline.Skipped(mode=state.skipped.mode, count=state.skipped.count, messages=state.skipped.messages)
        )
    return event


def _operator(operator: OperatorState) -> DataPipeline.Operator:
    message = DataPipeline.Operator(
        number=operator.number,
        op_type=operator.op_type,
        children=operator.children,
        workers=operator.workers,
        where=operator.where,
        rows=operator.rows,
        busy=operator.busy,
        processor=operator.processor,
        threads=operator.threads,
        processes=operator.processes,
    )
    if operator.queue is not None:
        message.queue.CopyFrom(_queue(operator.queue))
    for cost in operator.costs:
        message.costs.add(
            name=cost.name,
            rows=cost.rows,
            seconds=cost.seconds,
            processor=cost.processor,
            python=cost.python,
            random=cost.random,
        )
    return message


def _queue(queue: QueueState) -> DataPipeline.Queue:
    return DataPipeline.Queue(
        size=queue.size,
        length=queue.length,
        puts=queue.puts,
        takes=queue.takes,
        put_wait=queue.put_wait,
        take_wait=queue.take_wait,
        fill=queue.fill,
    )


def _finding(finding: Finding) -> DataPipeline.Finding:
    message = DataPipeline.Finding(
        operator=finding.operator,
        reason=finding.reason,
        operation=finding.operation,
        operation_share=finding.operation_share,
        workers=finding.workers,
        busy=finding.busy,
        output_empty=finding.output_empty,
        processors=finding.processors,
        action=finding.action,
        count=finding.count,
        gain=finding.gain,
    )
    if finding.input_full is not None:
        message.input_full = finding.input_full
    return message
