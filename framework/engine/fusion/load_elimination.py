"""Load elimination: an in-place update takes the Parameter itself, not a value just loaded from it.

A layer with moving averages loads them for the operator that computes the next ones. If nothing else changes them, the
operator can read and overwrite the Parameters in place.
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
    """Let operators take Parameters directly if nothing happens between loading and writing these.

    Args:
        root: the program, which is changed. Only its outermost graph is, because only that runs exactly once.

    Returns:
        The number of state tokens that are no longer needed.
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
            # Another reader needs the old value.
            if len(states) == len(users) - 1 and loaded.graph is root and loaded.operator is LOAD:
                manager.set_input(node, 1 + position, weight)
                replacements.update((state, state.arguments[0]) for state in states)
    replace_all(root, replacements)
    return len(replacements)
