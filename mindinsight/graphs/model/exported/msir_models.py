"""Adapter for the training core's model files (`.msir`, formerly `.mindir`). Inner function graphs become scopes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import DecodeError

from mindinsight.graphs.model.builder import GraphBuilder, Input
from mindinsight.graphs.model.defects import GraphError
from mindinsight.graphs.model.exported.calling_back import reached
from mindinsight.graphs.model.graph import EdgeKind, Graph, NodeKind
from mindinsight.graphs.model.values import MOST_ELEMENTS, to_json
from summaries.schema import msir_graph_pb2 as proto

_FORMAT = "framework model"
_HEAD = b"\x0a\x0f" + _FORMAT.encode()
_DEEPEST = 20


class MsirAdapter:
    """Reads the training core's model files."""

    name = "model file"

    def accepts(self, content: bytes) -> bool:
        """Whether the bytes begin as the training core's model files do."""
        return content.startswith(_HEAD)

    def read(self, content: bytes) -> Graph:
        """Returns the graph.

        Args:
            content: a `ModelFile`.

        Raises:
            GraphError: the file is damaged or has no nodes.
        """
        try:
            program = proto.Program.FromString(proto.ModelFile.FromString(content).program)
        except DecodeError as error:
            raise GraphError("This is not a model file: its bytes are cut off or damaged.") from error
        if not program.graphs:
            raise GraphError("This model file has no graph, so there is nothing to show.")
        return _Reading(program).graph()


class _Reading:
    """Reads one program.

    Args:
        program: the program.
    """

    def __init__(self, program: proto.Program) -> None:
        self._program = program
        self._builder = GraphBuilder(program.graphs[0].name)
        self._reached = reached({place: set(_graphs_in(graph)) for place, graph in enumerate(program.graphs)})
        self._place = 0
        self._constants = 0

    def graph(self) -> Graph:
        number = 0
        for place, graph in enumerate(self._program.graphs):
            scope = f"{graph.name}.{place}" if place else ""
            self._place = place
            for parameter in graph.parameters:
                self._builder.add(
                    NodeKind.PARAMETER, str(number), "Parameter", scope=scope, full_name=self._weight(parameter),
                    type=_type(parameter.type),
                )  # fmt: skip
                number += 1
            for node in graph.nodes:
                self._node(node, number, scope)
                number += 1
        output = self._program.graphs[0].output
        if output.WhichOneof("what") == "node":
            self._builder.add_output(str(output.node))
        if not len(self._builder):
            raise GraphError("This model file has no nodes, so there is nothing to show.")
        return self._builder.finish()

    def _weight(self, parameter: proto.Parameter) -> str:
        weights = self._program.weights
        return weights[parameter.weight - 1].name if 0 < parameter.weight <= len(weights) else parameter.name

    def _node(self, node: proto.Node, number: int, scope: str) -> None:
        function = node.inputs[0] if node.inputs else proto.Input()
        value = function.constant.value
        operator, attributes, inputs = "Call", dict[str, Any](), list[Input]()
        match value.WhichOneof("what"):
            case "operator":
                operator = value.operator.name
                attributes = {str(_plain(item.key)): _plain(item.value) for item in value.operator.attributes}
            case "graph":
                inputs += self._called(value.graph, attributes)
        if function.WhichOneof("what") == "node":
            inputs.append((str(function.node), 0, EdgeKind.DATA))
        for item in node.inputs[1:]:
            inputs += self._input(item, attributes)
        self._builder.add(
            NodeKind.OPERATOR,
            str(number),
            operator,
            inputs,
            scope="/".join(part for part in (scope, node.scope) if part),
            full_name=node.full_name or node.name,
            type=_type(node.type),
            attributes=to_json(attributes) if attributes else "",
        )

    def _called(self, graph: int, attributes: dict[str, Any]) -> list[Input]:
        """A control edge from the output of a function to its caller, unless the call leads back."""
        if graph >= len(self._program.graphs):
            return []
        found = self._program.graphs[graph]
        attributes.setdefault("calls", []).append(f"{found.name}.{graph}")
        leads_back = graph == self._place or self._place in self._reached[graph]
        is_node = found.output.WhichOneof("what") == "node" and not leads_back
        return [(str(found.output.node), 0, EdgeKind.CONTROL)] if is_node else []

    def _input(self, item: proto.Input, attributes: dict[str, Any]) -> list[Input]:
        """An argument: of another node, a function that is called later, or a constant, which becomes a node."""
        if item.WhichOneof("what") == "node":
            return [(str(item.node), 0, EdgeKind.DATA)]
        value = item.constant.value
        if value.WhichOneof("what") == "graph":
            return self._called(value.graph, attributes)
        self._constants += 1
        name = f"constant {self._constants}"
        self._builder.add(
            NodeKind.CONSTANT, name, "Constant", type=_type(item.constant.type), value=to_json(_plain(value))
        )
        return [(name, 0, EdgeKind.MONAD if value.WhichOneof("what") == "state" else EdgeKind.DATA)]


def _graphs_in(graph: proto.Graph) -> Iterator[int]:
    """The numbers of the graphs that one names."""
    for node in graph.nodes:
        for item in node.inputs:
            if item.constant.value.WhichOneof("what") == "graph":
                yield item.constant.value.graph


def _type(found: proto.Type, depth: int = 0) -> str:
    match found.WhichOneof("what"):
        case "tensor":
            dims = ",".join("?" if length < 0 else str(length) for length in found.tensor.dims)
            return f"{found.tensor.element_type}[{dims}]"
        case "scalar":
            return found.scalar.type_name
        case "tuple" | "list" as kind if depth < _DEEPEST:
            items = found.tuple.elements if kind == "tuple" else found.list.elements
            return f"({','.join(_type(item, depth + 1) for item in items[:MOST_ELEMENTS])})"
        case "state":
            return "Monad"
    return ""


def _plain(value: proto.Value, depth: int = 0) -> Any:
    """A value as Python types; long ones are cut, and tensors have no elements."""
    kind = value.WhichOneof("what")
    match kind:
        case "bool" | "int" | "long" | "float" | "text" | "element_type":
            return getattr(value, kind)
        case "tuple" | "list" if depth < _DEEPEST:
            return [_plain(item, depth + 1) for item in getattr(value, kind).values[:MOST_ELEMENTS]]
        case "tensor":
            return {"tensor": f"{value.tensor.element_type}[{','.join(map(str, value.tensor.dims))}]"}
        case "operator":
            return value.operator.name
    return None if kind in (None, "none") else kind
