"""Adapter for MindSpore: `GraphProto` and `ModelProto` of anf_ir, from event files and `.pb` files."""

from __future__ import annotations

import re

from google.protobuf.message import DecodeError, Message

from mindinsight.graphs.model.builder import GraphBuilder, Input
from mindinsight.graphs.model.defects import DefectCode, GraphError
from mindinsight.graphs.model.fields import LENGTH_DELIMITED, split_fields
from mindinsight.graphs.model.graph import EdgeKind, Graph, NodeKind
from mindinsight.graphs.model.strings import sound
from mindinsight.graphs.model.values import plain_value, to_json, type_text, value_text
from summaries.schema.anf_ir_pb2 import (
    GraphProto,
    InputProto,
    NamedValueProto,
    NodeProto,
    OutputProto,
    ParameterProto,
)

_MONADS = ('"U"', '"IOMonad"', '"UMonad"', '"IO"')
_PARTS: dict[int, tuple[str, type[Message]]] = {
    1: ("node", NodeProto),
    3: ("parameters", ParameterProto),
    4: ("outputs", OutputProto),
    5: ("const_vals", NamedValueProto),
}
_GRAPH_OF_MODEL = 4
# : In dumps of compiler passes, names of parameters have such a prefix: `para_3_conv1.weight`.
_NUMBERED = re.compile(r"^para_?\d+_(?=.)")


class MindSporeAdapter:
    """Reads graphs of MindSpore."""

    name = "MindSpore graph"

    def accepts(self, content: bytes) -> bool:
        """Whether the bytes look like a graph of MindSpore: a `GraphProto` begins with nodes, whose first field is an
        input.
        """
        fields = split_fields(content, most=40)
        if fields is None:
            return False
        if any(number == 1 and kind == LENGTH_DELIMITED for number, kind, _ in fields):
            return _is_node(next(part for number, kind, part in fields if number == 1 and kind == LENGTH_DELIMITED))
        return any(number in (3, 4, 5) and kind == LENGTH_DELIMITED for number, kind, _ in fields)

    def read(self, content: bytes) -> Graph:
        """Returns the graph.

        Args:
            content: a `ModelProto` or a bare `GraphProto`.

        Raises:
            GraphError: the graph has no node, parameter or constant.
        """
        builder = GraphBuilder("")
        return finish_graph(parse_message(content, builder), builder)


def finish_graph(graph: GraphProto, builder: GraphBuilder) -> Graph:
    """Returns the graph that a message describes.

    Args:
        graph: the message.
        builder: the builder, which may have defects already.

    Raises:
        GraphError: the graph has no node, parameter or constant.
    """
    builder.title = sound(graph.name)
    monads = _monads(graph)
    for node in graph.node:
        _add_node(builder, node, monads)
    for parameter in graph.parameters:
        value = value_text(parameter.default_val) if parameter.HasField("default_val") else ""
        builder.add(
            NodeKind.PARAMETER,
            parameter.name,
            "Parameter",
            type=type_text(parameter.type),
            value=value,
            full_name=_NUMBERED.sub("", sound(parameter.name)),
        )
    for constant in graph.const_vals:
        builder.add(NodeKind.CONSTANT, constant.key, "Constant", value=value_text(constant.value))
    for output in graph.outputs:
        builder.add_output(output.name)
    if not len(builder):
        raise GraphError("This graph has no nodes, so there is nothing to show.")
    return builder.finish()


def graph_messages(content: bytes) -> list[bytes]:
    """Returns the graphs of a `ModelProto`, which may have several, or a single `GraphProto`.

    Args:
        content: the message.
    """
    fields = [
        (number, part) for number, kind, part in split_fields(content, most=1000) or () if kind == LENGTH_DELIMITED
    ]
    graphs = [part for number, part in fields if number == _GRAPH_OF_MODEL]
    bare = any(number in (1, 3, 5) and not (number == 5 and graphs) for number, _ in fields)
    return [content] if bare or not graphs else graphs


def _is_node(part: bytes) -> bool:
    """MindSpore's nodes have texts in fields 2 and 3 and messages in field 1. TensorFlow's have a text in field 1."""
    fields = split_fields(part, most=1_000_000)
    if fields is None:
        return False
    inputs = [content for number, kind, content in fields if number == 1 and kind == LENGTH_DELIMITED]
    if inputs and any(not content.startswith(b"\n") for content in inputs):
        return False
    return any(number in (2, 3, 8) and kind == LENGTH_DELIMITED for number, kind, _ in fields)


def parse_message(content: bytes, builder: GraphBuilder) -> GraphProto:
    """Parses a message. Unreadable parts become defects.

    Args:
        content: a `ModelProto` or a bare `GraphProto`.
        builder: collects the defects.

    Raises:
        GraphError: the bytes are not a message.
    """
    fields = split_fields(content, most=400_000_000)
    if fields is None:
        raise GraphError("This is not a graph: its bytes are cut off or damaged.")
    if not any(number == 1 and kind == LENGTH_DELIMITED for number, kind, _ in fields):
        graphs = [part for number, kind, part in fields if number == _GRAPH_OF_MODEL and kind == LENGTH_DELIMITED]
        if len(graphs) == 1 and not any(number in (3, 5) and kind == LENGTH_DELIMITED for number, kind, _ in fields):
            return parse_message(graphs[0], builder)
    try:
        return GraphProto.FromString(content)
    except DecodeError:
        return _parse_parts(fields, builder)


def _parse_parts(fields: list[tuple[int, int, bytes]], builder: GraphBuilder) -> GraphProto:
    """Parses part by part, so that one broken part does not affect the others."""
    graph = GraphProto()
    for position, (number, kind, part) in enumerate(fields):
        if kind != LENGTH_DELIMITED:
            continue
        if number == 2:
            graph.name = part.decode("utf-8", "replace")
        elif number in _PARTS:
            field, message = _PARTS[number]
            try:
                getattr(graph, field).append(message.FromString(part))
            except DecodeError:
                name = _name_of_broken(number, part)
                called = f" {name!r}" if name else ""
                text = f"Part {position} of the graph ({field}{called}) cannot be read; it is shown without its value."
                if number == 5 and name:
                    graph.const_vals.append(NamedValueProto(key=name))
                    builder.defects.add(DefectCode.UNREADABLE_PART, -1, text)
                else:
                    builder.defects.add(
                        DefectCode.UNREADABLE_PART, -1, text.replace("it is shown without its value", "it is left out")
                    )
    return graph


def _name_of_broken(number: int, part: bytes) -> str:
    name_field = {1: 2}.get(number, 1)
    for found, kind, content in split_fields(part, most=1000) or ():
        if found == name_field and kind == LENGTH_DELIMITED:
            return content.decode("utf-8", "replace")
    return ""


def _monads(graph: GraphProto) -> frozenset[str]:
    """Names of inputs that carry no value, only the order of side effects."""
    constants = {constant.key for constant in graph.const_vals if value_text(constant.value) in _MONADS}
    return frozenset(constants | {node.name for node in graph.node if node.op_type == "UpdateState"})


def _add_node(builder: GraphBuilder, node: NodeProto, monads: frozenset[str]) -> None:
    attributes = {attribute.name: plain_value(attribute.value) for attribute in node.attribute}
    builder.add(
        NodeKind.OPERATOR,
        node.name,
        node.op_type,
        [_input(item, monads) for item in node.input],
        scope=node.scope,
        full_name=node.full_name,
        instance=node.instance_name,
        type=type_text(node.output_type),
        attributes=to_json(attributes) if attributes else "",
        source=_source(node, attributes),
    )


def _input(item: InputProto, monads: frozenset[str]) -> Input:
    if item.type == InputProto.CONTROL_EDGE:
        return item.name, 0, EdgeKind.CONTROL
    return item.name, 0, EdgeKind.MONAD if item.name in monads else EdgeKind.DATA


def _source(node: NodeProto, attributes: dict[str, object]) -> str:
    source = attributes.get("source") or attributes.get("source_code")
    if isinstance(source, str):
        return source
    return "\n".join(line.decode("utf-8", "replace") for line in node.source_address)
