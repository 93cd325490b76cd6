"""Makes `Hit` messages: which watchpoint holds, of which tensor, with which numbers, at which line."""

from __future__ import annotations

from debugging.executions import Execution
from debugging.tensors.statistics import message_of
from debugging.tensors.step_nodes import StepNodes
from debugging.tensors.tensor_names import TensorName
from debugging.watch.conditions import Measured, Observed
from debugging.watch.watchpoint import ArmedWatchpoint
from summaries.schema import debugger_pb2 as wire

__all__ = ["hit_of_step", "hit_of_tensor"]


def hit_of_tensor(
    nodes: StepNodes,
    armed: ArmedWatchpoint,
    subject: TensorName,
    measured: list[Measured],
    seen: Observed | None = None,
    execution: Execution | None = None,
) -> wire.Hit:
    """A hit of a watchpoint at a tensor.

    Args:
        nodes: Of the step.
        armed: The watchpoint.
        subject: Name of the tensor.
        measured: What its condition measured; empty for an expression.
        seen: The tensor, if its statistics are part of the hit.
        execution: The execution that made it, if there is one.

    """
    made = wire.Hit(
        watchpoint=armed.message.id,
        tensor=subject.message,
        kind=nodes.kind(subject.full_name),
        order=max(0, nodes.order(subject.full_name)),
        measured=[item.message for item in measured],
        advice=armed.message.condition,
    )
    if seen is not None:
        made.statistics.CopyFrom(message_of(seen.array, subject))
        made.passes_on = not seen.is_finite and not seen.inputs_finite
    line = nodes.line(execution.location) if execution is not None else None
    if line is None and subject.full_name in nodes and nodes.node(subject.full_name).HasField("line"):
        line = nodes.node(subject.full_name).line
    if line is not None:
        made.line.CopyFrom(line)
    return made


def hit_of_step(nodes: StepNodes, armed: ArmedWatchpoint) -> wire.Hit:
    """A hit of a watchpoint whose expression asks about no tensor; it comes after all nodes."""
    return wire.Hit(watchpoint=armed.message.id, advice="expression", order=len(nodes))
