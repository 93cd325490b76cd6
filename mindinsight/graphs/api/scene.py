"""The views of `scene/api.md`: contents of boxes, nodes, their places, searches, paths and colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.problems import Problem
from mindinsight.graphs.api.drawn import Drawn, answer
from mindinsight.graphs.api.recorded_nodes import tags_of
from mindinsight.graphs.api.scene_queries import (
    TOLD_UNITS,
    BoxQuery,
    GraphQuery,
    InsideQuery,
    InstancesQuery,
    NodeQuery,
    OverlayQuery,
    SearchQuery,
    TraceQuery,
    WayQuery,
)
from mindinsight.graphs.api.scene_serializers import (
    InsideSerializer,
    InstancesSerializer,
    NodeBoxSerializer,
    NodeDetailSerializer,
    OutlineSerializer,
    OverlaySerializer,
    PlacesSerializer,
    SearchResultSerializer,
    TraceSerializer,
    WaitingSerializer,
    WaySerializer,
)

if TYPE_CHECKING:
    from mindinsight.graphs.scene import View

ERRORS = {400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer, 503: ErrorSerializer}
Answer = Response | HttpResponseBase


def responses(shape: Any) -> dict[int, Any]:
    """Returns the possible answers to a request about a drawn graph."""
    return {200: shape, 202: WaitingSerializer, 304: None, **ERRORS}


class Inside(APIView):
    """Boxes and edges."""

    @extend_schema(operation_id="get_graph_inside", parameters=[InsideQuery], responses=responses(InsideSerializer))
    def get(self, request: Request) -> Answer:
        """The boxes and edges inside a box."""
        return answer(request, InsideQuery, _inside)


class NodeDetail(APIView):
    """One node."""

    @extend_schema(operation_id="get_graph_node", parameters=[NodeQuery], responses=responses(NodeDetailSerializer))
    def get(self, request: Request) -> Answer:
        """A node with its inputs, its readers, and the values recorded under its name."""
        return answer(request, NodeQuery, _node)


class NodeBox(APIView):
    """The box of a node."""

    @extend_schema(operation_id="get_graph_box", parameters=[NodeQuery], responses=responses(NodeBoxSerializer))
    def get(self, request: Request) -> Answer:
        """The path of the box that shows a node."""
        return answer(request, NodeQuery, _box)


class NodePlaces(APIView):
    """The boxes of all nodes."""

    @extend_schema(operation_id="get_graph_places", parameters=[GraphQuery], responses=responses(PlacesSerializer))
    def get(self, request: Request) -> Answer:
        """The paths of the boxes that show nodes, by the nodes' full names."""
        return answer(request, GraphQuery, _places)


class Outline(APIView):
    """The tree of boxes."""

    @extend_schema(operation_id="get_graph_outline", parameters=[BoxQuery], responses=responses(OutlineSerializer))
    def get(self, request: Request) -> Answer:
        """The boxes in a box, as rows of a tree."""
        return answer(request, BoxQuery, _outline)


class Search(APIView):
    """Search of nodes."""

    @extend_schema(operation_id="search_graph", parameters=[SearchQuery], responses=responses(SearchResultSerializer))
    def get(self, request: Request) -> Answer:
        """The nodes that match a query."""
        return answer(request, SearchQuery, _search)


class Trace(APIView):
    """Dependencies."""

    @extend_schema(operation_id="trace_graph", parameters=[TraceQuery], responses=responses(TraceSerializer))
    def get(self, request: Request) -> Answer:
        """The nodes that a node depends on, or that depend on it."""
        return answer(request, TraceQuery, _trace)


class Way(APIView):
    """Paths between nodes."""

    @extend_schema(operation_id="get_graph_path", parameters=[WayQuery], responses=responses(WaySerializer))
    def get(self, request: Request) -> Answer:
        """The shortest path between two nodes."""
        return answer(request, WayQuery, _way)


class Instances(APIView):
    """Occurrences side by side."""

    @extend_schema(
        operation_id="compare_graph_instances", parameters=[InstancesQuery], responses=responses(InstancesSerializer)
    )
    def get(self, request: Request) -> Answer:
        """The places at which two occurrences of a stack differ."""
        return answer(request, InstancesQuery, _instances)


class Overlay(APIView):
    """Colours."""

    @extend_schema(operation_id="get_graph_overlay", parameters=[OverlayQuery], responses=responses(OverlaySerializer))
    def get(self, request: Request) -> Answer:
        """The colours of the boxes in a container."""
        return answer(request, OverlayQuery, _overlay)


def _inside(drawn: Drawn, asked: dict[str, Any]) -> dict[str, Any]:
    from mindinsight.graphs.scene import inside

    view, by = drawn.container(asked["box"]), asked["by"]
    found = inside(drawn.graph, drawn.scene, view, drawn.statuses())
    colours = None if by is None else {"by": by, **_colours(drawn, view, by)}
    return {"graph": drawn.analysis.graph, **found, "overlay": colours, "measured": drawn.measured is not None}


def _node(drawn: Drawn, asked: dict[str, Any]) -> dict[str, Any]:
    from mindinsight.graphs.scene import STATUSES, edges_of, node_detail

    statuses = drawn.statuses()
    drawn.check(asked["node"])
    found = node_detail(drawn.graph, drawn.scene, asked["node"], drawn.results.nodes, drawn.names())
    status = None if statuses is None else STATUSES[statuses.nodes[asked["node"]]]
    measured = None if drawn.measured is None else drawn.measured.of_node(drawn.graph, asked["node"])
    for side, edges in zip(("inputs", "outputs"), edges_of(drawn.graph, drawn.scene, asked["node"]), strict=True):
        for row, edge in zip(found[side], edges, strict=False):
            row["status"] = None if statuses is None else STATUSES[statuses.edges[edge]]
    return {**found, "status": status, "tags": tags_of(drawn, asked["node"]), "measured": measured}


def _box(drawn: Drawn, asked: dict[str, Any]) -> dict[str, Any]:
    from mindinsight.graphs.scene import path_of_node

    drawn.check(asked["node"])
    return {"node": asked["node"], "box": path_of_node(drawn.scene, asked["node"])}


def _places(drawn: Drawn, _: dict[str, Any]) -> dict[str, Any]:
    from mindinsight.graphs.scene import paths_by_name

    places, complete = paths_by_name(drawn.graph, drawn.scene)
    return {"places": places, "complete": complete}


def _outline(drawn: Drawn, asked: dict[str, Any]) -> dict[str, Any]:
    from mindinsight.graphs.scene import outline

    return {"box": asked["box"], "rows": outline(drawn.graph, drawn.scene, drawn.view(asked["box"]))}


def _search(drawn: Drawn, asked: dict[str, Any]) -> dict[str, Any]:
    from mindinsight.graphs.scene import search

    return search(drawn.graph, drawn.scene, asked["query"], asked["first"], asked["count"])


def _trace(drawn: Drawn, asked: dict[str, Any]) -> dict[str, Any]:
    from mindinsight.graphs.scene import trace

    drawn.check(asked["node"])
    return trace(drawn.graph, drawn.scene, asked["node"], up=asked["direction"] == "up", steps=asked["steps"])


def _way(drawn: Drawn, asked: dict[str, Any]) -> dict[str, Any]:
    from mindinsight.graphs.scene import shortest_way

    drawn.check(asked["source"], asked["target"])
    return shortest_way(drawn.graph, drawn.scene, asked["source"], asked["target"])


def _instances(drawn: Drawn, asked: dict[str, Any]) -> dict[str, Any]:
    from mindinsight.graphs.scene import compare_occurrences, occurrences_of

    view = drawn.view(asked["box"])
    count = occurrences_of(drawn.scene, view)
    for side in ("left", "right"):
        if asked[side] >= count:
            message = f"Box {asked['box']} has {count} occurrences; there is no number {asked[side]}."
            raise Problem("unknown_occurrence", message, 404, box=asked["box"], occurrence=asked[side])
    return compare_occurrences(drawn.graph, drawn.scene, view, asked["left"], asked["right"])


def _overlay(drawn: Drawn, asked: dict[str, Any]) -> dict[str, Any]:
    return _colours(drawn, drawn.container(asked["box"]), asked["by"])


def _colours(drawn: Drawn, view: View, by: str) -> dict[str, Any]:
    from mindinsight.graphs.scene import overlay, told_overlay

    if by not in TOLD_UNITS:
        colours = overlay(drawn.graph, drawn.scene, view, by)
        return {**colours, "known": by != "kernel" or bool(colours["legend"]), "step": None}
    found = drawn.amounts
    numbers = None if found is None else found.of_nodes(drawn.graph)
    colours = told_overlay(drawn.scene, view, numbers, TOLD_UNITS[by])
    return {**colours, "known": found is not None, "step": None if found is None else found.step}
