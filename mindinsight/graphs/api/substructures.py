"""The views of `api.md`: graphs of runs, repeated sub-structures, and one sub-structure with its occurrences."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.etags import entity_tag
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import Problem
from mindinsight.graphs.analyses import analysis_of, graph_store, results_of
from mindinsight.graphs.api.substructures_serializers import (
    AnalysisQuery,
    AnalysisSerializer,
    DetailQuery,
    GraphTagListQuery,
    GraphTagListSerializer,
    SubstructureDetailSerializer,
)
from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.models import Analysis
from mindinsight.graphs.sources.finding import find_graph
from mindinsight.runs.recorded import tag_groups
from summaries.kinds import Kind

_ERRORS = {400: ErrorSerializer, 404: ErrorSerializer, 503: ErrorSerializer}


class TagList(APIView):
    """Graphs."""

    @extend_schema(
        operation_id="list_graph_tags",
        parameters=[GraphTagListQuery],
        responses={200: GraphTagListSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """Graphs of the named runs, grouped by name."""
        asked = read_parameters(GraphTagListQuery, request)
        return Response({"tags": tag_groups(Kind.GRAPH, asked["runs"])})


class SubstructureList(APIView):
    """Repeated sub-structures."""

    @extend_schema(
        operation_id="list_substructures",
        parameters=[AnalysisQuery],
        responses={200: AnalysisSerializer, 202: AnalysisSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> Response | HttpResponseBase:
        """The sub-structures of a graph. Starts the search if necessary, and returns its progress."""
        asked = read_parameters(AnalysisQuery, request)
        analysis = _analysis(asked)
        body: dict[str, Any] = {
            "graph": analysis.graph,
            "series": asked["series"],
            "place": analysis.place,
            "equivalence": analysis.equivalence,
            "min_size": analysis.min_size,
            "state": analysis.state,
            "progress": analysis.progress,
            "error": analysis.problem,
            "found": None,
        }
        if analysis.state != Analysis.State.DONE:
            failed = analysis.state == Analysis.State.FAILED
            return Response(body, status=200 if failed else 202, headers={"Cache-Control": "no-store"})
        etag = _etag(analysis, asked["graph"], asked["series"])
        unchanged = get_conditional_response(request._request, etag=etag)
        if unchanged is not None:
            return unchanged
        body["found"] = results_of(analysis).summary()
        return Response(body, headers={"ETag": etag, "Cache-Control": "private, no-cache"})


class SubstructureDetail(APIView):
    """One sub-structure."""

    @extend_schema(
        operation_id="get_substructure",
        parameters=[DetailQuery],
        responses={200: SubstructureDetailSerializer, 304: None, 409: ErrorSerializer, **_ERRORS},
    )
    def get(self, request: Request) -> Response | HttpResponseBase:
        """The inside of a sub-structure, the differences of its occurrences, and some of them."""
        asked = read_parameters(DetailQuery, request)
        analysis = _analysis(asked)
        if analysis.state != Analysis.State.DONE:
            message = "The graph is still being analysed. Request its sub-structures first."
            raise Problem("not_analysed", message, 409, state=analysis.state)
        etag = _etag(analysis, asked["id"], asked["first"], asked["count"])
        unchanged = get_conditional_response(request._request, etag=etag)
        if unchanged is not None:
            return unchanged
        return Response(_detail(analysis, asked), headers={"ETag": etag, "Cache-Control": "private, no-cache"})


def _analysis(asked: dict[str, Any]) -> Analysis:
    source = find_graph(asked["graph"], asked["series"], asked["place"])
    return analysis_of(source, asked["equivalence"], asked["min_size"])


def _detail(analysis: Analysis, asked: dict[str, Any]) -> dict[str, Any]:
    results, number, first = results_of(analysis), int(asked["id"]), asked["first"]
    rows = results.summary()["substructures"]
    if number >= len(rows):
        message = f"There is no sub-structure {number} in this graph; there are {len(rows)}."
        raise Problem("unknown_substructure", message, 404, id=asked["id"])
    graph = graph_store().open(analysis.graph)
    nodes = results.nodes(number)
    positions = [
        {"op": graph.text("op", node), "scope": graph.text("scope", node), "type": graph.text("type", node)}
        for node in nodes[0].tolist()
    ]
    shown = nodes[first : first + asked["count"]]
    names = map(json_text, graph.strings.many(graph.name[shown.ravel()]))
    return {
        **{key: rows[number][key] for key in ("id", "name", "count", "size")},
        "positions": positions,
        **results.details(number),
        "first": first,
        "occurrences": [[next(names) for _ in row] for row in shown],
    }


def _etag(analysis: Analysis, *parts: object) -> str:
    return entity_tag(
        "substructures", analysis.graph, analysis.equivalence, analysis.min_size, analysis.version, *parts
    )
