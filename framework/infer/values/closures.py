"""Functions as values of inference: closures over frames, and choices between two functions at run time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from framework.ir.abstract import AbstractConst, AbstractFunction
from framework.ir.anf import CNode, FuncGraph, Location, Node, ValueNode
from framework.ir.manager import Manager
from framework.ir.operators import abstract_of

__all__ = ["Activation", "Choice", "Closure", "Frame", "constant", "is_function"]


@dataclass(eq=False)
class Activation:
    """One call of a function of the program.

    Attributes:
        returns: the values that it may return, and where.
        untyped: nodes that get the type of the result when it is known.
        rounds: the number of iterations of each loop that have been unrolled.
        stale: the stale values at each return (`framework.infer.state.mutation`).
    """

    returns: list[tuple[Node, Location | None]] = field(default_factory=list)
    untyped: list[CNode] = field(default_factory=list)
    rounds: Counter[tuple[FuncGraph, Frame | None]] = field(default_factory=Counter)
    stale: list[dict[Any, Location | None]] = field(default_factory=list)


@dataclass(eq=False)
class Frame:
    """The values of a parsed graph's nodes during one evaluation of it.

    Attributes:
        graph: the parsed graph.
        around: the frame of the graph that it is nested in.
        activation: the activation of the function that it is part of.
    """

    graph: FuncGraph | None
    around: Frame | None
    activation: Activation
    values: dict[Node, Node] = field(default_factory=dict)

    @property
    def of_function(self) -> Frame:
        """The frame of the function that this frame belongs to. It may be the frame of a block."""
        frame = self
        while frame.around is not None and frame.graph is not None and frame.graph.signature is None:
            frame = frame.around
        return frame

    def find(self, node: Node) -> Node:
        """The value of a node of this graph or one around it."""
        frame: Frame | None = self
        while frame is not None:
            if node in frame.values:
                return frame.values[node]
            frame = frame.around
        raise LookupError(f"{node} has no value here")


@dataclass(frozen=True, eq=False)
class Closure:
    """A parsed graph with the frame of the graph around it."""

    graph: FuncGraph
    frame: Frame | None

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.graph.name

    @property
    def around(self) -> Frame | None:
        """The frame that it is nested in. For a block, the frame of the block that dominates it."""
        outer, frame = self.graph.attrs.get("around"), self.frame
        while outer is not None and frame is not None and frame.graph is not outer:
            frame = frame.around
        return frame

    @property
    def is_block(self) -> bool:
        """Whether it is part of a function rather than one."""
        return self.graph.signature is None


@dataclass(frozen=True, eq=False)
class Choice:
    """One of two functions, chosen by a condition that is known only at run time."""

    condition: Node
    then: Node
    otherwise: Node
    location: Location | None

    def between(self, first: Node, second: Node) -> ValueNode | None:
        """The choice between the functions that its paths return. None if these are not functions, are the same, or
        use values of the paths."""
        if not is_function(first) or not is_function(second) or first.abstract == second.abstract:
            return None
        if self._is_made_within(first) or self._is_made_within(second):
            return None
        return constant(Choice(self.condition, first, second, self.location))

    def _is_made_within(self, function: Node) -> bool:
        if not isinstance(function, ValueNode) or isinstance(function.value, Choice):
            return True  # The condition is a value of the path.
        if not isinstance(function.value, Closure):
            return False
        ways = {way.value.graph for way in (self.then, self.otherwise) if isinstance(way, ValueNode)}
        captured = Manager(function.value.graph).free_variables(function.value.graph)
        frame, within = function.value.around, False
        frames = []
        while frame is not None:
            frames.append(frame)
            frame = frame.around
        for frame in reversed(frames):
            within = within or frame.graph in ways
            if within and any(node in frame.values for node in captured):
                return True
        return False


def is_function(node: Node) -> bool:
    """Whether a node is a function that is known."""
    if not isinstance(node.abstract, AbstractFunction | AbstractConst):
        return False
    value = node.abstract.value
    return isinstance(value, Closure | Choice) or callable(value)


def constant(value: Any, location: Location | None = None) -> ValueNode:
    """A constant of the new program."""
    abstract = AbstractFunction(value) if isinstance(value, Closure | Choice) else abstract_of(value)
    return ValueNode(value, abstract, location=location)
