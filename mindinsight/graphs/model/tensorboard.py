"""Adapter for TensorBoard: `GraphDef`, as TensorFlow and PyTorch write it into event files."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError

from mindinsight.graphs.model.builder import GraphBuilder, Input
from mindinsight.graphs.model.defects import GraphError
from mindinsight.graphs.model.fields import LENGTH_DELIMITED, split_fields
from mindinsight.graphs.model.graph import EdgeKind, Graph, NodeKind
from mindinsight.graphs.model.torch_trace import ATTRIBUTE, CONSTANT, Trace, TraceNode, is_trace
from mindinsight.graphs.model.values import MOST_ELEMENTS, to_json
from summaries.schema.tensorboard_graph_pb2 import AttrValue, GraphDef, NodeDef
from summaries.schema.tensorboard_pb2 import DataType, TensorShapeProto

_CONSTANTS = {"Const", CONSTANT, "Constant"}
_PARAMETERS = {"Placeholder", "Variable", "VariableV2", "VarHandleOp", "Parameter", "prim::Param", ATTRIBUTE}


class TensorBoardAdapter:
    """Reads graphs of TensorBoard."""

    name = "TensorBoard graph"

    def accepts(self, content: bytes) -> bool:
        """Whether the bytes look like a graph of TensorBoard: the first and the second field of its nodes are texts."""
        for number, kind, part in split_fields(content, most=40) or ():
            if number == 1 and kind == LENGTH_DELIMITED:
                fields = split_fields(part, most=1000) or []
                return sum(found == 1 for found, _, _ in fields) == 1 and any(found == 2 for found, _, _ in fields)
        return False

    def read(self, content: bytes) -> Graph:
        """Returns the graph.

        Args:
            content: a `GraphDef`.

        Raises:
            GraphError: the graph is damaged or has no nodes.
        """
        try:
            graph = GraphDef.FromString(content)
        except DecodeError as error:
            raise GraphError("This is not a graph: its bytes are cut off or damaged.") from error
        builder = GraphBuilder("")
        trace = Trace(graph.node) if is_trace(graph.node) else None
        for node in graph.node:
            said = _plain_node(node) if trace is None else trace.read(node)
            if said is not None:
                _add_node(builder, node, said)
        if not len(builder):
            raise GraphError("This graph has no nodes, so there is nothing to show.")
        return builder.finish()


def _plain_node(node: NodeDef) -> TraceNode:
    return TraceNode(node.name.rpartition("/")[0], node.name, list(node.input), None)


def _add_node(builder: GraphBuilder, node: NodeDef, said: TraceNode) -> None:
    attributes = {name: _plain(value) for name, value in node.attr.items() if name not in ("_output_shapes", "value")}
    if node.device:
        attributes["device"] = node.device
    inputs = [_input(text) for text in said.inputs]
    kind = NodeKind.OPERATOR
    if node.op in _CONSTANTS or said.constant is not None:
        kind = NodeKind.CONSTANT
    elif node.op in _PARAMETERS:
        kind = NodeKind.PARAMETER
    value = to_json(_plain(node.attr["value"])) if "value" in node.attr else ""
    builder.add(
        kind,
        node.name,
        node.op,
        inputs,
        scope=said.scope,
        full_name=said.full_name,
        type=_type_text(node),
        attributes=to_json(attributes) if attributes else "",
        value=value if said.constant is None else said.constant,
    )


def _input(text: str) -> Input:
    """Parses `^node`, `node:output` or `node`. PyTorch's names may contain colons."""
    if text.startswith("^"):
        return text[1:], 0, EdgeKind.CONTROL
    name, colon, slot = text.rpartition(":")
    if colon and slot.isascii() and slot.isdigit() and len(slot) < 9:
        return name, int(slot), EdgeKind.DATA
    return text, 0, EdgeKind.DATA


def _type_text(node: NodeDef) -> str:
    dtype = next((_dtype(node.attr[name].type) for name in ("dtype", "T") if name in node.attr), "Float32")
    if "_output_shapes" not in node.attr:
        return dtype if "dtype" in node.attr or "T" in node.attr else ""
    shapes = [f"{dtype}[{_dimensions(shape)}]" for shape in node.attr["_output_shapes"].list.shape]
    return shapes[0] if len(shapes) == 1 else f"({','.join(shapes)})"


def _dtype(number: int) -> str:
    try:
        name = DataType.Name(number)  # type: ignore[arg-type]
    except ValueError:
        return f"Type{number}"
    known = {"DT_FLOAT": "Float32", "DT_DOUBLE": "Float64", "DT_HALF": "Float16"}
    return known.get(name, name.removeprefix("DT_").capitalize())


def _dimensions(shape: TensorShapeProto) -> str:
    return ",".join(str(dimension.size) for dimension in shape.dim)


def _plain(value: AttrValue) -> Any:
    which = value.WhichOneof("value")
    if which == "s":
        return value.s.decode("utf-8", "replace")
    if which in ("i", "f", "b", "placeholder"):
        return getattr(value, which)
    if which == "type":
        return _dtype(value.type)
    if which == "shape":
        return f"[{_dimensions(value.shape)}]"
    if which == "tensor":
        return {"dtype": _dtype(value.tensor.dtype), "shape": _dimensions(value.tensor.tensor_shape)}
    if which == "func":
        return value.func.name
    return _plain_list(value)


def _plain_list(value: AttrValue) -> Any:
    items = value.list
    for found in (items.i, items.f, items.b):
        if found:
            return list(found[:MOST_ELEMENTS])
    if items.s:
        return [text.decode("utf-8", "replace") for text in items.s[:MOST_ELEMENTS]]
    if items.shape:
        return [f"[{_dimensions(shape)}]" for shape in items.shape[:MOST_ELEMENTS]]
    return [_dtype(number) for number in items.type[:MOST_ELEMENTS]]
