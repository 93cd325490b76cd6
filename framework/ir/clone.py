"""Copies graphs: whole, or into the place of a call of them (inlining). What is nested in a graph is copied with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from framework.ir.anf import CNode, FuncGraph, Node, ValueNode
from framework.ir.manager import Manager

__all__ = ["clone", "inline"]


def clone(graph: FuncGraph, name: str | None = None) -> FuncGraph:
    """A copy of a graph and of those nested in it; what they use of graphs around stays shared.

    Args:
        graph: what to copy.
        name: of the copy, else the same.
    """
    return _Copy(graph).whole(name)


def inline(
    graph: FuncGraph, arguments: Sequence[Node], target: FuncGraph, moved: Callable[[CNode], None] | None = None
) -> Node:
    """Copy a graph's body into another graph and return the node that stands for its result there.

    Args:
        graph: the function that is called.
        arguments: what stands for its parameters.
        target: the graph of the call.
        moved: called with each copied node.
    """
    return _Copy(graph, target, moved).into(arguments)


class _Copy:
    """One copying: from each old node and graph to its copy."""

    def __init__(
        self, graph: FuncGraph, target: FuncGraph | None = None, moved: Callable[[CNode], None] | None = None
    ) -> None:
        self.manager = Manager(graph)
        self.graph = graph
        self.moved = moved
        self.nodes: dict[Node, Node] = {}
        self.owners = {old: _shell(old) for old in self.manager.nested(graph) if target is None or old is not graph}
        # A function that calls itself goes on calling the original where it was inlined, so it is no copy here.
        self.copies = dict(self.owners)
        if target is not None:
            self.owners = {graph: target, **self.owners}

    def whole(self, name: str | None) -> FuncGraph:
        copy = self.copies[self.graph]
        copy.name = name or copy.name
        self._bodies()
        return copy

    def into(self, arguments: Sequence[Node]) -> Node:
        self.nodes.update(zip(self.graph.parameters, arguments, strict=True))
        self._bodies()
        return self._node(self.graph.output)

    def _bodies(self) -> None:
        for old, copy in self.copies.items():
            for parameter in old.parameters:
                self.nodes[parameter] = copy.add_parameter(parameter.name, parameter.default, **_notes(parameter))
        for old, owner in self.owners.items():
            for node in self.manager.nodes(old):
                made = CNode(owner, map(self._node, node.inputs), node.full_name, name=node.name, **_notes(node))
                made.also = node.also
                self.nodes[node] = made
                if self.moved is not None:
                    self.moved(made)
        for old, copy in self.copies.items():
            copy.output = self._node(old.output)

    def _node(self, node: Node) -> Node:
        if isinstance(node, ValueNode) and isinstance(node.value, FuncGraph) and node.value in self.copies:
            return ValueNode(self.copies[node.value], **_notes(node))
        return self.nodes.get(node, node)


def _notes(node: Node) -> dict[str, Any]:
    return {"abstract": node.abstract, "location": node.location, "scope": node.scope}


def _shell(graph: FuncGraph) -> FuncGraph:
    copy = FuncGraph(graph.name, graph.location)
    copy.attrs = dict(graph.attrs)
    copy.signature = graph.signature
    return copy
