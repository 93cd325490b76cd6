"""Checks that a program is well formed. Called for programs that are read from files, and by tests after each pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode, is_graph
from framework.ir.manager import Manager

__all__ = ["VerificationError", "verify"]


class VerificationError(AssertionError):
    """A program is not well formed: a pass has a bug."""


def verify(root: FuncGraph, *, typed: bool = False) -> None:
    """Check a program.

    Args:
        root: the graph that the program is.
        typed: whether inference has run, so that every node must have an abstract value.

    Raises:
        VerificationError: an input or output is not a node; a graph has no output; a node uses a node of a graph that
            is not around it; a parameter is listed twice or belongs to another graph; a call has the wrong number of
            arguments; nodes need each other in a circle; or a node has no type.
    """
    _nodes_only(root)
    try:
        manager = Manager(root)
    except ValueError as error:
        raise VerificationError(str(error)) from error
    if manager.free_variables(root):
        _fail(root, f"the program uses nodes of graphs outside of it: {manager.free_variables(root)}")
    for graph in manager.graphs:
        twice = [item.name for item, count in Counter(graph.parameters).items() if count > 1]
        if twice:
            _fail(graph, f"parameter {twice[0]} is listed more than once")
        visible = {graph, *manager.ancestors(graph)}
        for parameter in graph.parameters:
            if parameter.graph is not graph:
                _fail(graph, f"parameter {parameter.name} belongs to another graph")
        for node in manager.nodes(graph):
            _node(graph, node, visible, typed=typed)
        _used(graph, graph.output, visible)
        _order(manager, graph)


def _nodes_only(root: FuncGraph) -> None:
    """Check that inputs, outputs and parameters are nodes. Every traversal of a program relies on it."""
    waiting, seen = [root], {root}
    read: set[Node] = set()
    while waiting:
        graph = waiting.pop()
        _only(graph, graph.parameters, Parameter, "a parameter")
        _only(graph, graph.order or (), CNode, "a node of its order")
        below = [*(graph.order or ()), *([graph.output] if graph.complete else [])]
        _only(graph, below, Node, "its output")
        while below:
            node = below.pop()
            if isinstance(node, ValueNode) and isinstance(node.value, FuncGraph) and node.value not in seen:
                seen.add(node.value)
                waiting.append(node.value)
            elif isinstance(node, CNode) and node not in read:
                read.add(node)
                _only(node.graph or graph, node.inputs[:1], Node, "the function that a node applies")
                for item in node.inputs[1:]:
                    _only(node.graph or graph, [item], Node, "an argument", node.function)
                below.extend(node.inputs)


def _only(graph: FuncGraph, items: Sequence[object], kind: type, place: str, of: Node | None = None) -> None:
    for item in items:
        if not isinstance(item, kind):
            whose = "" if of is None else f" of {of!r}"
            _fail(graph, f"{place}{whose} must be a {kind.__name__}, not {item!r} of type {type(item).__name__}")


def _node(graph: FuncGraph, node: CNode, visible: set[FuncGraph], *, typed: bool) -> None:
    if not node.inputs:
        _fail(graph, "a node has no inputs, so it applies no function")
    if typed and node.abstract is None:
        _fail(graph, f"{node} has no type")
    called = node.function
    if is_graph(called) and isinstance(called, ValueNode) and called.value.signature is None:
        given, wanted = len(node.inputs) - 1, len(called.value.parameters)
        if given != wanted:
            _fail(graph, f"calls {called.value.name} with {given} arguments instead of {wanted}")
    for item in node.inputs:
        _used(graph, item, visible)


def _used(graph: FuncGraph, item: Node, visible: set[FuncGraph]) -> None:
    if isinstance(item, ValueNode):
        return
    if item.graph is None or item.graph not in visible:
        _fail(graph, f"uses {item} of {item.graph}, which is not a graph around it")
    elif isinstance(item, Parameter) and item not in item.graph.parameters:
        _fail(graph, f"uses {item}, which is no longer a parameter of its graph")


def _order(manager: Manager, graph: FuncGraph) -> None:
    """Check that a node comes after all nodes that it needs, directly or through a closure."""
    done: set[Node] = set(graph.parameters)
    for node in manager.nodes(graph):
        for item in node.inputs:
            captured = manager.free_variables(item.value) if isinstance(item, ValueNode) and is_graph(item) else [item]
            for needed in captured:
                if needed.graph is graph and needed not in done:
                    _fail(graph, f"{node} and {needed} need each other")
        done.add(node)


def _fail(graph: FuncGraph, what: str) -> None:
    raise VerificationError(f"graph {graph.name}: {what}")
