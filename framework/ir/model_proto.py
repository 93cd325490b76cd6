"""Converts a program to the message of a model file, with its constants and weights, and back.

Unlike the messages of `anf_proto`, which show programs to people, these are complete: a program that is read back has
the same text as the one that was written, and runs.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError

from framework.common.parameter import Parameter as Weight
from framework.ir.anf import CNode, FuncGraph, Location, Node, ValueNode
from framework.ir.manager import Manager
from framework.ir.model_values import ModelError, Resolve, ValueReader, ValueWriter, printable, tensor_of, write_tensor
from framework.ir.verify import VerificationError, verify
from framework.schema import model_pb2 as proto

__all__ = ["from_message", "to_message"]


def to_message(root: FuncGraph) -> proto.Program:
    """A program as a message.

    Args:
        root: the graph that the program is, typed.

    Raises:
        ModelError: a constant cannot be stored in a file. The message names it and where it is used.
    """
    return _Writer(root).program()


class _Writer:
    def __init__(self, root: FuncGraph) -> None:
        self.manager = Manager(root)
        self.orders = {graph: self.manager.nodes(graph) for graph in self.manager.graphs}
        self.values = ValueWriter({graph: number for number, graph in enumerate(self.orders)})
        self.numbers: dict[Node, int] = {}
        for graph, nodes in self.orders.items():
            for node in (*graph.parameters, *nodes):
                self.numbers[node] = len(self.numbers)
        self.weights: dict[int, int] = {}

    def program(self) -> proto.Program:
        made = proto.Program()
        for graph in self.orders:
            self._graph(made, made.graphs.add(), graph)
        made.keys.extend(key.name for key in self.values.keys)
        return made

    def _graph(self, program: proto.Program, made: proto.Graph, graph: FuncGraph) -> None:
        made.name = graph.name
        attrs = {name: value for name, value in graph.attrs.items() if isinstance(value, str | int)}
        made.attributes.extend(self.values.items(attrs))
        _set_place(made.place, graph.location)
        for parameter in graph.parameters:
            written = made.parameters.add(name=parameter.name, type=self.values.type(parameter.abstract))
            _set_place(written.place, parameter.location)
            if parameter.default is not None:
                written.weight = self._weight(program, parameter.default)
        for node in self.orders[graph]:
            self._node(made.nodes.add(), node)
        self._input(made.output, graph.output)

    def _weight(self, program: proto.Program, weight: Any) -> int:
        if id(weight) not in self.weights:
            made = program.weights.add(name=weight.name, requires_grad=weight.requires_grad)
            write_tensor(made.value, weight)
            self.weights[id(weight)] = len(program.weights)
        return self.weights[id(weight)]

    def _node(self, made: proto.Node, node: CNode) -> None:
        made.name, made.full_name, made.scope = node.name, node.full_name, node.scope
        made.also.extend(node.also)
        made.marks.extend(proto.Mark(name=name, value=value) for name, value in node.marks.items())
        _set_place(made.place, node.location)
        try:
            made.type.CopyFrom(self.values.type(node.abstract))
            for item in node.inputs:
                self._input(made.inputs.add(), item)
        except ModelError as error:
            where = f"\n{node.location.pointed()}" if node.location is not None else ""
            raise ModelError(f"{node.full_name or node.operator}: {error}{where}") from None

    def _input(self, made: proto.Input, node: Node) -> None:
        if isinstance(node, ValueNode):
            made.constant.value.CopyFrom(self.values.value(node.value))
            made.constant.type.CopyFrom(self.values.type(node.abstract))
            _set_place(made.constant.place, node.location)
        else:
            made.node = self.numbers[node]


def from_message(message: proto.Program, resolve: Resolve) -> FuncGraph:
    """Read a program from a message. Its weights become new Parameters.

    Args:
        message: a message as `to_message` returns it; nothing in it is trusted.
        resolve: finds primitives.

    Raises:
        ModelError: the message is not a program.
    """
    try:
        root = _Reader(message, resolve).root()
        verify(root, typed=True)
    except ModelError:
        raise
    except (VerificationError, DecodeError, ValueError, TypeError, LookupError, OverflowError) as error:
        raise ModelError(f"it does not describe a program: {error}") from error
    return root


class _Reader:
    def __init__(self, message: proto.Program, resolve: Resolve) -> None:
        if not message.graphs:
            raise ModelError("it has no graph")
        self.message = message
        self.graphs = [FuncGraph(printable(graph.name), _place(graph.place)) for graph in message.graphs]
        self.values = ValueReader(self.graphs, message.keys, resolve)
        self.weights = [
            Weight(tensor_of(weight.value), printable(weight.name), weight.requires_grad) for weight in message.weights
        ]
        self.nodes: list[Node] = []

    def root(self) -> FuncGraph:
        pairs = list(zip(self.graphs, self.message.graphs, strict=True))
        for graph, written in pairs:
            self._open(graph, written)
        rows = iter(self.nodes)
        for graph, written in pairs:
            for _ in written.parameters:
                next(rows)
            for row, node in zip(written.nodes, rows, strict=False):
                assert isinstance(node, CNode)  # noqa: S101
                node.inputs = [self._input(item) for item in row.inputs]
            graph.output = self._input(written.output)
        return self.graphs[0]

    def _open(self, graph: FuncGraph, written: proto.Graph) -> None:
        graph.attrs.update((str(name), value) for name, value in self.values.items(written.attributes).items())
        for parameter in written.parameters:
            weight = self.weights[parameter.weight - 1] if parameter.weight else None
            if weight is not None and graph is not self.graphs[0]:
                raise ModelError("only the program itself has weights")
            made = graph.add_parameter(printable(parameter.name), weight, abstract=self.values.type(parameter.type))
            made.location = _place(parameter.place)
            self.nodes.append(made)
        for row in written.nodes:
            node = CNode(graph, (), printable(row.full_name), name=printable(row.name), scope=printable(row.scope))
            node.abstract, node.location, node.also = self.values.type(row.type), _place(row.place), tuple(row.also)
            node.marks = {printable(mark.name): mark.value for mark in row.marks}
            self.nodes.append(node)

    def _input(self, item: proto.Input) -> Node:
        if item.WhichOneof("what") == "node":
            return self.nodes[item.node]
        constant = item.constant
        value, abstract = self.values.value(constant.value), self.values.type(constant.type)
        return ValueNode(value, abstract, location=_place(constant.place))


def _set_place(made: proto.Place, location: Location | None) -> None:
    if location is not None:
        for field in proto.Place.DESCRIPTOR.fields_by_name:
            setattr(made, field, getattr(location, field))


def _place(written: proto.Place) -> Location | None:
    if not written.line:
        return None
    return Location(
        written.file, written.line, written.end_line, written.column, written.end_column, written.source,
        written.function,
    )  # fmt: skip
