"""Finds the graphs named in requests: recorded graphs, files, dumps of passes, input pipelines, comparisons, graphs of
the debugger.

Called by the views and by the task, through `find_graph`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from urllib.parse import quote, unquote

from mindinsight.api.problems import COMBINATION, LANGUAGE, Problem
from mindinsight.graphs.source import Loaded, Source, is_number, run_of, written
from mindinsight.graphs.sources.debugged import find_debugged
from mindinsight.graphs.sources.dumped import find_file, find_pass
from mindinsight.graphs.sources.pipelines import find_pipeline
from mindinsight.graphs.sources.recorded import find_in_series, find_recorded

_DIFFERENCE_VERSION = 3


def find_graph(text: str, series: int | None = None, place: int | None = None) -> Source:
    """Returns the graph named in a request.

    Args:
        text: `graph:RUN:STEP:TAG`, `file:RUN:PATH`, `pass:RUN:PATH`, `dataset:RUN`, `series:23`, `series:23:0`, or
            `diff:LEFT~RIGHT` of two of these, both percent-encoded; may be empty if a series is given.
        series: number of a series of graphs.
        place: index of the graph in the series.

    Raises:
        Problem: the name is invalid, or the graph does not exist.
    """
    if not text:
        if series is None:
            message = "Name a graph: graph=graph:lenet:0, for example."
            raise Problem("bad_parameter", message, parameter="graph", reason=message, rule=COMBINATION)
        return find_in_series(series, place)
    kind, _, rest = text.partition(":")
    finder = _FINDERS.get(kind)
    found = finder(rest) if finder else None
    if found is None:
        message = (
            f"{text!r} is not the name of a graph. Names are graph:RUN:STEP, graph:RUN:STEP:TAG, file:RUN:PATH, "
            "pass:RUN:PATH, "
            f"dataset:RUN, series:23, debugger:SESSION, or diff:LEFT~RIGHT."
        )
        raise Problem("bad_parameter", message, parameter="graph", reason=message, rule=LANGUAGE)
    return found


def dataset_address(run: str) -> str:
    """Returns the name in links of a run's input pipeline."""
    return f"dataset:{written(run)}"


def _series(rest: str) -> Source | None:
    number, _, index = rest.partition(":")
    if not (is_number(number) and (is_number(index) or not index)):
        return None
    return find_in_series(int(number), int(index) if index else None)


def _dataset(rest: str) -> Source | None:
    if not rest:
        return None
    run = run_of(rest)
    pipeline = find_pipeline(run.pk)
    if pipeline is None:
        message = f"The lineage files of {run.name} have no input pipeline."
        raise Problem("unknown_graph", message, 404, what=f"{run.name}, dataset")

    def load() -> Loaded:
        from mindinsight.graphs.pipeline import pipeline_graph

        return Loaded(pipeline_graph(pipeline.content))

    digest = hashlib.sha256(b"dataset" + pipeline.content).hexdigest()
    return Source(dataset_address(run.name), digest, load, pipeline.file, run.pk)


def _diff(rest: str) -> Source | None:
    left_text, _, right_text = rest.partition("~")
    if not left_text or not right_text:
        return None
    left_text, right_text = unquote(left_text), unquote(right_text)
    if left_text.startswith("diff:") or right_text.startswith("diff:"):
        message = "A comparison compares two graphs, not comparisons."
        raise Problem("bad_parameter", message, parameter="graph", reason=message, rule=LANGUAGE)
    left, right = find_graph(left_text), find_graph(right_text)

    def load() -> Loaded:
        from mindinsight.graphs.diff import compare

        difference = compare(left.load().graph, right.load().graph)
        return Loaded(difference.merged, difference)

    digest = hashlib.sha256(f"diff {_DIFFERENCE_VERSION} {left.graph} {right.graph}".encode()).hexdigest()
    text = f"diff:{quote(left.text, safe='')}~{quote(right.text, safe='')}"
    return Source(text, digest, load, f"{left.file}, {right.file}")


_FINDERS: dict[str, Callable[[str], Source | None]] = {
    "graph": find_recorded,
    "series": _series,
    "dataset": _dataset,
    "file": find_file,
    "pass": find_pass,
    "diff": _diff,
    "debugger": find_debugged,
}
