"""What the training tells of itself: its state and its program; the session calls."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Final

from framework.debugger.edits import rates_of
from framework.debugger.link import Link
from framework.debugger.running import mode_now
from framework.debugger.stepping import Stop
from summaries.debugging import LONGEST_MESSAGE
from summaries.schema import debugger_pb2 as wire

if TYPE_CHECKING:
    from framework.debugger.session import Session

__all__ = ["FIRST_TENSOR_BLOB", "program_of", "state_of"]

_log = logging.getLogger("framework")

_PROGRAM_BLOB: Final = 1
_GRAPH_BLOB: Final = 2
FIRST_TENSOR_BLOB: Final = 3
"""Numbers of blobs: the program and the graph have their own, so that a new one takes the place of the old one."""
_ROOM: Final = 1024


def state_of(session: Session) -> wire.State:
    """Where a training is."""
    place, steps, stop = session.place, session.steps, session.stop
    paused = session.status == wire.State.PAUSED
    problem = "the step is not over" if stop is not None else steps.cannot_run_again
    made = wire.State(
        status=session.status,
        reason=session.reason if paused else "",
        step=session.last_step,
        epoch=place.epoch,
        steps_per_epoch=place.steps_per_epoch,
        steps=place.steps,
        mode=session.next_mode or mode_now(),
        within_step=stop is not None,
        nodes=0 if steps.nodes is None else len(steps.nodes),
        loss=place.loss if place.begun else math.nan,
        learning_rates=rates_of(session.network),
        steps_per_second=place.steps_per_second,
        can_run_again=paused and not problem,
        cannot_run_again=problem if paused else "",
        has_current=paused and (stop is not None or not problem),
        has_previous=paused and steps.has_previous,
        kept_bytes=steps.nbytes,
    )
    if paused:
        made.lease.CopyFrom(session.lease.message)
    if stop is not None:
        _add_stop(made, stop, session)
    return made


def _add_stop(made: wire.State, stop: Stop, session: Session) -> None:
    if stop.execution is not None:
        made.node.full_name = stop.execution.full_name
        made.node.iteration = stop.execution.iteration
        nodes = session.steps.nodes
        made.node_number = 0 if nodes is None else nodes.order(stop.execution.full_name) + 1
    files = list(dict.fromkeys(line.file for line in stop.stack))
    made.files.extend(files)
    made.stack.extend(
        wire.Line(file=files.index(line.file), line=line.line, function=line.function) for line in stop.stack
    )


def program_of(link: Link, program: wire.Program, graph: bytes) -> None:
    """Tell the nodes and the graph of a training step; they are told again after a lost connection."""
    if program.ByteSize() + _ROOM <= LONGEST_MESSAGE:
        link.send(program, keep=True)
    else:
        _send(link, wire.BlobBegin(id=_PROGRAM_BLOB, content=wire.BlobBegin.PROGRAM), program.SerializeToString())
    if graph:
        _send(link, wire.BlobBegin(id=_GRAPH_BLOB, content=wire.BlobBegin.GRAPH), graph)


def _send(link: Link, begin: wire.BlobBegin, data: bytes) -> None:
    begin.bytes = len(data)
    link.send_blob(begin, memoryview(data), keep=True)
