"""A graph as a networkx graph. Called through `Graph.networkx` by tests, checks and small tools."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model.graph import TEXT_COLUMNS, Graph


def as_networkx(graph: Graph, nodes: npt.NDArray[np.int64] | None = None) -> nx.MultiDiGraph[Any]:
    """Returns a graph, or the part of it between some nodes, with all columns as attributes.

    Args:
        graph: the graph.
        nodes: the nodes to include; default: all.
    """
    view: nx.MultiDiGraph[Any] = nx.MultiDiGraph(name=graph.title)
    chosen = range(len(graph)) if nodes is None else nodes.tolist()
    texts = list(graph.strings) if nodes is None else None
    for node in chosen:
        if texts is None:
            columns = {column: graph.text(column, node) for column in TEXT_COLUMNS if column != "name"}
            name = graph.text("name", node)
        else:
            columns = {column: texts[getattr(graph, column)[node]] for column in TEXT_COLUMNS if column != "name"}
            name = texts[graph.name[node]]
        view.add_node(node, kind=int(graph.kind[node]), label=name, **columns)
    for node in chosen:
        for port, (source, slot, kind) in enumerate(graph.inputs(node)):
            if source in view:
                view.add_edge(source, node, key=port, slot=slot, kind=int(kind))
    return view
