"""Converts a program to the one graph of a summary file, in the form that MindSpore's `SummaryCollector` writes.

Parameters keep their names, nodes are numbered in the order in which they run, and operators that only read a weight
read it through `Load`. Choices, loops and recursive functions are separate graphs in a program. Here their nodes follow
those of the program, and a node that calls a function gets an edge from the function's output.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import networkx as nx

from framework.ir.anf import FuncGraph
from framework.ir.anf_proto import to_protos
from summaries.schema.anf_ir_pb2 import GraphProto, InputProto, NodeProto, TypeProto

__all__ = ["summary_graph"]

_PREFIX = "para_"
_CALL = "call @"
_UNCHANGED = "cst/U"
_NO_READERS = ("UpdateState", "Depend", "Switch", "Partial")
_STATE = 49
"""The type that MindSpore writes for a state token; `DT_SLICE` in the table of names."""


def summary_graph(root: FuncGraph, loads: bool = True) -> GraphProto:
    """The message of a program.

    Args:
        root: the graph that the program is.
        loads: whether reading a weight is a node. False gives only the operators that run.
    """
    first, *others = to_protos(root)
    links = _links([first, *others])
    made = GraphProto()
    made.CopyFrom(first)
    names = {parameter.name: _own_name(parameter.name) for parameter in first.parameters}
    for node in made.node:
        _link(node, links, first.name)
    for graph in others:
        _put_in(made, graph, links)
    if loads:
        weights = zip(root.parameters, first.parameters, strict=True)
        _load(made, {proto.name: proto.type for given, proto in weights if given.default is not None})
    _rename(made, names)
    _scope(made)
    return made


def _own_name(name: str) -> str:
    """A parameter's own name: `conv1.weight` for `para_3_conv1.weight`."""
    return name.split("_", 2)[2] if name.startswith(_PREFIX) else name


def _links(graphs: list[GraphProto]) -> dict[tuple[str, str], list[str]]:
    """The outputs of the functions that each node calls, by the node's graph and name. Links that close a circle are
    left out."""
    outputs = {graph.name: f"{graph.name}/{graph.outputs[0].name}" for graph in graphs}
    calls = [(graph.name, node.name, called) for graph in graphs for node, called in _calls(graph)]
    calling: nx.DiGraph[str] = nx.DiGraph([(graph, called) for graph, _, called in calls])
    found: dict[tuple[str, str], list[str]] = {}
    for graph, node, called in calls:
        if not nx.has_path(calling, called, graph):
            found.setdefault((graph, node), []).append(outputs[called])
    return found


def _calls(graph: GraphProto) -> Iterator[tuple[NodeProto, str]]:
    functions = {item.key: item.value.str_val[1:] for item in graph.const_vals if item.value.str_val.startswith("@")}
    for node in graph.node:
        if node.op_type.startswith(_CALL):
            yield node, node.op_type.removeprefix(_CALL)
        for edge in node.input:
            if edge.name in functions:
                yield node, functions[edge.name]


def _link(node: NodeProto, links: dict[tuple[str, str], list[str]], graph: str) -> None:
    for output in links.get((graph, node.name), ()):
        node.input.add(name=output, type=InputProto.CONTROL_EDGE)


def _put_in(made: GraphProto, graph: GraphProto, links: dict[tuple[str, str], list[str]]) -> None:
    """Append the nodes of a function. Its parameters become nodes, too."""
    own = {item.name for item in graph.node} | {item.name for item in graph.parameters}
    own |= {item.key for item in graph.const_vals}
    for parameter in graph.parameters:
        node = made.node.add(name=f"{graph.name}/{parameter.name}", op_type="Parameter", scope=graph.name)
        node.full_name = f"{graph.name}/{_own_name(parameter.name)}"
        node.output_type.CopyFrom(parameter.type)
    for item in graph.node:
        node = made.node.add()
        node.CopyFrom(item)
        node.name = f"{graph.name}/{item.name}"
        for edge in node.input:
            edge.name = f"{graph.name}/{edge.name}" if edge.name in own else edge.name
        for output in links.get((graph.name, item.name), ()):
            node.input.add(name=output, type=InputProto.CONTROL_EDGE)
    for constant in graph.const_vals:
        made.const_vals.add(key=f"{graph.name}/{constant.key}").value.CopyFrom(constant.value)


def _load(made: GraphProto, weights: dict[str, TypeProto]) -> None:
    """Let operators read weights through `Load`, except operators that change them, and functions, which may."""
    changing = {edge.name for node in made.node if node.op_type == "UpdateState" for edge in node.input}
    counts: Counter[str] = Counter()
    loads: dict[str, str] = {}
    nodes: list[NodeProto] = []
    for node in made.node:
        if node.name not in changing and node.op_type not in _NO_READERS and not node.op_type.startswith("call"):
            for edge in node.input:
                if edge.name in weights:
                    if edge.name not in loads:
                        nodes.append(_load_of(edge.name, weights[edge.name], node.scope, counts))
                        loads[edge.name] = nodes[-1].name
                    edge.name = loads[edge.name]
        nodes.append(node)
    if loads:
        made.const_vals.add(key=_UNCHANGED).value.str_val = "U"
        kept = [NodeProto.FromString(node.SerializeToString()) for node in nodes]
        del made.node[:]
        made.node.extend(kept)


def _load_of(weight: str, kind: TypeProto, scope: str, counts: Counter[str]) -> NodeProto:
    """The node that reads a weight, in the scope of the first operator that needs it."""
    full_name = f"{scope}/Load-op{counts[scope]}".lstrip("/")
    counts[scope] += 1
    inputs = [InputProto(name=weight), InputProto(name=_UNCHANGED)]
    return NodeProto(
        name=f"{weight}/Load", op_type="Load", scope=scope, full_name=full_name, input=inputs, output_type=kind
    )


def _rename(made: GraphProto, names: dict[str, str]) -> None:
    """Rename nodes, constants and parameters as MindSpore names them, in definitions and uses."""
    names.update((node.name, str(number)) for number, node in enumerate(made.node, 1))
    names.update((constant.key, f"cst{number}") for number, constant in enumerate(made.const_vals, 1))
    for constant in made.const_vals:
        constant.key = names[constant.key]
    for parameter in made.parameters:
        parameter.name = names[parameter.name]
    for output in made.outputs:
        output.name = names[output.name]
    for node in made.node:
        node.name = names[node.name]
        for edge in node.input:
            edge.name = names.get(edge.name, edge.name)


def _scope(made: GraphProto) -> None:
    """Give nodes that order effects the scope of the node that they wait for, and MindSpore's type of a state token."""
    scopes: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for node in made.node:
        if node.op_type == "UpdateState":
            node.output_type.CopyFrom(TypeProto(data_type=_STATE))  # type: ignore[arg-type]
        if not node.scope:
            node.scope = next((scopes[edge.name] for edge in reversed(node.input) if edge.name in scopes), "Default")
            kind = f"{node.scope}/{node.op_type}"
            node.full_name = f"{kind}-op{counts[kind]}"
            counts[kind] += 1
        scopes[node.name] = node.scope
