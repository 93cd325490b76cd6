"""Adjoints: the gradients that go backward through a program, added up for each node.

The parts of the J transform share an `Adjoints`: it has the images of nodes in the forward pass and the keys of
variables in environments, and adds up gradients.
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
    """The gradients of the nodes of one function and of all functions that it calls.

    Args:
        infer: infers backward functions and makes nodes.
        root: the function; its program must be typed.
        variables: the parameters and free variables to differentiate with respect to.

    Attributes:
        manager: the manager of the function.
        active: the nodes that need a gradient.
        forward: the image of each node in the forward pass.
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
        """The key of a variable in environments."""
        if node not in self._keys:
            name = node.name or type(node).__name__
            self._keys[node] = ValueNode(key := SymbolicKey(name), AbstractConst(key))
        return self._keys[node]

    def image(self, node: Node) -> Node:
        """The image of a node in the forward pass. Constants and nodes outside of the function are their own image."""
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
        """Pass the gradient of a closure on to its free variables."""
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
    """The name that a node gives to the sum of its gradients."""
    while isinstance(node, CNode) and is_operator(node, TUPLE_GETITEM):
        node = node.arguments[0]
    if isinstance(node, CNode):
        return node.full_name or f"{node.scope}/Call"
    return str(getattr(node.default, "name", node.name)) if isinstance(node, Parameter) else node.name
