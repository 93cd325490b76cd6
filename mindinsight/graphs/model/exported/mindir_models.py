"""Adapter for MindSpore's model files (MindIR). Its functions, which loops and branches consist of, become scopes."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any

from google.protobuf.message import DecodeError

from mindinsight.graphs.model.builder import GraphBuilder, Input
from mindinsight.graphs.model.defects import GraphError
from mindinsight.graphs.model.exported.calling_back import reached
from mindinsight.graphs.model.exported.known_operators import mark_missing, missing_operator
from mindinsight.graphs.model.graph import EdgeKind, Graph, NodeKind
from mindinsight.graphs.model.values import MOST_ELEMENTS, to_json
from summaries.schema import mind_ir_pb2 as proto

_HEAD = re.compile(rb"\x0a[\x01-\x0a]\d+(?:\.\d+)+")
_REFERENCE = "REF::"
_NOTES = frozenset({"input_names", "output_names", "shape", "side_effect_mem", "side_effect_propagate"})
_TYPES = {
    1: "Float32", 2: "UInt8", 3: "Int8", 4: "UInt16", 5: "Int16", 6: "Int32", 7: "Int64", 8: "String", 9: "Bool",
    10: "Float16", 11: "Float64", 12: "UInt32", 13: "UInt64", 14: "Complex64", 15: "Complex128", 16: "BFloat16",
    17: "Float64",
}  # fmt: skip
_MONADS = {proto.Attribute.UMONAD, proto.Attribute.IOMONAD}
_SEQUENCES = {proto.Attribute.TUPLE, proto.Attribute.LIST}
_DEEPEST = 20


class MindIRAdapter:
    """Reads MindSpore's model files."""

    name = "MindSpore model"

    def accepts(self, content: bytes) -> bool:
        """Whether the bytes begin as MindSpore's model files do: with the version of the format as a text."""
        return _HEAD.match(content[:32]) is not None

    def read(self, content: bytes) -> Graph:
        """Returns the graph.

        Args:
            content: a `ModelProto` of MindSpore's mind_ir.

        Raises:
            GraphError: the model is damaged or has no nodes.
        """
        try:
            model = proto.Model.FromString(content)
        except DecodeError as error:
            raise GraphError("This is not a model of MindSpore: its bytes are cut off or damaged.") from error
        return _Reading(model).graph()


class _Reading:
    """Reads one model.

    Args:
        model: the model.
    """

    def __init__(self, model: proto.Model) -> None:
        self._graphs = [model.graph, *model.functions]
        self._primitives = {item.name: item for item in model.primitives}
        self._outputs = {item.name: [output.name for output in item.output] for item in self._graphs}
        calls = {
            graph.name: {item for node in graph.node for item in _named(node, self._outputs)} for graph in self._graphs
        }
        self._reached = reached(calls)
        self._monads: set[str] = set()
        self._constants: set[str] = set()
        self._builder = GraphBuilder(_plain_name(model.graph.name))

    def graph(self) -> Graph:
        for graph in self._graphs:
            self._sources(graph, "" if graph is self._graphs[0] else _plain_name(graph.name))
        for graph in self._graphs:
            scope = "" if graph is self._graphs[0] else _plain_name(graph.name)
            for node in graph.node:
                if node.op_type != "Constant":
                    self._node(node, graph, scope)
        for output in self._graphs[0].output:
            self._builder.add_output(output.name)
        if not len(self._builder):
            raise GraphError("This model has no nodes, so there is nothing to show.")
        return self._builder.finish()

    def _sources(self, graph: proto.Graph, scope: str) -> None:
        """Adds the parameters, inputs and constants of a graph."""
        for tensor in graph.parameter:
            full = tensor.ref_key or _plain_name(tensor.name)
            self._builder.add(
                NodeKind.PARAMETER, tensor.name, "Parameter", scope=scope, full_name=full, type=_tensor_type(tensor)
            )
        for item in graph.input:
            found = _tensor_type(item.tensor[0]) if len(item.tensor) == 1 else _kind(item.attr_info)
            if item.attr_info.type in _MONADS:
                self._monads.add(item.name)
            self._builder.add(
                NodeKind.PARAMETER, item.name, "Parameter", scope=scope, full_name=_plain_name(item.name), type=found
            )
        for node in graph.node:
            if node.op_type == "Constant" and node.output and node.output[0] not in self._constants:
                self._constants.add(node.output[0])
                value = node.attribute[0] if node.attribute else proto.Attribute()
                if value.type in _MONADS:
                    self._monads.add(node.output[0])
                self._builder.add(NodeKind.CONSTANT, node.output[0], "Constant", value=to_json(_plain(value)))

    def _node(self, node: proto.Node, graph: proto.Graph, scope: str) -> None:
        name = node.output[0] if node.output else node.name
        primitive = self._primitives.get(_called(node))
        operator = "Call" if primitive is None else primitive.op_type
        attributes = _attributes(primitive)
        inputs = self._inputs(node, primitive is None)
        inputs += self._calls(node, graph, attributes)
        if operator == "UpdateState":
            self._monads.add(name)
        reason = "" if primitive is None else missing_operator(operator)
        if reason:
            attributes["missing"] = reason
        index = self._builder.add(
            NodeKind.OPERATOR,
            name,
            operator,
            inputs,
            scope="/".join(filter(None, (scope, *node.domain.split("/")[:-1]))),
            full_name=node.domain or _plain_name(name),
            type=next((_type_of(item) for item in node.attribute if item.name == "shape"), ""),
            attributes=to_json(attributes) if attributes else "",
        )
        if reason:
            mark_missing(self._builder, index, f"{operator} {node.domain or name!r}", reason)

    def _inputs(self, node: proto.Node, is_call: bool) -> list[Input]:
        """The values that a node reads, and the function that it calls if that is a value."""
        found: list[Input] = [
            (item, 0, EdgeKind.MONAD if item in self._monads else EdgeKind.DATA)
            for item in node.input
            if item not in self._outputs
        ]
        if is_call and _called(node) not in self._outputs:
            found.insert(0, (_called(node), 0, EdgeKind.DATA))
        return found

    def _calls(self, node: proto.Node, graph: proto.Graph, attributes: dict[str, Any]) -> list[Input]:
        """Control edges from the outputs of the functions that a node names, except those that lead back."""
        graphs = _named(node, self._outputs)
        if graphs:
            attributes["calls"] = [_plain_name(item) for item in graphs]
        onwards = [item for item in graphs if item != graph.name and graph.name not in self._reached[item]]
        return [(output, 0, EdgeKind.CONTROL) for item in onwards for output in self._outputs[item]]


def _attributes(primitive: proto.Primitive | None) -> dict[str, Any]:
    """The attributes of a primitive without the notes of MindSpore's compiler."""
    if primitive is None:
        return {}
    return {item.name: _plain(item) for item in primitive.attribute if item.name not in _NOTES}


def _called(node: proto.Node) -> str:
    """The name of what a node applies: a primitive, a graph or a value."""
    return node.op_type.removeprefix(_REFERENCE)


def _named(node: proto.Node, graphs: Container[str]) -> list[str]:
    """The graphs that a node names."""
    return [item for item in (_called(node), *node.input) if item in graphs]


def _plain_name(name: str) -> str:
    """A name without that of its graph."""
    return name.split(":")[1] if ":" in name else name


def _tensor_type(tensor: proto.TensorData) -> str:
    dims = ",".join("?" if length < 0 else str(length) for length in tensor.dims)
    return f"{_TYPES.get(tensor.data_type, f'Type{tensor.data_type}')}[{dims}]"


def _kind(attribute: proto.Attribute) -> str:
    if attribute.type in _MONADS:
        return "Monad"
    names = proto.Attribute.Type.DESCRIPTOR.values_by_number
    return names[attribute.type].name.capitalize() if attribute.type in names else f"Type{attribute.type}"


def _type_of(attribute: proto.Attribute, depth: int = 0) -> str:
    if attribute.type in _SEQUENCES and depth < _DEEPEST:
        return f"({','.join(_type_of(item, depth + 1) for item in attribute.values[:MOST_ELEMENTS])})"
    if len(attribute.tensors) == 1:
        return _tensor_type(attribute.tensors[0])
    return _kind(attribute)


def _plain(attribute: proto.Attribute, depth: int = 0) -> Any:
    """The value of an attribute as Python types; long ones are cut, and tensors have no elements."""
    kinds = proto.Attribute
    if attribute.type in _SEQUENCES:
        return "…" if depth > _DEEPEST else [_plain(item, depth + 1) for item in attribute.values[:MOST_ELEMENTS]]
    if attribute.type in (kinds.TENSOR, kinds.TENSORS):
        tensors = [attribute.t] if attribute.HasField("t") else list(attribute.tensors)
        return {"tensor": _tensor_type(tensors[0])} if tensors else None
    return _number_or_text(attribute)


def _number_or_text(attribute: proto.Attribute) -> Any:
    """A named value is in the singular field, an item of a tuple in the repeated one."""
    kinds, kind = proto.Attribute, attribute.type
    if kind == kinds.BOOL:
        return bool(next(iter(attribute.ints), attribute.i))
    if kind in (kinds.FLOAT, kinds.FLOAT16, kinds.BFLOAT16):
        return next(iter(attribute.floats), attribute.f)
    if kind == kinds.DOUBLE:
        return next(iter(attribute.doubles), attribute.d)
    if kind == kinds.STRING:
        return next(iter(attribute.strings), attribute.s)[:1000].decode("utf-8", "replace")
    if kind == kinds.NONE:
        return None
    is_whole = kinds.UINT8 <= kind <= kinds.INT64 or kind in (kinds.UINT32, kinds.UINT64)
    return next(iter(attribute.ints), attribute.i) if is_whole else _kind(attribute)
