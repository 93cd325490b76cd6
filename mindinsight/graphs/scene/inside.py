"""The content of a box in the form of the API. Reads only the needed rows of a scene."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.model import EdgeKind, Graph, NodeKind
from mindinsight.graphs.scene.bookkeeping import bookkeeping_counts
from mindinsight.graphs.scene.paths import View, path_in_frame
from mindinsight.graphs.scene.scene import BoxKind, Scene
from mindinsight.graphs.scene.statuses import Statuses, box_statuses, edge_statuses, held_nodes, occurrence_statuses
from mindinsight.graphs.substructures.equivalence import PHASES

MOST_INSTANCES = 5000
_NAMED = 3
_LONGEST = 200
_LOOKED_AT = 4096
"""The number of places of a box that are searched for names of parameters."""

KINDS = {BoxKind.NODE: "node", BoxKind.GROUP: "group", BoxKind.ONE: "one", BoxKind.STACK: "stack"}
EDGE_KINDS = {EdgeKind.DATA: "data", EdgeKind.CONTROL: "control", EdgeKind.MONAD: "monad"}


def _cut(text: str) -> str:
    """Returns the text of a type for boxes and edges. Very long tuples are cut; the details of a node have all."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def node_title(graph: Graph, node: int) -> str:
    """Returns the title of a node's box: the end of its full name."""
    title = graph.text("full_name", node) or graph.text("name", node)
    return json_text(title.rpartition("/")[2] or title)


def inside(graph: Graph, scene: Scene, view: View, statuses: Statuses | None = None) -> dict[str, Any]:
    """Returns the boxes and edges that a path leads to.

    Args:
        graph: the graph.
        scene: its scene.
        view: the box; it must have a container.
        statuses: in a comparison, the statuses of nodes and edges.
    """
    teller = _Teller(graph, scene, view, statuses)
    boxes = teller.boxes()
    counts = dict.fromkeys(PHASES, 0)
    for box in boxes:
        counts[box["phase"]] += box["operators"]
    return {
        "box": view.path,
        "template": f"t{view.container}",
        "title": teller.crumbs[-1]["name"],
        "crumbs": teller.crumbs,
        "phase_counts": counts,
        "boxes": boxes,
        "edges": teller.edges(),
        "instances": teller.instances(),
    }


def box_name(graph: Graph, scene: Scene, box: int, node: int) -> str:
    """Returns the name of a box. A node that is not named after its layer has its own name."""
    named = scene.texts[int(scene.box_name[box])]
    return json_text(named) if named or int(scene.box_kind[box]) != BoxKind.NODE else node_title(graph, node)


def crumbs_of(graph: Graph, scene: Scene, view: View) -> list[dict[str, Any]]:
    """Returns the path to a box, beginning with the whole graph."""
    found: list[dict[str, Any]] = [{"box": "", "name": json_text(graph.title), "count": None, "instance": None}]
    for step in view.steps:
        kind = int(scene.box_kind[step.box])
        node = -1
        if kind == BoxKind.NODE:
            place = int(scene.box_place[step.box])
            node = place if view.around is None else int(view.around[place])
        stacked = kind == BoxKind.STACK
        found.append(
            {
                "box": step.path,
                "name": box_name(graph, scene, step.box, node),
                "count": int(scene.box_count[step.box]) if stacked else None,
                "instance": step.instance if stacked else None,
            }
        )
    return found


class _Teller:
    """Describes one container."""

    def __init__(self, graph: Graph, scene: Scene, view: View, statuses: Statuses | None) -> None:
        self._graph, self._scene, self._view, self._statuses = graph, scene, view, statuses
        self._box_statuses = box_statuses(scene, view, statuses) if statuses else []
        self._edge_statuses = edge_statuses(graph, scene, view, statuses) if statuses else {}
        self._range = scene.boxes_of(view.container)
        self._bookkeeping = bookkeeping_counts(graph, *held_nodes(scene, view), len(self._range))
        self.crumbs = crumbs_of(graph, scene, view)
        first, last = int(scene.edge_first[view.container]), int(scene.edge_first[view.container + 1])
        self._edges = slice(first, last)
        self._types = self._output_types()

    def boxes(self) -> list[dict[str, Any]]:
        names = [box_name(self._graph, self._scene, box, self._node(box)) for box in self._range]
        return [self._box(index, box, names) for index, box in enumerate(self._range)]

    def edges(self) -> list[dict[str, Any]]:
        scene, span = self._scene, self._edges
        columns = (
            getattr(scene, f"edge_{name}")[span].tolist()
            for name in ("source", "target", "count", "kind", "type", "types", "bytes", "phase")
        )
        return [
            {
                "source": source,
                "target": target,
                "count": count,
                "kind": EDGE_KINDS[EdgeKind(kind)],
                "type": _cut(json_text(self._graph.strings[number])),
                "types": types,
                "bytes": size if size >= 0 else None,
                "phase": PHASES[phase] if min(source, target) < 0 else None,
                "status": self._edge_status((source, target, kind), count),
            }
            for source, target, count, kind, number, types, size, phase in zip(*columns, strict=True)
        ]

    def _edge_status(self, edge: tuple[int, int, int], count: int) -> str | None:
        if self._statuses is None:
            return None
        found = self._edge_statuses.get(edge)
        return "same" if found is None else found.status(count)

    def instances(self) -> list[dict[str, Any]] | None:
        if not self._view.steps:
            return None
        last = self._view.steps[-1]
        if last.instance is not None or int(self._scene.box_kind[last.box]) != BoxKind.STACK:
            return None
        first = int(self._scene.box_instances[last.box])
        span = slice(first, first + min(int(self._scene.box_count[last.box]), MOST_INSTANCES))
        occurrences = self._occurrences(last.box, span.stop - span.start)
        read = self._read_by_each(occurrences)
        statuses = occurrence_statuses(occurrences, self._statuses) if self._statuses else None
        rows = zip(self._scene.instance_name[span].tolist(), self._scene.instance_differs[span].tolist(), strict=True)
        return [
            {
                "instance": number,
                "name": json_text(self._scene.texts[name]),
                "differs": differs or (statuses is not None and statuses[number].status != "same"),
                "reads": read[number],
                "status": statuses[number].status if statuses else None,
                "changes": statuses[number].changes if statuses else None,
            }
            for number, (name, differs) in enumerate(rows)
        ]

    def _occurrences(self, box: int, count: int) -> list[npt.NDArray[Any]]:
        """Returns the nodes of the first occurrences in a stack, each in the order of places."""
        around, rows = self._view.around, [self._scene.row(box, number) for number in range(count)]
        return rows if around is None else [np.asarray(around)[row] for row in rows]

    def _read_by_each(self, rows: list[npt.NDArray[Any]]) -> list[list[int]]:
        """Returns for each occurrence in a stack the others that it reads from, directly or through a single node."""
        nodes, count = np.concatenate(rows), len(rows)
        owner = np.full(len(self._graph), -1, np.int32)
        owner[nodes] = np.repeat(np.arange(count), [len(row) for row in rows])
        readers, sources = owner[nodes], nodes
        found: list[npt.NDArray[np.int64]] = []
        for _ in range(2):
            readers, sources = self._inputs(readers, sources)
            other = (owner[sources] >= 0) & (owner[sources] != readers)
            found.append(np.stack([readers[other], owner[sources[other]]], axis=1).astype(np.int64))
            between = owner[sources] < 0
            readers, sources = readers[between], sources[between]
        read: list[list[int]] = [[] for _ in range(count)]
        for reader, source in np.unique(np.concatenate(found), axis=0).tolist():
            if reader != source:
                read[reader].append(source)
        return read

    def _inputs(self, readers: npt.NDArray[Any], nodes: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Returns the sources of the data that nodes read, each with the status of its reader."""
        graph = self._graph
        first, sizes = graph.in_ptr[nodes], graph.in_ptr[nodes + 1] - graph.in_ptr[nodes]
        edges = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
        data = graph.in_kind[edges] == EdgeKind.DATA
        return np.repeat(readers, sizes)[data], graph.in_src[edges][data]

    def _node(self, box: int) -> int:
        place = int(self._scene.box_place[box])
        return self._view.node_of(place) if place >= 0 else -1

    def _output_types(self) -> dict[int, int]:
        sources = self._scene.edge_source[self._edges].tolist()
        numbers = self._scene.edge_type[self._edges].tolist()
        kinds = self._scene.edge_kind[self._edges].tolist()
        found: dict[int, int] = {}
        for source, number, kind in zip(sources, numbers, kinds, strict=True):
            if kind == EdgeKind.DATA:
                found.setdefault(source, number)
        return found

    def _box(self, index: int, box: int, names: list[str]) -> dict[str, Any]:
        scene, graph = self._scene, self._graph
        kind, node = BoxKind(int(scene.box_kind[box])), self._node(box)
        child = scene.inside_of(box)
        pattern = int(scene.frame_pattern[int(scene.box_frame[box])]) if kind in (BoxKind.ONE, BoxKind.STACK) else -1
        parameters, constants = int(scene.box_parameters[box]), int(scene.box_constants[box])
        pair = int(scene.box_pair[box])
        proxies = scene.proxy_source[int(scene.proxy_first[box]) : int(scene.proxy_first[box + 1])].tolist()
        type_number = int(graph.type[node]) if node >= 0 else self._types.get(index, 0)
        return {
            "index": index,
            "kind": KINDS[kind],
            "name": names[index],
            "op": json_text(graph.text("op", node)) if node >= 0 else None,
            "nodes": int(scene.box_high[box]) - int(scene.box_low[box]),
            "operators": int(scene.box_operators[box]),
            "bookkeeping": self._bookkeeping[index],
            "parameters": parameters,
            "consts": constants,
            "phase": PHASES[int(scene.box_phase[box])],
            "count": int(scene.box_count[box]),
            "inside": len(scene.boxes_of(child)) if child >= 0 else 0,
            "substructure": str(pattern) if pattern >= 0 else None,
            "type": _cut(json_text(graph.strings[type_number])),
            "node": node if node >= 0 else None,
            "params": self._parameter_names(box, node) if parameters else [],
            "params_count": self._attached(parameters, node, NodeKind.PARAMETER),
            "consts_count": self._attached(constants, node, NodeKind.CONSTANT),
            "variants": self._variants(box) if kind is BoxKind.STACK else [],
            "status": self._box_statuses[index].status if self._statuses else None,
            "changes": self._box_statuses[index].changes if self._statuses else None,
            "proxies": [names[source] for source in proxies],
            "pair": path_in_frame(scene, pair) if pair >= 0 else None,
        }

    def _attached(self, held: int, node: int, kind: NodeKind) -> int:
        """Returns the number of nodes of a kind in a box, besides those that it shows."""
        return held - 1 if node >= 0 and int(self._graph.kind[node]) == kind else held

    def _parameter_names(self, box: int, node: int) -> list[str]:
        places = self._scene.held(box)[:_LOOKED_AT]
        nodes = places if self._view.nodes is None else np.asarray(self._view.nodes)[places]
        found = nodes[(self._graph.kind[nodes] == NodeKind.PARAMETER) & (nodes != node)][:_NAMED]
        texts = (
            self._graph.text("full_name", int(number)) or self._graph.text("name", int(number)) for number in found
        )
        return [json_text(text) for text in texts]

    def _variants(self, box: int) -> list[int]:
        first = int(self._scene.box_instances[box])
        differs = self._scene.instance_differs[first : first + int(self._scene.box_count[box])]
        return list(np.flatnonzero(differs)[:MOST_INSTANCES].tolist())
