"""Small graphs for tests, written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mindinsight.graphs.model import Graph, graph_from_bytes
from summaries.schema.anf_ir_pb2 import GraphProto


class Op(NamedTuple):
    """An operator.

    Args:
        op: Its type.
        inputs: Numbers of operators, or names of parameters.
        scope: Its scope.
    """

    op: str
    inputs: Sequence[int | str] = ()
    scope: str = ""


def graph_of(operators: Sequence[Op], parameters: Sequence[str] = ()) -> Graph:
    """A graph of parameters and operators; operator number 3 has the name `3`."""
    definition = GraphProto()
    for name in parameters:
        definition.parameters.add(name=name)
    for number, (op, inputs, scope) in enumerate(operators):
        node = definition.node.add(name=str(number), op_type=op, scope=scope)
        for source in inputs:
            node.input.add(name=str(source))
    return graph_from_bytes(definition.SerializeToString())


def place_of(graph: Graph, name: int | str) -> int:
    """The number of a node in the graph."""
    (found,) = [node for node in range(len(graph)) if graph.text("name", node) == str(name)]
    return found
