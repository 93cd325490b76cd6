"""Activity analysis: which nodes of a program depend on the variables. Gradients of all others are left out.

The tape answers the same question for each tensor while a program runs. If it is not known which function a call
calls, the parameters of all possible functions count as dependent.
"""

from __future__ import annotations

from collections.abc import Collection

from framework.ir.abstract import AbstractTensor
from framework.ir.anf import CNode, FuncGraph, Node, ValueNode, graphs_in, is_operator
from framework.ir.manager import Manager
from framework.ir.operators import SWITCH
from framework.ops.gradients import bprop_getters
from framework.ops.primitive import Primitive

__all__ = ["active_nodes"]


def active_nodes(manager: Manager, variables: Collection[Node]) -> set[Node]:
    """The nodes that depend on variables.

    Args:
        manager: the manager of the function.
        variables: parameters and free variables of the function.
    """
    active = set(variables)
    for graph in manager.graphs:
        if graph is not manager.root and _is_value(manager, graph):
            active.update(graph.parameters)
    before = -1
    while len(active) > before:
        before = len(active)
        for graph in manager.graphs:
            for node in manager.nodes(graph):
                if node in active or not any(_is_active(manager, item, active) for item in node.inputs):
                    pass
                elif not _stops(node):
                    active.add(node)
                for called in _callees(node):
                    pairs = zip(called.parameters, node.arguments, strict=False)
                    active.update(own for own, given in pairs if _is_active(manager, given, active))
    return active


def _stops(node: CNode) -> bool:
    """Whether an operator has no gradient because it makes integers or truths of whatever it gets: a comparison.

    An operator that makes numbers with a fraction must have one; where it is missing, that is an error.
    """
    operator = node.operator
    if not isinstance(operator, Primitive) or not isinstance(node.abstract, AbstractTensor):
        return False
    return not node.abstract.dtype.is_floating_point and not bprop_getters.has(type(operator))


def _is_active(manager: Manager, node: Node, active: set[Node]) -> bool:
    if isinstance(node, ValueNode) and isinstance(node.value, FuncGraph):
        graph = node.value
        return graph.output in active or any(item in active for item in manager.free_variables(graph))
    return node in active


def _callees(call: CNode) -> list[FuncGraph]:
    """The functions that a call may call, as far as they are known."""
    chosen = call.function
    if isinstance(chosen, CNode) and is_operator(chosen, SWITCH):
        return graphs_in(chosen.arguments[1:])
    return graphs_in([chosen])


def _is_value(manager: Manager, graph: FuncGraph) -> bool:
    """Whether a function is used as a value, not only called."""
    for around in manager.graphs:
        if graph in graphs_in([around.output]):
            return True
        for node in manager.nodes(around):
            if graph not in graphs_in(node.arguments):
                continue
            users = manager.users.get(node, {})
            if not is_operator(node, SWITCH) or node is around.output or any(place != 0 for _, place in users):
                return True
    return False
