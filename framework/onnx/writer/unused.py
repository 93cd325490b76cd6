"""The last steps of an export: nodes that nothing needs are left out, and outputs get the names that users see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from framework.schema.onnx_pb2 import Attribute, Graph, Node

__all__ = ["drop_unused", "renamed"]


def drop_unused(nodes: Sequence[Node], wanted: Iterable[str]) -> list[Node]:
    """The nodes whose outputs are needed.

    Args:
        nodes: the nodes of a graph in order; bodies of loops and branches are changed in place.
        wanted: the names that the graph gives.
    """
    needed, kept = set(wanted), []
    for node in reversed(nodes):
        if needed.isdisjoint(node.output):
            continue
        kept.append(node)
        needed.update(node.input)
        for graph in _bodies(node):
            needed |= _cleaned(graph)
    return kept[::-1]


def _cleaned(graph: Graph) -> set[str]:
    """Drop what a body does not need; the names that it reads."""
    kept = drop_unused(list(graph.node), [item.name for item in graph.output])
    del graph.node[:]
    graph.node.extend(kept)
    read = {item.name for item in graph.output}
    for node in graph.node:
        read.update(node.input)
        for inner in _bodies(node):
            read |= _reads(inner)
    return read


def _reads(graph: Graph) -> set[str]:
    read = {item.name for item in graph.output}
    for node in graph.node:
        read.update(node.input)
        for inner in _bodies(node):
            read |= _reads(inner)
    return read


def renamed(nodes: Iterable[Node], titles: Mapping[str, str]) -> None:
    """Give values other names, in these nodes and in the bodies within them."""
    for node in nodes:
        for names in (node.input, node.output):
            names[:] = [titles.get(name, name) for name in names]
        for graph in _bodies(node):
            renamed(graph.node, titles)


def _bodies(node: Node) -> list[Graph]:
    return [attribute.g for attribute in node.attribute if attribute.type == Attribute.GRAPH]
