"""Edits of MindSpore's graphs with a known outcome, for tests: names and order changed, and single changes."""

from __future__ import annotations

import random
from pathlib import Path

from mindinsight.graphs.model import Graph, graph_from_bytes
from mindinsight.graphs.model.files import graphs_in_events
from summaries.schema.anf_ir_pb2 import GraphProto, NodeProto


def real_proto(real_files: Path, name: str) -> GraphProto:
    """One of the real graphs as a message."""
    (path,) = (real_files / "mindspore" / name).glob("*_MS")
    return GraphProto.FromString(graphs_in_events(path)[0])


def opened(graph: GraphProto) -> Graph:
    """The graph of a message."""
    return graph_from_bytes(graph.SerializeToString())


def copied(graph: GraphProto) -> GraphProto:
    """A message of its own."""
    copy = GraphProto()
    copy.CopyFrom(graph)
    return copy


def disguised(graph: GraphProto, seed: int) -> GraphProto:
    """The same graph with all names given to others, without scopes, and with everything in another order."""
    chance, made = random.Random(seed), copied(graph)
    names = [node.name for node in made.node] + [parameter.name for parameter in made.parameters]
    names += [constant.key for constant in made.const_vals]
    mixed = dict(zip(names, chance.sample(names, len(names)), strict=True))
    for node in made.node:
        node.name = mixed[node.name]
        node.full_name = node.scope = node.instance_name = ""
        for item in node.input:
            item.name = mixed.get(item.name, item.name)
    for parameter in made.parameters:
        parameter.name = mixed[parameter.name]
    for constant in made.const_vals:
        constant.key = mixed[constant.key]
    for output in made.outputs:
        output.name = mixed.get(output.name, output.name)
    for parts in (made.node, made.parameters, made.const_vals):
        order = list(parts)
        chance.shuffle(order)
        del parts[:]
        parts.extend(order)  # type: ignore[arg-type]
    return made


def insert_before(graph: GraphProto, node: NodeProto, port: int, name: str = "inserted", op: str = "Cast") -> NodeProto:
    """Inserts an operator between a node and its input at a port."""
    made = graph.node.add(name=name, op_type=op, scope=node.scope)
    made.input.add(name=node.input[port].name)
    node.input[port].name = name
    return made


def take_out(graph: GraphProto, node: NodeProto) -> int:
    """Removes an operator; what read it reads its first input. Returns how many nodes did."""
    source, name = node.input[0].name, node.name
    graph.node.remove(node)
    return redirect(graph, name, source)


def redirect(graph: GraphProto, name: str, other: str) -> int:
    """Lets everything that reads one node read another one. Returns how many nodes did."""
    readers = 0
    for node in graph.node:
        items = [item for item in node.input if item.name == name]
        readers += bool(items)
        for item in items:
            item.name = other
    for output in graph.outputs:
        output.name = other if output.name == name else output.name
    return readers
