"""What is noted of recursive functions and of calls of blocks while a program is followed."""

from __future__ import annotations

from dataclasses import dataclass, field

from framework.infer.changes import Stale
from framework.infer.values import Closure, Frame
from framework.ir.abstract import Abstract
from framework.ir.anf import CNode, FuncGraph, Node

__all__ = ["Entry", "Jump", "NotYetError", "Recursion", "RecursiveError"]


@dataclass(eq=False)
class Jump:
    """A call of a block that is not evaluated yet, and what is stale there (`framework.infer.changes`)."""

    closure: Closure
    node: CNode
    arguments: list[Node]
    stale: Stale


@dataclass(eq=False)
class Recursion:
    """A recursive function being evaluated.

    Attributes:
        graph: of the new program.
        signature: what it is evaluated for.
        result: what its calls are told of its result, None at first.
        calls: what they pass.
        untyped: those calls.
        incomplete: whether a way was left out because it needs the result.
        effects: whether it has side effects.
        returned: the places of arguments that it may return as they are.
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
    """The result of a recursive call is needed before anything is known of it."""


class RecursiveError(Exception):
    """A function turned out to call itself below a choice, so it cannot be inlined."""

    def __init__(self, entry: Entry) -> None:
        super().__init__()
        self.entry = entry


@dataclass(eq=False)
class Entry:
    """A function being followed inline, or as a graph of its own if it has a record."""

    graph: FuncGraph
    around: Frame | None
    depth: int
    record: Recursion | None = None
