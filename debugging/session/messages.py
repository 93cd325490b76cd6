"""Makes `State` and `Program` messages of a training."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from debugging.link.link import Link
from debugging.session.training import Training
from debugging.steps.stepper import Stop
from debugging.tensors.step_nodes import StepNodes
from summaries.debugging import LONGEST_MESSAGE
from summaries.schema import debugger_pb2 as wire

__all__ = ["FIRST_TENSOR_BLOB", "send_program", "state_of"]

_PROGRAM_BLOB: Final = 1
_GRAPH_BLOB: Final = 2
FIRST_TENSOR_BLOB: Final = 3
"""The first blob id of a tensor. Program and graph have ids of their own, so a new one replaces the old one."""
_ROOM: Final = 1024
"""Bytes of a message beside its program."""


def state_of(training: Training) -> wire.State:
    """The current state of a training."""
    progress, steps, stop = training.progress, training.steps, training.status.stop
    paused = training.status.is_paused
    problem = "the step has not finished" if stop is not None else steps.cannot_run_again
    made = wire.State(
        status=training.status.value,
        reason=training.status.position.reason if paused else "",
        step=training.last_step,
        epoch=progress.epoch,
        steps_per_epoch=progress.steps_per_epoch,
        steps=progress.steps,
        mode=training.control.mode,
        within_step=stop is not None,
        nodes=0 if steps.nodes is None else len(steps.nodes),
        loss=progress.loss if progress.begun else math.nan,
        learning_rates=training.debuggee.rates(),
        steps_per_second=progress.steps_per_second,
        can_run_again=paused and not problem,
        cannot_run_again=problem if paused else "",
        has_current=paused and (stop is not None or steps.has_current),
        has_previous=paused and steps.has_previous,
        kept_bytes=steps.nbytes,
    )
    if paused:
        made.lease.CopyFrom(training.lease.message)
    if stop is not None:
        _add_stop(made, stop, steps.nodes, training.debuggee.is_own)
    return made


def _add_stop(made: wire.State, stop: Stop, nodes: StepNodes | None, is_own: Callable[[str], bool]) -> None:
    if stop.execution is not None:
        made.node.full_name = stop.execution.full_name
        made.node.iteration = stop.execution.iteration
        made.node_number = 0 if nodes is None else nodes.order(stop.execution.full_name) + 1
    files = list(dict.fromkeys(line.file for line in stop.stack))
    made.files.extend(files)
    made.libraries.extend(number for number, file in enumerate(files) if not is_own(file))
    made.stack.extend(
        wire.Line(file=files.index(line.file), line=line.line, function=line.function) for line in stop.stack
    )


def send_program(link: Link, program: wire.Program, graph: bytes) -> None:
    """Send the nodes and the graph of a training step; they are sent again after a lost connection."""
    if program.ByteSize() + _ROOM <= LONGEST_MESSAGE:
        link.send(program, keep=True)
    else:
        _send_blob(link, wire.BlobBegin(id=_PROGRAM_BLOB, content=wire.BlobBegin.PROGRAM), program.SerializeToString())
    if graph:
        _send_blob(link, wire.BlobBegin(id=_GRAPH_BLOB, content=wire.BlobBegin.GRAPH), graph)


def _send_blob(link: Link, begin: wire.BlobBegin, data: bytes) -> None:
    begin.bytes = len(data)
    link.send_blob(begin, memoryview(data), keep=True)
