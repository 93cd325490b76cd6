"""Opens drawn graphs for the views and tags their answers. Used by `scene` and its neighbours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from mindinsight import __version__
from mindinsight.api.etags import entity_tag, not_modified, with_etag
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import Problem
from mindinsight.graphs.amounts import Amounts
from mindinsight.graphs.analyses import analysis_of, graph_store, results_of
from mindinsight.graphs.differences import StoredDifference
from mindinsight.graphs.hits import hits_of
from mindinsight.graphs.models import Analysis
from mindinsight.graphs.profiles import Measured, newest_profile
from mindinsight.graphs.results import GraphStore, Results
from mindinsight.graphs.source import Source
from mindinsight.graphs.sources.finding import find_graph

if TYPE_CHECKING:
    from mindinsight.graphs.model import Graph
    from mindinsight.graphs.scene import Scene, Statuses, View

_KEPT_OPEN = 8
_MEASURED = {"time": ("duration", "seconds"), "measured_memory": ("memory", "bytes")}


@dataclass(frozen=True, slots=True)
class Drawn:
    """An opened graph.

    Attributes:
        source: the graph's source.
        analysis: the search in the graph.
        graph: the graph.
        scene: the drawing.
        measured: the measurements of the run's profiler.
        amounts: the run's amounts for the requested colours; None if there are none.
    """

    source: Source
    analysis: Analysis
    graph: Graph
    scene: Scene
    measured: Measured | None
    amounts: Amounts | None

    def view(self, path: str) -> View:
        """Returns the box at a path.

        Raises:
            Problem: there is no such box.
        """
        from mindinsight.graphs.scene import UnknownBoxError, look_at

        try:
            return look_at(self.scene, path)
        except UnknownBoxError as error:
            raise Problem("unknown_box", str(error), 404, box=path) from error

    def container(self, path: str) -> View:
        """Returns the box at a path if it can be opened.

        Raises:
            Problem: there is no such box, or it is a node.
        """
        view = self.view(path)
        if view.container < 0:
            raise Problem("not_a_container", f"Box {path} is a node; there is nothing inside it.", 400, box=path)
        return view

    @property
    def results(self) -> Results:
        """The repeated sub-structures of the graph."""
        return results_of(self.analysis)

    @property
    def difference(self) -> StoredDifference | None:
        """The differences between the two graphs of a comparison."""
        found = graph_store().difference(self.analysis.graph)
        return found if found.exists() else None

    def statuses(self) -> Statuses | None:
        """Returns the statuses of nodes and edges in a comparison."""
        from mindinsight.graphs.scene import Statuses

        difference = self.difference
        return None if difference is None else Statuses(difference.status(), difference.edge_status())

    def names(self) -> Callable[[int], str]:
        """Returns the names of sub-structures."""
        rows = self.results.summary()["substructures"]
        return lambda number: str(rows[number]["name"])

    def check(self, *nodes: int) -> None:
        """Checks that nodes exist.

        Raises:
            Problem: one of them does not exist.
        """
        for node in nodes:
            if node >= len(self.graph):
                message = f"There is no node {node} in this graph; it has {len(self.graph)}, counted from 0."
                raise Problem("unknown_node", message, 404, node=node)


def answer(
    request: Request, query: type[Serializer[Any]], make: Callable[[Drawn, dict[str, Any]], dict[str, Any]]
) -> Response | HttpResponseBase:
    """Answers a request about a drawn graph, or returns the progress of its analysis.

    Args:
        request: the request.
        query: the serializer of its parameters.
        make: makes the answer.
    """
    asked = read_parameters(query, request)
    source = find_graph(asked["graph"], asked["series"], asked["place"])
    analysis = analysis_of(source, asked["equivalence"], asked["min_size"])
    if analysis.state == Analysis.State.FAILED:
        told = analysis.problem or {}
        raise Problem(told.get("code", "analysis_failed"), told.get("message", ""), 409, **told.get("detail", {}))
    if analysis.state != Analysis.State.DONE:
        waiting = {
            "graph": analysis.graph,
            "state": analysis.state,
            "progress": analysis.progress,
            "error": analysis.problem,
        }
        return Response(waiting, status=202, headers={"Cache-Control": "no-store"})
    said = sorted((name, value) for name, value in asked.items() if name not in ("graph", "series", "place"))
    measured = newest_profile(source.run)
    amounts = _amounts(asked.get("by"), source, measured)
    told = None if amounts is None else amounts.version
    seen = (analysis.graph, analysis.version, analysis.changed, source.text, measured, told)
    etag = entity_tag(request.path, __version__, *seen, said)
    same = not_modified(request, etag)
    if same is not None:
        return same
    graph, scene = _opened(analysis)
    return with_etag(Response(make(Drawn(source, analysis, graph, scene, measured, amounts), asked)), etag)


def _amounts(by: str | None, source: Source, measured: Measured | None) -> Amounts | None:
    """The run's amounts of its nodes, for one of the colours."""
    if by == "gradient":
        from mindinsight.graphs.gradients import newest_gradients

        return newest_gradients(source.run)
    if by == "hits":
        return hits_of(source)
    field = _MEASURED.get(by or "")
    return None if field is None or measured is None else measured.amounts(*field)


def _opened(analysis: Analysis) -> tuple[Graph, Scene]:
    results = results_of(analysis)
    written = (results.directory / "summary.json").stat().st_mtime_ns
    return _open(graph_store().directory, analysis.graph, results.directory, written)


@lru_cache(maxsize=_KEPT_OPEN)
def _open(store: Path, graph: str, results: Path, _written: int) -> tuple[Graph, Scene]:
    return GraphStore(store).open(graph), Results(results).scene()
