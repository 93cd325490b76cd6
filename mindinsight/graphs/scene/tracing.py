"""Finds the nodes that a node depends on, those that depend on it, and the shortest path between two nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.model import Graph, NodeKind
from mindinsight.graphs.model.graph import MONAD
from mindinsight.graphs.scene.paths import path_in_frame, path_of_node
from mindinsight.graphs.scene.scene import BoxKind, Scene

if TYPE_CHECKING:
    from typing_extensions import Buffer

MOST_PATHS = 5000


def trace(graph: Graph, scene: Scene, node: int, *, up: bool, steps: int) -> dict[str, Any]:
    """Returns the nodes that a node depends on, or those that depend on it.

    Args:
        graph: the graph.
        scene: its scene.
        node: the node to begin at.
        up: whether to follow edges towards inputs.
        steps: the largest distance in edges.
    """
    reached = _reached(graph, scene, node, up=up, steps=steps)
    if len(reached) <= MOST_PATHS:
        paths = dict.fromkeys(path_of_node(scene, int(number)) for number in reached)
        return {"nodes": len(reached), "boxes": list(paths), "complete": True}
    return {"nodes": len(reached), "boxes": _coarse_paths(scene, reached), "complete": False}


def shortest_way(graph: Graph, scene: Scene, source: int, target: int) -> dict[str, Any]:
    """Returns the shortest path between two nodes: along the edges, against them, or else in any direction.

    Undirected paths do not use constants and the order of side effects, which link everything with everything.
    """
    ends = _Ends(graph, scene)
    for ways, directed in ((("down",), True), (("up",), True), (("up", "down"), False)):
        found = ends.search(source, target, ways)
        if found:
            return {"nodes": [_way_node(graph, scene, node) for node in found], "directed": directed, "reason": None}
    return {"nodes": [], "directed": False, "reason": "unconnected"}


def _way_node(graph: Graph, scene: Scene, node: int) -> dict[str, Any]:
    name, op = json_text(graph.text("name", node)), json_text(graph.text("op", node))
    return {"node": node, "name": name, "op": op, "box": path_of_node(scene, node)}


class _Ends:
    """The edges of a graph, as views that are read number by number."""

    def __init__(self, graph: Graph, scene: Scene) -> None:
        self.count = len(graph)
        self.in_ptr, self.in_src = _readable(graph.in_ptr), _readable(graph.in_src)
        self.out_first, self.out_edges = _readable(scene.out_first), _readable(scene.out_edges)
        self.in_dst = _readable(graph.in_dst)
        self.kind, self.edge_kind = _readable(graph.kind), _readable(graph.in_kind)

    def neighbours(self, node: int, way: str, *, all_kinds: bool) -> list[int]:
        """The nodes one edge further."""
        if way == "up":
            span = range(self.in_ptr[node], self.in_ptr[node + 1])
            if all_kinds:
                return [self.in_src[edge] for edge in span]
            return [
                self.in_src[edge]
                for edge in span
                if self.edge_kind[edge] != MONAD and self.kind[self.in_src[edge]] != NodeKind.CONSTANT
            ]
        edges = [self.out_edges[place] for place in range(self.out_first[node], self.out_first[node + 1])]
        return [self.in_dst[edge] for edge in edges if all_kinds or self.edge_kind[edge] != MONAD]

    def search(self, source: int, target: int, ways: tuple[str, ...]) -> list[int]:
        """Returns the nodes of a shortest path; empty if there is none."""
        before = {source: source}
        front = [source]
        all_kinds = len(ways) == 1
        while front and target not in before:
            following = []
            for node in front:
                for way in ways:
                    for other in self.neighbours(node, way, all_kinds=all_kinds):
                        if other not in before:
                            before[other] = node
                            following.append(other)
            front = following
        if target not in before:
            return []
        found = [target]
        while found[-1] != source:
            found.append(before[found[-1]])
        return found[::-1]


def _readable(column: npt.NDArray[Any]) -> Sequence[int]:
    """An array that gives Python's own numbers fast, one by one."""
    return cast("Sequence[int]", memoryview(cast("Buffer", np.ascontiguousarray(column))))


def _reached(graph: Graph, scene: Scene, node: int, *, up: bool, steps: int) -> npt.NDArray[np.int64]:
    ends = _Ends(graph, scene)
    way = "up" if up else "down"
    seen = bytearray(ends.count)
    seen[node] = 1
    front, found = [node], []
    for _ in range(steps):
        following = []
        for here in front:
            for other in ends.neighbours(here, way, all_kinds=True):
                if not seen[other]:
                    seen[other] = 1
                    following.append(other)
        if not following:
            break
        found += following
        front = following
    return np.asarray(found, np.int64)


def _coarse_paths(scene: Scene, nodes: npt.NDArray[np.int64]) -> list[str]:
    """Returns the boxes that show nodes, as deep as possible without becoming too many."""
    boxes, instances = np.asarray(scene.leaf_box[nodes]), np.asarray(scene.leaf_instance[nodes])
    pairs = np.unique(np.stack([boxes, instances]), axis=1)
    if pairs.shape[1] > MOST_PATHS:
        pairs = np.unique(np.stack([pairs[0], np.full(pairs.shape[1], -1)]), axis=1)
    while pairs.shape[1] > MOST_PATHS:
        around = np.asarray(scene.container_box[scene.box_container[pairs[0]]])
        lifted = np.where(around >= 0, around, pairs[0])
        pairs = np.unique(np.stack([lifted, pairs[1]]), axis=1)
    paths = []
    for box, instance in pairs.T.tolist():
        stacked = instance >= 0 and int(scene.box_kind[box]) == BoxKind.STACK
        paths.append(path_in_frame(scene, box) + (f"#{instance}" if stacked else ""))
    return paths
