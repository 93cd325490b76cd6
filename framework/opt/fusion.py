"""Marks what one kernel could compute: chains of element-wise operators, with a reduction at their end.

The nodes of a chain get the same number as their mark `fusion`. Within a chain, nothing but the next operator reads a
value, and each has as many elements as the next, so a kernel that goes through the elements once needs no memory for
any but the last. What a chain begins with may be read by anybody, and scalars and smaller tensors may join in anywhere.
"""

from __future__ import annotations

from typing import Final

from framework.ir.abstract import AbstractTensor
from framework.ir.anf import FUSION, CNode, FuncGraph, Node
from framework.ir.manager import Manager
from framework.ops import operations as P  # noqa: N812
from framework.ops.operations.elementwise import Binary, Unary

__all__ = ["mark_fusion"]

_ELEMENTWISE: Final = (Unary, Binary, P.Cast, P.Select)
_REDUCTIONS: Final = (P.ReduceSum, P.ReduceMean, P.ReduceMax, P.ReduceMin, P.ReduceProd)


def mark_fusion(root: FuncGraph) -> int:
    """Mark the chains of a program, those of each of its graphs; returns how many nodes got another mark.

    Args:
        root: the graph that the program is; typed, after all passes that change what is computed.
    """
    manager = Manager(root)
    returned = {graph.output for graph in manager.graphs}
    chains: list[list[CNode]] = []
    for graph in manager.graphs:
        chains += [chain for chain in _chains(manager, graph, returned) if len(chain) > 1]
    numbers = {node: number for number, chain in enumerate(chains) for node in chain}
    changed = 0
    for node in manager.all_nodes():
        before = node.marks.pop(FUSION, None)
        if node in numbers:
            node.marks[FUSION] = numbers[node]
        changed += before != node.marks.get(FUSION)
    return changed


def _chains(manager: Manager, graph: FuncGraph, returned: set[Node]) -> list[list[CNode]]:
    """The chains of a graph, in the order of their first nodes; an operator that joins no other is one of its own."""
    places = {node: place for place, node in enumerate(manager.nodes(graph))}
    by_end: dict[Node, list[CNode]] = {}
    for node in places:
        is_reduction = isinstance(node.operator, _REDUCTIONS)
        if not is_reduction and not isinstance(node.operator, _ELEMENTWISE):
            continue
        chain = [node]
        for item in dict.fromkeys(node.arguments):
            before = by_end.get(item)
            if before is None or item in returned or isinstance(before[-1].operator, _REDUCTIONS):
                continue
            if _reads_alone(manager, item, node) and (is_reduction or _same_elements(item, node)):
                chain = [*by_end.pop(item), *chain]
        by_end[node] = chain
    return sorted(by_end.values(), key=lambda chain: min(map(places.__getitem__, chain)))


def _reads_alone(manager: Manager, item: Node, node: CNode) -> bool:
    return all(user is node for user, _ in manager.users.get(item, ()))


def _same_elements(item: Node, node: CNode) -> bool:
    """Whether two values have the same number of elements in the same order; open dimensions may be broadcast."""
    one, two = item.abstract, node.abstract
    if not isinstance(one, AbstractTensor) or not isinstance(two, AbstractTensor) or one.shape != two.shape:
        return False
    tensors = [argument for argument in node.arguments if isinstance(argument.abstract, AbstractTensor)]
    return None not in one.shape or len(tensors) == 1
