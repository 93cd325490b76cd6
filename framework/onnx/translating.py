"""Makes a program of the IR from the graphs of a model. Each node becomes an application of an `Operation`.

The program has the form that the parser gives to Python functions: bodies of loops and branches are graphs whose
outer values are free variables, and operators are functions that inference follows. So shapes need not be known here,
and both modes run it. `loading` calls it after the structure was checked.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from framework.common.parameter import Parameter as Weight
from framework.common.tensor import Tensor
from framework.ir.abstract import AbstractTensor
from framework.ir.anf import CNode, FuncGraph, Location, Node, ValueNode
from framework.ir.model_values import ModelError
from framework.ir.operators import MAKE_TUPLE
from framework.ir.python_ops import op
from framework.onnx.attributes import attributes_of, resolved
from framework.onnx.inputs import Declared, checked, declared_of
from framework.onnx.limits import Limits
from framework.onnx.operation import Operation
from framework.onnx.operators.control import scan_shapes
from framework.onnx.operators.operator_table import Row, row_of
from framework.onnx.reader.structure import Order, bodies, listing, title
from framework.onnx.reader.tensors import array_of
from framework.onnx.scopes import scope_of
from framework.parse.binding import Signature
from framework.schema.onnx_pb2 import Attribute, Function, Graph, Model, TensorData
from framework.schema.onnx_pb2 import Node as NodeMessage

__all__ = ["Translation"]

Names = MutableMapping[str, Node]
"""The nodes of the program by the names of their values in the model."""


class Translation:
    """Makes the program of one model.

    Args:
        model: the model.
        order: the nodes of its graphs in order.
        opsets: the version of each domain of operators.
        path: the file, for messages and external data.
        limits: what the model may ask for.
        max_rounds: the most rounds of a loop; None for any number.
        refuse: whether what is not supported is an error; else only `problems` tell it.

    Attributes:
        root: the program.
        weights: the Parameters, by name.
        problems: what is not supported.

    Raises:
        ModelError: something in the model is not supported; the message lists all that is not.
    """

    def __init__(
        self,
        model: Model,
        order: Order,
        opsets: Mapping[str, int],
        path: Path,
        limits: Limits,
        max_rounds: int | None,
        *,
        refuse: bool = True,
    ) -> None:
        self._order = order
        self._path = path
        self._limits = limits
        self._given = {"max_rounds": max_rounds or 0, "memory": limits.memory}
        self._functions = {(item.domain, item.name, item.overload): item for item in model.functions}
        self._within: list[tuple[str, str, str]] = []
        self.problems: list[str] = []
        self._made = 0
        self._read_as_known: set[str] = set()
        self.weights: dict[str, Weight] = {}
        self.root = FuncGraph(model.graph.name or path.stem, Location(str(path), 1))
        self._note_known(model.graph, opsets)
        self._program(model.graph, opsets)
        if self.problems and refuse:
            raise ModelError(listing("it needs what is not supported", self.problems))

    def _note_known(self, graph: Graph | Function, opsets: Mapping[str, int]) -> None:
        """Note the names whose elements decide shapes, so that weights of these names become constants."""
        for node in self._order.nodes(graph):
            row = row_of(_domain(node), node.op_type, opsets.get(_domain(node), 0))
            if row is not None:
                self._read_as_known.update(node.input[place] for place in row.known if place < len(node.input))
            for body in bodies(node):
                self._note_known(body, opsets)

    def _program(self, graph: Graph, opsets: Mapping[str, int]) -> None:
        root = self.root
        root.order = []
        names: Names = {}
        self._stored(graph, names)
        inputs = [item for item in graph.input if item.name not in names]
        declared: list[Declared] = []
        for item in inputs:
            try:
                declared.append(declared_of(item))
            except ModelError as error:
                self.problems.append(f"the input {item.name!r}: {error}")
        if self.problems:
            return
        parameters = []
        for info in declared:
            abstract = None if info.shape is None else AbstractTensor(info.open_shape, info.dtype)
            parameters.append(root.add_parameter(info.name, abstract=abstract))
        if declared:
            checking = Operation(checked, {"declared": tuple(declared)}, "the inputs", "")
            passed = root.apply(checking, *parameters, location=root.location)
            for place, info in enumerate(declared):
                names[info.name] = root.apply(op("getitem"), passed, place)
        self._nodes(graph, root, names, opsets)
        outputs = [self._named(item.name, names) for item in graph.output]
        root.output = outputs[0] if len(outputs) == 1 else root.apply(MAKE_TUPLE, *outputs)
        # The weights are parameters behind the inputs.
        root.signature = Signature([item.name for item in root.parameters], len(root.parameters), None, [], None)

    def _stored(self, graph: Graph, names: Names) -> None:
        """The weights of a graph: Parameters if they are floating-point numbers, else constants."""
        for sparse in graph.sparse_initializer:
            self.problems.append(f"the weight {sparse.values.name!r} is sparse")
        for tensor in graph.initializer:
            try:
                array = self._array(tensor)
            except ModelError as error:
                self.problems.append(f"the weight {tensor.name!r}: {error}")
                continue
            if array.dtype.kind == "f" and tensor.name not in self._read_as_known:
                name = tensor.name if tensor.name not in self.weights else f"{tensor.name}_{len(self.weights)}"
                weight = self.weights[name] = Weight(Tensor(array), name)
                names[tensor.name] = self.root.add_parameter(name, weight)
            else:
                names[tensor.name] = ValueNode(Tensor(array))

    def _array(self, tensor: TensorData) -> np.ndarray[Any, Any]:
        return array_of(tensor, self._path.parent, self._limits)

    def _nodes(self, owner: Graph | Function, graph: FuncGraph, names: Names, opsets: Mapping[str, int]) -> None:
        for node in self._order.nodes(owner):
            self._node(node, graph, names, opsets)

    def _node(self, node: NodeMessage, graph: FuncGraph, names: Names, opsets: Mapping[str, int]) -> None:
        self._made += 1
        if self._made > self._limits.nodes:
            raise ModelError(f"with its functions written out, it has more than {self._limits.nodes:,} nodes")
        function = self._functions.get((node.domain, node.op_type, node.overload))
        try:
            if function is not None:
                self._called(node, function, graph, names)
                return
            opset = opsets.get(_domain(node), 0)
            row = row_of(_domain(node), node.op_type, opset)
            if row is None:
                raise ModelError(_unknown(node, opset))
            made = self._applied(node, row, graph, names, opsets)
        except ModelError as error:
            problem = f"{title(node)}: {error}" if not str(error).startswith(title(node)) else str(error)
            self.problems.append(problem)
            made = None
        outputs = list(node.output)
        for place, name in enumerate(outputs):
            if name:
                names[name] = _output(graph, made, place, row is not None and row.returns_tuple if made else False)

    def _applied(self, node: NodeMessage, row: Row, graph: FuncGraph, names: Names, opsets: Mapping[str, int]) -> CNode:
        """The application that a node becomes."""
        _check_inputs(node, row)
        attributes = attributes_of(node, row, self._array)
        attributes.update((name, self._given[name]) for name in row.given if name in self._given)
        if "outputs" in row.given:
            attributes["outputs"] = len(node.output)
        inner = {attribute.name: attribute.g for attribute in node.attribute if attribute.type == Attribute.GRAPH}
        missing = [name for name in row.bodies if name not in inner]
        if missing:
            raise ModelError(f"its attribute {missing[0]!r} is missing")
        if "scan_shapes" in row.given:
            attributes["scan_shapes"] = scan_shapes(inner["body"])
        functions = [ValueNode(self._body(inner[name], name, names, opsets)) for name in row.bodies]
        inputs = [self._named(name, names) if name else ValueNode(None) for name in node.input]
        function = _own(row.function) if row.bodies else row.function
        operation = Operation(function, attributes, title(node), scope_of(node))
        text = f"{', '.join(node.output)} = {node.op_type}({', '.join(node.input)})"
        place = Location(str(self._path), self._made, source=text, function=graph.name, end_column=len(text))
        return graph.apply(operation, *functions, *inputs, name=node.output[0] if node.output else "", location=place)

    def _named(self, name: str, names: Names) -> Node:
        return names[name] if name in names else ValueNode(None)

    def _body(self, body: Graph, name: str, around: Names, opsets: Mapping[str, int]) -> FuncGraph:
        """A body of a loop or a branch as a function that returns a tuple."""
        graph = FuncGraph(body.name or name, self.root.location)
        graph.order = []
        names: Names = ChainMap({}, around)
        self._stored(body, names)
        given = [item.name for item in body.input]
        graph.signature = Signature(given, len(given), None, [], None)
        for item in given:
            names[item] = graph.add_parameter(item)
        self._nodes(body, graph, names, opsets)
        graph.output = graph.apply(MAKE_TUPLE, *(self._named(item.name, names) for item in body.output))
        return graph

    def _called(self, node: NodeMessage, function: Function, graph: FuncGraph, names: Names) -> None:
        """A call of a function of the model: its body in the place of the call."""
        key = (function.domain, function.name, function.overload)
        if key in self._within:
            raise ModelError(f"the function {function.name!r} calls itself")
        given: dict[str, Attribute] = {item.name: item for item in function.attribute_proto}
        given.update((item.name, item) for item in node.attribute)
        inside: Names = {}
        for place, name in enumerate(function.input):
            inside[name] = self._named(node.input[place], names) if place < len(node.input) else ValueNode(None)
        opsets = {"" if item.domain == "ai.onnx" else item.domain: item.version for item in function.opset_import}
        self._within.append(key)
        try:
            for inner in self._order.nodes(function):
                self._node(resolved(inner, given), graph, inside, opsets)
        finally:
            self._within.pop()
        for output, name in zip(node.output, function.output, strict=False):
            if output:
                names[output] = self._named(name, inside)


def _output(graph: FuncGraph, made: CNode | None, place: int, is_tuple: bool) -> Node:
    if made is None:
        return ValueNode(None)
    return graph.apply(op("getitem"), made, place, location=made.location) if is_tuple else made


def _own(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function object of its own: inference takes a loop within a loop for a recursion if both are one function."""
    code, defaults = function.__code__, function.__defaults__
    copy = FunctionType(code, function.__globals__, function.__name__, defaults, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _domain(node: NodeMessage) -> str:
    return "" if node.domain == "ai.onnx" else node.domain


def _unknown(node: NodeMessage, opset: int) -> str:
    within = f"{node.domain} {opset}" if _domain(node) else f"opset {opset}"
    return f"there is no operator {node.op_type} ({within})"


def _check_inputs(node: NodeMessage, row: Row) -> None:
    given = [bool(name) for name in node.input]
    if len(given) > len(row.inputs) and not row.is_open:
        raise ModelError(f"it takes {len(row.inputs)} inputs in this opset, and has {len(given)}")
    lacking = [name for place, name in enumerate(row.inputs[: row.needed]) if not (place < len(given) and given[place])]
    if lacking:
        raise ModelError(f"its input {lacking[0]!r} is missing")
