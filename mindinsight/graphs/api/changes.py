"""The views of `scene/api.md` for the differences of two graphs, in nodes and in edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from rest_framework.request import Request
from rest_framework.views import APIView

from mindinsight.api.described import extend_schema
from mindinsight.api.problems import Problem
from mindinsight.graphs.api.changes_serializers import ChangedEdgesSerializer, ChangesQuery, ChangesSerializer
from mindinsight.graphs.api.drawn import Drawn, answer
from mindinsight.graphs.api.scene import Answer, responses
from mindinsight.graphs.differences import StoredDifference
from mindinsight.graphs.json_text import json_text


class Changes(APIView):
    """Changed nodes."""

    @extend_schema(operation_id="list_graph_changes", parameters=[ChangesQuery], responses=responses(ChangesSerializer))
    def get(self, request: Request) -> Answer:
        """The nodes that were added, removed or changed between the two graphs of a comparison."""
        return answer(request, ChangesQuery, _changes)


class ChangedEdges(APIView):
    """Changed edges."""

    @extend_schema(
        operation_id="list_graph_changed_edges",
        parameters=[ChangesQuery],
        responses=responses(ChangedEdgesSerializer),
    )
    def get(self, request: Request) -> Answer:
        """The edges that only one of the two graphs has."""
        return answer(request, ChangesQuery, _changed_edges)


def _changes(drawn: Drawn, asked: dict[str, Any]) -> dict[str, Any]:
    from mindinsight.graphs.scene import STATUSES

    difference = _difference(drawn)
    within = _within(drawn, asked["reach"])
    found = np.bincount(difference.status()[within], minlength=len(STATUSES)).tolist()
    rows = [row for row in difference.changes() if asked["status"] in ("", row["status"]) and within[row["node"]]]
    batch = difference.batch()
    shown = rows[asked["first"] : asked["first"] + asked["count"]]
    return {
        "counts": dict(zip(STATUSES, found, strict=True)),
        "batch": None if batch is None else {"left": batch[0], "right": batch[1]},
        "total": len(rows),
        "first": asked["first"],
        "rows": [{**row, **_node(drawn, row["node"])} for row in shown],
    }


def _changed_edges(drawn: Drawn, asked: dict[str, Any]) -> dict[str, Any]:
    from mindinsight.graphs.model import EdgeKind
    from mindinsight.graphs.scene import EDGE_KINDS, STATUSES

    difference, graph = _difference(drawn), drawn.graph
    status = difference.edge_status()
    nodes_within = _within(drawn, asked["reach"])
    within = nodes_within[np.asarray(graph.in_src)] & nodes_within[graph.in_dst]
    counts = dict(zip(STATUSES, np.bincount(status[within], minlength=len(STATUSES)).tolist(), strict=True))
    del counts["changed"]
    wanted = within & (status != 0 if asked["status"] == "" else status == STATUSES.index(asked["status"]))
    edges = np.flatnonzero(wanted & (status != 0))
    source, target = np.asarray(graph.in_src)[edges], graph.in_dst[edges]
    nodes = difference.status()
    alone = np.isin(nodes, [STATUSES.index("added"), STATUSES.index("removed")])
    # A new node always has new edges. New edges between two old nodes are more interesting.
    edges = edges[np.argsort(alone[source] | alone[target], kind="stable")]
    shown = edges[asked["first"] : asked["first"] + asked["count"]].tolist()
    return {
        "counts": counts,
        "total": len(edges),
        "first": asked["first"],
        "rows": [
            {
                "status": STATUSES[status[edge]],
                "kind": EDGE_KINDS[EdgeKind(int(graph.in_kind[edge]))],
                "source": _node(drawn, int(graph.in_src[edge])),
                "target": _node(drawn, int(graph.in_dst[edge])),
            }
            for edge in shown
        ],
    }


def _within(drawn: Drawn, reach: str) -> npt.NDArray[np.bool]:
    """Which nodes belong to a phase, or to one before it."""
    from mindinsight.graphs.substructures.equivalence import PHASES

    scene = drawn.scene
    phase = np.asarray(scene.box_phase)[np.asarray(scene.leaf_box)[: len(drawn.graph)]]
    return np.asarray(phase <= PHASES.index(reach))


def _difference(drawn: Drawn) -> StoredDifference:
    if drawn.difference is None:
        message = "This is not a comparison; graph=diff:LEFT~RIGHT names one."
        raise Problem("no_comparison", message, 400, graph=drawn.source.text)
    return drawn.difference


def _node(drawn: Drawn, node: int) -> dict[str, Any]:
    from mindinsight.graphs.scene import path_of_node

    graph = drawn.graph
    return {
        "node": node,
        "name": json_text(graph.text("name", node)),
        "op": json_text(graph.text("op", node)),
        "box": path_of_node(drawn.scene, node),
    }
