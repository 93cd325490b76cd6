"""Adapter for ONNX's model files. Bodies of loops and branches become scopes of their node."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf.message import DecodeError

from mindinsight.graphs.model.builder import GraphBuilder, Input
from mindinsight.graphs.model.defects import GraphError
from mindinsight.graphs.model.exported.known_operators import mark_missing, missing_onnx
from mindinsight.graphs.model.fields import LENGTH_DELIMITED, split_fields
from mindinsight.graphs.model.graph import EdgeKind, Graph, NodeKind
from mindinsight.graphs.model.values import MOST_ELEMENTS, to_json
from summaries.schema import onnx_graph_pb2 as proto

_TYPES = {
    1: "Float32", 2: "UInt8", 3: "Int8", 4: "UInt16", 5: "Int16", 6: "Int32", 7: "Int64", 8: "String", 9: "Bool",
    10: "Float16", 11: "Float64", 12: "UInt32", 13: "UInt64", 14: "Complex64", 15: "Complex128", 16: "BFloat16",
}  # fmt: skip
_SCOPES = "pkg.torch.onnx.name_scopes"
"""Where PyTorch's exporter notes the modules around a node."""
MOST_DEPTH = 30
"""Deepest nesting of bodies that is shown."""


class OnnxAdapter:
    """Reads ONNX's model files."""

    name = "ONNX model"

    def accepts(self, content: bytes) -> bool:
        """Whether the bytes look like an ONNX model: a version, then fields of which one is the graph."""
        if not content.startswith(b"\x08"):
            return False
        fields = split_fields(content, most=1000) or []
        return any(number == 7 and kind == LENGTH_DELIMITED for number, kind, _ in fields)

    def read(self, content: bytes) -> Graph:
        """Returns the graph.

        Args:
            content: a `ModelProto` of ONNX.

        Raises:
            GraphError: the model is damaged or has no nodes.
        """
        try:
            model = proto.Model.FromString(content)
        except DecodeError as error:
            raise GraphError("This is not an ONNX model: its bytes are cut off or damaged.") from error
        return _Reading(model).graph()


class _Reading:
    """Reads one model.

    Args:
        model: the model.
    """

    def __init__(self, model: proto.Model) -> None:
        self._model = model
        self._opsets = {_domain(item.domain): item.version for item in model.opset_import}
        self._functions = {(_domain(item.domain), item.name) for item in model.functions}
        self._builder = GraphBuilder(model.graph.name)

    def graph(self) -> Graph:
        outputs = self._graph(self._model.graph, "", {}, 0)
        for name, _, _ in outputs:
            self._builder.add_output(name)
        if not len(self._builder):
            raise GraphError("This model has no nodes, so there is nothing to show.")
        return self._builder.finish()

    def _graph(self, graph: proto.Graph, scope: str, around: Mapping[str, Input], depth: int) -> list[Input]:
        """Adds a graph, and returns its outputs as inputs of others."""
        known = dict(around)
        types = {item.name: _value_type(item) for item in (*graph.value_info, *graph.output)}
        stored = {item.name for item in graph.initializer}
        for tensor in graph.initializer:
            self._source(known, NodeKind.PARAMETER, tensor.name, scope, _type(tensor.data_type, tensor.dims))
        for item in graph.input:
            if item.name not in stored:
                self._source(known, NodeKind.PARAMETER, item.name, scope, _value_type(item))
        for node in graph.node:
            for slot, output in enumerate(node.output):
                known[output] = (_inside(scope, _name(node)), slot, EdgeKind.DATA)
        for node in graph.node:
            self._node(node, scope, known, types, depth)
        return [known.get(item.name, (item.name, 0, EdgeKind.DATA)) for item in graph.output]

    def _source(self, known: dict[str, Input], kind: NodeKind, name: str, scope: str, found: str) -> None:
        full = _inside(scope, name)
        known[name] = (full, 0, EdgeKind.DATA)
        self._builder.add(kind, full, "Parameter", scope=scope, full_name=name, type=found)

    def _node(
        self, node: proto.Node, scope: str, known: Mapping[str, Input], types: Mapping[str, str], depth: int
    ) -> None:
        name = _inside(scope, _name(node))
        inputs = [known.get(item, (item, 0, EdgeKind.DATA)) for item in node.input if item]
        inputs += self._bodies(node, name, known, depth)
        attributes = _attributes(node)
        reason = self._missing(node)
        if reason:
            attributes["missing"] = reason
        index = self._builder.add(
            NodeKind.CONSTANT if node.op_type == "Constant" else NodeKind.OPERATOR,
            name,
            node.op_type,
            inputs,
            scope="/".join(filter(None, (scope, _around(node)))),
            full_name=node.name or name,
            type=_joined([types.get(output, "") for output in node.output]),
            attributes=to_json(attributes) if attributes else "",
        )
        if reason:
            mark_missing(self._builder, index, f"{node.op_type} {node.name or name!r}", reason)

    def _bodies(self, node: proto.Node, name: str, known: Mapping[str, Input], depth: int) -> list[Input]:
        """Adds the bodies of a loop or a branch; control edges lead from their outputs to the node."""
        found: list[Input] = []
        for body in node.attribute:
            if body.type == _GRAPH and depth < MOST_DEPTH:
                inner = self._graph(body.g, _inside(name, body.name), known, depth + 1)
                found += [(made, slot, EdgeKind.CONTROL) for made, slot, _ in inner]
        return found

    def _missing(self, node: proto.Node) -> str:
        domain = _domain(node.domain)
        if (domain, node.op_type) in self._functions:
            return ""
        return missing_onnx(domain, node.op_type, self._opsets.get(domain, 0))


_GRAPH = 5


def _attributes(node: proto.Node) -> dict[str, Any]:
    """The attributes of a node that are no graphs, and its domain if it is not ONNX's own."""
    found: dict[str, Any] = {item.name: _plain(item) for item in node.attribute if item.type != _GRAPH}
    return found | ({"domain": node.domain} if node.domain else {})


def _joined(types: list[str]) -> str:
    """The type of a node with these outputs."""
    if len(types) == 1:
        return types[0]
    return f"({','.join(types)})" if any(types) else ""


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


def _inside(scope: str, name: str) -> str:
    return f"{scope}/{name}" if scope else name


def _name(node: proto.Node) -> str:
    """The name of a node in the graph: of what it makes, because names of values are unique."""
    return next((output for output in node.output if output), node.name)


def _around(node: proto.Node) -> str:
    """The modules around a node, as PyTorch's exporter notes them, or in its name as others write it."""
    for entry in node.metadata_props:
        if entry.key == _SCOPES:
            try:
                names = ast.literal_eval(entry.value)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                return ""
            is_sound = isinstance(names, list) and len(names) > 1 and isinstance(names[-2], str)
            return names[-2].replace(".", "/") if is_sound else ""
    return node.name.strip("/").rpartition("/")[0]


def _type(number: int, dims: Iterable[int | str]) -> str:
    return f"{_TYPES.get(number, f'Type{number}')}[{','.join(map(str, dims))}]"


def _value_type(item: proto.ValueInfo) -> str:
    if not item.type.HasField("tensor_type"):
        return ""
    tensor = item.type.tensor_type
    return _type(tensor.elem_type, [dim.dim_param or dim.dim_value for dim in tensor.shape.dim])


def _plain(item: proto.Attribute) -> Any:
    """The value of an attribute as Python types; long ones are cut."""
    match item.type:
        case 1:
            return item.f
        case 2:
            return item.i
        case 3:
            return item.s[:1000].decode("utf-8", "replace")
        case 4:
            return {"tensor": _type(item.t.data_type, item.t.dims)}
        case 6:
            return list(item.floats[:MOST_ELEMENTS])
        case 7:
            return list(item.ints[:MOST_ELEMENTS])
        case 8:
            return [text.decode("utf-8", "replace") for text in item.strings[:MOST_ELEMENTS]]
    return f"a value of kind {item.type}"
