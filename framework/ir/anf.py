"""The nodes of the IR and the graphs they make up: a functional program in A-normal form.

A `FuncGraph` is a function: it has `Parameter`s and an output, the node whose value it returns. A `CNode` applies its
first input to the others. A `ValueNode` is a constant: a number, a tensor, an operator or another function graph.
There is no list of statements: a graph consists of the nodes that its output needs. A graph may use nodes of a graph
around it. These are its free variables, and a constant that holds such a graph is a closure.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from framework.ir.abstract import Abstract, AbstractFunction

__all__ = [
    "ASIDE",
    "FUSION",
    "IN_PLACE",
    "RECOMPUTE",
    "CNode",
    "FuncGraph",
    "Location",
    "Node",
    "Operator",
    "Parameter",
    "ValueNode",
    "is_graph",
    "is_operator",
]


ASIDE: Final = "aside"
"""The mark of a node that is computed for watchers only: other nodes do its work."""
FUSION: Final = "fusion"
"""The mark of nodes that one kernel could compute. All of them have the same number (`framework.opt.fusion.marks`)."""
IN_PLACE: Final = "in_place"
"""The mark of a node that overwrites an input: the position of that input (`framework.engine.memory.plan`)."""
RECOMPUTE: Final = "recompute"
"""The mark of a node within a Cell that is computed again going backward: the number of parts of that Cell's scope
(`framework.opt.recompute`)."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the user's source.

    Attributes:
        file: the path of the file.
        line: the first line, from 1.
        end_line: the last line.
        column: the first column, from 0.
        end_column: the column behind the last character.
        source: the text of the first line.
        function: the name of the function around it.
        caller: the place of the call that led there, with its own caller; None if it is not known. Two places are
            equal whoever called.
    """

    file: str
    line: int
    end_line: int = 0
    column: int = 0
    end_column: int = 0
    source: str = ""
    function: str = ""
    caller: Location | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        lines = f"{self.line}" if self.end_line in (0, self.line) else f"{self.line}~{self.end_line}"
        return f"{self.file}:{lines}, {self.column}~{self.end_column}/{self.source}/"

    def pointed(self) -> str:
        """The line with a caret under the place, as Python's own errors show it."""
        stripped = self.source.lstrip()
        indent = len(self.source) - len(stripped)
        end = self.end_column if self.end_line in (0, self.line) else len(self.source)
        carets = " " * (self.column - indent) + "^" * max(1, end - self.column)
        return f'  File "{self.file}", line {self.line}, in {self.function}\n    {stripped}\n    {carets}'


class Operator:
    """Anything that a CNode applies, except a function graph. Primitives of `framework.ops` have the same attributes.

    Attributes:
        name: the name in the text of the IR.
        attrs: named constants that change its meaning.
    """

    __slots__ = ("attrs", "name")

    def __init__(self, name: str, attrs: dict[str, Any] | None = None) -> None:
        self.name = name
        self.attrs: dict[str, Any] = attrs or {}

    def __repr__(self) -> str:
        return self.name


class Node:
    """A value of the program.

    Attributes:
        graph: the graph that owns it; None for constants.
        abstract: what inference knows about it; None before inference.
        location: its place in the source.
        scope: the Cells around that place, outermost first, such as `Default/net-LeNet5/conv1-Conv2d`.
        name: the variable that it was assigned to, or empty.
    """

    __slots__ = ("abstract", "graph", "location", "name", "scope")

    def __init__(
        self,
        graph: FuncGraph | None,
        name: str = "",
        abstract: Abstract | None = None,
        location: Location | None = None,
        scope: str = "",
    ) -> None:
        self.graph = graph
        self.name = name
        self.abstract = abstract
        self.location = location
        self.scope = scope


class Parameter(Node):
    """A formal parameter of a graph.

    Attributes:
        default: the framework's Parameter whose value it holds, if it is a weight of the program; else None.
    """

    __slots__ = ("default",)

    def __init__(self, graph: FuncGraph, name: str = "", default: Any = None, **rest: Any) -> None:
        super().__init__(graph, name, **rest)
        self.default = default

    def __repr__(self) -> str:
        return f"Parameter({self.name})"


class ValueNode(Node):
    """A constant."""

    __slots__ = ("value",)

    def __init__(self, value: Any, abstract: Abstract | None = None, **rest: Any) -> None:
        super().__init__(None, abstract=abstract, **rest)
        self.value = value

    def __repr__(self) -> str:
        return f"ValueNode({self.value!r})"


class CNode(Node):
    """An application of a function to arguments.

    Attributes:
        inputs: the function, then its arguments.
        full_name: its name outside of the program (`scope/Type-opN`); empty before inference.
        also: the full names of other nodes whose work it does, because a pass made one node of several.
        marks: notes of passes that change no result: `ASIDE`, `FUSION`, `IN_PLACE`, `RECOMPUTE`.
    """

    __slots__ = ("also", "full_name", "inputs", "marks")

    def __init__(self, graph: FuncGraph, inputs: Iterable[Node], full_name: str = "", **rest: Any) -> None:
        super().__init__(graph, **rest)
        self.inputs = list(inputs)
        self.full_name = full_name
        self.also: tuple[str, ...] = ()
        self.marks: dict[str, int] = {}

    @property
    def function(self) -> Node:
        """The function that is applied."""
        return self.inputs[0]

    @property
    def arguments(self) -> list[Node]:
        """The nodes that the function is applied to."""
        return self.inputs[1:]

    @property
    def operator(self) -> Any:
        """The constant that is applied: an operator, a primitive or a graph. None if the function is computed."""
        return self.inputs[0].value if isinstance(self.inputs[0], ValueNode) else None

    def __repr__(self) -> str:
        return f"CNode({self.function!r}, {len(self.inputs) - 1})"


class FuncGraph:
    """A function.

    Attributes:
        name: its name.
        parameters: its formal parameters.
        output: the node whose value it returns; set once its body is known.
        attrs: notes of the parser and of passes.
        location: where it is defined.
        signature: how Python callers may pass arguments; None if it is not a Python function.
        order: for a parsed graph, all nodes in the order of the source, used or not. None after inference, when the
            state token orders side effects.
    """

    _numbers = itertools.count(1)

    def __init__(self, name: str, location: Location | None = None) -> None:
        self.name = name
        self.parameters: list[Parameter] = []
        self._output: Node | None = None
        self.attrs: dict[str, Any] = {}
        self.location = location
        self.signature: Any = None
        self.order: list[CNode] | None = None
        self.number = next(FuncGraph._numbers)

    @property
    def output(self) -> Node:
        """The node whose value it returns."""
        if self._output is None:
            raise ValueError(f"graph {self.name} has no output yet")
        return self._output

    @output.setter
    def output(self, node: Node) -> None:
        self._output = node

    @property
    def complete(self) -> bool:
        """Whether its output is known."""
        return self._output is not None

    def add_parameter(self, name: str, default: Any = None, **rest: Any) -> Parameter:
        """Append a formal parameter."""
        parameter = Parameter(self, name, default, **rest)
        self.parameters.append(parameter)
        return parameter

    def apply(self, function: Any, *arguments: Any, **rest: Any) -> CNode:
        """Make a node of this graph that applies a function. Anything that is not a node becomes a constant."""
        node = CNode(self, [as_node(function), *map(as_node, arguments)], **rest)
        if self.order is not None:
            self.order.append(node)
        return node

    def __repr__(self) -> str:
        return f"FuncGraph({self.name})"


def as_node(value: Any) -> Node:
    """Return a node as it is, and anything else as a constant."""
    if isinstance(value, Node):
        return value
    return ValueNode(value, AbstractFunction() if isinstance(value, FuncGraph) else None)


def is_graph(node: Node) -> bool:
    """Whether a node is a constant that holds a function graph."""
    return isinstance(node, ValueNode) and isinstance(node.value, FuncGraph)


def is_operator(node: Node, *operators: Any) -> bool:
    """Whether a node applies one of these operators, given as objects or, for primitives, by name."""
    if not isinstance(node, CNode):
        return False
    applied = node.operator
    if applied is None:
        return False
    for operator in operators:
        if applied is operator or (type(operator) is str and getattr(applied, "name", None) == operator):
            return True
    return False


def graphs_in(nodes: Sequence[Node]) -> list[FuncGraph]:
    """The function graphs among constants."""
    return [node.value for node in nodes if isinstance(node, ValueNode) and isinstance(node.value, FuncGraph)]
