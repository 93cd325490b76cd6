"""What a program holds when it holds the most: the arrays that are alive at the peak of the memory plan.

The profiler shows it. The arrays add up to what the program takes: its places, the workspace of its native code, the
arrays that Python makes, and its Parameters.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from framework.engine import native
from framework.engine.memory.plan import LiveValue, MemoryPlan, PlannedValue
from framework.ir.anf import CNode, FuncGraph

__all__ = ["Alive", "alive_at_peak"]

PARAMETER: Final = "parameter"
VALUE: Final = "value"
WORKSPACE: Final = "workspace"
ROOM: Final = "room"


@dataclass(frozen=True)
class Alive:
    """A piece of memory at the peak.

    Attributes:
        name: the full name of what made it, or the name of the Parameter.
        kind: PARAMETER; VALUE: an array of the program; WORKSPACE: temporaries inside native code; ROOM: what the
            places of the plan hold for values that are not alive now.
        nbytes: its size.
        born, dies: the positions in the program of the node that makes it, and of its last use; -1 where it stays.
        shape: its shape and element type as text.
    """

    name: str
    kind: str
    nbytes: int
    born: int = -1
    dies: int = -1
    shape: str = ""


def alive_at_peak(root: FuncGraph, plan: MemoryPlan, segments: Sequence[native.Segment]) -> list[Alive]:
    """The memory that a program holds at its peak, the largest first.

    Args:
        root: the program.
        plan: its memory plan.
        segments: its native segments.
    """
    in_workspace = {node for segment in segments for node in segment.nodes if node not in segment.results}
    outside = [value for value in plan.unplanned.values() if value.node not in in_workspace]
    block, position = _peak(plan, outside)
    chosen = _chosen(plan, outside, block, position)
    planned = sum(value.nbytes for value in chosen if isinstance(value, PlannedValue))
    alive = list(map(_value, chosen))
    alive += [
        Alive(parameter.name, PARAMETER, int(parameter.default.nbytes), shape=_shape(parameter.abstract))
        for parameter in root.parameters
        if parameter.default is not None
    ]
    workspace = max((segment.scratch_bytes for segment in segments), default=0)
    alive.append(Alive("temporaries of native code", WORKSPACE, workspace))
    alive.append(Alive("places whose values are not alive", ROOM, plan.nbytes - planned))
    return sorted((one for one in alive if one.nbytes), key=lambda one: -one.nbytes)


def _chosen(plan: MemoryPlan, outside: Sequence[LiveValue], block: str, position: int) -> list[LiveValue]:
    """The values that are alive at a position; of those that overwrite one another, the latest."""
    values: list[LiveValue] = [*plan.values.values(), *outside]
    alive = [value for value in values if value.block == block and value.begin <= position <= value.end]
    gone = {value.overwrites for value in alive if isinstance(value, PlannedValue)}
    return [value for value in alive if value.node not in gone]


def _peak(plan: MemoryPlan, outside: Sequence[LiveValue]) -> tuple[str, int]:
    """The block and the position at which the most bytes are alive."""
    found = ("", -1)
    most = -1
    values: list[LiveValue] = [*plan.values.values(), *outside]
    following = {other.overwrites: other for other in plan.values.values() if other.overwrites is not None}
    for block in dict.fromkeys(value.block for value in values):
        of_block = [value for value in values if value.block == block]
        changes = [0] * (max(value.end for value in of_block) + 2)
        for value in of_block:
            is_first = not isinstance(value, PlannedValue) or value.overwrites is None
            changes[value.begin] += value.nbytes if is_first else 0
            changes[_end(value, following) + 1] -= value.nbytes if is_first else 0
        totals = list(itertools.accumulate(changes))
        if max(totals) > most:
            most = max(totals)
            found = block, totals.index(most)
    return found


def _end(value: LiveValue, following: Mapping[CNode, PlannedValue]) -> int:
    """The last use of a value's memory: that of the last value that overwrites it."""
    while value.node in following:
        value = following[value.node]
    return value.end


def _value(value: LiveValue) -> Alive:
    node = value.node
    return Alive(_name(node), VALUE, value.nbytes, value.begin, value.end, _shape(node.abstract))


def _name(node: CNode) -> str:
    return node.full_name or str(getattr(node.operator, "name", node.operator))


def _shape(abstract: Any) -> str:
    return f"{abstract.dtype}{list(abstract.shape)}" if hasattr(abstract, "dtype") else ""
