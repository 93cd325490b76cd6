"""Starts the analysis of graphs, and knows where the results are. Called by the views and by the task."""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings

from mindinsight.graphs.models import Analysis
from mindinsight.graphs.results import GraphStore, Results
from mindinsight.graphs.source import Source

VERSION = 2
"""Version of the search and of the drawing. Results of other versions are not shown."""
GIVEN_UP = 600.0
"""Seconds without progress after which a search is started again, because its worker was killed."""


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
    open_states = (Analysis.State.WAITING, Analysis.State.RUNNING)
    forgotten = analysis.state in open_states and now - analysis.changed > GIVEN_UP
    if made or lost or forgotten:
        _ask(analysis, source, now)
    return analysis


def _ask(analysis: Analysis, source: Source, now: float) -> None:
    from mindinsight.api.task_queue import order_or_refuse

    analysis.state, analysis.progress, analysis.problem = Analysis.State.WAITING, 0.0, None
    analysis.series, analysis.place, analysis.source = source.series, source.place, source.text
    analysis.asked, analysis.changed = now, now
    analysis.save()
    refusal = "The graph cannot be analysed now: the broker (Redis) does not answer. Try again in a moment."
    order_or_refuse("graphs.analyse", analysis.pk, undo=analysis.delete, refusal=refusal)
