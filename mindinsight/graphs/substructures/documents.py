"""The JSON forms of a catalogue: the plain one, and the full one of `docs/reference/substructures.md`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mindinsight.graphs.model import Graph
from mindinsight.graphs.substructures.catalogue import Catalogue, SubStructure
from mindinsight.graphs.substructures.work import Integers, Rows

Occurrence = list[list[Any]]


def plain_document(catalogue: Catalogue) -> dict[str, list[Occurrence]]:
    """Returns `{"0": [[nodes, edges], …], …}`: one `[nodes, edges]` for each occurrence.

    `nodes` are names; place i of one occurrence corresponds to place i of every other. `edges` are all edges among them
    as `[source, destination, input port]`. Occurrences that nearly match follow: their common part, together with the
    same part of the first occurrence.

    Args:
        catalogue: the results of the search.
    """
    names = _Names(catalogue.graph)
    document: dict[str, list[Occurrence]] = {}
    for structure in catalogue.structures:
        document[str(len(document))] = [names.occurrence(row) for row in structure.nodes]
    for rows in _common_parts(catalogue):
        document[str(len(document))] = [names.occurrence(row) for row in rows]
    return document


def full_document(catalogue: Catalogue) -> dict[str, Any]:
    """Returns the catalogue with all details of each sub-structure."""
    names = _Names(catalogue.graph)
    return {
        "version": 1,
        "equivalence": catalogue.equivalence.value,
        "complete": catalogue.complete,
        "nodes": len(catalogue.graph),
        "edges": catalogue.graph.edge_count,
        "shown": catalogue.boxes,
        "dictionary": catalogue.dictionary,
        "substructures": [_described(structure, names) for structure in catalogue.structures],
    }


def summary_document(structure: SubStructure) -> dict[str, Any]:
    """Returns a sub-structure's entry in lists."""
    return {
        "id": str(structure.number),
        "name": structure.name,
        "count": structure.count,
        "size": structure.size,
        "share": round(structure.share, 6),
        "saved": structure.saved,
        "boxes": structure.boxes,
        "phase": structure.phase_name,
        "parent": str(structure.parent) if structure.parent >= 0 else None,
        "children": [str(child) for child in structure.children],
        "variants": sum(len(variant.nodes) for variant in structure.variants),
    }


def _described(structure: SubStructure, names: _Names) -> dict[str, Any]:
    graph = structure.graph
    positions = [
        {"op": graph.text("op", node), "scope": graph.text("scope", node), "instance": graph.text("instance", node)}
        for node in structure.nodes[0].tolist()
    ]
    return {
        **summary_document(structure),
        "positions": positions,
        "edges": [list(edge) for edge in structure.edges],
        "series": structure.series,
        "kinds": structure.kinds,
        "differences": structure.differences,
        "occurrences": [names.of(row) for row in structure.nodes],
        "near": [
            {"places": variant.places, "occurrences": [names.of(row) for row in variant.nodes]}
            for variant in structure.variants
        ],
    }


def _common_parts(catalogue: Catalogue) -> Iterator[Rows]:
    """The common part of variants and their sub-structure, if it is connected."""
    for structure in catalogue.structures:
        for variant in structure.variants:
            same = np.setdiff1d(np.arange(structure.size), variant.places)
            rows = np.concatenate([variant.nodes, structure.nodes[:1]])[:, same]
            if _connected(catalogue.graph, rows[0]):
                yield rows


def _connected(graph: Graph, row: Integers) -> bool:
    inside = set(row.tolist())
    links: dict[int, list[int]] = {node: [] for node in inside}
    for node in inside:
        for source, _, _ in graph.inputs(node):
            if source in inside:
                links[node].append(source)
                links[source].append(node)
    reached, waiting = {int(row[0])}, [int(row[0])]
    while waiting:
        for other in links[waiting.pop()]:
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return len(reached) == len(inside)


class _Names:
    """Names of nodes, and the edges among them."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        texts = list(graph.strings)
        self._names = [texts[number] for number in np.asarray(graph.name).tolist()]
        self._in_ptr, self._in_src = graph.in_ptr.tolist(), np.asarray(graph.in_src).tolist()

    def of(self, row: Integers) -> list[str]:
        """The names of an occurrence's nodes."""
        return [self._names[node] for node in row.tolist()]

    def occurrence(self, row: Integers) -> Occurrence:
        """An occurrence as nodes and edges."""
        nodes = row.tolist()
        inside = set(nodes)
        edges = []
        for node in nodes:
            first = self._in_ptr[node]
            for edge in range(first, self._in_ptr[node + 1]):
                if self._in_src[edge] in inside:
                    edges.append([self._names[self._in_src[edge]], self._names[node], edge - first])
        return [self.of(row), edges]
