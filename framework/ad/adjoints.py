"""Adjoints: the gradients that go backward through a program, added up for each node.

`Adjoints` is what the parts of the J transform share: the images of nodes on the way forward, the keys of variables in
environments, and how gradients add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from framework.ad.activity import active_nodes
from framework.ad.sensitivity import Sensitivity, add, flows, of_type, zeros
from framework.infer.evaluators.inference import Inference
from framework.ir.abstract import AbstractConst, AbstractFunction
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode, is_operator
from framework.ir.manager import Manager
from framework.ir.naming import gradient_scope
from framework.ir.operators import ENVIRON_GET, TUPLE_GETITEM, SymbolicKey

__all__ = ["FUNCTION", "Adjoints", "Sums"]

FUNCTION = AbstractFunction()
"""The type of transformed functions and backpropagators."""

Sums = dict[Node, Sensitivity]
"""The gradient of each node so far."""


class Adjoints:
    """The gradients of the nodes of one function and all that it calls.

    Args:
        infer: infers backward functions and makes nodes.
        root: the function; its program must be typed.
        variables: the parameters, and free variables, that it is differentiated by.

    Attributes:
        manager: of the function.
        active: the nodes that gradients are wanted for.
        forward: what a node is on the way forward.
        transformed: the transform of each graph.
    """

    def __init__(self, infer: Inference, root: FuncGraph, variables: Iterable[Node]) -> None:
        self.infer = infer
        self.manager = Manager(root)
        self.active = active_nodes(self.manager, set(variables))
        self.forward: dict[Node, Node] = {}
        self.transformed: dict[FuncGraph, FuncGraph] = {}
        self._keys: dict[Node, ValueNode] = {}
        self._added: dict[Node, Counter[str]] = {}

    def key(self, node: Node) -> ValueNode:
        """The name of a variable in environments."""
        if node not in self._keys:
            name = node.name or type(node).__name__
            self._keys[node] = ValueNode(key := SymbolicKey(name), AbstractConst(key))
        return self._keys[node]

    def image(self, node: Node) -> Node:
        """What a node is on the way forward: itself, if it is a constant or from outside of the function."""
        if isinstance(node, ValueNode) and isinstance(node.value, FuncGraph):
            return ValueNode(self.transformed[node.value], FUNCTION, location=node.location)
        return self.forward.get(node, node)

    def add_to(self, sums: Sums, node: Node, sensitivity: Sensitivity) -> None:
        """Add to the gradient of a node."""
        if sensitivity is None or not flows(node.abstract):
            return
        if isinstance(sensitivity, ValueNode) and sensitivity.value is None:
            return
        if isinstance(node, ValueNode):
            if isinstance(node.value, FuncGraph):
                self.distribute(sums, [node.value], sensitivity)
            return
        if node not in self.active:
            return
        before = sums.get(node)
        if before is None:
            sums[node] = sensitivity
            return
        counts = self._added.setdefault(node, Counter())
        with self.infer.program.backward(gradient_scope(_name_of(node), "Sum"), counts):
            sums[node] = add(self.infer, before, sensitivity)

    def distribute(self, sums: Sums, graphs: list[FuncGraph], env: Node) -> None:
        """The gradient of a closure goes to its free variables."""
        free = dict.fromkeys(node for graph in graphs for node in self.manager.free_variables(graph))
        for node in free:
            if flows(node.abstract):
                image = self.image(node)
                found = self.infer.build.emit(
                    ENVIRON_GET,
                    [env, self.key(node), zeros(self.infer, image)],
                    of_type(node.abstract),  # type: ignore[arg-type]
                )
                self.add_to(sums, node, found)


def _name_of(node: Node) -> str:
    """What the sum of the gradients with respect to a node is named by."""
    while isinstance(node, CNode) and is_operator(node, TUPLE_GETITEM):
        node = node.arguments[0]
    if isinstance(node, CNode):
        return node.full_name or f"{node.scope}/Call"
    return str(getattr(node.default, "name", node.name)) if isinstance(node, Parameter) else node.name
