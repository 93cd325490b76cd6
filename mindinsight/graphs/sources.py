"""Finds the graphs that questions name: recorded ones, dumps of passes, input pipelines, and comparisons of two.

Called by the views and by the task, through `find_graph`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from django.conf import settings

from mindinsight.config.answers import Problem
from mindinsight.graphs.pipelines import find_pipeline
from mindinsight.runs.models import Run
from mindinsight.runs.recorded import as_dicts, event_file, find_series
from mindinsight.store import ColumnStore, Table
from summaries.kinds import Kind
from summaries.records import DamagedRecordError, read_record

if TYPE_CHECKING:  # Web servers load what reads graphs when a graph is asked for.
    from mindinsight.graphs.diff import GraphDiff
    from mindinsight.graphs.model import Graph

_DIFFERENCE_VERSION = 1


@dataclass(frozen=True, slots=True)
class Loaded:
    """A graph that was read.

    Attributes:
        graph: the graph.
        difference: what it shows of two graphs where it is a comparison.
    """

    graph: Graph
    difference: GraphDiff | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A graph that can be read.

    Attributes:
        text: how questions name it.
        graph: the hash by which everything about it is kept.
        load: reads it; a GraphError says why that is not possible.
        file: where it stands, as people know it.
        run: number of its run; None for comparisons.
        series, place: of recorded ones, the series and the index there.
    """

    text: str
    graph: str
    load: Callable[[], Loaded]
    file: str
    run: int | None = None
    series: int = 0
    place: int = 0


def find_graph(text: str, series: int | None = None, place: int | None = None) -> Source:
    """Returns the graph that a question names.

    Args:
        text: `series:23`, `series:23:0`, `dataset:RUN`, `pass:RUN:DIRECTORY:INDEX`, or `diff:LEFT~RIGHT` of two of
            these, both percent-encoded; may be empty where a series is given.
        series: number of a series of graphs.
        place: index of the graph there.

    Raises:
        Problem: it names none, or what it names is gone.
    """
    if not text:
        if series is None:
            raise Problem("bad_parameter", "Name a graph: graph=series:23, for example.", parameter="graph")
        return find_source(series, place)
    kind, _, rest = text.partition(":")
    finder = _FINDERS.get(kind)
    found = finder(rest) if finder else None
    if found is None:
        message = f"{text!r} names no graph; series:23 does, or dataset:1, or pass:1:dumps:0, or diff:LEFT~RIGHT."
        raise Problem("bad_parameter", message, parameter="graph", reason=message)
    return found


def find_source(series_number: int, place: int | None) -> Source:
    """Returns a recorded graph of a run.

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
    content = payload[row["start"] : row["start"] + row["size"]]
    digest = hashlib.sha256(content).hexdigest()
    text = f"series:{series.pk}:{index}"
    return Source(text, digest, lambda: _from_bytes(content, file), file, series.run_id, series.pk, index)


def _from_bytes(content: bytes, file: str) -> Loaded:
    from mindinsight.graphs.model import graph_from_bytes

    return Loaded(graph_from_bytes(content, file))


def _series(rest: str) -> Source | None:
    number, _, index = rest.partition(":")
    if not (_is_number(number) and (_is_number(index) or not index)):
        return None
    return find_source(int(number), int(index) if index else None)


def _dataset(rest: str) -> Source | None:
    if not _is_number(rest):
        return None
    run = _run(rest)
    pipeline = find_pipeline(run.pk)
    if pipeline is None:
        message = f"The lineage files of {run.name} note no input pipeline."
        raise Problem("unknown_graph", message, 404, run=run.pk)

    def load() -> Loaded:
        from mindinsight.graphs.pipeline import pipeline_graph

        return Loaded(pipeline_graph(pipeline.content))

    digest = hashlib.sha256(b"dataset" + pipeline.content).hexdigest()
    return Source(f"dataset:{run.pk}", digest, load, pipeline.file, run.pk)


def _pass(rest: str) -> Source | None:
    from mindinsight.graphs.passes import find_history, open_pass

    number, _, where = rest.partition(":")
    directory, _, index = where.rpartition(":")
    if not (_is_number(number) and directory and _is_number(index)):
        return None
    run = _run(number)
    history = find_history(settings.ENVIRONMENT.base_directory / run.name, directory)
    if history is None or int(index) >= len(history.passes):
        count = 0 if history is None else len(history.passes)
        message = f"{directory} in {run.name} has {count} dumps of passes; there is no number {index}."
        raise Problem("unknown_graph", message, 404, run=run.pk, directory=directory, index=int(index))
    digest = hashlib.sha256(b"pass")
    for file in history.passes[int(index)].files:
        try:
            known = file.stat(follow_symlinks=False)
        except OSError as error:
            raise Problem("file_gone", f"{file.name} in {directory} is gone.", 404, file=file.name) from error
        digest.update(f"{file.resolve()}\0{known.st_size}\0{known.st_mtime_ns}\0".encode("utf-8", "surrogateescape"))

    def load() -> Loaded:
        return Loaded(open_pass(history, int(index)))

    return Source(f"pass:{run.pk}:{directory}:{int(index)}", digest.hexdigest(), load, directory, run.pk)


def _diff(rest: str) -> Source | None:
    left_text, _, right_text = rest.partition("~")
    if not left_text or not right_text:
        return None
    left_text, right_text = unquote(left_text), unquote(right_text)
    if left_text.startswith("diff:") or right_text.startswith("diff:"):
        raise Problem("bad_parameter", "A comparison compares two graphs, not comparisons.", parameter="graph")
    left, right = find_graph(left_text), find_graph(right_text)

    def load() -> Loaded:
        from mindinsight.graphs.diff import compare

        difference = compare(left.load().graph, right.load().graph)
        return Loaded(difference.merged, difference)

    digest = hashlib.sha256(f"diff {_DIFFERENCE_VERSION} {left.graph} {right.graph}".encode()).hexdigest()
    text = f"diff:{quote(left.text, safe='')}~{quote(right.text, safe='')}"
    return Source(text, digest, load, f"{left.file}, {right.file}")


_FINDERS: dict[str, Callable[[str], Source | None]] = {
    "series": _series,
    "dataset": _dataset,
    "pass": _pass,
    "diff": _diff,
}


def _run(number: str) -> Run:
    run = Run.objects.filter(pk=int(number), removed="").first()
    if run is None:
        raise Problem("unknown_run", f"There is no run {number}; it may be gone.", 404, run=int(number))
    return run


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 15
