"""Starts the analysis of graphs, and knows where the results are. Called by the views and by the task."""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings

from mindinsight.graphs.models import Analysis
from mindinsight.graphs.results import GraphStore, Results
from mindinsight.graphs.source import Source
from mindinsight.store import WriterLock

VERSION = 4
"""Version of the search and of the drawing. Results of other versions are not shown."""
OVERDUE = 15.0
"""Seconds in the queue after which a search is ordered again, if no worker searches: its worker may have been killed
when it had taken the order from the queue. A second order of the same search does nothing."""
_STARTING = 2.0
"""Seconds within which a worker that has begun a search takes its lock."""


def graph_store() -> GraphStore:
    """Returns the storage of graphs and results."""
    return GraphStore(settings.ENVIRONMENT.data_directory / "graphs")


def results_of(analysis: Analysis) -> Results:
    """Returns the results of an analysis."""
    return graph_store().results(analysis.graph, analysis.equivalence, analysis.min_size, analysis.version)


def analysis_of(source: Source, equivalence: str, min_size: int) -> Analysis:
    """Returns the search in a graph. Starts it if necessary.

    Raises:
        Problem: the task cannot be queued, because the broker is away.
    """
    wanted: dict[str, Any] = {
        "graph": source.graph,
        "equivalence": equivalence,
        "min_size": min_size,
        "version": VERSION,
    }
    now = time.time()
    known = {"series": source.series, "place": source.place, "source": source.text, "asked": now, "changed": now}
    analysis, made = Analysis.objects.get_or_create(**wanted, defaults=known)
    lost = analysis.state == Analysis.State.DONE and not results_of(analysis).exists()
    if made or lost or _is_forgotten(analysis, now):
        _ask(analysis, source, now)
    return analysis


def search_lock(analysis: Analysis) -> WriterLock:
    """The lock that a worker holds while it searches. The system releases it when the worker is killed."""
    results = results_of(analysis).directory
    return WriterLock(results.with_name(f"{results.name}-search"))


def _is_forgotten(analysis: Analysis, now: float) -> bool:
    """Whether the worker of a search was killed."""
    if analysis.state == Analysis.State.RUNNING:
        return now - analysis.changed > _STARTING and not search_lock(analysis).held_by_somebody()
    if analysis.state != Analysis.State.WAITING or now - analysis.changed <= OVERDUE:
        return False
    running = Analysis.objects.filter(state=Analysis.State.RUNNING, version=VERSION)
    return not any(search_lock(other).held_by_somebody() for other in running)


def _ask(analysis: Analysis, source: Source, now: float) -> None:
    from mindinsight.api.task_queue import order_or_refuse

    analysis.state, analysis.progress, analysis.problem = Analysis.State.WAITING, 0.0, None
    analysis.series, analysis.place, analysis.source = source.series, source.place, source.text
    analysis.asked, analysis.changed = now, now
    analysis.save()
    refusal = "The graph cannot be analysed now: the broker (Redis) does not answer. Try again in a moment."
    order_or_refuse("graphs.analyse", analysis.pk, undo=analysis.delete, refusal=refusal)
