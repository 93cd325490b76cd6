"""Which names a query could go on with, and how many runs have each. Asked by the view for completion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, TypedDict

from django.db.models import Count

from mindinsight.runs.models import Run, RunMarks, Series
from mindinsight.runs.search.tokens import KEYWORDS, Type, tokenize
from mindinsight.runs.search.vocabulary import FIELDS, FUNCTIONS
from summaries.kinds import Kind

NameKind = Literal["field", "function", "param", "metric", "tag"]


class NameRow(TypedDict):
    """A name, what it names, how it is written in a query, and how many runs have it (null where that says nothing)."""

    name: str
    kind: NameKind
    written: str
    runs: int | None


def complete(prefix: str, limit: int) -> list[NameRow]:
    """Returns names that begin with `prefix`, or have it in them, upper and lower case alike.

    Args:
        prefix: what was typed.
        limit: how many at most.

    Returns:
        Those that begin with it first; fields and functions before what runs have, and that by how many have it.
    """
    typed = prefix.casefold()
    found = [row for row in _all_names() if typed in row["name"].casefold()]
    found.sort(key=lambda row: not row["name"].casefold().startswith(typed))
    return found[:limit]


def _all_names() -> Iterator[NameRow]:
    for field in FIELDS:
        yield {"name": field, "kind": "field", "written": field, "runs": None}
    for function in FUNCTIONS:
        yield {"name": function, "kind": "function", "written": f"{function}(", "runs": None}
    params, metrics, tags = _counts()
    for name, runs in _most_frequent(params):
        yield {"name": name, "kind": "param", "written": _operand(name, "param", name in metrics), "runs": runs}
    for name, runs in _most_frequent(metrics):
        yield {"name": name, "kind": "metric", "written": _operand(name, "metric", name in params), "runs": runs}
    for name, runs in _most_frequent(tags):
        yield {"name": name, "kind": "tag", "written": f"tag:{_quoted(name)}", "runs": runs}


def _counts() -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Counts the runs that have each parameter, each metric and each tag: three questions to the database."""
    params, noted = Counter[str](), Counter[str]()
    runs: set[str] = set()
    for name, its_params, its_metrics in Run.objects.filter(removed="").values_list("name", "params", "metrics"):
        params.update(its_params.keys())
        noted.update(its_metrics.keys())
        runs.add(name)
    series = Series.objects.filter(kind=Kind.SCALAR.value, count__gt=0, run__removed="").order_by()
    counted = series.values_list("tag").annotate(runs=Count("run", distinct=True))
    metrics = Counter(dict(counted))
    # Runs that note a result mostly have no tag of its name; where they do, the larger count is the nearest.
    for name, count in noted.items():
        metrics[name] = max(metrics[name], count)
    marks = RunMarks.objects.exclude(tags=[]).values_list("run", "tags")
    return params, metrics, Counter(_tags_of(marks, runs))


def _tags_of(marks: Iterable[tuple[str, list[str]]], runs: set[str]) -> Iterator[str]:
    for run, tags in marks:
        if run in runs:
            yield from tags


def _most_frequent(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _operand(name: str, source: str, ambiguous: bool) -> str:
    """Returns how a parameter or metric is written so that nothing else is meant."""
    return f"{source}:{_quoted(name)}" if ambiguous else _quoted(name, *FIELDS, "param", "metric")


def _quoted(name: str, *reserved: str) -> str:
    """Returns a name as a query has it: in quotes where it would be understood as something else."""
    if name not in reserved and name.lower() not in KEYWORDS and _is_word(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _is_word(name: str) -> bool:
    try:
        first, *rest = tokenize(name)
    except ValueError:
        return False
    return first.type is Type.WORD and first.text == name and len(rest) == 1
