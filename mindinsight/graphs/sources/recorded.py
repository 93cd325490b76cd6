"""Recorded graphs of runs: lists and reads them. Called by `sources` and by the list of graphs.

A link names run, step and tag: `graph:lenet/adam:0:net`. If a run has several graphs with the same tag and step, the
second has the step `0.1`.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings

from mindinsight.api.problems import Problem
from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.source import Loaded, Source, is_number, read, run_of, written
from mindinsight.runs.models import Series
from mindinsight.runs.recorded import as_dicts, event_file, find_series
from mindinsight.store import ColumnStore, Table
from summaries.beneath import FilePath, stat_file
from summaries.kinds import Kind
from summaries.records import DamagedRecordError, read_record

MOST_GRAPHS = 100
"""Maximum number of listed graphs of a series, the newest ones."""
_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class RecordedGraph:
    """One recorded graph.

    Attributes:
        series, place: series and index of the graph.
        step: the step at which it was recorded.
        number: number of earlier graphs with the same run, tag and step.
    """

    series: Series
    place: int
    step: int
    number: int

    @property
    def text(self) -> str:
        """Its address."""
        step = f"{self.step}.{self.number}" if self.number else str(self.step)
        tag = written(self.series.tag)
        return f"graph:{written(self.series.run.name)}:{step}" + (f":{tag}" if tag else "")


def recorded_graphs(runs: Collection[int] | None) -> Iterator[RecordedGraph]:
    """Returns the recorded graphs of some or all runs, in order of runs and files.

    Args:
        runs: numbers of runs.
    """
    found = Series.objects.filter(kind=Kind.GRAPH, count__gt=0, run__removed="")
    chosen = found if runs is None else found.filter(run_id__in=runs)
    # This order, by which the graphs of one step are counted, stays when all files are read again.
    ordered = chosen.select_related("file", "run").order_by("run_id", "file__opened", "file__path", "stretch", "tag")
    before: dict[tuple[int, str], Counter[int]] = defaultdict(Counter)
    for series in ordered:
        known = before[series.run_id, series.tag]
        steps = _steps(series)
        first = max(0, len(steps) - MOST_GRAPHS)
        for place, step in enumerate(steps):
            if place >= first:
                yield RecordedGraph(series, place, step, known[step])
            known[step] += 1


def find_recorded(rest: str) -> Source | None:
    """Returns the graph of an address after `graph:`.

    Raises:
        Problem: there is no such run or graph.
    """
    name, colon, behind = rest.partition(":")
    step, _, tag = behind.partition(":")
    whole, _, number = step.partition(".")
    if not (name and colon and is_number(whole.removeprefix("-")) and (is_number(number) or not number)):
        return None
    run = run_of(name)
    for found in recorded_graphs([run.pk]):
        if (found.step, found.number, written(found.series.tag)) == (int(whole), int(number or 0), tag):
            return recorded_source(found.series, found.place, found.text)
    message = f"{run.name} has recorded no graph of this name at step {step}."
    what = json_text(f"{run.name}, step {step}" + (f", {read(tag)}" if tag else ""))
    raise Problem("unknown_graph", message, 404, what=what)


def find_in_series(number: int, place: int | None) -> Source:
    """Returns a graph by the number of its series.

    Args:
        number: number of the series.
        place: index in the series; default: the newest.

    Raises:
        Problem: the graph does not exist, or its file was deleted or is damaged.
    """
    series = find_series(Kind.GRAPH, number)
    if series is None:
        message = f"There is no series {number} of graphs; its run may have been removed."
        raise Problem("unknown_series", message, 404, series=number)
    return recorded_source(series, place)


def recorded_source(series: Series, place: int | None, text: str | None = None) -> Source:
    """Returns a graph of a series.

    Args:
        series: the series.
        place: index in the series; default: the newest.
        text: its address; default: an address with the series.

    Raises:
        Problem: the graph does not exist, or its file was deleted or is damaged.
    """
    places = _store().read(Table.PLACES, series.run_id, series.pk)
    index = len(places) - 1 if place is None else place
    if not 0 <= index < len(places):
        message = f"Series {series.pk} has {len(places)} graphs; there is no number {index}."
        raise Problem("unknown_graph", message, 404, what=f"series {series.pk}, number {index}")
    row = as_dicts(places[index : index + 1])[0]
    path, file = event_file(series)
    span = (int(row["offset"]), int(row["length"]), int(row["start"]), int(row["size"]))
    try:
        status = stat_file(path)
        digest = _digest(path, (status.st_ino, status.st_size, status.st_mtime_ns), *span)
    except (DamagedRecordError, OSError) as error:
        raise _unreadable(error, file, span[0]) from error

    def load() -> Loaded:
        from mindinsight.graphs.model import graph_from_bytes

        try:
            content = _content(path, *span)
        except DamagedRecordError as error:
            raise _unreadable(error, file, span[0]) from error
        return Loaded(graph_from_bytes(content, file))

    return Source(text or f"series:{series.pk}:{index}", digest, load, file, series.run_id, series.pk, index)


@lru_cache(maxsize=_REMEMBERED)
def _digest(path: FilePath, _seen: tuple[int, int, int], offset: int, length: int, start: int, size: int) -> str:
    """Requests identify a graph by the hash of its bytes. Its file is read once for that, until it changes."""
    return hashlib.sha256(_content(path, offset, length, start, size)).hexdigest()


def _content(path: FilePath, offset: int, length: int, start: int, size: int) -> bytes:
    return read_record(path, offset, length)[start : start + size]


def _unreadable(error: Exception, file: str, offset: int) -> Problem:
    gone = isinstance(error, FileNotFoundError)
    code, what = ("file_gone", "is gone") if gone else ("record_damaged", "is damaged or was replaced")
    return Problem(code, f"The record at byte {offset} of {file} {what}.", 404, file=file, offset=offset)


def _steps(series: Series) -> list[int]:
    if series.count == 1 and series.first_step is not None:
        return [series.first_step]
    places = _store().read(Table.PLACES, series.run_id, series.pk)
    return [int(step) for step in places["step"].tolist()]


def _store() -> ColumnStore:
    return ColumnStore(settings.ENVIRONMENT.data_directory / "columns")
