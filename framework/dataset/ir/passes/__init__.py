"""Passes over the tree of a pipeline, which make it faster and never change its rows.

Each is a function from a node to a node. `framework.dataset.engine` runs them before a pipeline is built, and shows
what they did (`ds.explain`). The random numbers of an operator come from its number in the tree as it was written,
which is noted before the first pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from framework.dataset.ir.nodes import Node, rebuilt
from framework.dataset.ir.passes.column_pruning import column_pruning
from framework.dataset.ir.passes.late_map import BATCHED_MAP, late_map
from framework.dataset.ir.passes.map_fusion import map_fusion
from framework.dataset.ir.passes.push_down import push_down
from framework.dataset.ir.passes.removal import removal
from framework.dataset.ir.passes.saying import Say

__all__ = ["BATCHED_MAP", "PASSES", "Change", "changes", "numbered", "optimised"]

#: The passes in the order in which they run.
PASSES: Final[Mapping[str, Callable[[Node, Say], Node]]] = MappingProxyType(
    {
        "removal": removal,
        "push_down": push_down,
        "column_pruning": column_pruning,
        "map_fusion": map_fusion,
        "late_map": late_map,
    }
)
#: The passes that change nothing else where a sample with an error may be left out or replaced.
_FOR_ALL_MODES: Final = ("removal",)
#: Trees of more nodes run as they are: passes call themselves for the nodes below.
_LARGEST: Final = 500


@dataclass(frozen=True)
class Change:
    """What a pass did.

    Args:
        name: name of the pass.
        reasons: a sentence for each change.
    """

    name: str
    reasons: tuple[str, ...]


def numbered(root: Node) -> Node:
    """The tree with each operator's number in it. A cache has that of the operator below: it changes no rows."""
    last = -1

    def rule(node: Node) -> Node:
        nonlocal last
        last += node.op_type != "Cache"
        return replace(node, plan=replace(node.plan, number=last))

    return rebuilt(root, rule)


def optimised(root: Node, enabled: Mapping[str, bool], raised: bool = True) -> Node:
    """The tree after all passes.

    Args:
        root: last node of the pipeline as it was written.
        enabled: whether a pass runs, by name; passes that are not named run.
        raised: whether a sample with an error ends the pipeline. Otherwise only those passes run that do not move the
            place where it is left out or replaced.

    Returns:
        The last node of a tree with the same rows.
    """
    return changes(root, enabled, raised)[0]


def changes(root: Node, enabled: Mapping[str, bool], raised: bool = True) -> tuple[Node, list[Change]]:
    """The tree after all passes, and what each of them did; the arguments are those of `optimised`."""
    tree = numbered(root)
    made: list[Change] = []
    if tree.plan.number >= _LARGEST:
        return tree, made
    for name, run in PASSES.items():
        if enabled.get(name, True) and (raised or name in _FOR_ALL_MODES):
            reasons: list[str] = []
            tree = run(tree, reasons.append)
            made.append(Change(name, tuple(reasons)))
    return tree, made
