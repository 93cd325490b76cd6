"""The view of `scene/api.md` that lists graphs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.parameters import read_parameters
from mindinsight.graphs.analyses import graph_store
from mindinsight.graphs.api.sources_serializers import GraphSourceListSerializer, GraphSourcesQuery
from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.models import Analysis
from mindinsight.graphs.sources.dumped import RunDumps, file_address, pass_address
from mindinsight.graphs.sources.finding import dataset_address
from mindinsight.graphs.sources.pipelines import pipeline_files
from mindinsight.graphs.sources.recorded import recorded_graphs
from mindinsight.runs.models import Run


class GraphSources(APIView):
    """Graphs to open."""

    @extend_schema(
        operation_id="list_graph_sources",
        parameters=[GraphSourcesQuery],
        responses={200: GraphSourceListSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """The graphs of the named runs: recorded graphs, input pipelines, files, and compiler pass histories."""
        runs = read_parameters(GraphSourcesQuery, request)["runs"]
        there = Run.objects.filter(removed="")
        chosen = there if runs is None else there.filter(pk__in=runs)
        names = dict(chosen.order_by("pk").values_list("pk", "name"))
        rows = _with_sizes([*_sources(names)])
        return Response({"sources": rows}, headers={"Cache-Control": "private, no-cache"})


def _sources(names: dict[int, str]) -> Iterator[dict[str, Any]]:
    """The graphs of runs, given the names by number. Recorded graphs come first."""
    for graph in recorded_graphs(names):
        yield _row(graph.text, graph.series.run_id, "graph", graph.series.tag, graph.step)
    noted, dumps = pipeline_files(names), RunDumps()
    for run, name in names.items():
        if run in noted:
            yield _row(dataset_address(name), run, "dataset", noted[run].rpartition("/")[2])
        found = dumps.of(name)
        for path in found.files:
            yield _row(file_address(name, path), run, "file", json_text(path))
        for history in found.histories:
            passes = [
                {"graph": pass_address(name, history, dump), "name": json_text(dump.name)} for dump in history.passes
            ]
            row = _row(passes[-1]["graph"], run, "pass", json_text(history.directory))
            yield {**row, "passes": passes}


def _row(graph: str, run: int, kind: str, name: str, step: int | None = None) -> dict[str, Any]:
    return {"graph": graph, "run": run, "kind": kind, "name": name, "step": step, "nodes": None, "passes": None}


def _with_sizes(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Adds the number of nodes to graphs that were opened before."""
    done = Analysis.objects.filter(state=Analysis.State.DONE).exclude(source="")
    known = dict(done.values_list("source", "graph"))
    for row in rows:
        if row["graph"] in known:
            row["nodes"] = _size(graph_store().directory, known[row["graph"]])
    return rows


def _size(store: Path, graph: str) -> int | None:
    try:
        return len(np.load(store / graph / "columns" / "kind.npy", mmap_mode="r"))
    except (OSError, ValueError):
        return None
