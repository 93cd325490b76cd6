"""The views of `scene_api.md` about which graphs there are, and about how two of them differ."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.config.answers import ErrorSerializer, Problem
from mindinsight.config.described import extend_schema
from mindinsight.config.parameters import read_parameters
from mindinsight.graphs.analyses import graph_store
from mindinsight.graphs.drawn import Drawn, answer
from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.models import Analysis
from mindinsight.graphs.pipelines import find_pipeline
from mindinsight.graphs.scene_api import Answer, responses
from mindinsight.graphs.scene_serializers import (
    ChangesQuery,
    ChangesSerializer,
    GraphSourceListSerializer,
    GraphSourcesQuery,
)
from mindinsight.runs.models import Run
from mindinsight.runs.recorded import all_series
from mindinsight.store import ColumnStore, Table
from summaries.kinds import Kind

MOST_GRAPHS = 100
"""Of a series with more graphs the newest are listed."""


class GraphSources(APIView):
    """Graphs to open."""

    @extend_schema(
        operation_id="list_graph_sources",
        parameters=[GraphSourcesQuery],
        responses={200: GraphSourceListSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """The graphs of the named runs: recorded ones, input pipelines, and histories of passes."""
        runs = read_parameters(GraphSourcesQuery, request)["runs"]
        rows = [*_recorded(runs)]
        chosen = Run.objects.filter(removed="")
        for run in (chosen if runs is None else chosen.filter(pk__in=runs)).order_by("pk"):
            rows += [*_pipelines(run), *_histories(run)]
        return Response({"sources": rows}, headers={"Cache-Control": "private, no-cache"})


class Changes(APIView):
    """Differences."""

    @extend_schema(operation_id="list_graph_changes", parameters=[ChangesQuery], responses=responses(ChangesSerializer))
    def get(self, request: Request) -> Answer:
        """What was added, removed and changed between the two graphs of a comparison."""
        return answer(request, ChangesQuery, _changes)


def _recorded(runs: Collection[int] | None) -> Iterator[dict[str, Any]]:
    store = ColumnStore(settings.ENVIRONMENT.data_directory / "columns")
    for series in all_series(Kind.GRAPH, runs):
        places = store.read(Table.PLACES, series.run_id, series.pk)
        for place in range(max(0, len(places) - MOST_GRAPHS), len(places)):
            step = int(places["step"][place])
            yield _row(f"series:{series.pk}:{place}", series.run_id, "graph", series.tag, step)


def _pipelines(run: Run) -> Iterator[dict[str, Any]]:
    found = find_pipeline(run.pk)
    if found is not None:
        yield _row(f"dataset:{run.pk}", run.pk, "dataset", found.file.rpartition("/")[2])


def _histories(run: Run) -> Iterator[dict[str, Any]]:
    from mindinsight.graphs.passes import find_histories

    for history in find_histories(settings.ENVIRONMENT.base_directory / run.name):
        directory = json_text(history.directory)
        passes = [
            {"graph": f"pass:{run.pk}:{directory}:{dump.index}", "name": json_text(dump.name)}
            for dump in history.passes
        ]
        if passes:
            row = _row(passes[-1]["graph"], run.pk, "pass", directory)
            yield {**row, "passes": passes}


def _row(graph: str, run: int, kind: str, name: str, step: int | None = None) -> dict[str, Any]:
    return {
        "graph": graph,
        "run": run,
        "kind": kind,
        "name": name,
        "step": step,
        "nodes": _known_size(graph),
        "passes": None,
    }


def _known_size(graph: str) -> int | None:
    """How many nodes a graph has that was opened before."""
    analysis = Analysis.objects.filter(source=graph, state=Analysis.State.DONE).first()
    if analysis is None:
        return None
    try:
        column = graph_store().directory / analysis.graph / "columns" / "kind.npy"
        return len(np.load(column, mmap_mode="r"))
    except (OSError, ValueError):
        return None


def _changes(drawn: Drawn, asked: dict[str, Any]) -> dict[str, Any]:
    from mindinsight.graphs.scene import STATUSES, path_of_node

    difference = drawn.difference
    if difference is None:
        message = "This is no comparison; graph=diff:LEFT~RIGHT names one."
        raise Problem("no_comparison", message, 400, graph=drawn.source.text)
    found = np.bincount(difference.status(), minlength=len(STATUSES)).tolist()
    rows = [row for row in difference.changes() if asked["status"] in ("", row["status"])]
    shown = rows[asked["first"] : asked["first"] + asked["count"]]
    graph = drawn.graph
    return {
        "counts": dict(zip(STATUSES, found, strict=True)),
        "total": len(rows),
        "first": asked["first"],
        "rows": [
            {
                **row,
                "name": json_text(graph.text("name", row["node"])),
                "op": json_text(graph.text("op", row["node"])),
                "box": path_of_node(drawn.scene, row["node"]),
            }
            for row in shown
        ],
    }
