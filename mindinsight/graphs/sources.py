"""Finds the bytes of a run's graph, and asks for the search in it. Called by the views; `tasks` does the search."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction

from mindinsight.config.answers import Problem
from mindinsight.graphs.models import Analysis
from mindinsight.graphs.results import GraphStore
from mindinsight.runs.recorded import as_dicts, event_file, find_series
from mindinsight.store import ColumnStore, Table
from summaries.kinds import Kind
from summaries.records import DamagedRecordError, read_record

VERSION = 2
"""Of the search: results of another one are not shown."""
GIVEN_UP = 600.0
"""A search that has not been heard of for so many seconds is asked for again: its worker was killed."""


@dataclass(frozen=True, slots=True)
class Source:
    """A graph of a run.

    Attributes:
        series: number of its series.
        place: its index there.
        content: the message.
        file: the event file, as people know it.
        run: number of its run.
    """

    series: int
    place: int
    content: bytes
    file: str
    run: int | None = None

    @property
    def text(self) -> str:
        """How the questions of `scene_api.md` name it."""
        return f"series:{self.series}:{self.place}"

    @property
    def graph(self) -> str:
        """The hash by which everything about it is kept."""
        return hashlib.sha256(self.content).hexdigest()


def graph_store() -> GraphStore:
    """Returns where graphs and results are kept."""
    return GraphStore(settings.ENVIRONMENT.data_directory / "graphs")


def find_graph(text: str, series: int | None = None, place: int | None = None) -> Source:
    """Returns the graph that a question names.

    Args:
        text: `series:23` or `series:23:0`; may be empty where a series is given.
        series: number of a series of graphs.
        place: index of the graph there.

    Raises:
        Problem: it names none.
    """
    if not text:
        if series is None:
            raise Problem("bad_parameter", "Name a graph: graph=series:23, for example.", parameter="graph")
        return find_source(series, place)
    kind, _, rest = text.partition(":")
    if kind == "series":
        number, _, index = rest.partition(":")
        if number.isdecimal() and (index.isdecimal() or not index):
            return find_source(int(number), int(index) if index else None)
    message = f"{text!r} names no graph; series:23 does, or series:23:0."
    raise Problem("bad_parameter", message, parameter="graph", reason=message)


def find_source(series_number: int, place: int | None) -> Source:
    """Returns a graph of a run.

    Args:
        series_number: number of the series.
        place: its index there; the newest unless given.

    Raises:
        Problem: there is none, or its file is gone or damaged.
    """
    series = find_series(Kind.GRAPH, series_number)
    if series is None:
        message = f"There is no series {series_number} of graphs; its run may be gone."
        raise Problem("unknown_series", message, 404, series=series_number)
    store = ColumnStore(settings.ENVIRONMENT.data_directory / "columns")
    places = store.read(Table.PLACES, series.run_id, series.pk)
    index = len(places) - 1 if place is None else place
    if not 0 <= index < len(places):
        message = f"Series {series_number} has {len(places)} graphs; there is no number {index}."
        raise Problem("unknown_graph", message, 404, series=series_number, place=index)
    row = as_dicts(places[index : index + 1])[0]
    path, file = event_file(series)
    try:
        payload = read_record(path, row["offset"], row["length"])
    except (DamagedRecordError, OSError) as error:
        gone = isinstance(error, FileNotFoundError)
        code, what = ("file_gone", "is gone") if gone else ("record_damaged", "is damaged or was replaced")
        message = f"The record at byte {row['offset']} of {file} {what}."
        raise Problem(code, message, 404, file=file, offset=row["offset"]) from error
    return Source(series.pk, index, payload[row["start"] : row["start"] + row["size"]], file, series.run_id)


def analysis_of(source: Source, equivalence: str, min_size: int) -> Analysis:
    """Returns the search in a graph, which is asked for where nobody has done so.

    Raises:
        Problem: nobody takes the order: the broker is away.
    """
    wanted: dict[str, Any] = {
        "graph": source.graph,
        "equivalence": equivalence,
        "min_size": min_size,
        "version": VERSION,
    }
    now = time.time()
    analysis, made = Analysis.objects.get_or_create(
        **wanted, defaults={"series": source.series, "place": source.place, "asked": now, "changed": now}
    )
    results = graph_store().results(source.graph, equivalence, min_size, VERSION)
    lost = analysis.state == Analysis.State.DONE and not results.exists()
    open_states = (Analysis.State.WAITING, Analysis.State.RUNNING)
    forgotten = analysis.state in open_states and now - analysis.changed > GIVEN_UP
    if made or lost or forgotten:
        _ask(analysis, source, now)
    return analysis


def _ask(analysis: Analysis, source: Source, now: float) -> None:
    from kombu.exceptions import OperationalError

    from mindinsight.config.orders import order

    analysis.state, analysis.progress, analysis.problem = Analysis.State.WAITING, 0.0, None
    analysis.series, analysis.place, analysis.asked, analysis.changed = source.series, source.place, now, now
    analysis.save()
    try:
        order("graphs.analyse", analysis.pk)
    except OperationalError as error:
        with transaction.atomic():
            analysis.delete()
        message = "The graph cannot be analysed now: the broker (Redis) does not answer. Try again in a moment."
        raise Problem("broker_down", message, 503) from error
