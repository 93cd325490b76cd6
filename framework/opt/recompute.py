"""Rematerialization: computes marked Cells again in the backward pass, so that their values need not be kept.

`Cell.recompute()` marks the nodes of a Cell (`RECOMPUTE`). Its backward part then reads copies of these nodes, which
are computed from the inputs of the Cell. This saves memory and costs time (Chen et al., "Training Deep Nets with
Sublinear Memory Cost", 2016). Called by `optimize`, as the last pass that changes a program.

A copy must not run before it is needed, or it would live as long as the original. So its inputs wait, by `Depend`, for
the gradient that arrives at the Cell: the last value that the backward part reads but does not compute.
"""

from __future__ import annotations

from collections.abc import Iterator

from framework.ir.anf import RECOMPUTE, CNode, FuncGraph, Node, Parameter, graphs_in
from framework.ir.manager import Manager
from framework.ir.naming import GRADIENTS, RECOMPUTED
from framework.ir.operators import DEPEND, DICT_GETITEM, MAKE_DICT, MAKE_LIST, MAKE_TUPLE, TUPLE_GETITEM
from framework.ops.primitive import Primitive

__all__ = ["recompute"]

_CONTAINERS = (MAKE_TUPLE, MAKE_LIST, MAKE_DICT, TUPLE_GETITEM, DICT_GETITEM)


def recompute(root: FuncGraph) -> int:
    """Let the backward parts of marked Cells compute again what they read of the forward parts.

    Args:
        root: the graph that the program is; typed, after all passes that share expressions.

    Returns:
        The number of operators that are computed a second time.
    """
    manager = Manager(root)
    found = dict.fromkeys(
        (node.graph, _region(node))
        for node in manager.all_nodes()
        if RECOMPUTE in node.marks and node.graph is not None
    )
    return sum(_Recomputed(manager, graph, scope).rebuild() for graph, scope in found)


def _region(node: CNode) -> str:
    """The scope of the marked Cell that a node belongs to."""
    return "/".join(node.scope.split("/")[: node.marks[RECOMPUTE]])


class _Recomputed:
    """One marked Cell within one graph.

    Args:
        manager: the manager of the program.
        graph: the graph.
        scope: the scope of the Cell.
    """

    def __init__(self, manager: Manager, graph: FuncGraph, scope: str) -> None:
        self.manager = manager
        self.graph = graph
        self.nodes = manager.nodes(graph)
        self.forward = {node for node in self.nodes if RECOMPUTE in node.marks and _region(node) == scope}
        inner = f"{GRADIENTS}/{scope}/"
        self.backward = {node for node in self.nodes if node.scope.startswith(inner)}
        #: A node that depends on Parameters alone has nothing to wait for: a copy would only double it.
        self.varying: set[Node] = set()
        for node in self.nodes:
            if node in self.forward and any(map(self._varies, node.inputs)):
                self.varying.add(node)

    def rebuild(self) -> int:
        """Let the backward part read copies; returns the number of copied operators."""
        arriving, wanted = self._arriving(), self._wanted()
        if arriving is None or not wanted:
            return 0
        copies: dict[Node, Node] = {}
        waiting: dict[Node, Node] = {}
        for node in wanted:
            inputs = [
                copies[item] if item in copies else self._entering(item, arriving, waiting) for item in node.inputs
            ]
            name = f"{RECOMPUTED}/{node.full_name}" if node.full_name else ""
            copies[node] = CNode(
                self.graph,
                inputs,
                name,
                name=node.name,
                abstract=node.abstract,
                location=node.location,
                scope=f"{RECOMPUTED}/{node.scope}",
            )
        for node in self.backward:
            node.inputs = [copies.get(item, item) for item in node.inputs]
        self.manager.refresh()
        return sum(isinstance(node.operator, Primitive) for node in wanted)

    def _entering(self, item: Node, arriving: CNode, waiting: dict[Node, Node]) -> Node:
        """An input of a copy from outside: the same value, but not before the gradient has arrived."""
        if not self._varies(item):
            return item
        if item not in waiting:
            waiting[item] = self.graph.apply(
                DEPEND, item, arriving, abstract=item.abstract, location=item.location, scope=arriving.scope
            )
        return waiting[item]

    def _arriving(self) -> CNode | None:
        """The gradient that arrives at the Cell. None if there is none, so that no node tells when to compute."""
        gradients: set[Node] = set()
        behind: set[Node] = set()
        last: CNode | None = None
        read = {item for node in self.backward for item in node.inputs}
        for node in self.nodes:
            needed = set(self._needs(node))
            if node in self.backward or not behind.isdisjoint(needed):
                behind.add(node)
            elif node.scope.startswith((GRADIENTS, RECOMPUTED)) or not gradients.isdisjoint(needed):
                gradients.add(node)
                last = node if node in read else last
        return last

    def _varies(self, item: Node) -> bool:
        """Whether a value differs from call to call, because it depends on arguments of the caller."""
        if item in self.forward:
            return item in self.varying
        return isinstance(item, CNode) or (isinstance(item, Parameter) and item.default is None)

    def _needs(self, node: CNode) -> Iterator[Node]:
        yield from node.inputs
        for inner in graphs_in(node.inputs):
            yield from self.manager.free_variables(inner)

    def _wanted(self) -> list[CNode]:
        """The nodes that the backward part reads and can compute itself, with all they need, in program order."""
        read = {item for node in self.backward for item in node.inputs}
        wanted: list[CNode] = []
        for node in reversed(self.nodes):
            if node in read and node in self.varying and _is_repeatable(node) and not self._is_kept(node):
                wanted.append(node)
                read.update(node.inputs)
        return wanted[::-1]

    def _is_kept(self, node: CNode) -> bool:
        """Whether another backward part reads a value too, so that it is kept anyway."""
        return any(
            user not in self.forward
            and user not in self.backward
            and (RECOMPUTE in user.marks or user.scope.startswith((GRADIENTS, RECOMPUTED)))
            for user, _ in self.manager.users.get(node, ())
        )


def _is_repeatable(node: CNode) -> bool:
    """Whether a second computation gives the same result and has no side effect."""
    return node.operator in _CONTAINERS or (isinstance(node.operator, Primitive) and node.operator.is_pure)
