"""One node with its inputs and its readers, and the tree of boxes as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.model import EdgeKind, Graph, NodeKind
from mindinsight.graphs.scene.inside import EDGE_KINDS, KINDS, box_name, crumbs_of, node_title
from mindinsight.graphs.scene.paths import View, joined, look_at, path_of_node
from mindinsight.graphs.scene.scene import BoxKind, Scene
from mindinsight.graphs.substructures.equivalence import PHASES

MOST_NEIGHBOURS = 500
NODE_KINDS = {
    NodeKind.OPERATOR: "operator",
    NodeKind.PARAMETER: "parameter",
    NodeKind.CONSTANT: "constant",
    NodeKind.MISSING: "missing",
}

Matrix = npt.NDArray[np.int32]


def node_row(graph: Graph, scene: Scene, node: int) -> dict[str, Any]:
    """Returns a node as lists show it."""
    texts = {column: json_text(graph.text(column, node)) for column in ("name", "op", "scope", "type")}
    return {"node": node, "title": node_title(graph, node), **texts, "box": path_of_node(scene, node)}


def node_detail(
    graph: Graph, scene: Scene, node: int, occurrences: Callable[[int], Matrix], names: Callable[[int], str]
) -> dict[str, Any]:
    """Returns all details of a node, except recorded values.

    Args:
        graph: the graph.
        scene: its scene.
        node: the node.
        occurrences: returns the occurrences of a sub-structure, one per row.
        names: returns the name of a sub-structure.
    """
    found = graph.node(node)
    box = path_of_node(scene, node)
    inputs, outputs = _inputs(graph, node), _outputs(graph, scene, node)
    return {
        "node": node,
        **{name: json_text(getattr(found, name)) for name in ("name", "full_name", "op", "scope", "type")},
        "kind": NODE_KINDS[found.kind],
        "attributes": attributes_of(graph, node),
        "value": json_text(found.value),
        "source": json_text(found.source),
        "inputs": [_neighbour(graph, scene, *row) for row in inputs[:MOST_NEIGHBOURS]],
        "inputs_count": len(inputs),
        "outputs": [_neighbour(graph, scene, *row) for row in outputs[:MOST_NEIGHBOURS]],
        "outputs_count": len(outputs),
        "box": box,
        "crumbs": crumbs_of(graph, scene, look_at(scene, box)),
        "substructures": list(_memberships(scene, box, node, occurrences, names)),
    }


def edges_of(graph: Graph, scene: Scene, node: int) -> tuple[list[int], list[int]]:
    """Returns the numbers of the edges into and out of a node, in the order of the rows of `node_detail`."""
    outputs = scene.out_edges[int(scene.out_first[node]) : int(scene.out_first[node + 1])]
    return list(range(int(graph.in_ptr[node]), int(graph.in_ptr[node + 1]))), outputs.tolist()


def attributes_of(graph: Graph, node: int) -> dict[str, Any]:
    """Returns a node's attributes. If they are not a JSON object, they are under the name `attributes`."""
    text = graph.text("attributes", node)
    if not text:
        return {}
    try:
        texts = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {"attributes": json_text(text)}
    return texts if isinstance(texts, dict) else {"attributes": texts}


def outline(graph: Graph, scene: Scene, view: View) -> list[dict[str, Any]]:
    """Returns the boxes in a box as rows of a tree.

    Args:
        graph: the graph.
        scene: its scene.
        view: the box; a node has no rows.
    """
    return [_outline_row(graph, scene, view, index, box) for index, box in enumerate(_boxes(scene, view))]


def _boxes(scene: Scene, view: View) -> range:
    return scene.boxes_of(view.container) if view.container >= 0 else range(0)


def _outline_row(graph: Graph, scene: Scene, view: View, index: int, box: int) -> dict[str, Any]:
    kind = BoxKind(int(scene.box_kind[box]))
    node = view.node_of(int(scene.box_place[box])) if kind is BoxKind.NODE else -1
    child = scene.inside_of(box)
    return {
        "box": joined(view.path, str(index)),
        "name": box_name(graph, scene, box, node),
        "op": json_text(graph.text("op", node)) if node >= 0 else None,
        "kind": KINDS[kind],
        "phase": PHASES[int(scene.box_phase[box])],
        "count": int(scene.box_count[box]),
        "nodes": int(scene.box_high[box]) - int(scene.box_low[box]),
        "inside": len(scene.boxes_of(child)) if child >= 0 else 0,
    }


_Row = tuple[int, int, EdgeKind]


def _inputs(graph: Graph, node: int) -> list[_Row]:
    return graph.inputs(node)


def _outputs(graph: Graph, scene: Scene, node: int) -> list[_Row]:
    """Returns the readers of a node, the output that each reads, and the kind of the edge."""
    edges = np.asarray(edges_of(graph, scene, node)[1], np.int64)
    readers = np.searchsorted(graph.in_ptr, edges, side="right") - 1
    rows = zip(readers.tolist(), graph.in_slot[edges].tolist(), graph.in_kind[edges].tolist(), strict=True)
    return [(reader, slot, EdgeKind(kind)) for reader, slot, kind in rows]


def _neighbour(graph: Graph, scene: Scene, node: int, slot: int, kind: EdgeKind) -> dict[str, Any]:
    return {
        "node": node,
        "name": json_text(graph.text("name", node)),
        "op": json_text(graph.text("op", node)),
        "type": json_text(graph.text("type", node)),
        "slot": slot,
        "kind": EDGE_KINDS[kind],
        "box": path_of_node(scene, node),
    }


def _memberships(
    scene: Scene, box: str, node: int, occurrences: Callable[[int], Matrix], names: Callable[[int], str]
) -> Iterator[dict[str, Any]]:
    """Returns the occurrences that a node is part of, the smallest first."""
    steps = look_at(scene, box).steps
    for step in reversed(steps):
        if int(scene.box_kind[step.box]) not in (BoxKind.ONE, BoxKind.STACK):
            continue
        pattern = int(scene.frame_pattern[int(scene.box_frame[step.box])])
        places = np.argwhere(occurrences(pattern) == node)
        if len(places):
            occurrence, place = places[0].tolist()
            yield {
                "substructure": str(pattern),
                "name": names(pattern),
                "occurrence": occurrence,
                "place": place,
            }
