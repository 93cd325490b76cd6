"""Compares two occurrences of a stack, place by place."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.model import Graph
from mindinsight.graphs.scene.nodes import attributes_of
from mindinsight.graphs.scene.paths import View
from mindinsight.graphs.scene.scene import BoxKind, Scene
from mindinsight.graphs.substructures.equivalence import structural_attributes

MOST_PLACES = 500


def occurrences_of(scene: Scene, view: View) -> int:
    """Returns the number of occurrences in the last box of a path; 0 if it is not a stack."""
    if not view.steps or int(scene.box_kind[view.steps[-1].box]) not in (BoxKind.ONE, BoxKind.STACK):
        return 0
    return int(scene.box_count[view.steps[-1].box])


def compare_occurrences(graph: Graph, scene: Scene, view: View, left: int, right: int) -> dict[str, Any]:
    """Returns the places where two occurrences differ.

    Args:
        graph: the graph.
        scene: its scene.
        view: the stack.
        left, right: the indices of the occurrences.
    """
    box = view.steps[-1].box
    rows = [scene.row(box, instance) for instance in (left, right)]
    one, other = (row if view.around is None else view.around[row] for row in rows)
    different = {name: _different(graph, name, one, other) for name in ("type", "attributes", "value")}
    chosen = np.flatnonzero(different["type"] | different["attributes"] | different["value"])
    places = [
        {
            "place": int(place),
            "op": json_text(graph.text("op", int(one[place]))),
            "left": _side(graph, int(one[place])),
            "right": _side(graph, int(other[place])),
            "differs": [name for name, where in different.items() if where[place]],
        }
        for place in chosen[:MOST_PLACES]
    ]
    return {"places": places, "total": len(chosen)}


def _different(graph: Graph, column: str, one: Any, other: Any) -> Any:
    numbers = np.asarray(getattr(graph, column))
    where = numbers[one] != numbers[other]
    if column == "attributes":  # Names of ports and the like are no difference.
        for place in np.flatnonzero(where).tolist():
            both = (structural_attributes(graph.strings[int(numbers[side[place]])]) for side in (one, other))
            where[place] = len(set(both)) > 1
    return where


def _side(graph: Graph, node: int) -> dict[str, Any]:
    name, type_text = json_text(graph.text("name", node)), json_text(graph.text("type", node))
    return {"node": node, "name": name, "type": type_text, "attributes": attributes_of(graph, node)}
