"""What inference knows besides abstract values: closures, choices between functions, and where a call happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
    AbstractConst,
    AbstractFunction,
    AbstractMonad,
    AbstractTensor,
    AbstractTuple,
    join,
    known,
)
from framework.ir.anf import CNode, FuncGraph, Location, Node, ValueNode
from framework.ir.manager import Manager
from framework.ir.operators import STATE, UPDATE_STATE, abstract_of
from framework.ir.python_ops import NEVER, Undefined

__all__ = [
    "Activation",
    "Choice",
    "Closure",
    "Emitter",
    "Frame",
    "constant",
    "is_function",
    "is_known",
    "join_values",
    "same",
    "value_of",
]


@dataclass(eq=False)
class Activation:
    """One call of a function of the program.

    Attributes:
        returns: each value that it may return, and where.
        untyped: nodes whose type is that of the result, once that is known.
        rounds: how often each loop has been gone around while unrolling it.
        stale: what is stale where it returns (`framework.infer.changes`).
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
        activation: of the function that it is part of.
    """

    graph: FuncGraph | None
    around: Frame | None
    activation: Activation
    values: dict[Node, Node] = field(default_factory=dict)

    @property
    def of_function(self) -> Frame:
        """The frame of the function that this one, which may be that of a block, belongs to."""
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
    """A parsed graph with the values around it."""

    graph: FuncGraph
    frame: Frame | None

    @property
    def name(self) -> str:
        """What it is called."""
        return self.graph.name

    @property
    def around(self) -> Frame | None:
        """The frame that it is nested in: for a block, that of the block by which every way to it comes."""
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
    """One of two functions, by a condition that is known when the program runs."""

    condition: Node
    then: Node
    otherwise: Node
    location: Location | None

    def between(self, first: Node, second: Node) -> ValueNode | None:
        """The choice between two functions that its ways give; None if they are none, the same, or need its values."""
        if not is_function(first) or not is_function(second) or first.abstract == second.abstract:
            return None
        if self._is_made_within(first) or self._is_made_within(second):
            return None
        return constant(Choice(self.condition, first, second, self.location))

    def _is_made_within(self, function: Node) -> bool:
        if not isinstance(function, ValueNode) or isinstance(function.value, Choice):
            return True  # its condition is a value of the way
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


class Emitter:
    """Where nodes of the new program go: a graph of it, and the order of side effects in it.

    Args:
        graph: the graph.
        depth: how many choices that depend on tensors are around it.
    """

    def __init__(self, graph: FuncGraph, depth: int = 0) -> None:
        self.graph = graph
        self.depth = depth
        self.state: Node = constant(STATE)

    @property
    def effects(self) -> bool:
        """Whether there have been side effects."""
        return isinstance(self.state, CNode)

    def after(self, node: Node) -> None:
        """Let all later side effects come after a node."""
        self.state = self.graph.apply(UPDATE_STATE, self.state, node, abstract=AbstractMonad())


def constant(value: Any, location: Location | None = None) -> ValueNode:
    """A constant of the new program."""
    abstract = AbstractFunction(value) if isinstance(value, Closure | Choice) else abstract_of(value)
    return ValueNode(value, abstract, location=location)


def is_known(node: Node) -> bool:
    """Whether a node's value is known entirely, functions of the program excepted."""
    if node.abstract is None or not known(node.abstract):
        return False
    return not _has_function(node.abstract)


def _has_function(abstract: Abstract) -> bool:
    if isinstance(abstract, AbstractFunction):
        return isinstance(abstract.value, Closure | Choice)
    return any(_has_function(element) for element in getattr(abstract, "elements", ()))


def value_of(node: Node) -> Any:
    """The value of a node that is known."""
    if node.abstract is None:
        raise LookupError("no type")
    return _value(node.abstract)


def _value(abstract: Any) -> Any:
    if isinstance(abstract, AbstractTuple):
        items = [_value(element) for element in abstract.elements]
        if abstract.kind is not None:
            return abstract.kind(*items)
        return items if abstract.is_list else tuple(items)
    if hasattr(abstract, "keys"):
        return dict(zip(abstract.keys, map(_value, abstract.elements), strict=True))
    if abstract.value is UNKNOWN:
        raise LookupError("the value is not known")
    return abstract.value


def join_values(first: Abstract, second: Abstract) -> Abstract:
    """`join`, where a variable may also be undefined or never come to be."""
    for one, other in ((first, second), (second, first)):
        if isinstance(one, AbstractConst):
            if one.value is NEVER:
                return other
            if isinstance(one.value, Undefined):
                return one
    return join(first, second)


def same(first: Abstract, second: Abstract) -> bool:
    """Whether two abstract values are equal, known tensors included."""
    if isinstance(first, AbstractTensor) and isinstance(second, AbstractTensor):
        return first == second and first.value is second.value
    if isinstance(first, AbstractTuple) and isinstance(second, AbstractTuple):
        return first == second and all_same(first.elements, second.elements)
    return first == second


def all_same(first: Iterable[Abstract], second: Iterable[Abstract]) -> bool:
    """Whether abstract values are equal one by one."""
    return all(same(one, two) for one, two in zip(first, second, strict=True))
