"""The pending work while a program is followed: functions being inlined, and blocks that wait for jumps to them.

Branches, loops and recursion share a `FlowState`. `checkpoint` and `rollback` undo a path that turns out to be useless.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from framework.infer.state.mutation import Stale
from framework.infer.state.program import Program
from framework.infer.values import Activation, Closure, Frame
from framework.ir.abstract import Abstract
from framework.ir.anf import CNode, FuncGraph, Node
from framework.ir.naming import Passage, Site

__all__ = ["Checkpoint", "Entry", "FlowState", "Join", "Jump", "NotYetError", "Recursion", "RecursiveError"]

Join = tuple[FuncGraph, Activation]
"""A block that several paths lead to, in one call of its function."""


@dataclass(eq=False)
class Jump:
    """A call of a block that is not evaluated yet, and the stale values there (`framework.infer.state.mutation`)."""

    closure: Closure
    node: CNode
    arguments: list[Node]
    stale: Stale


@dataclass(eq=False)
class Recursion:
    """A recursive function being evaluated.

    Attributes:
        graph: its graph in the residual program.
        signature: the abstract values that it is evaluated for.
        result: the assumed abstract value of its result; None at first.
        calls: the abstract values that its own calls pass.
        untyped: the nodes of these calls.
        incomplete: whether a path was left out because it needs the result.
        effects: whether it has side effects.
        returned: the positions of arguments that it may return unchanged.
    """

    graph: FuncGraph
    signature: list[Abstract]
    result: Abstract | None = None
    calls: list[list[Abstract]] = field(default_factory=list)
    untyped: list[CNode] = field(default_factory=list)
    incomplete: bool = False
    effects: bool = False
    returned: frozenset[int] = frozenset()


class NotYetError(Exception):
    """The result of a recursive call is needed before anything is known about it."""


class RecursiveError(Exception):
    """A function turned out to call itself below a choice, so it cannot be inlined."""

    def __init__(self, entry: Entry) -> None:
        super().__init__()
        self.entry = entry


@dataclass(eq=False)
class Entry:
    """A function being followed. With a record it becomes a separate graph, otherwise it is inlined."""

    graph: FuncGraph
    around: Frame | None
    depth: int
    record: Recursion | None = None


class Checkpoint(NamedTuple):
    """The state of inference at a point that it may return to.

    Attributes:
        joins: the blocks that were pending.
        lengths: lists that only grow, and the length of each.
        passage: the path through the source.
        passed: the counts of that path.
    """

    joins: set[Join]
    lengths: list[tuple[list[Any], int]]
    passage: Passage
    passed: dict[tuple[Site, str], int]


@dataclass(eq=False)
class FlowState:
    """The paths of the program that are being followed.

    Attributes:
        program: the residual program.
        pending: by block, the jumps to it so far; it is evaluated once all paths to it are known.
        active: the functions being followed, the innermost one last.
        activations: the calls being inlined, the innermost one last.
    """

    program: Program
    pending: dict[Join, list[Jump]] = field(default_factory=dict)
    active: list[Entry] = field(default_factory=list)
    activations: list[Activation] = field(default_factory=list)

    def left(self, activation: Activation, join: Join | None = None) -> int:
        """The number of paths that have returned, or have jumped to other blocks than the given one."""
        return len(activation.returns) + sum(len(jumps) for other, jumps in self.pending.items() if other != join)

    def can_wait(self) -> bool:
        """Whether an enclosing recursive function can be evaluated again, when more is known about its result."""
        records = [entry.record for entry in self.active if entry.record is not None]
        for record in records:
            record.incomplete = True
        return bool(records)

    def checkpoint(self) -> Checkpoint:
        """The current state of inference."""
        lists: list[list[Any]] = [*self.pending.values()]
        for activation in self.activations:
            lists += [activation.returns, activation.untyped]
        lists += [entry.record.untyped for entry in self.active if entry.record is not None]
        passage = self.program.passage
        lengths = [(noted, len(noted)) for noted in lists]
        return Checkpoint(set(self.pending), lengths, passage, dict(passage.passed))

    def rollback(self, checkpoint: Checkpoint) -> None:
        """Forget the paths that have been followed since a checkpoint."""
        checkpoint.passage.passed = checkpoint.passed
        for join in self.pending.keys() - checkpoint.joins:
            del self.pending[join]
        for noted, length in checkpoint.lengths:
            del noted[length:]
