"""Copies graphs, as a whole or in place of a call (inlining). Graphs that are nested in a graph are copied with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from framework.ir.abstract import AbstractMonad
from framework.ir.anf import CNode, FuncGraph, Node, ValueNode, is_operator
from framework.ir.manager import Manager
from framework.ir.operators import DEPEND, STATE, SWITCH

__all__ = ["clone", "inline", "state_of"]


def clone(graph: FuncGraph, name: str | None = None) -> FuncGraph:
    """Copy a graph and those nested in it. The nodes that they use of graphs around them stay shared.

    Args:
        graph: the graph to copy.
        name: the name of the copy; by default that of the graph.
    """
    return _Copy(graph).whole(name)


def inline(
    graph: FuncGraph,
    arguments: Sequence[Node],
    target: FuncGraph,
    moved: Callable[[CNode], None] | None = None,
    state: Node | None = None,
) -> Node:
    """Copy a graph's body into another graph, and return the node that is its result there.

    Args:
        graph: the function that is called.
        arguments: the nodes that replace its parameters.
        target: the graph of the call.
        moved: called with each copied node.
        state: the state token at the call. Side effects of the function come after those before the token.
    """
    return _Copy(graph, target, moved, state).into(arguments)


class _Copy:
    """The state of one copy operation: the copy of each node and graph."""

    def __init__(
        self,
        graph: FuncGraph,
        target: FuncGraph | None = None,
        moved: Callable[[CNode], None] | None = None,
        state: Node | None = None,
    ) -> None:
        self.manager = Manager(graph)
        self.graph = graph
        self.moved = moved
        self.state = state
        self.nodes: dict[Node, Node] = {}
        self.owners = {old: _shell(old) for old in self.manager.nested(graph) if target is None or old is not graph}
        # The inlined body of a function that calls itself still calls the original, so the function is not copied.
        self.copies = dict(self.owners)
        for copy in self.copies.values():
            copy.attrs = {name: self._note(value) for name, value in copy.attrs.items()}
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
                inputs = [self._node(item) for item in node.inputs]
                if old is self.graph and self.state is not None:
                    inputs = self._later(node, inputs, owner, self.state)
                made = CNode(owner, inputs, node.full_name, name=node.name, **_notes(node))
                made.also, made.marks = node.also, dict(node.marks)
                self.nodes[node] = made
                if self.moved is not None:
                    self.moved(made)
        for old, copy in self.copies.items():
            if old.order is not None:
                ordered = (self.nodes[node] for node in self.manager.nodes(old))
                copy.order = [node for node in ordered if isinstance(node, CNode)]
            copy.output = self._node(old.output)

    def _later(self, node: CNode, inputs: list[Node], owner: FuncGraph, state: Node) -> list[Node]:
        """The inputs of a node that comes after a state; in its own function it came after the beginning."""
        inputs = [state if is_beginning(item) else item for item in inputs]
        if is_operator(node, SWITCH):
            place, called = 1, node.arguments[1:]
        elif node.operator is None or isinstance(node.operator, FuncGraph):
            place, called = (1 if node.arguments else 0), [node.function]
        else:
            return inputs
        if state_of(inputs[place]) is None and self._may_have_effects(called):
            inputs[place] = owner.apply(DEPEND, inputs[place], state, abstract=inputs[place].abstract)
        return inputs

    @cached_property
    def _effectful(self) -> set[FuncGraph]:
        return effectful(self.manager)

    def _may_have_effects(self, functions: Sequence[Node]) -> bool:
        """Whether a call of one of these may have a side effect. A computed function may be any, so it may have one."""
        named = [item.value for item in functions if isinstance(item, ValueNode)]
        if len(named) < len(functions) and self._effectful - {self.graph}:
            return True
        return any(graph in self._effectful for graph in named)

    def _note(self, value: Any) -> Any:
        """A note of the parser about other graphs, such as the block after a loop: about their copies."""
        if isinstance(value, tuple):
            return tuple(map(self._note, value))
        return self.copies.get(value, value) if isinstance(value, FuncGraph) else value

    def _node(self, node: Node) -> Node:
        if isinstance(node, ValueNode) and isinstance(node.value, FuncGraph) and node.value in self.copies:
            return ValueNode(self.copies[node.value], **_notes(node))
        return self.nodes.get(node, node)


def is_beginning(node: Node) -> bool:
    """Whether a node is the state token that a function begins with."""
    return isinstance(node, ValueNode) and node.value is STATE


def state_of(node: Node) -> Node | None:
    """The state token that a value waits for, if it does."""
    if isinstance(node, CNode) and is_operator(node, DEPEND) and isinstance(node.arguments[1].abstract, AbstractMonad):
        return node.arguments[1]
    return None


def effectful(manager: Manager) -> set[FuncGraph]:
    """The graphs of a program that have side effects themselves or name one that has."""
    calls = manager.calls()
    found = {
        graph for graph in calls for node in manager.nodes(graph) if any(is_beginning(item) for item in node.inputs)
    }
    changed = bool(found)
    while changed:
        more = {graph for graph, named in calls.items() if graph not in found and not found.isdisjoint(named)}
        found |= more
        changed = bool(more)
    return found


def _notes(node: Node) -> dict[str, Any]:
    return {"abstract": node.abstract, "location": node.location, "scope": node.scope}


def _shell(graph: FuncGraph) -> FuncGraph:
    copy = FuncGraph(graph.name, graph.location)
    copy.attrs = dict(graph.attrs)
    copy.signature = graph.signature
    return copy
