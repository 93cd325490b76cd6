"""MindInsight's own stacking, as a peer: written anew from the description of what it does, not its code.

It puts together what stands in one scope and has one type, five or more; and, as its successor does for whole
structures, connected parts with the same sum of operator types, whatever their edges are.
"""

from __future__ import annotations

from collections import Counter

import networkx as nx
import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import Graph, NodeKind

LEAST = 5
_HIDDEN = frozenset({"Load", "UpdateState", "GetNext", "Depend"})
_WIDEST, _LONGEST = 10, 7


def stacked_by_type(graph: Graph) -> float:
    """Returns the share of nodes that stacking by scope and type folds."""
    operators = np.flatnonzero(graph.kind == NodeKind.OPERATOR)
    groups = Counter(zip(graph.scope[operators].tolist(), graph.op[operators].tolist(), strict=True))
    return sum(count - 1 for count in groups.values() if count >= LEAST) / max(len(graph), 1)


def stacked_parts(graph: Graph) -> list[npt.NDArray[np.int32]]:
    """Returns connected parts with equal sums of types, five or more of each; an occurrence in each row.

    Edges of bookkeeping operators, of nodes with more than ten neighbours and over more than seven numbers are hidden.
    """
    operators = graph.kind == NodeKind.OPERATOR
    hidden = np.isin(graph.op, [number for number, text in enumerate(graph.strings) if text in _HIDDEN])
    fan_in = np.diff(graph.in_ptr)
    fan_out = np.bincount(graph.in_src, minlength=len(graph))
    wide = hidden | (fan_in > _WIDEST) | (fan_out > _WIDEST) | ~operators
    source, target = graph.in_src, graph.in_dst
    kept = ~wide[source] & ~wide[target] & (np.abs(source.astype(np.int64) - target) <= _LONGEST)
    view: nx.Graph[int] = nx.Graph()
    view.add_nodes_from(np.flatnonzero(operators & ~hidden).tolist())
    view.add_edges_from(zip(source[kept].tolist(), target[kept].tolist(), strict=True))
    groups: dict[tuple[int, ...], list[list[int]]] = {}
    for part in nx.connected_components(view):
        nodes = sorted(part)
        if len(nodes) > 1:
            groups.setdefault(tuple(sorted(graph.op[nodes].tolist())), []).append(nodes)
    return [np.asarray(rows, np.int32) for rows in groups.values() if len(rows) >= LEAST]
