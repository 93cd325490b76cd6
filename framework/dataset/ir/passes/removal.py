"""Leaves out operators that do nothing: `repeat(1)`, `skip(0)`, `take(-1)`, `project` of all columns in their order.

A `repeat(1)` over random numbers stays: they depend on the round of each `repeat` around them. A `shuffle` under
another one stays as well: without it, rows come in another order. Called by `optimised`.
"""

from __future__ import annotations

from framework.dataset.ir.nodes import Node, rebuilt
from framework.dataset.ir.passes.saying import Say, silent
from framework.dataset.ir.passes.traits import columns_of, draws

__all__ = ["removal"]


def removal(root: Node, say: Say = silent) -> Node:
    """The tree without operators that do nothing."""

    def rule(node: Node) -> Node:
        if not _is_idle(node):
            return node
        argument = ", ".join(map(str, node.parameters.get("columns", [node.parameters.get("count")])))
        say(f"{node.op_type}({argument}) changes nothing")
        return node.children[0]

    return rebuilt(root, rule)


def _is_idle(node: Node) -> bool:
    count = node.parameters.get("count")
    if node.op_type == "Repeat":
        return count == 1 and not draws(node.children[0])
    if node.op_type == "Project":
        return tuple(node.parameters["columns"]) == columns_of(node.children[0])
    return (node.op_type, count) in (("Skip", 0), ("Take", -1))
