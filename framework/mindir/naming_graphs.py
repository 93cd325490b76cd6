"""Finds out what each name in a MindIR file stands for: a primitive, a graph, a constant, or a value and its maker.

`translating` and `blocks` look names up here. Names are made once in a whole file, not once in a graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from framework.ir.model_values import ModelError
from framework.onnx.limits import Limits
from framework.onnx.reader.structure import listing
from summaries.schema.mind_ir_pb2 import Attribute, Graph, Model, Node, Primitive

__all__ = ["REFERENCE", "Names", "title"]

REFERENCE: Final = "REF::"
_MONADS: Final = frozenset({Attribute.UMONAD, Attribute.IOMONAD})


def title(node: Node, operator: str) -> str:
    """A node for messages: its operator and its full name.

    Args:
        node: the node.
        operator: the name of its operator.
    """
    return f"{operator} {node.domain or node.name!r}"


class Names:
    """What the names of a file stand for.

    Args:
        model: the file.
        limits: what it may ask for.

    Attributes:
        graphs: the graphs by name, the main one first.
        primitives: the primitives by name.
        constants: the constants by name.
        monads: the names of constants and inputs that only order effects.
        home: for each value that is no constant, the name of the graph that has it.
        makers: the node that makes each value; inputs have none.

    Raises:
        ModelError: a name is made twice, a node is not one that can be read, or a bound is exceeded.
    """

    def __init__(self, model: Model, limits: Limits) -> None:
        self._limits = limits
        self._problems: list[str] = []
        self.graphs: dict[str, Graph] = {}
        self.primitives: dict[str, Primitive] = {item.name: item for item in model.primitives}
        self.constants: dict[str, Attribute] = {}
        self.monads: set[str] = set()
        self.home: dict[str, str] = {}
        self.makers: dict[str, Node] = {}
        graphs = [model.graph, *model.functions]
        count = sum(len(graph.node) for graph in graphs)
        if count > limits.nodes:
            raise ModelError(f"it has more than {limits.nodes:,} nodes")
        for graph in graphs:
            if graph.name in self.graphs:
                self._problems.append(f"two graphs have the name {graph.name!r}")
            self.graphs[graph.name] = graph
            self._graph(graph)
        if self._problems:
            raise ModelError(listing("its graphs are not sound", self._problems))

    def _graph(self, graph: Graph) -> None:
        if len(graph.output) != 1:
            self._problems.append(f"the graph {graph.name!r} has {len(graph.output)} outputs instead of one")
        for parameter in graph.parameter:
            self._make(parameter.name, graph)
        for item in graph.input:
            self._make(item.name, graph)
            if item.HasField("attr_info") and item.attr_info.type in _MONADS:
                self.monads.add(item.name)
        for node in graph.node:
            for name in (node.name, node.op_type, *node.input):
                self._bound(name)
            if len(node.output) != 1:
                self._problems.append(f"{title(node, node.op_type)} has {len(node.output)} outputs instead of one")
            elif node.op_type == "Constant":
                self._constant(node)
            else:
                self._make(node.output[0], graph)
                self.makers[node.output[0]] = node

    def _constant(self, node: Node) -> None:
        name = node.output[0]
        self._bound(name)
        if len(node.attribute) != 1:
            self._problems.append(f"the constant {name!r} has {len(node.attribute)} values instead of one")
            return
        value = node.attribute[0]
        known = self.constants.get(name)
        if name in self.home or (known is not None and known.SerializeToString() != value.SerializeToString()):
            self._problems.append(f"the name {name!r} is made twice")
        self.constants[name] = value
        if value.type in _MONADS:
            self.monads.add(name)

    def _make(self, name: str, graph: Graph) -> None:
        self._bound(name)
        if name in self.home or name in self.constants:
            self._problems.append(f"the name {name!r} is made twice")
        self.home[name] = graph.name

    def _bound(self, name: str) -> None:
        if len(name) > self._limits.name_bytes:
            raise ModelError(f"the name {name[:40]!r}... is longer than {self._limits.name_bytes:,} bytes")

    def operator(self, node: Node) -> str:
        """The name of a node's primitive, such as `Conv2D`; empty for a call of a graph or of a value."""
        if not node.op_type.startswith(REFERENCE):
            return node.op_type
        primitive = self.primitives.get(node.op_type.removeprefix(REFERENCE))
        return primitive.op_type if primitive is not None else ""

    def called(self, node: Node) -> str:
        """The name of what a node calls: a graph, or a value that is a function."""
        return node.op_type.removeprefix(REFERENCE)

    def behind(self, name: str) -> str:
        """The value that a name stands for, without the nodes `Depend` that order effects."""
        passed = 0
        while name in self.makers and self.operator(self.makers[name]) == "Depend" and self.makers[name].input:
            name, passed = self.makers[name].input[0], passed + 1
            if passed > len(self.makers):
                raise ModelError(f"the node that makes {name!r} needs itself")
        return name

    def functions(self, name: str) -> Iterator[str]:
        """The graphs that a function value may be: a graph itself, with some arguments given, or a choice of two."""
        pending, seen = [name], set[str]()
        while pending:
            current = self.behind(pending.pop())
            if current in seen:
                continue
            seen.add(current)
            node = self.makers.get(current)
            if current in self.graphs and node is None:
                yield current
            elif node is not None and self.operator(node) == "Partial":
                pending.extend(node.input[:1])
            elif node is not None and self.operator(node) == "Switch":
                pending.extend(node.input[1:])
