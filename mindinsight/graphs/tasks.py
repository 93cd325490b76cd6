"""The Celery task of graphs: reads a graph, stores it as columns, searches for repeats, and lays out the drawing."""

from __future__ import annotations

import logging
import time

from celery import shared_task

from mindinsight.api.problems import Problem, error_body
from mindinsight.graphs.models import Analysis

logger = logging.getLogger(__name__)

MOST_SECONDS = 300.0
"""Seconds after which a search ends with its results so far."""
_REPORT_EVERY_S = 0.2


@shared_task(name="graphs.analyse")
def analyse(number: int) -> None:
    """Searches a graph for repeated sub-structures.

    Args:
        number: number of the analysis' row. Nothing happens if it does not exist or is done.
    """
    from mindinsight.graphs.analyses import search_lock

    analysis = Analysis.objects.filter(pk=number).exclude(state=Analysis.State.DONE).first()
    if analysis is None:
        return
    lock = search_lock(analysis)
    if not lock.acquire():
        return  # Another worker searches.
    try:
        _analyse(analysis)
    finally:
        lock.release()


def _analyse(analysis: Analysis) -> None:
    _tell(analysis, state=Analysis.State.RUNNING, progress=0.0)
    try:
        _search(analysis)
    except Problem as problem:
        _tell(analysis, state=Analysis.State.FAILED, problem=problem.body)
    except Exception as error:
        # Any error must reach the waiting user. The log has the details.
        logger.exception("Analysis %s of a graph failed", analysis.pk)
        body = error_body("analysis_failed", f"The graph cannot be analysed: {error}", {"reason": str(error)})
        _tell(analysis, state=Analysis.State.FAILED, problem=body)
    else:
        _tell(analysis, state=Analysis.State.DONE, progress=1.0)


def _search(analysis: Analysis) -> None:
    # Imported by the first analysis, to save memory in workers that never read a graph.
    from mindinsight.graphs.analyses import graph_store, results_of
    from mindinsight.graphs.model import GraphError
    from mindinsight.graphs.scene import make_scene
    from mindinsight.graphs.sources.finding import find_graph
    from mindinsight.graphs.substructures import Equivalence, recognise

    source = find_graph(analysis.source, analysis.series, analysis.place)
    try:
        loaded = source.load()
    except OSError as error:
        raise Problem("file_gone", f"{source.file} cannot be read: {error.strerror}.", file=source.file) from error
    except GraphError as error:
        raise Problem("graph_damaged", str(error), file=source.file, reason=str(error)) from error
    graph, store = loaded.graph, graph_store()
    store.keep(analysis.graph, graph)
    if loaded.difference is not None:
        store.difference(analysis.graph).write(loaded.difference)
    reported = time.monotonic()

    def progress(share: float) -> None:
        nonlocal reported
        if time.monotonic() - reported > _REPORT_EVERY_S:
            reported = time.monotonic()
            _tell(analysis, progress=0.8 * share)

    found = recognise(
        graph,
        Equivalence(analysis.equivalence),
        min_size=analysis.min_size,
        seconds=MOST_SECONDS,
        progress=progress,
    )
    scene = make_scene(graph, found, lambda share: progress(1 + share / 4))
    results_of(analysis).write(found, scene)


def _tell(analysis: Analysis, **fields: object) -> None:
    Analysis.objects.filter(pk=analysis.pk).update(changed=time.time(), **fields)
