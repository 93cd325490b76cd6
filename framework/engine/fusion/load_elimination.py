"""Load elimination: an in-place update takes the Parameter itself, not a value just loaded from it.

A layer with moving averages loads them for the operator that computes the next ones. Nothing else changes them, so the
operator can read them where they are and overwrite them there.
"""

from __future__ import annotations

from collections import Counter

from framework.engine.fusion.effects import written_parameters
from framework.ir.anf import CNode, FuncGraph, Node
from framework.ir.manager import Manager
from framework.ir.operators import LOAD, UPDATE_STATE
from framework.opt.rewrite import replace_all

__all__ = ["eliminate_loads"]


def eliminate_loads(root: FuncGraph) -> int:
    """Give operators Parameters where nothing comes between loading and writing these.

    Args:
        root: the program, which is changed; only its outermost graph runs exactly once.

    Returns:
        How many loads it needs no more.
    """
    manager = Manager(root)
    writers = Counter(weight for node in manager.all_nodes() for _, weight in written_parameters(node))
    replacements: dict[Node, Node] = {}
    for node in manager.nodes(root):
        for position, weight in written_parameters(node):
            loaded = node.arguments[position]
            if writers[weight] != 1 or loaded is weight or not isinstance(loaded, CNode):
                continue
            users = manager.users.get(loaded, {})
            states = [user for user, _ in users if user.operator is UPDATE_STATE]
            # Another reader wants the value as it was before.
            if len(states) == len(users) - 1 and loaded.graph is root and loaded.operator is LOAD:
                manager.set_input(node, 1 + position, weight)
                replacements.update((state, state.arguments[0]) for state in states)
    replace_all(root, replacements)
    return len(replacements)
