"""Converts programs to the `anf_ir` protobuf of summary files, one `GraphProto` per function graph, and back.

In a message, a function graph is a constant whose text is `@name`. A node that calls one has the type `call @name`.
Names are unique in the whole program. A free variable is an input with the name `graph/name`, or the name alone if it
belongs to the program's own graph.

The format is MindSpore's, and it is made to be looked at. It loses the values of Parameters and that they are
Parameters, the names of values in Python, the attributes and source lines of whole graphs, known values within types,
and types other than those of tensors, numbers and sequences. Constants other than numbers, texts, tensors, element
types and sequences of these become texts. Everything else can be read back. Model files (`model_proto.py`) keep all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.ir.abstract import Abstract, AbstractMonad, AbstractScalar, AbstractTensor, AbstractTuple
from framework.ir.anf import FUSION, IN_PLACE, RECOMPUTE, CNode, FuncGraph, Node, ValueNode
from framework.ir.manager import Manager
from framework.ir.operators import ALL, EMPTY_ENVIRON, STATE, UPDATE_STATE, StateToken, abstract_of
from framework.ir.reading import Resolve, read_location
from framework.ir.text import constant_text, graph_names
from summaries.schema.anf_ir_pb2 import DataType, GraphProto, NodeProto, TensorProto, TypeProto, ValueProto

__all__ = ["from_protos", "to_protos"]

MakeTensor = Callable[[np.ndarray[Any, Any]], object]
"""Makes a tensor from an array."""

_CALL = "call @"
_MARKS = (FUSION, IN_PLACE, RECOMPUTE)
_DATA_TYPES: dict[Any, Any] = {
    mstype.bool_: DataType.DT_BOOL,
    **{dtype: DataType.Value(f"DT_{str(dtype).upper()}") for dtype in mstype.number_type},
}
_DTYPES = {number: dtype for dtype, number in _DATA_TYPES.items()}
_SCALARS: dict[type, Any] = {bool: DataType.DT_BOOL, int: DataType.DT_INT64, float: DataType.DT_FLOAT64}


def to_protos(root: FuncGraph) -> list[GraphProto]:
    """One message for each graph of a program, the program itself first.

    Args:
        root: the graph that the program is.
    """
    return list(_Writer(root).protos().values())


class _Writer:
    def __init__(self, root: FuncGraph) -> None:
        self.manager = Manager(root)
        self.graphs = graph_names(self.manager)
        self.names: dict[Node, str] = {}
        for graph in self.manager.graphs:
            for parameter in graph.parameters:
                self.names[parameter] = f"para_{len(self.names) + 1}_{parameter.name}"
            for node in self.manager.nodes(graph):
                self.names[node] = str(len(self.names) + 1)

    def protos(self) -> dict[FuncGraph, GraphProto]:
        return {graph: self._graph(graph) for graph in self.manager.graphs}

    def _graph(self, graph: FuncGraph) -> GraphProto:
        proto = GraphProto(name=self.graphs[graph])
        for parameter in graph.parameters:
            made = proto.parameters.add(name=self.names[parameter])
            _set_type(made.type, parameter.abstract)
        for node in self.manager.nodes(graph):
            self._node(proto, graph, node)
        output = proto.outputs.add(name=self._name(proto, graph, graph.output))
        _set_type(output.type, graph.output.abstract)
        return proto

    def _node(self, proto: GraphProto, graph: FuncGraph, node: CNode) -> None:
        made = proto.node.add(name=self.names[node], scope=node.scope)
        operator = node.operator
        if isinstance(operator, FuncGraph):
            made.op_type = f"{_CALL}{self.graphs[operator]}"
        elif operator is None:
            made.op_type = "call"
            made.input.add(name=self._name(proto, graph, node.function))
        else:
            made.op_type = str(getattr(operator, "name", constant_text(operator)))
            for name, value in getattr(operator, "attrs", {}).items():
                _set_value(made.attribute.add(name=name).value, value)
        for name, value in node.marks.items():
            _set_value(made.attribute.add(name=name).value, value)
        made.full_name = node.full_name or f"{node.scope}/{node.name or made.op_type}-{self.names[node]}".lstrip("/")
        if node.location is not None:
            made.source_address.append(f"In file {node.location}".encode())
        for item in node.arguments:
            made.input.add(name=self._name(proto, graph, item))
        _set_type(made.output_type, node.abstract)

    def _name(self, proto: GraphProto, graph: FuncGraph, node: Node) -> str:
        if isinstance(node, ValueNode):
            constant = proto.const_vals.add(key=f"cst{len(proto.const_vals) + 1}")
            value = f"@{self.graphs[node.value]}" if isinstance(node.value, FuncGraph) else node.value
            _set_value(constant.value, value)
            return constant.key
        if node.graph is graph or node.graph is None:
            return self.names[node]
        if node.graph is self.manager.root:
            return self.names[node]
        return f"{self.graphs[node.graph]}/{self.names[node]}"


def _set_type(proto: TypeProto, abstract: Abstract | None) -> None:
    if isinstance(abstract, AbstractTensor):
        proto.data_type = DataType.DT_TENSOR
        proto.tensor_type.elem_type = _DATA_TYPES[abstract.dtype]
        for dim in abstract.shape:
            proto.tensor_type.shape.dim.add(size=-1 if dim is None else dim)
    elif isinstance(abstract, AbstractScalar):
        proto.data_type = _SCALARS[abstract.type]
    elif isinstance(abstract, AbstractTuple):
        proto.data_type = DataType.DT_LIST if abstract.is_list else DataType.DT_TUPLE
        for element in abstract.elements:
            _set_type(proto.sequence_type.elem_types.add(), element)
    elif abstract is not None:
        proto.data_type = DataType.DT_ANY


def _set_value(proto: ValueProto, value: Any) -> None:
    if isinstance(value, bool):
        proto.dtype, proto.bool_val = DataType.DT_BOOL, value
    elif isinstance(value, int):
        proto.dtype, proto.int_val = DataType.DT_INT64, value
    elif isinstance(value, float):
        proto.dtype, proto.double_val = DataType.DT_FLOAT64, value
    elif isinstance(value, tuple | list):
        proto.dtype = DataType.DT_TUPLE if isinstance(value, tuple) else DataType.DT_LIST
        for item in value:
            _set_value(proto.values.add(), item)
    elif value is None:
        proto.dtype = DataType.DT_NONE
    elif isinstance(value, StateToken):
        proto.str_val = "U"
    elif value in _DATA_TYPES if isinstance(value, mstype.DType) else False:
        proto.dtype = DataType.DT_TYPE
        proto.type_val.data_type = _DATA_TYPES[value]
    elif hasattr(value, "asnumpy"):
        proto.dtype = DataType.DT_TENSOR
        _set_tensor(proto.tensor_val, value)
    else:
        proto.dtype = DataType.DT_STRING
        proto.str_val = value if isinstance(value, str) else constant_text(value)


def _set_tensor(proto: TensorProto, value: Any) -> None:
    array = np.asarray(value.asnumpy())
    proto.dims.extend(array.shape)
    proto.data_type = _DATA_TYPES[value.dtype]
    proto.raw_data = array.tobytes()


def from_protos(protos: list[GraphProto], resolve: Resolve, tensor: MakeTensor | None = None) -> FuncGraph:
    """Read a program from its messages.

    Args:
        protos: the messages as `to_protos` returns them, the program itself first.
        resolve: finds an operator that is not the IR's own, from its name and attributes.
        tensor: makes a tensor from an array, for constants.
    """
    program = _Program(protos, resolve, tensor)
    for proto in protos:
        program.add_nodes(proto)
    for proto in protos:
        program.connect(proto)
    return program.graphs[protos[0].name]


class _Program:
    """A program that is read from messages: first all nodes, then the inputs of each.

    Args:
        protos: the messages, the program itself first.
        resolve: finds an operator that is not the IR's own.
        tensor: makes a tensor from an array.
    """

    def __init__(self, protos: list[GraphProto], resolve: Resolve, tensor: MakeTensor | None) -> None:
        self.graphs = {proto.name: FuncGraph(proto.name) for proto in protos}
        self._root = protos[0].name
        self._nodes: dict[tuple[str, str], Node] = {}
        self._resolve = resolve
        self._tensor = tensor

    def add_nodes(self, proto: GraphProto) -> None:
        """Make the parameters, nodes and constants of a graph."""
        graph = self.graphs[proto.name]
        for parameter in proto.parameters:
            name = parameter.name.split("_", 2)[2]
            self._nodes[proto.name, parameter.name] = graph.add_parameter(name, abstract=_get_type(parameter.type))
        for node in proto.node:
            self._nodes[proto.name, node.name] = _bare(graph, node)
        for constant in proto.const_vals:
            value = _get_value(constant.value, self._tensor)
            if isinstance(value, str) and value.startswith("@") and value[1:] in self.graphs:
                value = self.graphs[value[1:]]
            self._nodes[proto.name, constant.key] = ValueNode(value, abstract_of(value))

    def connect(self, proto: GraphProto) -> None:
        """Give the nodes of a graph their inputs, and the graph its output."""
        for node in proto.node:
            made = self._nodes[proto.name, node.name]
            assert isinstance(made, CNode)  # noqa: S101
            inputs = [self._found(proto.name, item.name) for item in node.input]
            if node.op_type != "call":
                inputs.insert(0, ValueNode(self._operator(node)))
            made.marks = {a.name: a.value.int_val for a in node.attribute if a.name in _MARKS}
            made.inputs = inputs
        self.graphs[proto.name].output = self._found(proto.name, proto.outputs[0].name)

    def _found(self, graph: str, name: str) -> Node:
        if (graph, name) in self._nodes:
            return self._nodes[graph, name]
        owner, _, inner = name.rpartition("/")
        return self._nodes[owner or self._root, inner]

    def _operator(self, node: NodeProto) -> object:
        name = node.op_type
        if name.startswith(_CALL):
            return self.graphs[name.removeprefix(_CALL)]
        if name in ALL:
            return ALL[name]
        attrs = {a.name: _get_value(a.value, self._tensor) for a in node.attribute if a.name not in _MARKS}
        return self._resolve(name, attrs)


def _bare(graph: FuncGraph, node: NodeProto) -> CNode:
    """A node without its inputs."""
    # A node without a name of its own has its number as name.
    full_name = "" if node.full_name.endswith(f"-{node.name}") else node.full_name
    abstract = AbstractMonad() if node.op_type == UPDATE_STATE.name else _get_type(node.output_type)
    address = node.source_address[0].decode() if node.source_address else ""
    return CNode(graph, (), full_name, abstract=abstract, scope=node.scope, location=read_location(address))


def _get_type(proto: TypeProto) -> Abstract | None:
    if proto.data_type == DataType.DT_TENSOR:
        dims = tuple(None if dim.size < 0 else dim.size for dim in proto.tensor_type.shape.dim)
        return AbstractTensor(dims, _DTYPES[proto.tensor_type.elem_type])
    if proto.data_type in (DataType.DT_TUPLE, DataType.DT_LIST):
        elements = [_get_type(item) for item in proto.sequence_type.elem_types]
        if any(element is None for element in elements):
            return None
        return AbstractTuple(tuple(e for e in elements if e is not None), proto.data_type == DataType.DT_LIST)
    return next(
        (AbstractScalar(type=kind) for kind, data_type in _SCALARS.items() if data_type == proto.data_type), None
    )


def _get_value(proto: ValueProto, tensor: MakeTensor | None) -> Any:
    match proto.dtype:
        case DataType.DT_BOOL:
            return proto.bool_val
        case DataType.DT_INT64:
            return proto.int_val
        case DataType.DT_FLOAT64:
            return proto.double_val
        case DataType.DT_TUPLE:
            return tuple(_get_value(item, tensor) for item in proto.values)
        case DataType.DT_LIST:
            return [_get_value(item, tensor) for item in proto.values]
        case DataType.DT_NONE:
            return None
        case DataType.DT_TYPE:
            return _DTYPES[proto.type_val.data_type]
        case DataType.DT_TENSOR:
            assert tensor is not None  # noqa: S101
            dtype = _DTYPES[proto.tensor_val.data_type].numpy
            return tensor(np.frombuffer(proto.tensor_val.raw_data, dtype).reshape(tuple(proto.tensor_val.dims)))
    text = proto.str_val
    return STATE if text == "U" and not proto.HasField("dtype") else EMPTY_ENVIRON if text == "{}" else text
