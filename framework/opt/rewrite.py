"""Applies named rules to a program until none applies.

A rule looks at one node, whose inputs are already simplified, and returns the node to read instead, or None. A sweep
visits the graphs from the outermost in, and the nodes of each in order. Sweeps are repeated until one changes nothing.
Rules may make new nodes, which the next sweep visits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

from framework.ir.anf import CNode, FuncGraph, Node, ValueNode, graphs_in
from framework.ir.manager import Manager

__all__ = ["NOT_CONSTANT", "Context", "Rule", "constant_of", "replace_all", "rewrite"]

MOST_SWEEPS = 200
SMALL = 4
"""The largest number of nodes of a graph that is inlined wherever it is called."""


@dataclass
class Context:
    """Facts about the program that rules may use during a sweep.

    Attributes:
        uses: the number of uses of each graph.
        recursive: graphs that may call themselves.
        small: graphs of few nodes and without closures.
        keep: graphs that must stay functions, such as those with a backward function of their own.
    """

    uses: Counter[FuncGraph] = field(default_factory=Counter)
    recursive: set[FuncGraph] = field(default_factory=set)
    small: set[FuncGraph] = field(default_factory=set)
    keep: Callable[[FuncGraph], bool] = lambda graph: "bprop" in graph.attrs


Rule = Callable[[CNode, Context], Node | None]


def rewrite(root: FuncGraph, rules: Sequence[Rule], counts: Counter[str] | None = None, **context: Any) -> int:
    """Apply rules to a program until none applies; returns the number of applications.

    Args:
        root: the program, which is changed.
        rules: tried in order; a rule's name is its function's.
        counts: receives the number of applications of each rule.
        context: arguments for `Context`.
    """
    total = 0
    for _ in range(MOST_SWEEPS):
        changed = _sweep(root, rules, counts if counts is not None else Counter(), context)
        total += changed
        if not changed:
            break
    return total


def _sweep(root: FuncGraph, rules: Sequence[Rule], counts: Counter[str], context: dict[str, Any]) -> int:
    manager = Manager(root)
    nodes = {graph: manager.nodes(graph) for graph in manager.graphs}
    known = Context(_uses(nodes), _recursive(manager), _small(nodes), **context)
    instead: dict[Node, Node] = {}
    changed = 0
    for graph, own in nodes.items():
        for node in own:
            node.inputs = [_resolved(instead, item) for item in node.inputs]
            for rule in rules:
                found = rule(node, known)
                if found is not None and found is not node:
                    instead[node] = found
                    counts[rule.__name__] += 1
                    changed += 1
                    break
        graph.output = _resolved(instead, graph.output)
    if instead:
        replace_all(root, instead)
    return changed


def replace_all(root: FuncGraph, instead: dict[Node, Node]) -> None:
    """Replace nodes everywhere in a program.

    Args:
        root: the program.
        instead: from each node to the node that is read instead.
    """
    graphs, seen = [root], {root}
    visited: set[Node] = set()
    while graphs:
        graph = graphs.pop()
        graph.output = _resolved(instead, graph.output)
        waiting = [graph.output]
        while waiting:
            node = waiting.pop()
            if node in visited:
                continue
            visited.add(node)
            if isinstance(node, CNode):
                node.inputs = [_resolved(instead, item) for item in node.inputs]
                waiting.extend(node.inputs)
            inner = [found for found in graphs_in([node]) if found not in seen]
            seen.update(inner)
            graphs.extend(inner)


def _resolved(instead: dict[Node, Node], node: Node) -> Node:
    while node in instead:
        node = instead[node]
    return node


def _uses(nodes: dict[FuncGraph, list[CNode]]) -> Counter[FuncGraph]:
    uses: Counter[FuncGraph] = Counter()
    for graph, own in nodes.items():
        for node in own:
            uses.update(graphs_in(node.inputs))
        uses.update(graphs_in([graph.output]))
    return uses


def _small(nodes: dict[FuncGraph, list[CNode]]) -> set[FuncGraph]:
    return {
        graph
        for graph, own in nodes.items()
        if len(own) <= SMALL and not graphs_in([graph.output, *(item for node in own for item in node.inputs)])
    }


def _recursive(manager: Manager) -> set[FuncGraph]:
    calls: nx.DiGraph[FuncGraph] = nx.DiGraph()
    for graph, named in manager.calls().items():
        calls.add_node(graph)
        calls.add_edges_from((graph, inner) for inner in named)
    circles = (part for part in nx.strongly_connected_components(calls) if len(part) > 1)
    return {graph for part in circles for graph in part} | {g for g in calls if calls.has_edge(g, g)}


def constant_of(node: Node) -> Any:
    """The value of a constant; `NOT_CONSTANT` for any other node."""
    return node.value if isinstance(node, ValueNode) else NOT_CONSTANT


class _NotConstant:
    def __repr__(self) -> str:
        return "not a constant"


NOT_CONSTANT = _NotConstant()
